"""Calls of the own tool that are refused, one for each thing that can be wrong, and the canvas that they are asked of."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from asking import Asking
from millpond.core.arguments import MAX_SQL_BYTES
from millpond.core.steps import LABEL
from pond import Canvas, canvas, structured

ISSUES = [
    {
        "id": at,
        "state": "open" if at % 3 else "closed",
        "amount": at / 10,
        "labels": [{"name": "bug", "color": "f00"}][: at % 2],
        "user": {"login": f"user{at % 7}", "id": at % 7},
        "created_at": f"2026-01-{at % 28 + 1:02}T00:00:00Z",
        "title": f"Issue {at}",
        "zip": f"{at:05}",
        "mixed": [at] if at % 2 else {"a": at},
        "big": 2**62 + at,
    }
    for at in range(60)
]
USERS = [{"login": f"user{at}", "id": at, "email": f"u{at}@example.org"} for at in range(60)]
T, U = "list_issues_k7q2xd_5", "list_users_k7q2xd_6"
KEPT_CALLS = 6
"""So that the first two results of the canvas are evicted when the others have come."""


@contextmanager
def asked_canvas() -> Generator[tuple[Asking, Canvas]]:
    """A canvas with two tables, a small result, a kept answer, a result and a kept answer that were evicted, and one that was dropped."""
    with canvas(max_calls=KEPT_CALLS) as pond:
        ask = Asking(pond)
        pond.take(structured({"items": USERS}), "gone", mode="always")
        assert not ask("SELECT 1 AS a", save_as="kept_gone")["isError"]
        pond.store.record(pond.call("small"), structured([{"a": 1}]))
        pond.take(structured({"items": [{"id": 1}]}), "list_repos", mode="always", number=4)
        pond.take(structured({"items": ISSUES}), "list_issues", mode="always", number=5)
        pond.take(structured({"items": USERS}), "list_users", mode="always", number=6)
        assert not ask(f"SELECT count(*) AS n FROM {T}", save_as="totals")["isError"]
        assert not ask("SELECT 1 AS a", save_as="spent")["isError"]
        assert not ask("DROP TABLE spent")["isError"]
        yield ask, pond


STATEMENTS: dict[str, tuple[str, ...]] = {
    "tables": (
        "SELECT * FROM list_issue_k7q2xd_5",
        "SELECT count(*) FROM issues",
        "SELECT stat FROM issues",
        'SELECT * FROM "List Issues" LIMIT 1',
        f"SELECT count(*) FROM public.{T}",
        "FROM db.list_users LIMIT 1",
        "FROM zebra",
        'FROM "my table"',
        "DESCRIBE users",
        "SUMMARIZE issues",
        "SUMMARIZE issues.state",
        "FROM list_issues_aaaaaa_3",
        "FROM gone_k7q2xd_1",
        "FROM kept_gone",
        "FROM spent",
        "FROM information_schema.schemata",
        "FROM duckdb_settings",
        f"SELECT l FROM {T} t, t.labels AS u(l)",
    ),
    "columns": (
        f"SELECT stat FROM {T}",
        f"SELECT createdAt FROM {T}",
        f'SELECT count(*) FROM {T} WHERE state = "open"',
        f"SELECT login FROM {T}",
        f"SELECT email FROM {T}",
        f"SELECT color FROM {T}",
        f"SELECT cnt FROM (SELECT count(*) FROM {T})",
        f"SELECT qqqqq FROM {T}",
        f"SELECT t.creatd_at FROM {T} t",
        f"SELECT t.qqqqq FROM {T} t",
        f"SELECT x.id FROM {T} t",
        f"SELECT id FROM {T} a JOIN {U} b ON a.user.login = b.login",
        f"SELECT user.logn FROM {T}",
        f"SELECT labels.name FROM {T}",
        f"SELECT id FROM {T} WHERE labels.name = 'bug'",
        f"SELECT state.name FROM {T}",
        f"SELECT list_filter(labels, l -> l.nme = 'x') FROM {T}",
        f"SELECT a.id FROM {T} a, {T} a",
        f'SELECT count(*) FROM {T} WHERE "reviewer" = "open"',
        f'SELECT count(*) FROM {T} WHERE "reviewed" IS NULL',
        f'SELECT count(DISTINCT "customer") FROM {T}',
        f'SELECT count(*) FROM {T} GROUP BY "city"',
        f'SELECT count(*) FROM {T} WHERE state NOT IN ("open", "closed")',
        f'SELECT count(*) FROM {T} WHERE user.login LIKE "user1%"',
        f'SELECT count(*) FROM {T} WHERE id = "open"',
        f"SELECT user.avatar FROM {T}",
        f"SELECT count(*) FROM {T} WHERE label > 3",
        "SELECT fooo FROM (SELECT 1 AS pad, 2 AS other)",
        f"SUMMARIZE {T}.qqqqq",
        f"SUMMARIZE {T}.stat",
        "SUMMARIZE SELECT stat FROM issues",
        f"EXPLAIN ANALYZE SELECT stat FROM {T}",
    ),
    "functions": (
        f"SELECT countt(*) FROM {T}",
        f"SELECT foo(state) FROM {T}",
        f"SELECT date_format(created_at, '%Y') FROM {T}",
        f"SELECT json_array_elements(labels) FROM {T}",
        "SELECT jsonb_keys('{}')",
        f"SELECT nvl(state, '') FROM {T}",
        f"SELECT percentile(amount, 0.5) FROM {T}",
        "SELECT st_point(1, 2)",
        f"SELECT id FROM {T} WHERE id =! 5",
        "SELECT read_text('x')",
        "SELECT if(1, 2)",
        "SELECT 1::NUMBER",
        "SELECT 1::FOO",
    ),
    "types": (
        f"SELECT sum(zip) FROM {T}",
        f"SELECT zip + 1 FROM {T}",
        f"SELECT created_at - created_at FROM {T}",
        f"SELECT date_trunc('month', created_at) FROM {T}",
        f"SELECT extract(year FROM created_at) FROM {T}",
        f"SELECT strftime(created_at, '%Y') FROM {T}",
        f"SELECT lower(id) FROM {T}",
        f"SELECT id FROM {T} WHERE labels LIKE '%bug%'",
        f"SELECT id FROM {T} WHERE zip > 5",
        f"SELECT id FROM (SELECT id, [id] AS l FROM {T}) WHERE l = 5",
        f"SELECT id FROM {T} WHERE created_at > now()",
        f"SELECT unnest(mixed) FROM {T}",
        f"SELECT unnest(state) FROM {T}",
        f"SELECT mod(id) FROM {T}",
    ),
    "groups": (
        f"SELECT state, count(*) FROM {T}",
        f"SELECT state, count(*) FROM {T} ORDER BY 2 LIMIT 3",
        f"SELECT state, id FROM {T} GROUP BY state",
        f"SELECT state FROM {T} WHERE count(*) > 3",
        f"SELECT state FROM {T} WHERE count(*) > 3 GROUP BY state ORDER BY 1",
        f"SELECT id FROM {T} WHERE row_number() OVER () = 1",
        f"SELECT max(sum(id)) FROM {T}",
        f"SELECT id FROM {T} ORDER BY 5",
        f"SELECT id FROM {T} LIMIT -1",
        f"SELECT id FROM {T} WHERE id IN (SELECT id, state FROM {T})",
        f"FROM {T} UNION FROM {U}",
    ),
    "reading": (
        "SELEC 1",
        "SELECT 'abc",
        f'SELECT "state FROM {T}',
        f"SELECT count(* FROM {T}",
        "SELECT (1",
        f"SELECT TOP 5 id FROM {T}",
        f"SELECT id FROM {T} LIMIT 5, 10",
        f"SELECT id FROM {T} WHERE",
        f"SELECT state, count(*) FROM {T} GROUP BY",
        f"SHOW COLUMNS FROM {T}",
        f"SELECT FROM {T}",
        f"SELECT id,, state FROM {T}",
        f"SELECT sum(CASE WHEN state = 'open' THEN 1) FROM {T}",
        f"SELECT id FROM {T} SAMPLE 5",
        "SELECT 'it's'",
        f'SELECT id FROM {T} WHERE state = ""',
        "SELECT $1",
        f"SELECT id FROM {T} WHERE big::BIGNUM > {10**40}::BIGNUM + (SELECT {10**40})",
        "SELECT " + " || ".join(["'a'"] * 1500),
    ),
    "statements": (
        "SELECT 1; SELECT 2",
        "-- nothing",
        f"INSERT INTO {T} VALUES (1)",
        f"UPDATE {T} SET id = 1",
        f"DELETE FROM {T} WHERE id = 1",
        f"CREATE TABLE busy AS SELECT id FROM {T}",
        f"CREATE OR REPLACE VIEW ids AS SELECT id FROM {T}",
        f"DROP TABLE IF EXISTS {T}",
        "DROP TABLE calls",
        "DROP TABLE zebra",
        "DROP TABLE spent",
        f"ALTER TABLE {T} ADD COLUMN x INT",
        f"TRUNCATE {T}",
        f"PIVOT {T} ON state USING count(*)",
        f"PRAGMA table_info('{T}')",
        "PRAGMA database_list",
        "SET threads = 1",
        "BEGIN",
        "CALL pragma_version()",
        "PREPARE p AS SELECT 1",
        "WITH d AS (DELETE FROM calls RETURNING *) SELECT * FROM d",
    ),
    "files and what is outside": (
        "ATTACH 'x.db'",
        f"COPY {T} TO 'x.csv'",
        f"COPY (SELECT id FROM {T}) TO 'x.csv'",
        "EXPORT DATABASE 'x'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "FROM read_csv('x.csv')",
        "FROM 'x.csv'",
        "FROM glob('*')",
        "FROM duckdb_tables()",
        "SELECT current_setting('memory_limit')",
        "SELECT getenv('HOME')",
        "SELECT nextval('s')",
        "SELECT error('x')",
    ),
    "values": (
        "SELECT '12abc'::INT",
        f"SELECT state::INT FROM {T}",
        f"SELECT sum(title::DECIMAL(9, 2)) AS s FROM {T}",
        f"SELECT title::DATE FROM {T}",
        "SELECT '2026-13-45'::DATE",
        f"SELECT title::TIMESTAMP FROM {T}",
        f"SELECT title::INT[] FROM {T}",
        f"SELECT mixed::INT FROM {T}",
        f"SELECT title::JSON FROM {T}",
        f"SELECT strptime(title, '%Y-%m-%d') FROM {T}",
        f"SELECT date_trunc(title, now()) FROM {T}",
        f"SELECT id FROM {T} WHERE id = 'x'",
        f"SELECT id FROM {T} WHERE state IN (1, 2)",
        f"SELECT id FROM {T} WHERE id = (SELECT id FROM {U})",
        f"SELECT big + 9223372036854775807 FROM {T}",
        f"SELECT big * big * big * big FROM {T}",
        f"SELECT sum(big::HUGEINT * 100000000000000000000) FROM {T}",
        f"SELECT (amount * 100) * 99999999999999999999999999999999999.9 FROM {T}",
        f"SELECT big::INT FROM {T}",
        f"SELECT (amount * 1000)::DECIMAL(3, 2) FROM {T}",
        "SELECT 'x'::DECIMAL(3, 2)",
        "SELECT 1e300::DECIMAL(38, 2)",
        f"SELECT id // (id - id) FROM {T}",
        "SELECT 5 % 0",
        "SELECT '{\"a\":' ->> 'a'",
        f"SELECT regexp_matches(state, '(') FROM {T}",
        f"SELECT from_base64(title || 'x') FROM {T}",
        f"SELECT unhex(title) FROM {T}",
        "SELECT 1 << 100",
        "SELECT DATE '5877642-06-25' + 100000000",
        "SELECT DATE '2020-01-01'::INT",
        "SELECT sum(x) FROM (SELECT 170141183460469231731687303715884105727::HUGEINT AS x FROM range(2))",
        "SELECT make_date(99999999, 1, 1)",
        "SELECT map([1, 1], [1, 2])",
        "SELECT [1, 2]::INT[3]",
        "SELECT list_reduce([]::INT[], lambda x, y: x + y)",
        "SELECT chr(-5)",
        "SELECT json_extract('{}', '$[')",
        "SELECT bar(1, 0, 10, 5000)",
        "SELECT printf('%d', 'x')",
        "SELECT factorial(200)",
        "SELECT substring('abc', 1, 99999999999)",
        f"SELECT state::ENUM('a', 'b') FROM {T}",
        "SELECT range(10000000000)",
    ),
}  # fmt: skip
"""Statements by what is wrong with them."""

ARGUMENTS: tuple[Any, ...] = (
    {},
    {"sql": "  "},
    {"sql": 5},
    {"sql": "SELECT 'a\0b'"},
    {"sql": "x" * (MAX_SQL_BYTES + 1)},
    {"sql": "SELECT 1", "max_rows": "x"},
    {"sql": "SELECT 1", "max_rows": 0},
    {"sql": "SELECT 1", "max_rows": True},
    {"sql": "SELECT 1", "format": "xml"},
    {"sql": "SELECT 1", "exact_total": "perhaps"},
    {"sql": "SELECT 1", "save_as": ["t"]},
    {"sql": "SELECT 1", "canvas": 5},
    {"sql": "SELECT 1", "canvas": "another"},
    {"sql": "SELECT 1", "canvas": "a" * 20},
    {"sql": f"SELECT stat FROM {T}", "canvas": "c" * 20},
    {"sql": "DROP TABLE list_repos_k7q2xd_4", "save_as": "repos"},
    {"sql": "SELECT 1", "max_rowz": 5},
    {"sql": "SELECT 1", "limits": 5},
    {"sql": "SELECT 1", "zzz": 5},
    {"sql": f"SELECT id FROM {T} ORDER BY id", "offset": 50},
    {"sql": f"DESCRIBE {T}; -- all", "offset": "2"},
    {"sql": "SELECT 1", "offset": "second"},
    {"sql": "SELECT 1", "query": "SELECT 2"},
    {"sql": "SELECT 1", "save_as": "my table"},
    {"sql": "SELECT 1", "save_as": "select"},
    {"sql": "SELECT 1", "save_as": "totals"},
    {"sql": "SELECT 1", "save_as": "calls"},
    {"sql": "SELECT 1", "save_as": "list_issues_k7q2xd_99"},
    {"sql": "EXPLAIN SELECT 1", "save_as": "plan"},
    [],
)


def calls() -> dict[str, list[tuple[str, bytes]]]:
    """All calls: what they ask, for the eye, and their raw arguments, by what is wrong."""
    found = {
        kind: [(sql, json.dumps({"sql": sql}).encode()) for sql in statements]
        for kind, statements in STATEMENTS.items()
    }
    found["arguments"] = [(raw.decode(), raw) for raw in (json.dumps(one).encode() for one in ARGUMENTS)]
    found["arguments"].append(("{", b"{"))
    return found


def step_of(message: str) -> str | None:
    """What a message tells to send next, from its text alone."""
    return message.rpartition(LABEL)[2] if LABEL in message else None


def arguments_of(step: str) -> bytes:
    """The raw arguments that a step stands for: it is them, or the statement."""
    return step.encode() if step.startswith("{") else json.dumps({"sql": step}).encode()
