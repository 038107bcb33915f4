"""Questions: the statements that settle doubts, made from a statement's own parse tree.

Rule: a question reads what the statement reads, its tables, its filters and its groups, and asks for what the exact value can be
told from. Imports `core.numbers`, `core.trees`, `core.values`, this package's `doubts`, and msgspec.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum

import msgspec

from millpond.core import trees
from millpond.core.exactness.doubts import INTEGERS, ORDERED_BY_SECOND, WITHOUT_OFFSET, Doubt, Doubts, Kind
from millpond.core.numbers import DECIMAL_DIGITS, scale_of
from millpond.core.trees import Node
from millpond.core.values import is_object, member, objects

MAX_ROWS = 2000
"""Groups or rows in doubt that are looked at; where some hold less than the exact value, one of so many tells."""
LARGE = "4e15"
"""Below this, a number in DOUBLE is right to the digits that are shown."""
_OFFSET = r"[T ]\d\d:?\d\d.*[+-]\d\d(:?\d\d)?$"
_UTC = r"[+-]00(:?00)?$"
_FRACTION = re.compile(r"-?\d*\.?\d+")


class Site(msgspec.Struct, frozen=True):
    """A place in the statement that is in doubt."""

    doubt: Doubt
    call: Node
    """The expression as it stands there."""
    argument: Node
    """What it is called on."""
    fractions: tuple[str, ...] = ()
    """For a quantile, the fractions that are asked for, as they are written."""

    @property
    def is_cast(self) -> bool:
        """True where it is a cast that is in doubt."""
        return self.call.get("class") == "CAST"

    def keyed(self, key: Node) -> Node:
        """The same call, ordered by another key."""
        called_on = trees.arguments(self.call)
        before = called_on[: trees.name_of(self.call) in ORDERED_BY_SECOND]
        return trees.with_call(self.call, trees.name_of(self.call), *before, key, *called_on[len(before) + 1 :])

    def widened(self) -> Node:
        """Of a number that was made narrow, or of an aggregate of such numbers: the same in DOUBLE."""
        narrow = self.call if self.is_cast else self.argument
        wide = trees.cast(narrow["child"], "DOUBLE", trying=bool(narrow.get("try_cast")))
        return wide if self.is_cast else trees.with_call(self.call, trees.name_of(self.call), wide)

    @property
    def scale(self) -> int:
        """For a quantile, the digits after the point that the exact value needs beyond those of the values."""
        return max((len(text.partition(".")[2]) for text in self.fractions), default=0)


class Place(Enum):
    """What an expression is computed for."""

    GROUP = "group"
    ROW = "row"
    FILTER = "filter"
    """A row that the WHERE clause has yet to judge."""
    ORDER = "order"
    """All rows, sorted."""


class Question(msgspec.Struct, frozen=True):
    """A statement whose answer settles the doubts at some sites."""

    tree: Node
    """Of the inner statement, to be printed as SQL."""
    sites: tuple[Site, ...]
    columns: tuple[tuple[str, ...], ...]
    """For each site, the columns of the answer that it is judged by."""
    condition: str
    """Which rows of the inner statement are in doubt, as SQL over those columns."""

    def sql(self, inner: str) -> str:
        """The statement to run, from the inner one as SQL."""
        wanted = ", ".join(name for names in self.columns for name in names)
        return f"SELECT {wanted} FROM ({inner}) WHERE {self.condition} LIMIT {MAX_ROWS}"


class Questions(msgspec.Struct, frozen=True):
    """What is to be asked, and what cannot be."""

    asked: tuple[Question, ...] = ()
    unasked: tuple[Site, ...] = ()
    """Sites that stand where no question reaches."""
    unplaced: tuple[Doubt, ...] = ()
    """Doubts of functions that the statement calls under other names (`list_avg`)."""


def questions(tree: Node, doubts: Doubts) -> Questions:
    """The questions that settle these doubts about the statement of a parse tree."""
    if any(node.get("type") == "SHOW_REF" for node in objects(tree)):
        return Questions()
    asked: list[Question] = []
    unasked: list[Site] = []
    named: set[tuple[Kind, str]] = set()
    for select, _ in trees.selects(tree):
        plain: Node = trees.plain_quantiles(select)
        placed: dict[Place, list[Site]] = {}
        for place, site in _sites(plain, doubts):
            named.add((site.doubt.kind, site.doubt.function))
            if any(node.get("class") == "STAR" for node in trees.walk(site.argument)):
                unasked.append(site)
            else:
                placed.setdefault(place, []).append(site)
        asked += [_question(plain, Place.ORDER, [site]) for site in placed.pop(Place.ORDER, ())]
        asked += [_question(plain, place, sites) for place, sites in placed.items()]
    unplaced = {doubt for doubt in doubts.found if (doubt.kind, doubt.function) not in named}
    return Questions(tuple(asked), tuple(unasked), tuple(sorted(unplaced, key=lambda one: (one.kind, one.type))))


# --- where the doubts are -------------------------------------------------------------------------------------------


def _sites(select: Node, doubts: Doubts) -> Iterator[tuple[Place, Site]]:
    shown = [select.get("select_list"), select.get("having"), select.get("qualify")]
    within: set[int] = set()
    for node in trees.walk(shown):
        if _is_grouped(node, doubts):
            within |= {id(below) for argument in trees.arguments(node) for below in trees.walk(argument)}
        for site in _sites_at(node, doubts):
            yield _place(site, doubts, inside=id(node) in within), site
    for node in trees.walk(select.get("where_clause")):
        yield from ((Place.FILTER, site) for site in _sites_at(node, doubts))
    for doubt in doubts.found:
        if doubt.kind is Kind.ORDER:
            yield from ((Place.ORDER, Site(doubt, key, key)) for key in _sort_keys(select, doubts))


def _sort_keys(select: Node, doubts: Doubts) -> Iterator[Node]:
    """What the rows of a SELECT, or of its windows, are sorted by, where each row has it."""
    listed: list[Node] = select.get("select_list") or []
    named = {node["alias"]: node for node in listed if node.get("alias")}
    orders = [order for modifier in select.get("modifiers") or () for order in modifier.get("orders") or ()]
    keys = [_resolved(order["expression"], listed, named) for order in orders]
    for node in trees.walk([listed, select.get("qualify")]):
        if node.get("class") == "WINDOW":
            keys += [order["expression"] for order in node.get("orders") or ()]
    for key in keys:
        if not any(node.get("class") == "STAR" or _is_grouped(node, doubts) for node in trees.walk(key)):
            yield key


def _resolved(key: Node, listed: Sequence[Node], named: Mapping[str, Node]) -> Node:
    """The expression that a number or a name in ORDER BY stands for."""
    number = trees.literal(key)
    if number.isdigit() and 0 < int(number) <= len(listed):
        before = listed[: int(number)]
        return before[-1] if all(node.get("class") != "STAR" for node in before) else key
    names: list[str] = key.get("column_names") or []
    return named.get(names[0], key) if len(names) == 1 else key


def _is_grouped(node: Node, doubts: Doubts) -> bool:
    return node.get("class") == "WINDOW" or (trees.is_call(node) and trees.name_of(node) in doubts.aggregates)


def _place(site: Site, doubts: Doubts, *, inside: bool) -> Place:
    grouped = any(_is_grouped(node, doubts) for node in trees.walk(site.call))
    return Place.GROUP if grouped and not inside else Place.ROW


def _sites_at(node: Node, doubts: Doubts) -> Iterator[Site]:
    if node.get("class") == "CAST":
        yield from _casts_at(node, doubts)
    elif trees.is_call(node) and (called_on := trees.arguments(node)):
        first: dict[Kind, Doubt] = {}
        for doubt in sorted(doubts.found, key=lambda one: one.type):
            if doubt.function == trees.name_of(node):
                first.setdefault(doubt.kind, doubt)
        if _target(called_on[0]) != "FLOAT":
            first.pop(Kind.NARROW, None)
        key = called_on[trees.name_of(node) in ORDERED_BY_SECOND and len(called_on) > 1]
        for kind, doubt in first.items():
            fractions = _fractions(called_on[1:]) if kind is Kind.QUANTILE else ()
            yield Site(doubt, node, key, fractions)


def _casts_at(node: Node, doubts: Doubts) -> Iterator[Site]:
    target, child = _target(node), node.get("child")
    kinds = {Kind.OFFSET: target in WITHOUT_OFFSET, Kind.NARROW: target == "FLOAT" or target in INTEGERS}
    if not is_object(child) or child.get("class") == "CONSTANT":
        return
    for kind in (kind for kind, holds in kinds.items() if holds):
        cast = [doubt for doubt in doubts.found if doubt.kind is kind and doubt.function == "cast"]
        yield from (Site(doubt, node, child) for doubt in cast[:1])


def _target(node: Node) -> str:
    """The type that a cast makes; "" of anything else."""
    return str(member(node.get("type_expr"), "type_name")).upper() if node.get("class") == "CAST" else ""


def _fractions(nodes: Sequence[Node]) -> tuple[str, ...]:
    """The fractions of a quantile; none where they are not all written out."""
    found: list[str] = []
    for node in nodes:
        for below in trees.arguments(node) if trees.name_of(node) == "list_value" else [node]:
            if not _FRACTION.fullmatch(trees.literal(below)):
                return ()
            found.append(trees.literal(below))
    return tuple(found)


# --- what is asked of each ------------------------------------------------------------------------------------------


def _question(select: Node, place: Place, sites: Sequence[Site]) -> Question:
    asked: list[Node] = []
    columns: list[tuple[str, ...]] = []
    conditions: list[str] = []
    for site in sites:
        evidence, condition = _ASKED[site.doubt.kind](site)
        names = tuple(f"__millpond_{len(asked) + at}" for at in range(len(evidence)))
        asked += [{**node, "alias": name} for node, name in zip(evidence, names, strict=True)]
        columns.append(names)
        conditions.append(f"({condition.format(*names)})")
    inner = _grouped(select, asked) if place is Place.GROUP else trees.rows_of(select, asked)
    if place is Place.FILTER:
        inner["where_clause"] = None
    return Question(trees.statement(inner), tuple(sites), tuple(columns), " OR ".join(conditions))


def _grouped(select: Node, asked: Iterable[Node]) -> Node:
    """The same SELECT with more columns: names and numbers of its own ones stay what they are."""
    modifiers = [one for one in select.get("modifiers") or () if one.get("type") != "DISTINCT_MODIFIER"]
    return {**select, "modifiers": modifiers, "select_list": [*select["select_list"], *asked]}


Asked = tuple[list[Node], str]
"""Expressions that tell an exact value, and the condition under which they are worth a look; `{0}` is the first."""


def _ask_median(site: Site) -> Asked:
    lower, upper = (
        trees.with_call(site.call, "quantile_disc", site.argument, trees.number(f)) for f in ("0.5", "-0.5")
    )
    return [site.call, lower, upper], (
        f"{{1}} IS DISTINCT FROM {{2}} OR (typeof({{0}}) <> typeof({{1}}) AND abs(TRY_CAST({{0}} AS DOUBLE)) > {LARGE})"
    )


def _ask_quantile(site: Site) -> Asked:
    scale = scale_of(site.doubt.type) + site.scale
    wide = trees.cast(site.argument, "DECIMAL", DECIMAL_DIGITS, min(scale, DECIMAL_DIGITS))
    finer = trees.with_call(site.call, site.doubt.function, wide, *trees.arguments(site.call)[1:])
    ends = [trees.with_call(site.call, name, site.argument) for name in ("min", "max")]
    return [site.call, finer, *ends], "{0} IS NOT NULL"


def _ask_mean(site: Site) -> Asked:
    others = [trees.with_call(site.call, name, site.argument) for name in ("sum", "count", "favg")]
    return [site.call, *others], (
        "CASE typeof({1}) WHEN 'DOUBLE' THEN {0} <> {3} WHEN 'BIGNUM' THEN true"
        f" ELSE abs(TRY_CAST({{0}} AS DOUBLE)) > {LARGE} END"
    )


def _ask_sum(site: Site) -> Asked:
    return [site.call, trees.with_call(site.call, "fsum", site.argument)], "typeof({0}) = 'DOUBLE' AND {0} <> {1}"


def _ask_spread(site: Site) -> Asked:
    return [trees.with_call(site.call, name, site.argument) for name in ("min", "max")], "{0} < {1}"


def _ask_text(site: Site) -> Asked:
    as_number = trees.cast(site.argument, "DOUBLE", trying=True)
    as_text = trees.cast(site.argument, "VARCHAR")
    fraction = trees.call("length", trees.call("split_part", as_text, trees.text("."), trees.number("2")))
    shown, by_value = site.call, site.keyed(as_number)
    if trees.name_of(site.call) not in ORDERED_BY_SECOND:
        shown = trees.cast(shown, "DOUBLE", trying=True)
    return [
        shown,
        by_value,
        trees.with_call(site.call, "count", site.argument),
        trees.with_call(site.call, "count", as_number),
        trees.with_call(site.call, "max", fraction),
    ], "{2} > 0 AND {2} = {3} AND {0} <> {1}"


def _ask_order(site: Site) -> Asked:
    key = site.argument
    as_number = trees.cast(key, "DOUBLE", trying=True)
    by_text, by_value = (
        trees.call("hash", trees.sorted_by(trees.call("list", as_number), order, where=trees.is_not_null(as_number)))
        for order in (key, as_number)
    )
    fraction = trees.call(
        "length", trees.call("split_part", trees.cast(key, "VARCHAR"), trees.text("."), trees.number("2"))
    )
    counts = [trees.call("count", one) for one in (key, as_number)]
    return [by_text, by_value, *counts, trees.call("max", fraction)], "{2} > 1 AND {2} = {3} AND {0} <> {1}"


def _ask_narrow(site: Site) -> Asked:
    if not site.is_cast:
        return [site.call, site.widened()], "{0} <> {1}"
    shown = trees.cast(trees.cast(site.call, "VARCHAR"), "DOUBLE", trying=True)
    to_integer = _target(site.call) in INTEGERS
    return (
        [shown, trees.cast(site.argument, "DOUBLE", trying=True), site.argument],
        "{0} <> {1}" + (" AND typeof({2}) IN ('VARCHAR', 'JSON')" if to_integer else ""),
    )


def _ask_arithmetic(site: Site) -> Asked:
    operands = trees.arguments(site.call)
    kinds = ", ".join(f"typeof({{{at}}})" for at in range(1, len(operands) + 1))
    return [site.call, *operands], (
        f"typeof({{0}}) = 'DOUBLE' AND ('BIGNUM' IN ({kinds}) OR abs(TRY_CAST({{0}} AS DOUBLE)) > {LARGE})"
    )


def _ask_length(site: Site) -> Asked:
    elements = trees.call("json_array_length", trees.cast(site.argument, "JSON", trying=True))
    return [site.call, elements, site.argument], "typeof({2}) = 'JSON' AND {1} > 0 AND {0} <> {1}"


def _ask_offset(site: Site) -> Asked:
    with_offset = trees.call("regexp_matches", trees.cast(site.argument, "VARCHAR"), trees.text(_OFFSET))
    in_utc = trees.call("regexp_matches", trees.cast(site.argument, "VARCHAR"), trees.text(_UTC))
    return [with_offset, in_utc], "{0} AND NOT {1}"


_ASKED: dict[Kind, Callable[[Site], Asked]] = {
    Kind.MEDIAN: _ask_median,
    Kind.QUANTILE: _ask_quantile,
    Kind.MEAN: _ask_mean,
    Kind.SUM: _ask_sum,
    Kind.SPREAD: _ask_spread,
    Kind.TEXT: _ask_text,
    Kind.ARITHMETIC: _ask_arithmetic,
    Kind.LENGTH: _ask_length,
    Kind.NARROW: _ask_narrow,
    Kind.ORDER: _ask_order,
    Kind.OFFSET: _ask_offset,
}
