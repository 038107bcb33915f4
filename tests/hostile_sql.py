"""Hostile SQL: statements drawn from a grammar over DuckDB's own functions and keywords, and the traps that show what they did.

Most are of shapes that parse, so that they come to the last layers of the gate; some are broken on purpose. A seed gives the same
statements on the same DuckDB. Imports `duckdb` for its lists.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import duckdb

CANARY = "canary-4f1c9e"
"""Stands in every file and variable that no statement may read; no statement holds it."""
VARIABLE = "MILLPOND_CANARY"
"""The engine's environment has it, with the canary."""
TABLES = (
    "issues_k7q2xd_1",
    "items_k7q2xd_2",
    "calls",
    "results",
    "information_schema.tables",
    "information_schema.columns",
)
OWN = TABLES[:2]
"""The ones whose columns most expressions name."""
COLUMNS = ("id", "state", "title", "score", "labels", "user", "user.login", "rowid")
_T = TypeVar("_T")
TYPES = (
    "INT",
    "BIGINT",
    "VARCHAR",
    "DATE",
    "TIMESTAMP",
    "DECIMAL(38,10)",
    "JSON",
    "BLOB",
    "INT[]",
    "STRUCT(a INT)",
    "BIGNUM",
    "UUID",
)
OPERATORS = (
    "+",
    "-",
    "*",
    "/",
    "//",
    "%",
    "||",
    "=",
    "<>",
    "<",
    ">=",
    "AND",
    "OR",
    "LIKE",
    "ILIKE",
    "IS DISTINCT FROM",
    "->",
    "->>",
    "^@",
)
ENDLESS = re.compile(r"sleep|benchmark", re.IGNORECASE)
DROPS = re.compile(r"\bdrop\b", re.IGNORECASE)
"""Dropping an own table is offered; what it may drop has tests of its own."""


@dataclass(frozen=True)
class Traps:
    """Files in a folder that no statement may read, change or add to."""

    folder: Path
    before: dict[str, tuple[bytes, int]] = field(default_factory=dict[str, tuple[bytes, int]])

    @classmethod
    def lay(cls, folder: Path) -> Traps:
        """Make files of every kind that DuckDB reads."""
        (folder / "rows.csv").write_text(f"a,b\n1,{CANARY}\n")
        (folder / "rows.json").write_text(json.dumps([{"a": CANARY}]))
        (folder / "words.txt").write_text(CANARY)
        (folder / "script.sql").write_text(f"SELECT '{CANARY}'")
        with duckdb.connect(folder / "other.duckdb") as other:
            other.execute(f"CREATE TABLE secret AS SELECT '{CANARY}' AS a")
            other.execute(f"COPY secret TO '{folder / 'rows.parquet'}'")
        return cls(folder, _seen(folder))

    def paths(self) -> tuple[str, ...]:
        """What hostile statements name."""
        files = [str(self.folder / name) for name in self.before]
        return (
            *files,
            f"{self.folder}/*",
            f"file://{self.folder}/rows.csv",
            str(self.folder / "new.csv"),
            "/etc/passwd",
        )

    def sprung(self) -> dict[str, object]:
        """Files that are new, changed or gone."""
        now = _seen(self.folder)
        return {
            name: now.get(name) for name in now.keys() | self.before.keys() if now.get(name) != self.before.get(name)
        }


def _seen(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir() if path.is_file()}


class Grammar:
    """Draws statements."""

    def __init__(self, seed: int, paths: Sequence[str]) -> None:
        self._chance = random.Random(seed)
        self._paths = paths
        with duckdb.connect() as connection:
            rows = connection.execute(
                "SELECT DISTINCT function_name, function_type, parameter_types FROM duckdb_functions() ORDER BY ALL"
            ).fetchall()
            self._keywords = [
                word
                for (word,) in connection.execute("SELECT keyword_name FROM duckdb_keywords() ORDER BY 1").fetchall()
            ]
            self._settings = [
                name for (name,) in connection.execute("SELECT name FROM duckdb_settings() ORDER BY 1").fetchall()
            ]
        named = [row for row in rows if re.fullmatch(r"\w+", row[0]) and not ENDLESS.search(row[0])]
        self._scalars = [(name, types or ()) for name, kind, types in named if kind in ("scalar", "aggregate", "macro")]
        self._sources = [name for name, kind, _ in named if kind in ("table", "table_macro", "pragma")]
        self._pragmas = [name for name, kind, _ in named if kind == "pragma"]
        self._catalog = [name for (name,) in _catalog_views()]

    def statements(self, count: int) -> Iterator[str]:
        """So many statements; none of them drops anything."""
        while count:
            text = self._statement()
            if self._chance.random() < 0.2:
                text = self._broken(text)
            if not DROPS.search(text):
                count -= 1
                yield text

    def _one(self, *makers: Callable[[], str]) -> str:
        return self._chance.choice(makers)()

    def _pick(self, words: Sequence[_T]) -> _T:
        return self._chance.choice(words)

    # --- statements ---------------------------------------------------------------------------------------------

    def _statement(self) -> str:
        roll = self._chance.random()
        if roll < 0.55:
            return self._select(self._pick((1, 2, 3)))
        if roll < 0.70:
            return f"{self._pick(('EXPLAIN', 'EXPLAIN ANALYZE', 'DESCRIBE', 'SUMMARIZE', 'SHOW', 'FROM', 'TABLE'))} {self._explained()}"
        if roll < 0.95:
            return self._write()
        return f"{self._select(1)}; {self._write()}"

    def _explained(self) -> str:
        return self._one(lambda: self._select(2), self._table, self._write)

    def _select(self, depth: int) -> str:
        items = ", ".join(self._item(depth) for _ in range(self._pick((1, 1, 2))))
        text = f"SELECT {items} FROM {self._source(depth)}"
        if self._chance.random() < 0.3:
            text += f" WHERE {self._condition(depth)}"
        text += self._pick((" GROUP BY ALL", "", "", "", " ORDER BY ALL", " QUALIFY row_number() OVER () = 1"))
        text += f" LIMIT {self._pick(('1', '3', '0', '50%', 'ALL'))}"
        roll = self._chance.random()
        if roll < 0.1:
            return f"WITH {self._name()} AS {self._pick(('', 'MATERIALIZED '))}({self._explained()}) {text}"
        if roll < 0.15 and depth > 0:
            return f"({text}) UNION ALL BY NAME ({self._select(depth - 1)})"
        if roll < 0.17:
            return f"PIVOT ({text}) ON state IN ('open') USING count(*)"
        return text

    def _item(self, depth: int) -> str:
        if self._chance.random() < 0.2:
            return self._one(
                lambda: "*", lambda: f"COLUMNS({self._text()})", lambda: "unnest(labels)", lambda: "count(*)"
            )
        return self._expression(depth)

    def _write(self) -> str:
        table, name, path, query = self._table(), self._name(), self._text(), self._select(1)
        return self._pick(
            (
                f"INSERT INTO {table} {query}",
                f"INSERT INTO {table} VALUES ({self._expression(1)}) RETURNING *",
                f"UPDATE {table} SET {self._pick(COLUMNS)} = {self._expression(1)}",
                f"DELETE FROM {table}",
                f"TRUNCATE {table}",
                f"MERGE INTO {table} USING {self._table()} ON true WHEN MATCHED THEN DELETE",
                f"CREATE OR REPLACE {self._pick(('TABLE', 'VIEW', 'TEMP TABLE', 'TEMP VIEW'))} {name} AS {query}",
                f"CREATE MACRO {name}(a) AS {self._pick(('TABLE ', ''))}{query}",
                f"CREATE SEQUENCE {name}",
                f"CREATE TYPE {name} AS ENUM ({query})",
                f"CREATE SCHEMA {name}",
                f"CREATE INDEX {name} ON {table} (id)",
                f"CREATE PERSISTENT SECRET {name} (TYPE s3)",
                f"ALTER TABLE {table} {self._pick(('ADD COLUMN z INT', 'RENAME TO z', 'RENAME COLUMN id TO z'))}",
                f"COMMENT ON TABLE {table} IS {path}",
                f"ATTACH {path} AS {name}",
                f"DETACH {name}",
                f"USE {name}",
                f"COPY {table} TO {path}",
                f"COPY ({query}) TO {path} (FORMAT {self._pick(('csv', 'parquet', 'json'))})",
                f"COPY {table} FROM {path}",
                f"COPY FROM DATABASE {name} TO other",
                f"EXPORT DATABASE {path}",
                f"IMPORT DATABASE {path}",
                f"SET {self._pick(('', 'GLOBAL ', 'SESSION ', 'VARIABLE '))}{self._pick(self._settings)} = {self._expression(0)}",
                f"RESET {self._pick(self._settings)}",
                f"PRAGMA {self._pick(self._pragmas)}{self._pick(('', f'({path})', ' = 1'))}",
                f"PRAGMA {self._pick(self._settings)} = {self._expression(0)}",
                f"CALL {self._pick(self._sources)}({path})",
                f"PREPARE {name} AS {query}",
                f"EXECUTE {name}",
                self._pick(
                    ("BEGIN", "COMMIT", "ROLLBACK", "CHECKPOINT", "FORCE CHECKPOINT", "VACUUM", "ANALYZE", "ABORT")
                ),
                f"{self._pick(('LOAD', 'INSTALL', 'FORCE INSTALL'))} {self._pick(('httpfs', 'spatial', path))}",
                f"UPDATE EXTENSIONS ({name})",
            )
        )

    # --- what is read -------------------------------------------------------------------------------------------

    def _source(self, depth: int) -> str:
        if depth <= 0 or self._chance.random() < 0.6:
            return self._pick(OWN)
        return self._one(
            self._table,
            lambda: f"({self._select(depth - 1)}) AS {self._name()}",
            lambda: (
                f"{self._pick(OWN)} {self._pick(('CROSS JOIN', 'POSITIONAL JOIN', 'NATURAL JOIN'))} {self._source(depth - 1)}"
            ),
            lambda: f"{self._pick(OWN)}, LATERAL ({self._select(depth - 1)})",
            lambda: f"(VALUES ({self._expression(depth - 1)})) AS t(id)",
            lambda: f"{self._pick(self._sources)}({self._arguments(depth)})",
            lambda: f"{self._pick(('range', 'generate_series'))}({self._pick(('3', '1, 5', '10000000000'))}) AS t(id)",
            lambda: f"{self._pick(('unnest', 'json_each', 'json_tree'))}({self._arguments(depth)})",
            lambda: f"(UNPIVOT {self._pick(OWN)} ON COLUMNS(*))",
            lambda: f"({self._pick(('DESCRIBE', 'SUMMARIZE', 'SHOW'))} {self._table()})",
        )

    def _table(self) -> str:
        places = ("system.main", "main", "temp", "canvas.main", "canvas.kept", "other", "pg_catalog", "memory")
        tables = ("secret", "texts_1", "duckdb_settings", "pg_class", "calls", "sqlite_master")
        return self._one(
            lambda: self._pick(TABLES),
            lambda: self._pick(TABLES),
            lambda: self._pick(TABLES),
            self._text,
            lambda: '"' + self._pick(self._paths) + '"',
            lambda: self._pick(self._catalog),
            lambda: f"{self._pick(places)}.{self._pick(tables)}",
            self._name,
        )

    # --- expressions --------------------------------------------------------------------------------------------

    def _expression(self, depth: int) -> str:
        if depth <= 0 or self._chance.random() < 0.4:
            return self._one(self._literal, lambda: self._pick(COLUMNS), lambda: self._pick(COLUMNS))
        if self._chance.random() < 0.5:
            return self._call(depth)
        return self._one(
            lambda: f"({self._expression(depth - 1)} {self._pick(OPERATORS)} {self._expression(depth - 1)})",
            lambda: f"{self._pick(('CAST', 'TRY_CAST'))}({self._expression(depth - 1)} AS {self._pick(TYPES)})",
            lambda: f"CASE WHEN {self._condition(depth - 1)} THEN {self._expression(depth - 1)} END",
            lambda: f"(SELECT {self._expression(depth - 1)} FROM {self._source(depth - 1)} LIMIT 1)",
            lambda: f"EXISTS ({self._explained()})",
            lambda: f"[{self._expression(depth - 1)}]",
            lambda: f"{{'a': {self._expression(depth - 1)}}}",
            lambda: f"list_transform([1, 2], lambda x: {self._expression(depth - 1)})",
            lambda: f"[x FOR x IN labels IF {self._condition(depth - 1)}]",
            lambda: f"row_number() OVER (ORDER BY {self._expression(depth - 1)})",
            lambda: f"(#1, ${self._chance.randint(1, 2)}, {self._expression(0)})",
        )

    def _condition(self, depth: int) -> str:
        return self._one(
            lambda: f"{self._expression(depth)} IS NOT NULL",
            lambda: f"{self._pick(COLUMNS)} = {self._pick(COLUMNS)}",
            lambda: f"id IN (SELECT id FROM {self._source(depth)})",
            lambda: f"state LIKE {self._text()}",
        )

    def _call(self, depth: int) -> str:
        name, types = self._pick(self._scalars)
        given = [self._of_type(str(kind), depth - 1) for kind in types][:4]
        if self._chance.random() < 0.1:
            given.append(self._expression(depth - 1))
        return f"{name}({', '.join(given)})"

    def _of_type(self, kind: str, depth: int) -> str:
        """Mostly what the function takes, for else nothing comes past the binder."""
        if self._chance.random() < 0.15 and depth > 0:
            return self._expression(depth)
        if "[]" in kind:
            return self._pick(("labels", "[1, 2, 3]", "['a', 'b']"))
        if kind in ("VARCHAR", "ANY", "T", "JSON", "BLOB"):
            return self._one(self._text, lambda: self._pick(("state", "title", "'{\"a\": 1}'")))
        if kind in ("DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "TIME", "INTERVAL"):
            return kind + self._pick((" '2026-11-30 10:00:00'", " '1 day'"))
        return self._pick(("id", "score", "1", "-1", "3", "9223372036854775807", "1e308"))

    def _arguments(self, depth: int) -> str:
        return ", ".join(
            self._one(self._text, self._literal, lambda: self._expression(depth - 1))
            for _ in range(self._chance.randint(0, 3))
        )

    def _literal(self) -> str:
        return self._one(
            lambda: self._pick(
                (
                    "NULL",
                    "true",
                    "0",
                    "1",
                    "-1",
                    "1.5",
                    "1e400",
                    "999999999999999999999",
                    "DATE '2026-01-01'",
                    "'x'",
                    "''",
                )
            ),
            self._text,
        )

    def _text(self) -> str:
        words = (
            *self._paths,
            VARIABLE,
            "threads",
            "SELECT * FROM duckdb_settings()",
            "calls",
            "FROM read_text('/etc/passwd')",
            "%",
            ".*",
        )
        return "'" + self._pick(words).replace("'", "''") + "'"

    def _name(self) -> str:
        return self._pick(
            ("z", "y", "calls", "main", "other", "issues_k7q2xd_1", '"a b"', '"select"', "duckdb_settings")
        )

    # --- what is no SQL -----------------------------------------------------------------------------------------

    def _broken(self, text: str) -> str:
        """One word changed, taken away, doubled, or with something odd beside it."""
        words = text.split(" ")
        at = self._chance.randrange(len(words))
        odd = (
            self._pick(self._keywords),
            "",
            words[at] * 2,
            f"/* {words[at]} */",
            f"{words[at]} --",
            words[at].upper(),
            f"\u00a0{words[at]}",
            f"{words[at]};",
            f"\\x{words[at]}",
            f"$$ {words[at]} $$",
            f"U&'{words[at]}'",
            "ŝ",
        )
        words[at] = self._pick(odd)
        return " ".join(words)


def _catalog_views() -> list[tuple[str]]:
    with duckdb.connect() as connection:
        return connection.execute("SELECT view_name FROM duckdb_views() WHERE internal ORDER BY 1").fetchall()
