"""Names: what is written in place of a table, a column, a field, a function or a type that is not there.

Rule: one place is changed. Imports `core.names`, `core.near`, `core.sql` and this package's `comparing`,
`dialects` and `faults`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator

from millpond.core.mending.comparing import fits, may_be_text
from millpond.core.mending.dialects import FUNCTIONS, KNOWN_TYPES, SYNTAX, TYPES
from millpond.core.mending.faults import Fault, Found, Known
from millpond.core.names import fold, quoted_text
from millpond.core.near import nearest, squashed
from millpond.core.sql import printed_name

MAX_NEAR = 3
LEAST_LIKENESS = 0.75
"""Of a function's name, of 1: there are a thousand, and one that is like another seldom does the like."""
LEAST_LIKENESS_OF_COLUMNS = 0.7
LEAST_LIKENESS_OF_SHORT = 0.85
"""Of a name of few characters: one that is changed is another name."""
SHORT_CHARACTERS = 3


def table(found: Found, fault: Fault, known: Known) -> Iterator[str]:
    """The nearest tables wherever the name stands; a list's column is unnested."""
    name = found["name"]
    parts = r"\s*\.\s*".join(f'"?{re.escape(part)}"?' for part in name.split("."))
    pattern = re.compile(rf'(?<![\w."\']){parts}(?![\w"\'])', re.IGNORECASE)
    if "." in name:
        yield pattern.sub(f"unnest({name})", fault.sql)
    for near in known.tables:
        yield pattern.sub(lambda _, near=near: near, fault.sql)


def column(found: Found, fault: Fault, known: Known) -> Iterator[str]:
    """A near column or field, of a subquery too; in double quotes, beside a column that it is compared with, a text."""
    name = found["name"]
    near = _columns(name, fault, known)
    near += [one for one in _near(name, _told(fault.message)) if one not in known.columns]
    is_text = fault.part.startswith('"') and may_be_text(name, fault, known)
    yield from map(fault.with_part, near)
    if is_text:
        yield fault.with_part(quoted_text(name))


def column_of(found: Found, fault: Fault, known: Known) -> Iterator[str]:
    """A near column of a table that has another name in the statement."""
    for near in _columns(found["name"], fault, known):
        yield fault.with_part(f"{printed_name(found['table'])}.{near}")


def _columns(name: str, fault: Fault, known: Known) -> list[str]:
    """Near columns that may stand there, a field of that very name first."""
    fields = [path for path in known.columns if fold(_last(path)) == fold(name)]
    fields += [_each(field, path) for path, field in known.lists if fold(field.strip('"')) == fold(name)]
    near = [*fields, *(one for one in _near(name, known.columns) if one not in fields)]
    return [one for one in near if fits(one, fault, known)]


def _near(name: str, names: Iterable[str]) -> list[str]:
    """Those of columns or fields that are so like the name that a slip made it."""
    is_short = len(squashed(name)) <= SHORT_CHARACTERS
    return nearest(name, names, MAX_NEAR, _last, LEAST_LIKENESS_OF_SHORT if is_short else LEAST_LIKENESS_OF_COLUMNS)


def _told(message: str) -> list[str]:
    """What DuckDB holds for near: it knows the columns of subqueries too."""
    told = message.partition("Candidate bindings:")[2]
    return [printed_name(name) for name in re.findall(r'"(.+?)"(?=,|\s*$)', told)]


def _each(field: str, path: str) -> str:
    return f"[x.{field} FOR x IN {path}]"


def _last(path: str) -> str:
    return path.rsplit(".", 1)[-1].strip('"')


def other_table(found: Found, fault: Fault, known: Known) -> Iterator[str]:
    """The table that the statement knows under another name."""
    rest = fault.part.partition(".")[2]
    for name in re.findall(r'"((?:[^"]|"")+)"', found["tables"]):
        yield fault.with_part(f"{printed_name(name)}.{rest}" if rest else printed_name(name))


def one_of_two(found: Found, fault: Fault, known: Known) -> Iterator[str]:
    """The first of those that an ambiguous name may be."""
    for path in re.findall(r"'([^']+)'", found["paths"]):
        yield fault.with_part(".".join(printed_name(part.strip('"')) for part in path.split(".")))


def field(found: Found, fault: Fault, known: Known) -> Iterator[str]:
    """A near field of a STRUCT."""
    entries = re.findall(r'"((?:[^"]|"")+)"', found["entries"])
    name = re.escape(found["name"])
    for near in _near(found["name"], entries):
        yield re.sub(rf"(?<=\.){name}\b|(?<=\.)\"{name}\"", lambda _, near=near: printed_name(near), fault.sql)
        yield re.sub(rf"'{name}'", lambda _, near=near: f"'{near}'", fault.sql)


def field_of_each(found: Found, fault: Fault, known: Known) -> Iterator[str]:
    """A field of a list's elements: of each of them."""
    name = found["name"]
    bare = re.escape(found["inner"].replace('"', ""))
    place = re.compile(
        rf'(?P<path>(?:[\w"]+\.)*"?{bare}"?)\."?{re.escape(name)}"?(?:\s*=\s*(?P<value>\'(?:[^\']|\'\')*\'|[\w.]+))?'
    )
    fields = [field for path, field in known.lists if path.strip('"') == found["inner"].strip('"')]

    def written(found: Found, field: str) -> str:
        elements = _each(field, found["path"])
        return f"list_contains({elements}, {found['value']})" if found["value"] else elements

    for near in _near(name, fields):
        yield place.sub(lambda found, near=near: written(found, near), fault.sql)


def function(found: Found, fault: Fault, known: Known) -> Iterator[str]:
    """DuckDB's function for one of another dialect, or a near one."""
    name, rest = found["name"], fault.part[len(found["name"]) :]
    if not name.isidentifier():
        yield fault.sql.replace("=!", "!=")
        return
    meant = FUNCTIONS.get(fold(name)) or fold(name).replace("jsonb_", "json_")
    least = LEAST_LIKENESS_OF_SHORT if len(name) <= SHORT_CHARACTERS else LEAST_LIKENESS
    near = difflib.get_close_matches(fold(name), [*known.functions, *SYNTAX], MAX_NEAR, least)
    for one in [meant] if meant != fold(name) else near:
        yield fault.with_part(one + rest) if rest.startswith("(") else _renamed(name, one, fault)


def _renamed(name: str, new: str, fault: Fault) -> str:
    return re.sub(rf"\b{re.escape(name)}(?=\s*\()", lambda _: new, fault.sql, flags=re.IGNORECASE)


def kind(found: Found, fault: Fault, known: Known) -> Iterator[str]:
    """A near type."""
    name = found["name"].upper()
    for near in [*([TYPES[name]] if name in TYPES else []), *nearest(name, KNOWN_TYPES, MAX_NEAR), "VARCHAR"]:
        yield fault.with_part(near)
