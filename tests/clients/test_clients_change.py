"""Which entries change and how, and what is refused with which words."""

from __future__ import annotations

import json

import pytest

from millpond.clients.change import (
    ALREADY,
    NO_BACKUP,
    NOT_WRAPPED,
    SIGN_IN_LIKELY,
    File,
    file_of,
    unwrapped,
    wrapped,
)
from millpond.core.errors import ConfigError

MILLPOND = ("/bin/millpond",)


def json_file(text: str) -> File:
    return file_of("mcp.json", text, ("mcpServers",), is_toml=False)


def servers(**entries: object) -> File:
    return json_file(json.dumps({"mcpServers": entries}))


def toml_file(text: str) -> File:
    return file_of("config.toml", text, ("mcp_servers",), is_toml=True)


def error(file: File, name: str = "a", program: tuple[str, ...] = MILLPOND) -> str:
    with pytest.raises(ConfigError) as caught:
        wrapped(file, [name], program)
    return str(caught.value)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('{"command":"npx"}', '{"command":"/bin/millpond", "args": ["--","npx"]}'),
        ('{"command":"npx","args":[]}', '{"command":"/bin/millpond","args":["--", "npx"]}'),
        ('{"args":[ "x" ],"command":"npx"}', '{"args":[ "--", "npx", "x" ],"command":"/bin/millpond"}'),
        (
            '{\r\n\t"command": "n\\u0070x", // why\r\n\t"args": [\r\n\t\t"-y", // yes\r\n\t],\r\n}',
            '{\r\n\t"command": "/bin/millpond", // why\r\n\t"args": [\r\n\t\t"--",\r\n\t\t"n\\u0070x",\r\n\t\t"-y", // yes\r\n\t],\r\n}',
        ),
        (
            '{\n  "command": "npx",\n  "env": {}\n}',
            '{\n  "command": "/bin/millpond",\n  "args": ["--","npx"],\n  "env": {}\n}',
        ),
    ],
)
def test_json_is_edited_in_place(old: str, new: str) -> None:
    """CLIENTS-04, CLIENTS-05"""
    assert (
        wrapped(json_file(f'{{"mcpServers":{{"a":{old}}}}}'), ["a"], MILLPOND).text == f'{{"mcpServers":{{"a":{new}}}}}'
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "[mcp_servers.a]\ncommand = 'npx' # why\nenv = {A = \"b\"}\n",
            '[mcp_servers.a]\nargs = ["--",\'npx\']\ncommand = "/bin/millpond" # why\nenv = {A = "b"}\n',
        ),
        (
            '[mcp_servers]\na.command="npx"\na.args=[ # none\n]\n',
            '[mcp_servers]\na.command="/bin/millpond"\na.args=["--", "npx" # none\n]\n',
        ),
        (
            '[mcp_servers]\na = { args = ["x"], command = "npx" } # all\n',
            '[mcp_servers]\na = { args = ["--", "npx", "x"], command = "/bin/millpond" } # all\n',
        ),
        (
            'mcp_servers.a = {command="npx"}',
            'mcp_servers.a = {command="/bin/millpond", args = ["--","npx"]}',
        ),
    ],
)
def test_toml_is_edited_in_place(old: str, new: str) -> None:
    """CLIENTS-04, CLIENTS-05"""
    changed = wrapped(toml_file(old), ["a"], MILLPOND)
    assert changed.text == new
    assert unwrapped(toml_file(new), ["a"]).text == old


def test_a_command_that_is_an_object_is_wrapped_in_it() -> None:
    """CLIENTS-24"""
    old = '{"mcpServers":{"a":{"command":{"path":"npx","args":["x"],"env":null},"settings":{}}}}'
    new = '{"mcpServers":{"a":{"command":{"path":"/bin/millpond","args":["--", "npx", "x"],"env":null},"settings":{}}}}'
    assert wrapped(json_file(old), None, MILLPOND).text == new
    assert unwrapped(json_file(new), None).text == old


def test_what_was_edited_while_it_was_wrapped_stays() -> None:
    """CLIENTS-08"""
    new = wrapped(servers(a={"command": "npx", "args": ["x"], "env": {}}), ["a"], MILLPOND).text
    edited = new.replace('"x"]', '"x", "--more"]').replace('"env": {}', '"env": {"A": "b"}').replace('"npx"', '"bunx"')
    again = json.loads(unwrapped(json_file(edited), ["a"]).text)["mcpServers"]["a"]
    assert again == {"command": "bunx", "args": ["x", "--more"], "env": {"A": "b"}}


def test_a_list_that_was_formatted_anew_is_still_unwrapped() -> None:
    """CLIENTS-08"""
    new = '{"mcpServers": {"a": {"command": "/bin/millpond", "args": [\n "--",\n "npx",\n]}}}'
    assert unwrapped(json_file(new), ["a"]).text == '{"mcpServers": {"a": {"command": "npx", "args": [\n \n]}}}'


@pytest.mark.parametrize(
    "words",
    [
        ["/elsewhere/bin/millpond", "--", "npx", "x"],
        ["C:\\Tools\\millpond.exe", "--config", "f.toml", "--", "npx", "x"],
        ["uvx", "millpond@0.1.0", "--", "npx", "x"],
        ["/usr/bin/python3", "-m", "millpond", "--", "npx", "x"],
    ],
)
def test_whatever_starts_millpond_the_server_behind_it_is_wrapped_already(words: list[str]) -> None:
    """CLIENTS-09"""
    file = servers(a={"command": words[0], "args": words[1:]})
    assert dict(wrapped(file, None, MILLPOND).left) == {"a": ALREADY}
    assert json.loads(unwrapped(file, None).text)["mcpServers"]["a"] == {"command": "npx", "args": ["x"]}


def test_a_name_that_only_looks_like_ours_is_wrapped() -> None:
    """CLIENTS-09"""
    assert wrapped(servers(a={"command": "millponds", "args": ["--", "x"]}), None, MILLPOND).done == ("a",)


REMOTE = {"type": "http", "url": "https://x.example/mcp", "timeout": 3}
WITH_HEADERS = {**REMOTE, "headers": {"Authorization": "Bearer ${T}", "X-A": "b"}}


def test_an_address_becomes_a_command() -> None:
    """CLIENTS-10"""
    entry = json.loads(wrapped(servers(a=REMOTE), ["a"], MILLPOND).text)["mcpServers"]["a"]
    assert entry == {"type": "stdio", "command": "/bin/millpond", "args": [REMOTE["url"]], "timeout": 3}
    entry = json.loads(wrapped(servers(a=WITH_HEADERS), None, MILLPOND).text)["mcpServers"]["a"]
    named = {"Authorization": "MILLPOND_HEADER_AUTHORIZATION", "X-A": "MILLPOND_HEADER_X_A"}
    headers = [word for name, variable in named.items() for word in ("--header-env", f"{name}={variable}")]
    assert entry == {
        "type": "stdio",
        "command": "/bin/millpond",
        "args": [*headers, REMOTE["url"]],
        "timeout": 3,
        "env": {"MILLPOND_HEADER_AUTHORIZATION": "Bearer ${T}", "MILLPOND_HEADER_X_A": "b"},
    }


@pytest.mark.parametrize("env", [{}, {"A": "1"}, {"MILLPOND_HEADER_X_A": "mine"}])
def test_headers_join_the_variables_that_an_address_has_and_replace_none(env: dict[str, str]) -> None:
    """CLIENTS-10, CLIENTS-12"""
    old = servers(a={"url": "https://x.example/mcp", "env": env, "headers": {"X-A": "$${b", "x.a": "c", "X": '"'}})
    new = json_file(wrapped(old, ["a"], MILLPOND).text)
    entry = json.loads(new.text)["mcpServers"]["a"]
    assert entry["env"].items() >= env.items()
    given = (word.split("=") for word in entry["args"] if "=" in word)
    assert {name: entry["env"][variable] for name, variable in given} == {"X-A": "$${b", "x.a": "c", "X": '"'}
    assert len(entry["env"]) == len(env) + 3
    assert unwrapped(new, ["a"], [old.text]).text == old.text


@pytest.mark.parametrize("env", [None, [], "x"])
def test_headers_without_a_place_for_their_values_leave_the_file_as_it_is(env: object) -> None:
    """CLIENTS-10, CLIENTS-15"""
    file = servers(a={"url": "https://x.example/mcp", "env": env, "headers": {"A": "b"}})
    assert error(file).endswith("nothing was changed")


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({**REMOTE, "headers": {"Mcp-Session-Id": "1"}}, "expected a header of yours"),
        ({**REMOTE, "headers": {"A B": "1"}}, "expected a header's name of letters"),
        ({**REMOTE, "headers": {"A": "\u00e9"}}, "expected a value of printable ASCII"),
        ({"url": "unix:///run/x.sock"}, "expected a URL like https://host/mcp, got one that begins with neither"),
        ({"url": "https://"}, "expected a URL like https://host/mcp, got one without a host"),
    ],
)
def test_an_address_that_arguments_cannot_hold_stays(entry: dict[str, object], reason: str) -> None:
    """CLIENTS-10, CLIENTS-11"""
    change = wrapped(servers(a=entry), ["a"], MILLPOND)
    assert change.text == servers(a=entry).text
    assert change.left["a"].startswith(reason)


@pytest.mark.parametrize("key", ["serverUrl", "httpUrl"])
def test_every_clients_key_of_an_address_is_known(key: str) -> None:
    """CLIENTS-10"""
    entry = json.loads(wrapped(servers(a={key: "http://localhost:1/mcp"}), None, MILLPOND).text)["mcpServers"]["a"]
    assert entry == {"command": "/bin/millpond", "args": ["http://localhost:1/mcp"]}


def test_codex_keeps_an_address_in_toml() -> None:
    """CLIENTS-10"""
    old = '[mcp_servers.a]\nurl = "https://x.example/mcp" # there\nstartup_timeout_sec = 5\n'
    new = '[mcp_servers.a]\nargs = ["https://x.example/mcp"]\ncommand = "/bin/millpond" # there\nstartup_timeout_sec = 5\n'
    assert wrapped(toml_file(old), ["a"], MILLPOND).text == new


@pytest.mark.parametrize(
    ("member", "reason"),
    [
        ({"oauth": {"clientId": "1"}}, "it signs in by OAuth"),
        ({"auth": {"CLIENT_ID": "1"}}, "it signs in by OAuth"),
        ({"authProviderType": "google_credentials"}, "it signs in by OAuth"),
        ({"headersHelper": "make-headers"}, "the client makes up its headers"),
    ],
)
def test_an_address_that_only_the_client_can_open_stays(member: dict[str, object], reason: str) -> None:
    """CLIENTS-11"""
    [left] = wrapped(servers(a={**REMOTE, **member}), ["a"], MILLPOND).left.values()
    assert left.startswith(reason)


def test_an_address_without_a_header_changes_only_by_name_or_on_this_machine() -> None:
    """CLIENTS-11"""
    assert dict(wrapped(servers(a=REMOTE), None, MILLPOND).left) == {"a": SIGN_IN_LIKELY}
    assert wrapped(servers(a=REMOTE), ["a"], MILLPOND).done == ("a",)
    assert wrapped(servers(a={"url": "http://127.0.0.1:8000/mcp"}), None, MILLPOND).done == ("a",)


def test_an_address_comes_back_from_the_newest_backup_that_fits() -> None:
    """CLIENTS-12"""
    old = servers(b={"command": "x"}, a=WITH_HEADERS).text.replace('"url": ', '"url" :\n ')
    new = wrapped(json_file(old), ["a"], MILLPOND).text
    changed_since = new.replace('"x"', '"y"')
    back = unwrapped(json_file(changed_since), ["a"], ["{}", "no json", old])
    assert back.text == old.replace('"x"', '"y"')


def test_a_backup_in_which_it_was_wrapped_already_gives_nothing_back() -> None:
    """CLIENTS-12: such a one is kept whenever another entry of the file changes."""
    old = servers(b={"command": "x"}, a=WITH_HEADERS).text
    new = wrapped(json_file(old), ["a"], MILLPOND).text
    assert unwrapped(json_file(new), ["a"], [new, old]).text == old
    change = unwrapped(json_file(new), ["a"], [new])
    assert (change.done, dict(change.left)) == ((), {"a": NO_BACKUP})


def test_an_address_whose_scheme_has_capitals_comes_back_too() -> None:
    """CLIENTS-11, CLIENTS-12"""
    old = servers(a={"url": "HTTP://LocalHost:1/mcp"}).text
    new = wrapped(json_file(old), None, MILLPOND)
    assert new.done == ("a",)
    assert unwrapped(json_file(new.text), None, [old]).text == old


def test_an_address_stays_where_no_backup_gives_what_stands_there() -> None:
    """CLIENTS-12"""
    old = servers(a=REMOTE).text
    edited = wrapped(json_file(old), ["a"], MILLPOND).text.replace('"timeout": 3', '"timeout": 4')
    change = unwrapped(json_file(edited), ["a"], [old])
    assert (change.text, dict(change.left)) == (edited, {"a": NO_BACKUP})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "expected JSON, expected an object in braces, got an empty file"),
        ("[]", "expected an object in braces, got a value of another kind (list)"),
        ('{\n  "mcpServers": {"a": s3cret}\n}', "expected JSON, line 2, column 23: Expecting value"),
        ('{"mcpServers": {"a": {"command": "s3cret}}', "line 1, column 34"),
        ('{"mcpServers": {"a": {"command": "s3cret", "args": [ , ]}}}', "line 1, column 54"),
        ('{"mcpServers": {/* s3cret */\n,}}', "line 2, column 1"),
        ('{"mcpServers": {"a": {} /* s3cret }}', "line 1, column 25"),
        ('{"mcpServers": ["s3cret"]}', "mcpServers: expected an object of servers"),
        ('{"mcpServers": ' + "[" * 100_000, "brackets are nested too deep"),
    ],
)
def test_a_broken_json_file_is_one_line_without_its_values(text: str, says: str) -> None:
    """CLIENTS-13"""
    message = error(json_file(text))
    assert message.startswith("mcp.json: ")
    assert says in message
    assert message.endswith("nothing was changed, mend the file first")
    assert "s3cret" not in message


@pytest.mark.parametrize(
    "text", ["[mcp_servers.a]\ncommand = s3cret\n", "[mcp_servers.a]\n[mcp_servers.a]\n", "x = 1\nx = 2"]
)
def test_a_broken_toml_file_is_one_line_without_its_values(text: str) -> None:
    """CLIENTS-13"""
    message = error(toml_file(text))
    assert message.startswith("config.toml: expected TOML, ")
    assert "line 2" in message or "end of document" in message
    assert "s3cret" not in message


@pytest.mark.parametrize(
    "text",
    [
        '{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}',
        '{"mcpServers": {}, "mcpServers": {"a": {"command": "x"}}}',
        '{"mcpServers": {"a": {"command": "x", "command": "y"}}}',
    ],
)
def test_a_name_that_is_there_twice_is_refused(text: str) -> None:
    """CLIENTS-14"""
    assert "once, got it 2 times; nothing was changed" in error(json_file(text))


def test_a_server_that_is_not_there_is_an_error_with_the_nearest() -> None:
    """CLIENTS-14"""
    assert error(servers(github={"command": "x"}), "gihtub").endswith("did you mean github?")
    assert error(servers(github={"command": "x"}), "zzz").endswith("there are: github")


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("text", "its entry is no object"),
        ({"command": 1}, "its command is no text"),
        ({"command": ""}, "its command is no text"),
        ({"command": "x", "args": "y"}, "its args are no list of texts"),
        ({"command": "x", "args": ["y", 1]}, "its args are no list of texts"),
        ({"source": "extension", "settings": {}}, "its entry names neither a command nor an address"),
        ({"command": "millpond", "args": ["--config", "f"]}, "it is Millpond itself, and its command stands elsewhere"),
    ],
)
def test_what_is_no_server_that_can_be_wrapped_stays_with_the_reason(entry: object, reason: str) -> None:
    """CLIENTS-19"""
    change = wrapped(servers(a=entry, b={"command": "x"}), None, MILLPOND)
    assert (change.done, dict(change.left)) == (("b",), {"a": reason})


def test_what_is_not_wrapped_is_not_unwrapped() -> None:
    """CLIENTS-19"""
    file = servers(a={"command": "x"})
    assert dict(unwrapped(file, ["a"]).left) == {"a": NOT_WRAPPED}
    assert unwrapped(file, None).text == file.text


def test_a_program_that_would_not_be_known_again_is_refused() -> None:
    """CLIENTS-15"""
    message = error(servers(a={"command": "x"}), program=("/opt/other",))
    assert message == "mcp.json: it is written in a way that could not be undone; nothing was changed"


def test_commands_and_addresses_change_together() -> None:
    """CLIENTS-10, CLIENTS-12"""
    old = servers(a={"command": "x"}, b=WITH_HEADERS, c=REMOTE).text
    new = wrapped(json_file(old), ["a", "b", "c"], MILLPOND)
    assert new.done == ("a", "b", "c")
    assert unwrapped(json_file(new.text), None, [old]).text == old


def test_a_file_that_cannot_be_changed_in_part_is_refused() -> None:
    """CLIENTS-15"""
    text = '[[fruit]]\nname = "x"\n[mcp_servers.a]\ncommand = "x"\n[fruit.taste]\nsweet = true\n'
    message = error(toml_file(text))
    assert "is written in a way that cannot be changed alone; nothing was changed" in message
