"""A server with all that the conformance suite asks a server for, on the Python SDK, over standard streams or HTTP.

    python conformance_server.py [PORT]     a port of this machine, 0 for a free one; without it, standard streams

What each tool, prompt and resource is called and answers is laid down in the suite's scenarios.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
import socket
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server import Server, ServerRequestContext
from mcp.server.caching import CacheHint
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, PromptsListChanged, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata

Context = ServerRequestContext[Any, Any]
Json = dict[str, Any]
Tool = Callable[[Context, types.CallToolRequestParams], Awaitable[Json]]

PNG = base64.b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
        "0000000d49444154789c63f8cfc0f01f00050001ff56c7a5d60000000049454e44ae426082"
    )
).decode()
WAV = base64.b64encode(
    b"RIFF\x26\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x02\x00\x00\x00\x00\x00"
).decode()
NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
DEFAULTS = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    },
}
TITLED = [{"const": f"value{number}", "title": f"Choice {number}"} for number in (1, 2, 3)]
OPTIONS = ["option1", "option2", "option3"]
ENUMS = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": OPTIONS},
        "titledSingle": {"type": "string", "oneOf": TITLED},
        "legacyEnum": {"type": "string", "enum": OPTIONS, "enumNames": ["One", "Two", "Three"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
        "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
    },
}
RICH_SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
bus = InMemorySubscriptionBus()


# --- what answers are made of ---------------------------------------------------------------------------------------


def text(value: str) -> Json:
    """A text block."""
    return {"type": "text", "text": value}


def embedded(uri: str, mime_type: str, value: str) -> Json:
    """An embedded resource."""
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": value}}


def says(value: str) -> Json:
    """A result with one text."""
    return {"content": [text(value)]}


IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}


def elicitation(message: str, schema: Json = NAME) -> Json:
    """A form to be asked for."""
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def sampling(prompt: str, most_tokens: int) -> Json:
    """A completion to be asked for."""
    params = {"messages": [{"role": "user", "content": text(prompt)}], "maxTokens": most_tokens}
    return {"method": "sampling/createMessage", "params": params}


ROOTS: Json = {"method": "roots/list", "params": {}}


def needs(state: str | None = None, **requests: Json) -> Json:
    """A result that asks for input."""
    asked: Json = {"resultType": "input_required", "inputRequests": requests}
    return asked if state is None else {**asked, "requestState": state}


def given(params: types.CallToolRequestParams | types.GetPromptRequestParams, name: str) -> Any:
    """The client's answer of that name, as its model; None where it gave none."""
    return (params.input_responses or {}).get(name)


# --- tools ----------------------------------------------------------------------------------------------------------


def always(result: Json) -> Tool:
    """A tool that answers so, whatever it is asked."""

    async def answer(ctx: Context, params: types.CallToolRequestParams) -> Json:
        return result

    return answer


async def with_logging(ctx: Context, params: types.CallToolRequestParams) -> Json:
    for step in ("started", "processing data", "completed"):
        await log(ctx, f"Tool execution {step}" if step != "processing data" else "Tool processing data")
        await asyncio.sleep(0.05)
    return says("logged")


async def log(ctx: Context, message: str) -> None:
    await ctx.session.send_log_message("info", message, related_request_id=ctx.request_id)  # pyright: ignore[reportDeprecated]


async def with_progress(ctx: Context, params: types.CallToolRequestParams) -> Json:
    for progress in (0, 50, 100):
        await ctx.session.report_progress(progress, 100, f"{progress} of 100")
        await asyncio.sleep(0.05)
    return says("done")


def of_this(ctx: Context) -> ServerMessageMetadata:
    """What belongs to the request in hand."""
    return ServerMessageMetadata(related_request_id=ctx.request_id)


async def ask_for_sampling(ctx: Context, params: types.CallToolRequestParams) -> Json:
    request = types.CreateMessageRequest.model_validate(sampling(str((params.arguments or {}).get("prompt")), 100))
    answer = await ctx.session.send_request(request, types.CreateMessageResult, metadata=of_this(ctx))
    return says(f"LLM response: {answer.content.text if isinstance(answer.content, types.TextContent) else ''}")


def ask_for_form(schema: Json, opening: str) -> Tool:
    async def ask(ctx: Context, params: types.CallToolRequestParams) -> Json:
        message = str((params.arguments or {}).get("message", "Please answer"))
        request = types.ElicitRequest.model_validate(elicitation(message, schema))
        answer = await ctx.session.send_request(request, types.ElicitResult, metadata=of_this(ctx))
        return says(f"{opening}: action={answer.action}, content={json.dumps(answer.content)}")

    return ask


async def reconnection(ctx: Context, params: types.CallToolRequestParams) -> Json:
    """Have the stream closed while the call goes on; over standard streams there is none."""
    await log(ctx, "Before disconnect")
    if ctx.close_sse_stream is not None:
        await ctx.close_sse_stream()
    await asyncio.sleep(2)
    await log(ctx, "After reconnect")
    return says("reconnected")


async def with_header(ctx: Context, params: types.CallToolRequestParams) -> Json:
    return says(f"region={(params.arguments or {}).get('region')}")


async def missing_capability(ctx: Context, params: types.CallToolRequestParams) -> Json:
    capabilities = ctx.session.client_capabilities
    if capabilities is None or capabilities.sampling is None:
        data: Json = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "sampling is needed", data)
    return says("there")


async def tool_change(ctx: Context, params: types.CallToolRequestParams) -> Json:
    await bus.publish(ToolsListChanged())
    return says("changed")


async def prompt_change(ctx: Context, params: types.CallToolRequestParams) -> Json:
    await bus.publish(PromptsListChanged())
    return says("changed")


async def needs_a_name(ctx: Context, params: types.CallToolRequestParams) -> Json:
    answer = given(params, "user_name")
    if isinstance(answer, types.ElicitResult) and answer.content:
        return says(f"Hello, {answer.content.get('name')}!")
    return needs(user_name=elicitation("What is your name?"))


async def needs_a_sample(ctx: Context, params: types.CallToolRequestParams) -> Json:
    answer = given(params, "capital_question")
    if isinstance(answer, types.CreateMessageResult) and isinstance(answer.content, types.TextContent):
        return says(answer.content.text)
    return needs(capital_question=sampling("What is the capital of France?", 100))


async def needs_roots(ctx: Context, params: types.CallToolRequestParams) -> Json:
    answer = given(params, "client_roots")
    if isinstance(answer, types.ListRootsResult):
        return says(", ".join(str(root.uri) for root in answer.roots))
    return needs(client_roots=ROOTS)


CONFIRM = elicitation(
    "Please confirm", {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
)


async def needs_its_state(ctx: Context, params: types.CallToolRequestParams) -> Json:
    if given(params, "confirm") is not None and params.request_state == "first round":
        return says("state-ok")
    return needs("first round", confirm=CONFIRM)


async def needs_an_untouched_state(ctx: Context, params: types.CallToolRequestParams) -> Json:
    return says("state-ok") if params.request_state is not None else needs("sealed", confirm=CONFIRM)


async def needs_three_things(ctx: Context, params: types.CallToolRequestParams) -> Json:
    names = ("user_name", "greeting", "client_roots")
    if all(given(params, name) is not None for name in names):
        return says("all there")
    asked = (elicitation("What is your name?"), sampling("Generate a greeting", 50), ROOTS)
    return needs("three", **dict(zip(names, asked, strict=True)))


async def needs_two_rounds(ctx: Context, params: types.CallToolRequestParams) -> Json:
    if params.request_state == "2" and given(params, "step2") is not None:
        return says("both rounds are done")
    if params.request_state == "1" and given(params, "step1") is not None:
        color = {"type": "object", "properties": {"color": {"type": "string"}}, "required": ["color"]}
        return needs("2", step2=elicitation("Step 2: What is your favorite color?", color))
    return needs("1", step1=elicitation("Step 1: What is your name?"))


async def needs_what_the_client_can(ctx: Context, params: types.CallToolRequestParams) -> Json:
    can = ctx.session.client_capabilities
    asked: dict[str, Json] = {}
    if can is not None and can.sampling is not None:
        asked["sample"] = sampling("Say hello", 50)
    if can is not None and can.elicitation is not None:
        asked["ask"] = elicitation("What is your name?")
    return needs("able", **asked)


MIXED = embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
FAILED = {**says("This tool intentionally returns an error for testing"), "isError": True}
EMBEDDED = embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
ELICITED = "Elicitation completed"
FORM = {
    "type": "object",
    "properties": {"username": {"type": "string"}, "email": {"type": "string"}},
    "required": ["username", "email"],
}
TOOLS: dict[str, Tool] = {
    "test_simple_text": always(says("This is a simple text response for testing.")),
    "test_image_content": always({"content": [IMAGE]}),
    "test_audio_content": always({"content": [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]}),
    "test_embedded_resource": always({"content": [EMBEDDED]}),
    "test_multiple_content_types": always({"content": [text("Multiple content types test:"), IMAGE, MIXED]}),
    "test_error_handling": always(FAILED),
    "test_tool_with_logging": with_logging,
    "test_tool_with_progress": with_progress,
    "test_logging_tool": with_logging,
    "test_streaming_elicitation": needs_a_name,
    "test_sampling": ask_for_sampling,
    "test_elicitation": ask_for_form(FORM, "User response"),
    "test_elicitation_sep1034_defaults": ask_for_form(DEFAULTS, ELICITED),
    "test_elicitation_sep1330_enums": ask_for_form(ENUMS, ELICITED),
    "test_reconnection": reconnection,
    "test_x_mcp_header": with_header,
    "test_missing_capability": missing_capability,
    "test_trigger_tool_change": tool_change,
    "test_trigger_prompt_change": prompt_change,
    "test_input_required_result_elicitation": needs_a_name,
    "test_input_required_result_sampling": needs_a_sample,
    "test_input_required_result_list_roots": needs_roots,
    "test_input_required_result_request_state": needs_its_state,
    "test_input_required_result_tampered_state": needs_an_untouched_state,
    "test_input_required_result_multiple_inputs": needs_three_things,
    "test_input_required_result_multi_round": needs_two_rounds,
    "test_input_required_result_capabilities": needs_what_the_client_can,
    "json_schema_2020_12_tool": always(says("json_schema_2020_12_tool")),
}
SCHEMAS: dict[str, Json] = {
    "test_sampling": {"type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"]},
    "test_elicitation": {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]},
    "test_x_mcp_header": {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}},
    "json_schema_2020_12_tool": RICH_SCHEMA,
}


async def list_tools(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    plain: Json = {"type": "object", "properties": {}}
    tools = [{"name": name, "description": name, "inputSchema": SCHEMAS.get(name, plain)} for name in TOOLS]
    return types.ListToolsResult.model_validate({"tools": tools})


async def call_tool(
    ctx: Context, params: types.CallToolRequestParams
) -> types.CallToolResult | types.InputRequiredResult:
    tool = TOOLS.get(params.name, always({**says(f"there is no tool {params.name}"), "isError": True}))
    result = await tool(ctx, params)
    if "inputRequests" in result:
        return types.InputRequiredResult.model_validate(result)
    return types.CallToolResult.model_validate(result)


# --- resources, prompts, the rest -----------------------------------------------------------------------------------

RESOURCES: dict[str, Json] = {
    "test://static-text": {"mimeType": "text/plain", "text": "This is the content of the static text resource."},
    "test://static-binary": {"mimeType": "image/png", "blob": PNG},
    "test://watched-resource": {"mimeType": "text/plain", "text": "watched"},
}


async def list_resources(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
    found = [{"uri": uri, "name": uri, "description": uri, "mimeType": it["mimeType"]} for uri, it in RESOURCES.items()]
    return types.ListResourcesResult.model_validate({"resources": found})


async def list_templates(
    ctx: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    template = {"uriTemplate": "test://template/{id}/data", "name": "template", "mimeType": "application/json"}
    return types.ListResourceTemplatesResult.model_validate({"resourceTemplates": [template]})


async def read_resource(ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    uri = str(params.uri)
    found = RESOURCES.get(uri)
    if template := re.fullmatch(r"test://template/([^/]+)/data", uri):
        value = {"id": template[1], "templateTest": True, "data": f"Data for ID: {template[1]}"}
        found = {"mimeType": "application/json", "text": json.dumps(value)}
    if found is None:
        raise MCPError(types.INVALID_PARAMS, "Resource not found", {"uri": uri})
    return types.ReadResourceResult.model_validate({"contents": [{"uri": uri, **found}]})


PROMPTS: dict[str, tuple[str, ...]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}


async def list_prompts(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
    found = [
        {"name": name, "description": name, "arguments": [{"name": each, "required": True} for each in arguments]}
        for name, arguments in PROMPTS.items()
    ]
    return types.ListPromptsResult.model_validate({"prompts": found})


async def get_prompt(
    ctx: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult | types.InputRequiredResult:
    arguments = params.arguments or {}
    match params.name:
        case "test_simple_prompt":
            blocks = [text("This is a simple prompt for testing.")]
        case "test_prompt_with_arguments":
            shown = ", ".join(f"{name}='{arguments.get(name)}'" for name in ("arg1", "arg2"))
            blocks = [text(f"Prompt with arguments: {shown}")]
        case "test_prompt_with_embedded_resource":
            resource = embedded(arguments["resourceUri"], "text/plain", "Embedded resource content for testing.")
            blocks = [resource, text("Please process the embedded resource above.")]
        case "test_prompt_with_image":
            blocks = [IMAGE, text("Please analyze the image above.")]
        case "test_input_required_result_prompt":
            answer = given(params, "user_context")
            if not isinstance(answer, types.ElicitResult):
                schema = {"type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"]}
                asked = needs(user_context=elicitation("What context should the prompt use?", schema))
                return types.InputRequiredResult.model_validate(asked)
            blocks = [text(f"Use the following context: {json.dumps(answer.content)}")]
        case _:
            raise MCPError(types.INVALID_PARAMS, f"there is no prompt {params.name}")
    return types.GetPromptResult.model_validate({"messages": [{"role": "user", "content": block} for block in blocks]})


async def complete(ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
    return types.CompleteResult.model_validate({"completion": {"values": ["paris", "park"], "total": 2}})


async def accept(ctx: Context, params: Any) -> types.EmptyResult:
    return types.EmptyResult()


class Events(EventStore):
    """Events in memory, for clients that come back."""

    def __init__(self) -> None:
        self._events: list[tuple[str, types.JSONRPCMessage | None]] = []

    async def store_event(self, stream_id: str, message: types.JSONRPCMessage | None) -> str:
        self._events.append((stream_id, message))
        return str(len(self._events) - 1)

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        place = int(last_event_id)
        stream, _ = self._events[place]
        for number, (name, message) in enumerate(self._events[place + 1 :], start=place + 1):
            if name == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


HINT = CacheHint(ttl_ms=1_000, scope="public")
server: Server[Any] = Server(
    "conformance",
    version="1.0",
    cache_hints={
        "tools/list": HINT,
        "prompts/list": HINT,
        "resources/list": HINT,
        "resources/templates/list": HINT,
        "resources/read": HINT,
    },
    on_list_tools=list_tools,
    on_call_tool=call_tool,
    on_list_resources=list_resources,
    on_list_resource_templates=list_templates,
    on_read_resource=read_resource,
    on_subscribe_resource=accept,
    on_unsubscribe_resource=accept,
    on_subscriptions_listen=ListenHandler(bus),
    on_list_prompts=list_prompts,
    on_get_prompt=get_prompt,
    on_completion=complete,
)
server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, accept)
server.middleware.append(RequestStateBoundary(RequestStateSecurity(keys=[b"k" * 32]), default_audience="conformance"))


async def over_standard_streams() -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if len(sys.argv) > 1:
    app = server.streamable_http_app(event_store=Events(), retry_interval=100)
    with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as sock:
        sys.stderr.write(f"serving http://127.0.0.1:{sock.getsockname()[1]}/mcp\n")
        uvicorn.Server(uvicorn.Config(app, log_level="error")).run([sock])
else:
    asyncio.run(over_standard_streams())
