"""What the configuration says of tables and columns."""

from __future__ import annotations

import pytest

from millpond.core.config_file import parse_config
from millpond.core.errors import ConfigError
from millpond.core.model import ToolNotes

SERVER = '[servers.files]\ncommand = "npx"\n'


def read(text: str) -> tuple[ToolNotes, ...]:
    return parse_config((SERVER + text).encode(), "millpond.toml", {}).notes


def test_notes_hang_on_a_tool_its_lists_and_their_columns() -> None:
    """MEANING-01, MEANING-02"""
    text = """
    [tools."list orders"]
    mode = "always"
    note = "exclude\\n  cancelled orders "
    tables = { "$.orders" = "one a row" }
    [tools."list orders".columns]
    amount = "in cents"
    "user.login" = "quoted"
    user.home.zip = "not quoted"
    [tools.other]
    mode = "never"
    """
    assert read(text) == (
        ToolNotes(
            tool="list orders",
            note="exclude cancelled orders",
            tables=(("$.orders", "one a row"),),
            columns=(("amount", "in cents"), ("user.login", "quoted"), ("user.home.zip", "not quoted")),
        ),
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("note = 3", "[tools.a] note: expected a string of 1 to 500 characters, got 3;"),
        ("note = ' '", "[tools.a] note: expected a string of 1 to 500 characters"),
        (f"note = '{'x' * 501}'", "[tools.a] note: expected a string of 1 to 500 characters"),
        ("tables = 'x'", "[tools.a] tables: expected a table, got"),
        ("columns = { amount = ['x'] }", "[tools.a.columns] amount: expected a string of 1 to 500 characters"),
        ("columns = { user = { login = 1 } }", "[tools.a.columns] user.login: expected a string"),
        ("notes = 'x'", "unknown key; expected one of mode, note, tables, columns, all; did you mean note?"),
    ],
)
def test_a_note_that_is_none_is_one_line(text: str, says: str) -> None:
    """MEANING-01, CONFIG-06, CONFIG-10"""
    with pytest.raises(ConfigError) as caught:
        read(f"[tools.a]\n{text}")
    assert says in str(caught.value)
    assert str(caught.value).isprintable()
