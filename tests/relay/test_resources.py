"""Resources in a talk with a session: what is edited, what is answered here, and what goes on."""

import json
from dataclasses import replace
from typing import Any

import pytest

from millpond.core.model import Outcome, Resources, Verdict
from millpond.core.resources import TEMPLATES
from millpond.relay.actions import Look, Stop, ToClient, ToServer
from millpond.relay.session import Session
from relay_talk import TIME, answer, ask, call, policy, request, rows, session, show_tools, taken, to_client

META = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}'
OURS = b'{"result":{"resources":[{"uri":"millpond://table/a"},{"uri":"millpond://table/b"}]}}'
NONE = b'{"result":{"resources":[]}}'
TABLES = '{"uri":"millpond://table/a"},{"uri":"millpond://table/b"}'
OWN_TEMPLATES = json.dumps(list(TEMPLATES), separators=(",", ":"))[1:-1]
REFUSED = b'{"content":[{"type":"text","text":"The query was stopped."}],"isError":true,"_meta":{}}'


def opened(resources: Resources = "auto", capabilities: str = '{"tools":{},"resources":{}}') -> Session:
    """A session after its handshake and a call whose result a handle stands for."""
    relay = session(resources=resources)
    ask(relay, "initialize", "{}", f'{{"capabilities":{capabilities}}}')
    show_tools(relay)
    taken(relay, call(relay, rows(200)), Outcome(verdict=Verdict.REPLACE, body=b"{}"))
    return relay


def listed(relay: Session, page: str, engine: bytes = OURS, method: str = "resources/list") -> str:
    """What the client gets for a page of the server's list."""
    (action,) = ask(relay, method, None, page)
    line = relay.looked(action, engine) if isinstance(action, Look) else to_client([action])
    return line.decode().removeprefix('{"jsonrpc":"2.0","id":1,"result":').removesuffix("}\n")


# --- the opening ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["initialize", "server/discover"])
@pytest.mark.parametrize(
    ("resources", "theirs", "ours"),
    [
        ("auto", '{"tools":{}}', '{"tools":{}}'),
        ("never", '{"tools":{}}', '{"tools":{}}'),
        ("always", '{ "tools":{"listChanged":true} }', '{ "tools":{"listChanged":true} ,"resources":{}}'),
        ("always", '{"resources":{"subscribe":true},"tools":{}}', '{"resources":{"subscribe":true},"tools":{}}'),
        ("always", "{}", "{}"),
        ("auto", '{"resources":{}}', '{"resources":{}}'),
    ],
)
def test_the_capability_is_announced_where_it_is_wanted_and_the_server_has_tools(
    method: str, resources: Resources, theirs: str, ours: str
) -> None:
    """RESOURCES-07, RESOURCES-08"""
    sent = to_client(ask(session(resources=resources), method, "{}", f'{{"capabilities":{theirs},"instructions":"x"}}'))
    assert f'{{"capabilities":{ours},"instructions":'.encode() in sent
    assert json.loads(sent)["result"]["instructions"].endswith("x")


# --- lists ----------------------------------------------------------------------------------------------------------


def test_tables_stand_behind_the_servers_resources_on_the_last_page() -> None:
    """RESOURCES-05"""
    relay = opened()
    first = '{"resources":[{"uri":"x:1"}],"nextCursor":"2"}'
    assert listed(relay, first) == first
    assert listed(relay, '{ "resources":[ {"uri":"x:2", "size":1.0} ], "n":1.0}') == (
        f'{{ "resources":[ {{"uri":"x:2", "size":1.0}},{TABLES} ], "n":1.0}}'
    )
    assert listed(relay, '{"resources":[],"nextCursor":null}') == f'{{"resources":[{TABLES}],"nextCursor":null}}'


def test_a_list_with_tables_is_not_cached_and_not_shared() -> None:
    """RESOURCES-05"""
    theirs = '{"ttlMs":3.6e6,"resources":[{"uri":"x:1"}],"cacheScope":"public","resultType":"complete"}'
    ours = f'{{"ttlMs":0,"resources":[{{"uri":"x:1"}},{TABLES}],"cacheScope":"private","resultType":"complete"}}'
    assert listed(opened(), theirs) == ours
    assert listed(opened(), theirs, NONE) == theirs


def test_templates_stand_behind_the_servers() -> None:
    """RESOURCES-05"""
    page = '{"resourceTemplates":[{"uriTemplate":"db://{x}"}],"ttlMs":9}'
    assert listed(opened(), page, method="resources/templates/list") == (
        f'{{"resourceTemplates":[{{"uriTemplate":"db://{{x}}"}},{OWN_TEMPLATES}],"ttlMs":9}}'
    )


@pytest.mark.parametrize("engine", [NONE, REFUSED, b"", b"[]", b'{"missing":"x"}'])
def test_where_the_engine_names_no_tables_the_list_goes_on_as_it_came(engine: bytes) -> None:
    """RESOURCES-06"""
    page = '{"resources":[{"uri":"x:1"}],"ttlMs":9}'
    assert listed(opened(), page, engine) == page


@pytest.mark.parametrize("page", ["{}", '{"resources":null}', '{"resources":{}}', "[]", '{"resources":[1,]}'])
def test_a_page_that_is_none_goes_on_as_it_came(page: str) -> None:
    """RESOURCES-05"""
    assert listed(opened(), page) == page


def test_without_a_handle_the_lists_go_on_as_they_came() -> None:
    """RESOURCES-06"""
    relay = session()
    show_tools(relay)
    for after in (lambda: None, lambda: call(relay, rows(2))):
        after()
        assert ask(relay, "resources/list", None, '{"resources":[]}') == [ToClient(answer('{"resources":[]}'))]
        templates = '{"resourceTemplates":[]}'
        assert ask(relay, "resources/templates/list", None, templates) == [ToClient(answer(templates))]


def test_where_canvases_are_kept_tables_are_listed_before_the_first_call() -> None:
    """CANVAS-17"""
    relay = Session(replace(policy(), keeps=True), lambda: TIME)
    ask(relay, "initialize", "{}", '{"capabilities":{"tools":{},"resources":{}}}')
    (look,) = ask(relay, "resources/list", None, '{"resources":[]}')
    assert isinstance(look, Look)
    assert relay.wants_engine


def test_an_error_of_a_list_goes_on_as_it_came() -> None:
    """RESOURCES-05"""
    relay = opened()
    relay.from_client(request("resources/list"))
    error = b'{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}\n'
    assert relay.from_server(error) == [ToClient(error)]


def test_for_a_server_without_resources_lists_are_answered_here() -> None:
    """RESOURCES-07"""
    relay = opened("always", '{"tools":{}}')
    (action,) = relay.from_client(request("resources/list", id='"é"'))
    assert isinstance(action, Look)
    assert relay.looked(action, OURS) == answer(f'{{"resources":[{TABLES}]}}', '"é"')
    assert relay.from_client(request("resources/templates/list")) == [
        ToClient(answer(f'{{"resourceTemplates":[{OWN_TEMPLATES}]}}'))
    ]
    (action,) = relay.from_client(request("resources/list", f"{{{META}}}"))
    assert isinstance(action, Look)
    assert relay.looked(action, OURS) == answer(
        f'{{"resources":[{TABLES}],"resultType":"complete","ttlMs":0,"cacheScope":"private"}}'
    )


# --- reading --------------------------------------------------------------------------------------------------------


def read(relay: Session, params: str, engine: bytes) -> dict[str, Any]:
    (action,) = relay.from_client(request("resources/read", params, '"7"'))
    assert isinstance(action, Look)
    return json.loads(relay.looked(action, engine))


CONTENTS = b'{"result":{"contents":[{"uri":"u","text":"1.0"}]}}'


@pytest.mark.parametrize("resources", ["auto", "always"])
def test_a_read_of_ours_is_answered_here_in_the_callers_era(resources: Resources) -> None:
    """RESOURCES-03"""
    relay = opened(resources, '{"tools":{}}')
    contents = [{"uri": "u", "text": "1.0"}]
    params = '{"uri":"millpond://table/a"}'
    assert read(relay, params, CONTENTS) == {"jsonrpc": "2.0", "id": "7", "result": {"contents": contents}}
    modern = read(relay, f'{{{META},"uri":"millpond:\\/\\/call/1"}}', CONTENTS)["result"]
    assert modern == {"contents": contents, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


def test_what_is_not_there_is_the_error_of_the_era() -> None:
    """RESOURCES-04"""
    relay, missing = opened(), b'{"missing":"There is none."}'
    error = {"code": -32002, "message": "There is none.", "data": {"uri": "millpond://x"}}
    assert read(relay, '{"uri":"millpond://x"}', missing)["error"] == error
    assert read(relay, f'{{"uri":"millpond://x",{META}}}', missing)["error"] == {**error, "code": -32602}


@pytest.mark.parametrize(
    ("engine", "says"), [(REFUSED, "The query was stopped."), (b"{}", "the resource could not be")]
)
def test_a_read_that_fails_is_an_internal_error(engine: bytes, says: str) -> None:
    """RESOURCES-09"""
    error = read(opened(), '{"uri":"millpond://x"}', engine)["error"]
    assert error["code"] == -32603
    assert error["message"].startswith(says)


@pytest.mark.parametrize(
    "params", ['{"uri":"file:///millpond://x"}', '{"uri":1}', "{}", "null", '{"uri":"millpond:/x"}']
)
def test_any_other_read_goes_to_the_server(params: str) -> None:
    """RESOURCES-03"""
    line = request("resources/read", params)
    assert opened().from_client(line) == [ToServer(line)]


def test_where_it_is_never_everything_goes_on_as_it_came() -> None:
    """RESOURCES-07"""
    relay = opened("never")
    line = request("resources/read", '{"uri":"millpond://table/a"}')
    assert relay.from_client(line) == [ToServer(line)]
    for method, page in (
        ("resources/list", '{"resources":[]}'),
        ("resources/templates/list", '{"resourceTemplates":[]}'),
    ):
        assert ask(relay, method, None, page) == [ToClient(answer(page))]


def test_a_cancelled_read_stops_and_others_are_the_servers() -> None:
    """RESOURCES-09"""
    relay = opened()
    relay.from_client(request("resources/read", '{"uri":"millpond://x"}', "9"))
    cancelled = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}\n'
    assert relay.from_client(cancelled) == [Stop(b"9")]
    assert relay.from_client(cancelled) == [ToServer(cancelled)]


def test_a_read_before_anything_else_has_the_engine_started_but_not_without_tools() -> None:
    """RESOURCES-03, RESOURCES-04"""
    line = request("resources/read", '{"uri":"millpond://x"}')
    relay = session()
    assert not relay.wants_engine
    relay.from_client(line)
    assert relay.wants_engine
    bare = session()
    ask(bare, "initialize", "{}", '{"capabilities":{"resources":{}}}')
    assert json.loads(to_client(bare.from_client(line)))["error"]["code"] == -32002
    assert not bare.wants_engine
