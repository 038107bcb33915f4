"""Reading: candidates for a statement that DuckDB could not read, by what it said.

Rule: each kind of fault has one row. Imports `core.trees` and this package's modules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from millpond.core.mending import clauses, names
from millpond.core.mending.faults import Fault, Found, Known
from millpond.core.trees import Node

_Mend = Callable[[Found, Fault, Known], Iterable[str | Node]]
_ROWS: tuple[tuple[str, _Mend], ...] = (
    (r"(?:Table with name|There is no table) (?P<name>.+?) (?:does not exist|in this canvas)", names.table),
    (r'Referenced column "(?P<name>.+?)" not found', names.column),
    (r'Table "(?P<table>.+?)" does not have a column named "(?P<name>.+?)"', names.column_of),
    (r'Referenced table ".+?" not found!\s*Candidate tables: (?P<tables>.*)', names.other_table),
    (r"Ambiguous reference to column name .*\(use: (?P<paths>.*)\)", names.one_of_two),
    (r'Could not find key "(?P<name>.+?)" in struct\s*Candidate Entries: (?P<entries>.*)', names.field),
    (r"Cannot extract field '(?P<name>.+?)' from expression \"(?P<inner>.+)\" because", names.field_of_each),
    (r"(?:Function|Macro) with name (?P<name>\S+) does not exist", names.function),
    (r"Type with name (?P<name>\S+) does not exist", names.kind),
    (r"must appear in the GROUP BY clause", clauses.grouped),
    (r"WHERE clause cannot contain aggregates", clauses.filter_of_groups),
    (r"WHERE clause cannot contain window functions", clauses.filter_of_windows),
    (r"No function matches .* '(?P<name>[^'(]+)\((?P<kinds>.*)\)'\.", clauses.cast_arguments),
    (r'Could not choose .* "(?P<name>[^"(]+)\((?P<kinds>.*)\)"\.', clauses.cast_arguments),
    (r"Cannot compare values of type (?P<left>.+) and type (?P<right>.+) - an explicit", clauses.cast_compared),
    (r"UNNEST\(\) can only be applied to .* not (?P<kind>\w+)", clauses.elements),
    (r"ORDER term out of range - should be between 1 and (?P<last>\d+)", clauses.ordered),
    (r"LIMIT/OFFSET cannot be negative", clauses.without_limit),
    (r"syntax error|unterminated|zero-length|SELECT clause without selection list|Parser Error", clauses.slips),
)
ROWS = tuple((re.compile(pattern), mend) for pattern, mend in _ROWS)
"""What DuckDB says, each with what may mend it."""


def candidates(fault: Fault, known: Known) -> Iterator[str | Node]:
    """Statements, as text or as trees, that may do what was meant, the likeliest first; none of them is the one that failed."""
    for pattern, mend in ROWS:
        if found := pattern.search(fault.message):
            yield from (one for one in mend(found, fault, known) if one not in (fault.sql, fault.tree))
            return
