"""Statements that failed, and what may be sent instead: the candidates alone, before the engine judges them."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from millpond.core.mending import reading, running
from millpond.core.mending.faults import Fault, Known, arguments_of, outline, split
from millpond.core.mending.instead import instead
from millpond.core.near import nearest

KNOWN = Known(
    tables=("list_issues_k7q2xd_1",),
    columns=("id", "state", '"user"', '"user".login', '"Created At"', "labels"),
    kinds={"id": "bigint", "state": "varchar", '"user"': "struct", '"user".login': "varchar", "labels": "list"},
    lists=(("labels", "name"), ("labels", '"Color"')),
    functions=("count", "date_trunc", "json_keys"),
)


def tree(sql: str) -> dict[str, Any]:
    return json.loads(duckdb.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchall()[0][0])


def printed(node: dict[str, Any]) -> str:
    return duckdb.execute("SELECT json_deserialize_sql(?::JSON)", [json.dumps(node)]).fetchall()[0][0]


def first(message: str, sql: str, part: str = "") -> str | None:
    """The first candidate, `part` being where the fault lies."""
    at = (sql.encode().index(part.encode()), len(part.encode())) if part else None
    found = next(iter(reading.candidates(Fault("binder", message, sql, at, tree(sql)), KNOWN)), None)
    return printed(found) if isinstance(found, dict) else found


GROUP = 'column "x" must appear in the GROUP BY clause'
NO_COLUMN = 'Referenced column "{}" not found in FROM clause!'


@pytest.mark.parametrize(
    ("message", "sql", "part", "mended"),
    [
        ("There is no table issues in this canvas", "SELECT issues.id FROM issues", "", "SELECT list_issues_k7q2xd_1.id FROM list_issues_k7q2xd_1"),
        ("There is no table a.b in this canvas", "FROM t a, a.b", "", "FROM t a, unnest(a.b)"),
        (NO_COLUMN.format("createdat"), "SELECT 'é', createdat FROM t", "createdat", "SELECT 'é', \"Created At\" FROM t"),
        (NO_COLUMN.format("login"), "SELECT login FROM t", "login", 'SELECT "user".login FROM t'),
        (NO_COLUMN.format("color"), "SELECT color FROM t", "color", 'SELECT [x."Color" FOR x IN labels] FROM t'),
        (NO_COLUMN.format("it's"), 'SELECT 1 FROM t WHERE state = "it\'s"', '"it\'s"', "SELECT 1 FROM t WHERE state = 'it''s'"),
        (NO_COLUMN.format("a"), 'SELECT "a" FROM t', '"a"', None),
        (NO_COLUMN.format("a"), 'SELECT 1 FROM t WHERE "a" = "b"', '"a"', None),
        (NO_COLUMN.format("7"), 'SELECT 1 FROM t WHERE id BETWEEN "7" AND 9', '"7"', "SELECT 1 FROM t WHERE id BETWEEN '7' AND 9"),
        (NO_COLUMN.format("a"), 'SELECT 1 FROM t WHERE id = "a"', '"a"', None),
        (NO_COLUMN.format("a"), 'SELECT 1 FROM t WHERE lower(t.state) LIKE "a"', '"a"', "SELECT 1 FROM t WHERE lower(t.state) LIKE 'a'"),
        (NO_COLUMN.format("a"), 'SELECT 1 FROM (SELECT id AS n FROM t) WHERE n = "a"', '"a"', "SELECT 1 FROM (SELECT id AS n FROM t) WHERE n = 'a'"),
        (NO_COLUMN.format("label"), "SELECT 1 FROM t WHERE label > 3", "label", None),
        (NO_COLUMN.format("label"), "SELECT label FROM t", "label", "SELECT labels FROM t"),
        (NO_COLUMN.format("stat"), "SELECT 1 FROM t WHERE stat > 3", "stat", None),
        (NO_COLUMN.format("pd") + '\nCandidate bindings: "pad"', "SELECT pd FROM t", "pd", None),
        (NO_COLUMN.format("fooo") + '\nCandidate bindings: "a"b"', "SELECT fooo FROM t", "fooo", None),
        (NO_COLUMN.format("totl") + '\nCandidate bindings: "total", "x"', "SELECT totl FROM t", "totl", "SELECT total FROM t"),
        ('Could not find key "avatar" in struct\n\nCandidate Entries: "id"', "SELECT s.avatar FROM t", "", None),
        ("Scalar Function with name cut does not exist!", "SELECT cut(id)", "cut(id)", None),
        (NO_COLUMN.format("stat"), 'SELECT "stat" FROM t', '"stat"', "SELECT state FROM t"),
        (NO_COLUMN.format("zzz"), "SELECT zzz FROM t", "zzz", None),
        ('Referenced table "x" not found!\nCandidate tables: "a b"', "SELECT x.id FROM t", "x.id", 'SELECT "a b".id FROM t'),
        ('Referenced table "x" not found!\nCandidate tables: "t"', "SELECT x FROM t", "x", "SELECT t FROM t"),
        ('Could not find key "nam" in struct\n\nCandidate Entries: "name"', "SELECT s['nam'] FROM t", "", "SELECT s['name'] FROM t"),
        ("Scalar Function with name zzzzzz does not exist!", "SELECT zzzzzz(1)", "zzzzzz(1)", None),
        ("Scalar Function with name countt does not exist!", "SELECT countt(id), COUNTT (id)", "", "SELECT count(id), count (id)"),
        (GROUP, "SELECT x, count(*) FROM t", "x", "SELECT x, count(*) FROM t GROUP BY ALL"),
        (GROUP, "SELECT x FROM t GROUP BY y HAVING z > 1", "", "SELECT x FROM t GROUP BY y WHERE z > 1"),
        ("WHERE clause cannot contain aggregates!", "SELECT 1 FROM (SELECT x FROM t WHERE count(*) > 1)", "", None),
        ("WHERE clause cannot contain window functions!", "SELECT 1 FROM (SELECT x FROM t WHERE rank() OVER () > 1)", "", None),
        ("Cannot compare values of type VARCHAR and type DATE - an explicit cast", "SELECT a BETWEEN b AND c", "a BETWEEN b AND c", None),
        ("Cannot compare values of type INTEGER and type INTEGER[] - an explicit cast", "SELECT a = b", "a = b", "SELECT list_contains(b, a)"),
        ("Cannot compare values of type INTEGER[] and type INTEGER - an explicit cast", "SELECT a > b", "a > b", None),
        ("UNNEST() can only be applied to lists, not JSON", "SELECT unnest(f(a, ')')) FROM t", "unnest(f(a, ')'))", "SELECT unnest(json_extract(f(a, ')'), '$[*]')) FROM t"),
        ("another message", "SELECT 1", "", None),
    ],
)  # fmt: skip
def test_a_statement_is_changed_in_one_place(message: str, sql: str, part: str, mended: str | None) -> None:
    """QUERY-18"""
    assert first(message, sql, part) == mended


@pytest.mark.parametrize(
    ("message", "sql", "mended"),
    [
        ("Could not convert string '…' to INT32", "SELECT x::INT AS a", "SELECT TRY_CAST(x AS INTEGER) AS a"),
        ("Could not convert string '…' to INT32", "SELECT 1 WHERE 'x' = id", "SELECT 1 WHERE ('x' = CAST(id AS VARCHAR))"),
        ("Could not convert string '…' to INT32", "SELECT 1 WHERE s > 5", "SELECT 1 WHERE (s > '5')"),
        ("Could not convert string '…' to INT32", "SELECT 1 WHERE s NOT IN (1, 'x')", "SELECT 1 WHERE (NOT (CAST(s AS VARCHAR) IN ('1', 'x')))"),
        ("Overflow in HUGEINT addition: …", "SELECT sum(h) AS s FROM t", "SELECT sum(CAST(h AS DOUBLE)) AS s FROM t"),
        ("Overflow in multiplication of INT128 (…)!", "SELECT x::HUGEINT * y", "SELECT (CAST(x AS DOUBLE) * y)"),
        ("Overflow in subtraction of UINT8 (…)!", "SELECT x - y AS d", "SELECT (CAST(x AS HUGEINT) - y) AS d"),
        ("Casting value \"…\" to type DECIMAL(3,2) failed: value is out of range!", "SELECT x::DECIMAL(3, 2)", "SELECT CAST(x AS DECIMAL(38, 2))"),
        ("Type INT64 with value … can't be cast because the value is out of range for the destination type INT32", "SELECT x::INT AS i, x::DATE", "SELECT CAST(x AS BIGINT) AS i, CAST(x AS DATE)"),
        ("Division by zero", "SELECT a // b AS q, mod(a, b)", "SELECT (a // \"nullif\"(b, 0)) AS q, mod(a, \"nullif\"(b, 0))"),
        ("Could not parse string \"…\" according to", "SELECT strptime(s, '%Y') AS y", "SELECT try_strptime(s, '%Y') AS y"),
        ("More than one row returned by a subquery", "SELECT 1 WHERE a = (SELECT 2)", "SELECT 1 WHERE (a = ANY(SELECT 2))"),
        ("Unimplemented type for cast (INTEGER -> BIGINT[])", "SELECT 1 WHERE 5 = l", "SELECT 1 WHERE list_contains(l, 5)"),
        ("Unimplemented type for cast (INTEGER -> BIGINT[])", "SELECT a = b, l = 5", "SELECT (a = b), list_contains(l, 5)"),
        ("Could not convert string '…' to INT32", "SELECT a = b, s > 5", "SELECT (a = b), (s > '5')"),
        ("anything else", "SELECT *, id, 1, f(x) AS y FROM t", "SELECT *, id, 1, TRY(f(x)) AS y FROM t"),
        ("anything else", "SELECT f(x) UNION ALL SELECT 1", None),
        ("anything else", "SELECT id FROM t", None),
    ],
)  # fmt: skip
def test_a_statement_that_failed_at_a_value_is_changed_in_its_tree(message: str, sql: str, mended: str | None) -> None:
    """QUERY-18"""
    found = next(running.candidates(message, tree(sql)), None)
    assert (found and printed(found)) == mended


@pytest.mark.parametrize(
    ("sql", "step"),
    [
        ("CREATE TEMP TABLE IF NOT EXISTS main.\"Busy\" AS FROM t", '{"sql":"FROM t","save_as":"busy"}'),
        ("copy (FROM t) to 'x'", '{"sql":"FROM t","format":"csv"}'),
        ("COPY t (id) TO 'x' (FORMAT parquet)", '{"sql":"FROM t","format":"csv"}'),
        ("pragma show('t')", "DESCRIBE t"),
        ("DELETE FROM t WHERE true", "FROM t LIMIT 5"),
        ("pivot t on a using count(*)", "SELECT DISTINCT a FROM t"),
        ("prepare p as select 1", "select 1"),
        ("SET x = 1", None),
    ],
)  # fmt: skip
def test_what_is_sent_instead_of_a_statement_that_is_no_read(sql: str, step: str | None) -> None:
    """QUERY-18"""
    assert next((one.text for one in instead(sql)), None) == step


def test_what_stands_in_quotes_comments_and_brackets_is_not_in_the_outline() -> None:
    assert outline("SELECT 'a,b', (c, [d]) -- e\n, \"f,g\"").split() == ["SELECT", ",", ","]
    assert split("a, (b, c), 'd,e'", ",") == ["a", "(b, c)", "'d,e'"]
    assert arguments_of("f(a, g(b, c))") == ("f", ["a", "g(b, c)"])
    assert arguments_of("a + b") is None


@given(st.text("(')[]\"-/*\n$ab,"))
def test_any_text_has_an_outline_as_long_as_itself(sql: str) -> None:
    assert len(outline(sql)) == len(sql)


@given(st.text(), st.sampled_from([pattern.pattern for pattern, _ in reading.ROWS]), st.text(max_size=5))
def test_any_fault_gives_candidates_and_never_an_error(sql: str, message: str, name: str) -> None:
    """QUERY-18"""
    said = message.replace("(?P<name>.+?)", name).replace(r"(?P<name>\S+)", name)
    found = list(islice(reading.candidates(Fault("binder", said, sql, (0, 3)), KNOWN), 50))
    assert sql not in found


@pytest.mark.parametrize(
    ("wanted", "names", "near"),
    [
        ("issues", ["list_users", "list_issues", "calls"], ["list_issues"]),
        ("createdAt", ["created_at", "creator"], ["created_at"]),
        ("stat", ["state", "status", "zip"], ["state", "status"]),
        ("a", ["b", "A"], ["A"]),
        ("zebra", ["list_issues", "calls"], []),
        ("", ["x"], []),
    ],
)
def test_the_nearest_names_come_first(wanted: str, names: list[str], near: list[str]) -> None:
    """QUERY-08"""
    assert nearest(wanted, names) == near
