"""Notes and the server's words on tables: which column they mean, and what a comment says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from inline_snapshot import snapshot

from millpond.core import plan
from millpond.core.handle import HandleText, handle_meta, handle_text
from millpond.core.meaning import MAX_COMMENTS, Comments, Said, Stray, about, comments, find_column, stray
from millpond.core.model import Column, Table, ToolNotes
from millpond.core.preview import preview
from millpond.core.tokens import estimate_tokens

NOTHING = Said("", None)
TABLE = Table(
    name="list_orders_k7q2xd_1",
    path="$.orders",
    rows=9,
    columns=(
        Column(name="id", type="BIGINT"),
        Column(name="Amount_2", type="DECIMAL(9,2)", renamed_from="Amount"),
        Column(name="user", type='STRUCT("login" VARCHAR, "home" STRUCT("zip" VARCHAR))'),
        Column(name="labels", type='STRUCT("name" VARCHAR)[]'),
        Column(name="a.b", type="VARCHAR"),
        Column(name="extra", type="JSON"),
    ),
)
SCHEMA = {
    "properties": {
        "orders": {
            "items": {
                "properties": {
                    "id": {"description": "The order"},
                    "Amount": {"description": "What was paid", "unit": "EUR"},
                    "user": {"description": "Who", "properties": {"login": {"enum": ["a", "b"]}}},
                }
            }
        }
    }
}


def notes(**columns: str) -> ToolNotes:
    return ToolNotes(
        tool="list_orders", note="for review", tables=(("$.orders", "one a row"),), columns=tuple(columns.items())
    )


def handle_of(rows: list[dict[str, Any]], about: tuple[tuple[str, ...], ...] = ()) -> HandleText:
    """The handle for a result with these rows."""
    result = json.dumps({"content": [], "structuredContent": {"items": rows}}).encode()
    reading = plan.read(result)
    assert reading is not None
    plans = plan.columns(reading)
    names = plan.names(reading, "list_orders", "k7q2xd", 3)
    return HandleText(
        canvas="c" * 20,
        call=3,
        bytes=len(result),
        query_tool="query",
        tables=plan.tables(plans, names),
        previews=tuple(preview(one, rows=3) for one in plans),
        about=about,
    )


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("id", "id"),
        ("ID", "id"),
        ("Amount", "Amount_2"),
        ("amount_2", "Amount_2"),
        ("user.login", "user"),
        ("user.home.zip", "user"),
        ("labels.name", "labels"),
        ("a.b", "a.b"),
        ("extra.anything", "extra"),
        ("user.nothing", None),
        ("id.x", None),
        ("nothing", None),
        ("", None),
    ],
)
def test_a_notes_name_means_a_column_or_a_field_of_one(name: str, column: str | None) -> None:
    """MEANING-02"""
    found = find_column(TABLE, name)
    assert (found and found[0].name) == column


def test_the_configuration_comes_first_and_the_server_is_marked() -> None:
    """MEANING-05, MEANING-06"""
    said = Said("Lists orders.", SCHEMA)
    assert comments(notes(Amount="in cents", **{"user.login": "not a mail"}), said, TABLE) == snapshot(
        Comments(
            table="for review; one a row (the server says: Lists orders.)",
            columns=(
                ("Amount_2", "in cents (the server says: What was paid; unit: EUR)"),
                ("user", "user.login: not a mail (the server says: Who; user.login: one of a, b)"),
                ("id", "The order"),
            ),
        )
    )
    assert comments(None, NOTHING, TABLE) == Comments("", ())


def test_what_is_said_of_a_row_is_said_of_its_one_value() -> None:
    """MEANING-05"""
    table = Table(name="t", path="$.names", rows=1, columns=(Column(name="value", type="VARCHAR"),))
    schema = {"properties": {"names": {"items": {"type": "string", "description": "A name"}}}}
    assert comments(None, Said("", schema), table).columns == (("value", "A name"),)


def test_of_a_wide_tables_comments_those_with_notes_stay_and_the_rest_is_counted() -> None:
    """MEANING-13"""
    names = [f"c{at}" for at in range(200)]
    table = Table(name="t", path="$", rows=1, columns=tuple(Column(name=name, type="BIGINT") for name in names))
    schema = {"items": {"properties": {name: {"description": f"about {name}"} for name in names}}}
    said = comments(ToolNotes(tool="t", columns=(("c199", "last"),)), Said("", schema), table)
    assert said.columns[0] == ("c199", "last (the server says: about c199)")
    assert len(said.columns) == MAX_COMMENTS
    assert said.table == f"{200 - MAX_COMMENTS} more columns have descriptions"


def test_notes_that_fit_nothing_are_found_with_what_may_be_meant() -> None:
    """MEANING-10"""
    wrong = ToolNotes(
        tool="t",
        tables=(("$.order", "x"), ("$.orders", "y"), ("$.empty", "z")),
        columns=(("Amuont", "x"), ("user.logn", "y"), ("rare", "z"), ("zzz", "z"), ("id", "right")),
    )
    assert stray(wrong, [TABLE], {"rare", "$.empty"}) == (
        Stray("tables", "$.order", "$.orders"),
        Stray("columns", "Amuont", "Amount_2"),
        Stray("columns", "user.logn", "user.login"),
        Stray("columns", "zzz", ""),
    )
    assert stray(wrong, [], ()) == tuple(Stray("tables", path, "") for path, _ in wrong.tables)


def test_notes_stand_in_the_handle_before_the_preview() -> None:
    """MEANING-03"""
    rows = [{"id": at, "amount": at * 100} for at in range(40)]
    handle = handle_of(rows)
    said = ToolNotes(tool="list_orders", note="exclude cancelled orders", columns=(("amount", "in cents"), ("x", "y")))
    noted = handle_of(rows, (about(said, handle.tables[0]),))
    line = "to know: exclude cancelled orders; amount: in cents\n"
    text = handle_text(noted, 300)
    assert f"\n{line}first 3 rows:\n" in text
    assert text.replace(line, "") == handle_text(handle, 300)
    assert ["about" in table for table in handle_meta(handle)["tables"]] == [False]  # type: ignore[attr-defined]
    assert handle_meta(noted)["tables"][0]["about"] == ("exclude cancelled orders", "amount: in cents")  # type: ignore[index]


def test_long_and_many_notes_keep_the_handle_within_its_tokens() -> None:
    """MEANING-03"""
    many = tuple("exclude cancelled orders, and " * 16 for _ in range(30))
    rows = [{f"column_{at}": f"some words {at}" for at in range(10)} for _ in range(412)]
    text = handle_text(handle_of(rows, (many,)), 300)
    assert estimate_tokens(text) <= 300
    assert "to know: exclude cancelled orders, and" in text
    assert "…" in text
    assert "more: DESCRIBE list_orders_k7q2xd_3" in text
