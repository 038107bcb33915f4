"""A configuration file in, values or one clear line out."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millpond.core.config import (
    GIB,
    MAX_RESULT_BYTES,
    MIB,
    SECTIONS,
    SETTINGS,
    Canvas,
    Config,
    Query,
    RemoteServer,
    Results,
    Server,
    Setting,
    engine_settings,
)
from millpond.core.config_file import command_config, fits, parse_config, url_config
from millpond.core.errors import ConfigError
from millpond.core.toml_text import basic_string, quoted, shown

SERVER = '[servers.files]\ncommand = "npx"\n'
ENVIRON = MappingProxyType({"TOKEN": "s3cret", "EMPTY": "", "DOLLAR": "${TOKEN}"})


def read(text: str, environ: Mapping[str, str] = ENVIRON, server: Server | None = None) -> Config:
    """The configuration in a text."""
    return parse_config(text.encode(), "millpond.toml", environ, server)


def error(text: str, server: Server | None = None) -> str:
    """The message for a text that cannot be used."""
    with pytest.raises(ConfigError) as caught:
        read(text, server=server)
    return str(caught.value)


def test_a_command_alone_gives_the_defaults() -> None:
    """CONFIG-01"""
    config = command_config(("/usr/bin/npx", "-y", "server"))
    assert config == Config(server=Server(name="npx", command=("/usr/bin/npx", "-y", "server")))
    for setting in SETTINGS:
        assert getattr(getattr(config, setting.section), setting.name) == setting.default


def test_a_file_with_a_server_alone_gives_the_defaults_too() -> None:
    """CONFIG-01"""
    assert read(SERVER) == Config(server=Server(name="files", command=("npx",)))


def test_a_file_says_all_of_a_server() -> None:
    """CONFIG-02"""
    config = read('[servers."my files"]\ncommand = "a b"\nargs = ["-x", ""]\nenv = { A = "1", B = "" }\ncwd = "/srv"')
    assert config.server == Server(name="my files", command=("a b", "-x", ""), env={"A": "1", "B": ""}, cwd="/srv")


def test_a_server_may_be_a_url_with_headers() -> None:
    """CONFIG-15, CONFIG-03"""
    text = '[servers.a]\nurl = "https://h/mcp?key=${TOKEN}"\nheaders = { Authorization = "Bearer ${TOKEN} ", X = "1" }'
    headers = {"Authorization": "Bearer s3cret", "X": "1"}
    assert read(text).server == RemoteServer(name="a", url="https://h/mcp?key=s3cret", headers=headers)
    assert "s3cret" not in repr(read(text).server)
    assert url_config("http://localhost:80/mcp").server == RemoteServer(name="localhost", url="http://localhost:80/mcp")
    given = url_config("https://h", ["Authorization: Bearer ${TOKEN}", "X:1", "Accept: */*"], ENVIRON).server
    assert given == RemoteServer(name="h", url="https://h", headers={**headers, "Accept": "*/*"})


@pytest.mark.parametrize(
    ("url", "header", "says"),
    [
        ("https://h s3cret", "X: 1", "command line: expected a URL like https://host/mcp, got one with a space"),
        ("https://h", "s3cret", 'command line: --header "": expected a header\'s name'),
        ("https://h", "mcp-session-id: s3cret", "command line: --header mcp-session-id: expected a header of yours"),
        ("https://h", "X: s3crét", "command line: --header X: expected a value of printable ASCII"),
        ("https://h", "X: ${NOT_SET} s3cret", "command line: --header X: expected the environment variable NOT_SET"),
    ],
)
def test_a_url_or_header_of_the_command_line_that_is_of_no_use_is_an_error(url: str, header: str, says: str) -> None:
    """CONFIG-15, CONFIG-10, CONFIG-11"""
    with pytest.raises(ConfigError) as caught:
        url_config(url, [header], ENVIRON)
    assert str(caught.value).startswith(says)
    assert "s3c" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "key", "says"),
    [
        ("url = 'https://h'\ncommand = 's3cret'", "[servers.a] command", "expected no command beside url, got one"),
        ("url = 'https://h'\ncwd = 's3cret'", "[servers.a] cwd", "expected no cwd beside url"),
        ("command = 'x'\nheaders = { A = 's3cret' }", "[servers.a] headers", "expected no headers beside command"),
        ("url = 1", "[servers.a] url", "expected a string that is not empty"),
        ("url = 'ftp://s3cret'", "[servers.a] url", "begins with neither http:// nor https://"),
        ("url = 's3cret'", "[servers.a] url", "begins with neither http:// nor https://"),
        ("url = 'https:///s3cret'", "[servers.a] url", "without a host"),
        ("url = 'https://h:s3cret/'", "[servers.a] url", "an impossible host or port"),
        ("url = 'https://[h/s3cret'", "[servers.a] url", "an impossible host or port"),
        ("url = 'https://h/s3 cret'", "[servers.a] url", "with a space or a control character"),
        ("url = 'https://h'\nheaders = 1", "servers.a.headers", "expected a table"),
        ("url = 'https://h'\nheaders = { A = 1 }", "[servers.a.headers] A", "expected a string"),
        ("url = 'https://h'\nheaders = { A = '${NOT_SET}' }", "[servers.a.headers] A", "variable NOT_SET"),
        ("url = 'https://h'\nheaders = { A = '${EMPTY}' }", "[servers.a.headers] A", "expected a string that is not"),
        ("url = 'https://h'\nheaders = { A = 's3crét' }", "[servers.a.headers] A", "printable ASCII"),
        ('url = "https://h"\nheaders = { A = "s3\\ncret" }', "[servers.a.headers] A", "printable ASCII"),
        ("url = 'https://h'\nheaders = { 'A B' = 's3cret' }", '[servers.a.headers] "A B"', "a header's name"),
        ("url = 'https://h'\nheaders = { Connection = 's3cret' }", "[servers.a.headers] Connection", "sets by itself"),
        ("url = 'https://h'\nheaders = { Mcp-Name = 's3cret' }", "[servers.a.headers] Mcp-Name", "sets by itself"),
        ("url = 'https://h'\nheader = {}", "[servers.a] header", "did you mean headers?"),
    ],
)
def test_a_server_that_is_neither_a_command_nor_a_url_is_an_error(text: str, key: str, says: str) -> None:
    """CONFIG-15, CONFIG-10, CONFIG-11"""
    message = error(f"[servers.a]\n{text}")
    assert message.startswith(f"millpond.toml: {key}: ")
    assert says in message
    assert "s3c" not in message
    assert message.isprintable()


@pytest.mark.parametrize(
    ("text", "came"),
    [
        ("", "got none"),
        ("[servers]", "got none"),
        ('[servers.a]\ncommand = "x"\n[servers.b]\ncommand = "y"', "got 2 (a, b)"),
    ],
)
def test_any_other_number_of_servers_is_an_error(text: str, came: str) -> None:
    """CONFIG-02"""
    assert f"millpond.toml: servers: expected one server, {came};" in error(text)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("${TOKEN}", "s3cret"),
        ("a${TOKEN}b${TOKEN}", "as3cretbs3cret"),
        ("x${EMPTY}", "x"),
        ("${DOLLAR}", "${TOKEN}"),
        ("$${TOKEN}", "${TOKEN}"),
        ("$$${TOKEN}", "$${TOKEN}"),
        ("$TOKEN $ $$ pa$$word", "$TOKEN $ $$ pa$$word"),
    ],
)
def test_variables_are_filled_in_once(written: str, meant: str) -> None:
    """CONFIG-03"""
    text = f"[servers.a]\ncommand = 'c{written}'\nargs = ['{written}']\nenv = {{ E = '{written}' }}\ncwd = '/{written}'"
    expected = Server(name="a", command=(f"c{meant}", meant), env={"E": meant}, cwd=f"/{meant}")
    assert read(text).server == expected


@pytest.mark.parametrize("written", ["${", "${}", "${A-B}", "${1}", "x${TOKEN", "${TOKEN:-s3cret}"])
def test_a_variable_that_is_no_name_is_an_error(written: str) -> None:
    """CONFIG-03"""
    message = error(f"[servers.a]\ncommand = '{written}'")
    assert "[servers.a] command: expected ${NAME}" in message


def test_a_variable_that_is_not_set_is_named() -> None:
    """CONFIG-04"""
    message = error("[servers.a]\ncommand = 'x'\nenv = { KEY = '${NOT_SET}' }")
    assert message.startswith("millpond.toml: [servers.a.env] KEY: ")
    assert "environment variable NOT_SET" in message


def test_a_server_of_the_command_line_wins_over_the_files_and_the_settings_hold() -> None:
    """CONFIG-05"""
    server = Server(name="x", command=("x",))
    text = "[servers.a]\ncommand = '${NOT_SET}'\n[servers.b]\nwrong = 1\n[query]\nmax_rows = 7"
    assert read(text, server=server) == Config(server=server, query=Query(max_rows=7))


@pytest.mark.parametrize(
    ("text", "key", "near"),
    [
        ("[server.a]", "server", "servers"),
        ("[result]", "result", "results"),
        (SERVER + "[results]\ninline_row_bytes = 1", "[results] inline_row_bytes", "inline_rows_bytes"),
        ("[servers.a]\ncomand = 'x'", "[servers.a] comand", "command"),
        (SERVER + "[tools.x]\nmodes = 'auto'", "[tools.x] modes", "mode"),
    ],
)
def test_an_unknown_name_is_an_error_that_suggests_a_known_one(text: str, key: str, near: str) -> None:
    """CONFIG-06"""
    message = error(text)
    assert message.startswith(f"millpond.toml: {key}: unknown ")
    assert message.endswith(f"did you mean {near}?")


def test_a_name_like_no_other_gets_the_list() -> None:
    """CONFIG-06"""
    expected = "expected one of servers, results, query, paging, canvas, export, http, inspect, stats, tools; remove it"
    assert expected in error("zzz = 1")


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_both_ends_of_the_bounds_are_taken_and_nothing_past_them(setting: Setting) -> None:
    """CONFIG-07"""
    if isinstance(setting.default, str):
        return
    step = 1 if isinstance(setting.default, int) else 0.01
    for value in (setting.minimum, setting.maximum, setting.default):
        assert fits(setting, value)
    for value in (setting.minimum - step, setting.maximum + step):
        assert not fits(setting, value) or (value == 0 and setting.empty)


@pytest.mark.parametrize("value", ["true", '"4096"', "4096.0", "-1", "[4096]", "{}", "1979-05-27", "0x" + "f" * 9000])
def test_a_value_of_another_type_or_size_is_an_error(value: str) -> None:
    """CONFIG-07"""
    message = error(f"{SERVER}[results]\nmax_line_bytes = {value}")
    assert message.startswith(
        "millpond.toml: [results] max_line_bytes: expected a whole number of bytes from 65,536 to"
    )
    assert message.endswith("write for example max_line_bytes = 10485760")


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "true", "'10'", "0.0"])
def test_seconds_are_a_number_within_bounds(value: str) -> None:
    """CONFIG-07"""
    assert "timeout_seconds: expected a number of seconds from 0.1 to 3,600" in error(
        f"{SERVER}[query]\ntimeout_seconds = {value}"
    )


def test_whole_seconds_and_a_folder_and_zero_are_taken() -> None:
    """CONFIG-07"""
    text = f"{SERVER}[query]\ntimeout_seconds = 3\n[canvas]\ndirectory = '/srv'\nmemory_bytes = 0"
    config = read(text)
    assert config.query == Query(timeout_seconds=3.0)
    assert isinstance(config.query.timeout_seconds, float)
    assert config.canvas == Canvas(directory="/srv")


@pytest.mark.parametrize("value", ["1", "'a\\u0000b'", "'" + "a" * 4097 + "'"])
def test_a_folder_is_a_string_that_a_path_can_be(value: str) -> None:
    """CONFIG-07"""
    assert "[canvas] directory: expected a string of at most 4,096" in error(
        f"{SERVER}[canvas]\ndirectory = {value.replace(chr(39), chr(34))}"
    )


@pytest.mark.parametrize(
    "text",
    [
        "[results]\nmax_line_bytes = 65536\ninline_rows_bytes = 65537",
        "[results]\nmax_line_bytes = 65536\ninline_text_bytes = 65537",
        "[query]\nmax_answer_bytes = 1024\nmax_cell_bytes = 1025",
        "[results]\nmax_line_bytes = 65536\n[query]\nmax_answer_bytes = 65537",
    ],
)
def test_a_setting_above_the_one_that_bounds_it_is_an_error(text: str) -> None:
    """CONFIG-08"""
    assert "lower it or raise the other" in error(SERVER + text)


def test_each_tool_has_its_mode() -> None:
    """CONFIG-09"""
    config = read(f"{SERVER}[tools.a]\nmode = 'never'\n[tools.'b c']\nmode = 'always'\n[tools.d]")
    assert config.modes == {"a": "never", "b c": "always", "d": "auto"}


@pytest.mark.parametrize(("value", "shown_value"), [('"nver"', '"nver"'), ("1", "1"), ('["auto"]', '["auto"]')])
def test_another_mode_is_an_error(value: str, shown_value: str) -> None:
    """CONFIG-09"""
    message = error(f'{SERVER}[tools."a b"]\nmode = {value}')
    assert f'[tools."a b"] mode: expected one of auto, always, never, got {shown_value};' in message


@pytest.mark.parametrize(
    "text",
    [
        "not toml",
        "a = 1\na = 2",
        "results = 1",
        "[servers]\na = 1",
        "[tools]\na = 'never'",
        "a = " + "[" * 10_000,
        "a = " + "1" * 5_000,
        '["two\\nlines"]',
        "[servers.a]",
        "[servers.a]\ncommand = ''",
        "[servers.a]\ncommand = '${EMPTY}'",
        "[servers.a]\ncommand = 'x'\nargs = 'x'",
        "[servers.a]\ncommand = 'x'\nargs = [1]",
        "[servers.a]\ncommand = 'x'\nenv = 1",
        "[servers.a]\ncommand = 'x'\nenv = { '' = 'x' }",
        "[servers.a]\ncommand = 'x'\nenv = { 'A=B' = 'x' }",
        "[servers.a]\ncommand = 'x'\ncwd = ''",
        '[servers.a]\ncommand = "a\\u0000b"',
    ],
)
def test_an_error_is_one_line_that_names_the_file_and_says_what_to_do(text: str) -> None:
    """CONFIG-10"""
    message = error(text)
    assert message.startswith("millpond.toml: ")
    assert message.isprintable()
    assert "expected" in message
    assert ";" in message
    assert len(message) < 400


def test_a_value_is_printed_as_one_short_line() -> None:
    """CONFIG-10"""
    assert shown("a\nb") == '"a\\nb"'
    assert len(shown("x" * 1_000)) < 70


@given(st.text(st.characters(codec="utf-8")))
def test_a_string_and_a_key_are_written_as_toml_reads_them(text: str) -> None:
    """CONFIG-10"""
    assert tomllib.loads(f"{quoted(text)} = {basic_string(text)}") == {text: text}


@pytest.mark.parametrize("value", ["12345", "['s3cret']", "true"])
@pytest.mark.parametrize("key", ["command", "args", "cwd", "env.KEY"])
def test_a_wrong_value_of_a_server_is_not_printed(key: str, value: str) -> None:
    """CONFIG-11"""
    command = "" if key == "command" else 'command = "x"\n'
    shape = "[[1, 's3cret']]" if key == "args" and value.startswith("[") else value
    message = error(f"[servers.a]\n{command}{key} = {shape}")
    assert "s3cret" not in message
    assert "12345" not in message


def test_an_empty_command_line_is_an_error() -> None:
    with pytest.raises(ConfigError, match="expected a command after `--`"):
        command_config(())
    with pytest.raises(ConfigError, match="expected a command after `--`"):
        command_config(("",))


def outcome(data: bytes) -> Config | ConfigError:
    """What the bytes give, whichever it is; any other error is the test's."""
    try:
        return parse_config(data, "millpond.toml", ENVIRON, Server(name="x", command=("x",)))
    except ConfigError as problem:
        return problem


@given(st.binary(max_size=200))
def test_any_bytes_give_a_configuration_or_our_error(data: bytes) -> None:
    """CONFIG-12"""
    given = outcome(data)
    assert isinstance(given, Config) or str(given).isprintable()


_values = st.recursive(
    st.sampled_from(["1", "-1", "0.5", "true", "''", "'x'", "nan", "0xffffffffffffffffff", "1979-05-27T07:32:00Z"]),
    lambda inner: st.lists(inner, max_size=2).map(lambda items: f"[{', '.join(items)}]"),
    max_leaves=3,
)
_keys = st.sampled_from([*(s.key for s in SETTINGS), "servers.a.command", "servers.a.env.X", "tools.t.mode", "x.y"])


@given(st.dictionaries(_keys, _values, max_size=4))
def test_any_document_gives_a_configuration_or_our_error(entries: dict[str, str]) -> None:
    """CONFIG-12"""
    text = "\n".join(f"{key} = {value}" for key, value in entries.items())
    given = outcome(text.encode())
    assert isinstance(given, Config) or str(given).startswith("millpond.toml: ")


def test_a_file_with_a_byte_order_mark_and_carriage_returns_is_read() -> None:
    """CONFIG-12"""
    assert parse_config(b"\xef\xbb\xbf[servers.a]\r\ncommand = 'x'\r\n", "f", {}).server == Server(
        name="a", command=("x",)
    )


@pytest.mark.parametrize(
    ("set_bytes", "memory_bytes", "holds_bytes"),
    [(0, 4 * GIB, MAX_RESULT_BYTES), (0, 600 * MIB, 100 * MIB), (MIB, 600 * MIB, MIB), (GIB, 600 * MIB, GIB)],
)
def test_the_largest_result_follows_the_memory_where_it_is_not_set(
    set_bytes: int, memory_bytes: int, holds_bytes: int
) -> None:
    """CONFIG-13"""
    config = Config(server=Server(name="x", command=("x",)), results=Results(max_result_bytes=set_bytes))
    settings = engine_settings(config, "/d", "canvas", "abc234", memory_bytes)
    assert settings.max_result_bytes == holds_bytes
    assert (settings.directory, settings.canvas, settings.tag, settings.memory_bytes) == (
        "/d",
        "canvas",
        "abc234",
        memory_bytes,
    )


def test_the_engine_is_told_every_setting_that_it_keeps() -> None:
    numbers = {
        "results": {"inline_rows_bytes": 1, "inline_text_bytes": 2, "max_line_bytes": 70_000, "handle_tokens": 101},
        "query": {"timeout_seconds": 1.5, "max_rows": 3, "max_answer_bytes": 2_000, "max_cell_bytes": 17},
        "canvas": {"max_calls": 4, "max_canvas_bytes": 17 * MIB},
    }
    text = "\n".join(
        f"[{section}]\n" + "\n".join(f"{name} = {value}" for name, value in values.items())
        for section, values in numbers.items()
    )
    settings = engine_settings(read(SERVER + text), "/d", "canvas", "abc234", GIB)
    for name, value in ((name, value) for values in numbers.values() for name, value in values.items()):
        assert getattr(settings, name) == value


def test_the_table_of_settings_is_complete_and_each_line_is_one() -> None:
    assert {setting.section for setting in SETTINGS} == set(SECTIONS)
    for setting in SETTINGS:
        assert setting.reason
        assert setting.reason.isprintable()
        assert not setting.reason.endswith(".")
        assert setting.unit in {
            "bytes",
            "seconds",
            "tokens",
            "rows",
            "pages",
            "calls",
            "tables",
            "sessions",
            "engines",
            "conversations",
            "days",
            "path",
            "word",
        }
        assert fits(setting, setting.default)


def test_canvases_are_kept_only_where_a_folder_is_named() -> None:
    """CANVAS-22"""
    assert error(f"{SERVER}[canvas]\nkeep_days = 7\n") == (
        "millpond.toml: [canvas] keep_days: expected directory to be named, where canvases are kept, got none; name a folder of"
        ' your own beside it: directory = "/home/me/canvases"'
    )
    assert read(f'{SERVER}[canvas]\nkeep_days = 7\ndirectory = "/srv"\n').canvas.keep_days == 7
