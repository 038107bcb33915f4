"""The first table of probes: everything that the protocol's revisions have, with members that nobody knows."""

from __future__ import annotations

from end_to_end.fidelity.probe import ALL, LEGACY, MODERN, TASKS, Probe

PROTOCOL = (
    # --- openings and lists -----------------------------------------------------------------------------------------
    Probe(
        "initialize, with capabilities, icons and extensions that nobody knows",
        LEGACY,
        r"""
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"%revision","capabilities":{"roots":{"listChanged":true},"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}},"tasks":{"requests":{}},"extensions":{"x.example/y":{"n":1.0}},"experimental":{"v":[1e2]}},"clientInfo":{"name":"raw","version":"1.0","title":"Raw","icons":[{"src":"data:,","sizes":["any"]}],"vendor":1}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"%revision","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"completions":{},"logging":{},"tasks":{"list":{}},"extensions":{"x.example/y":{"n":1.0}}},"serverInfo":{"name":"s","version":"0.10","icons":[{"src":"https://x.example/i.png","theme":"dark"}],"websiteUrl":"https://x.example"},"instructions":"Be \u00e9xact, é.","_meta":{"vendor/x":1.0}}}
""",
        ("TOOLS-01",),
    ),
    Probe(
        "server/discover, with supported versions and cache hints",
        MODERN,
        r"""
> {"jsonrpc":"2.0","id":0,"method":"server/discover","params":{%meta}}
< {"jsonrpc":"2.0","id":0,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"completions":{},"extensions":{"io.modelcontextprotocol/tasks":{}}},"ttlMs":3.6e6,"cacheScope":"public","instructions":"Be \u00e9xact, é.","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"0.10"}}}}
""",
        ("TOOLS-01",),
    ),
    Probe("initialized", LEGACY, '> {"jsonrpc":"2.0","method":"notifications/initialized","params":{"vendor":1.0}}'),
    Probe(
        "tools with $defs, annotations, icons, _meta, execution and output schemas",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":"tools","method":"tools/list","params":{%meta}}
< {"jsonrpc":"2.0","id":"tools","result":{%type,"ttlMs":60000,"_meta":{"vendor":{"deep":[1.0]}},"tools":[{"name":"give","title":"Give","description":"gives \"it\"","inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"}}}},"properties":{"n":{"$ref":"#/$defs/node","x-mcp-header":"N","minimum":1.0}},"additionalProperties":false},"outputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":true,"vendorHint":1e0},"icons":[{"src":"data:,","mimeType":"image/png"}],"execution":{"taskSupport":"optional"},"_meta":{"ui":{"resourceUri":"ui://x"}}},{"name":"plain","inputSchema":{}}]}}
""",
        ("TOOLS-02", "TOOLS-03"),
    ),
    Probe(
        "pages that the client follows by cursors",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id1,"method":"tools/list","params":{%meta}}
< {"jsonrpc":"2.0","id":%id1,"result":{%type,"nextCursor":"a\u002fb==","tools":[{"name":"give","inputSchema":{}}]}}
> {"jsonrpc":"2.0","id":%id2,"method":"tools/list","params":{%meta,"cursor":"a/b=="}}
< {"jsonrpc":"2.0","id":%id2,"result":{%type,"nextCursor":"c","tools":[{"name":"other","inputSchema":{}}]}}
> {"jsonrpc":"2.0","id":%id3,"method":"tools/list","params":{%meta,"cursor":"c"}}
< {"jsonrpc":"2.0","id":%id3,"result":{%type,"tools":[{"name":"query","inputSchema":{}}]}}
> {"jsonrpc":"2.0","id":%id4,"method":"tools/list","params":{%meta}}
< {"jsonrpc":"2.0","id":%id4,"result":{%type,"tools":[{"name":"query","inputSchema":{}}]}}
> {"jsonrpc":"2.0","id":%id5,"method":"tools/list","params":{%meta}}
< {"jsonrpc":"2.0","id":%id5,"result":{%type,"tools":[{"name":"give","inputSchema":{}}]}}
""",
        ("TOOLS-02",),
    ),
    Probe(
        "a cursor that comes again",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id1,"method":"tools/list","params":{%meta,"cursor":"x"}}
< {"jsonrpc":"2.0","id":%id1,"result":{%type,"tools":[{"name":"give","inputSchema":{}}],"nextCursor":"x"}}
> {"jsonrpc":"2.0","id":%id2,"method":"tools/list","params":{%meta,"cursor":"x"}}
< {"jsonrpc":"2.0","id":%id2,"result":{%type,"tools":[{"name":"give","inputSchema":{}}],"nextCursor":"x"}}
""",
    ),
    Probe(
        "a list that changes",
        LEGACY,
        r"""
< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
> {"jsonrpc":"2.0","id":%id,"method":"tools/list"}
< {"jsonrpc":"2.0","id":%id,"result":{"tools":[{"name":"give","inputSchema":{},"outputSchema":{"type":"object"}},{"name":"new","inputSchema":{}}]}}
""",
        ("TOOLS-02", "TOOLS-03"),
    ),
    Probe(
        "a subscription, whose id is the request's, and a list that changes",
        MODERN,
        r"""
> {"jsonrpc":"2.0","id":"sub-%id","method":"subscriptions/listen","params":{%meta,"notifications":{"toolsListChanged":true,"resourceSubscriptions":["file:///a"]}}}
< {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":"sub-%id"}}}
< {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"sub-%id"}}}
< {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///a","_meta":{"io.modelcontextprotocol/subscriptionId":"sub-%id"}}}
> {"jsonrpc":"2.0","id":%id,"method":"tools/list","params":{%meta}}
< {"jsonrpc":"2.0","id":%id,"result":{%type,"tools":[{"name":"give","inputSchema":{},"outputSchema":{"type":"object"}},{"name":"new","inputSchema":{}}]}}
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"sub-%id"}}
""",
        ("TOOLS-02", "TOOLS-03"),
    ),
    Probe(
        "a subscription that the server ends",
        MODERN,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"subscriptions/listen","params":{%meta,"notifications":{"promptsListChanged":true}}}
< {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"promptsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":%id}}}
< {"jsonrpc":"2.0","id":%id,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":%id}}}
""",
    ),
    # --- tools ------------------------------------------------------------------------------------------------------
    Probe(
        "a text, its annotations and the result's _meta",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{%meta,"name":"give","arguments":{"n":1.0}}}
< {"jsonrpc":"2.0","id":%id,"result":{%type,"content":[{"type":"text","text":"a\tb","annotations":{"audience":["user"],"priority":0.50,"lastModified":"2026-01-01T00:00:00Z"},"_meta":{"x":null}}],"_meta":{"vendor/took":1e-3},"isError":false,"vendor":null}}
""",
    ),
    Probe(
        "blocks of every kind, and one that nobody knows",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{%meta,"name":"give"}}
< {"jsonrpc":"2.0","id":%id,"result":{%type,"content":[{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"audio","data":"AAAA","mimeType":"audio/wav"},{"type":"resource_link","uri":"file:///a","name":"a","size":1.0,"icons":[]},{"type":"resource","resource":{"uri":"x:y","blob":"AAAA","_meta":{}}},{"type":"resource","resource":{"uri":"x:z","text":"t","mimeType":"text/plain"}},{"type":"hologram","voxels":[1.0,1e2]},7,null]}}
""",
    ),
    Probe(
        "structured content and its text",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{%meta,"name":"give","arguments":{}}}
< {"jsonrpc":"2.0","id":%id,"result":{%type,"structuredContent":{"b":1.10,"a":{"z":[]}},"content":[{"text":"{\"b\": 1.1}","type":"text"}]}}
""",
    ),
    Probe(
        "structured content that is no object",
        MODERN,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{%meta,"name":"give","arguments":{}}}
< {"jsonrpc":"2.0","id":%id,"result":{"resultType":"complete","structuredContent":[1.0,null],"content":[]}}
""",
    ),
    Probe(
        "a tool's error",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{%meta,"name":"give","arguments":{"bad":true}}}
< {"jsonrpc":"2.0","id":%id,"result":{%type,"isError":true,"content":[{"type":"text","text":"no such thing"}]}}
""",
    ),
    Probe(
        "an error of the protocol, with data and members of its own",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{%meta,"name":"absent","arguments":{}}}
< {"jsonrpc":"2.0","id":%id,"error":{"code":-32602,"message":"Unknown tool: absent","data":{"tried":[1.0],"\u0061":1e2},"vendor":true},"trace":"t"}
""",
    ),
    Probe(
        "_meta of a request, with keys of others",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{"_meta":{%version,"x.example/trace":{"id":1.0},"traceparent":"00-0af7-01"},"name":"give","arguments":{},"vendor":[]}}
< {"jsonrpc":"2.0","id":%id,"result":{%type,"content":[]}}
""",
    ),
    Probe(
        "progress with a token that is an integer",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{"_meta":{%version,"progressToken":7},"name":"give"}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":0.50,"total":1.0,"message":"half"}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1.00}}
< {"jsonrpc":"2.0","id":%id,"result":{%type,"content":[]}}
""",
    ),
    Probe(
        "progress with a token that is a string",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{"_meta":{%version,"progressToken":"t\u00f6k/1"},"name":"give"}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tök/1","progress":1e0,"vendor":{}}}
< {"jsonrpc":"2.0","id":%id,"result":{%type,"content":[]}}
""",
    ),
    Probe(
        "300 notifications before the answer",
        ALL,
        '> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{"_meta":{%version,"progressToken":0},"name":"give"}}\n'
        + "".join(
            f'< {{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":0,"progress":{n}.0}}}}\n'
            for n in range(300)
        )
        + '< {"jsonrpc":"2.0","id":%id,"result":{%type,"content":[]}}',
    ),
    Probe(
        "a call that is cancelled and not answered",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{%meta,"name":"give"}}
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%id,"reason":"enough","vendor":1.0}}
""",
    ),
    Probe(
        "a call that is cancelled and answered all the same",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{%meta,"name":"give"}}
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%id}}
< {"jsonrpc":"2.0","id":%id,"result":{%type,"content":[{"type":"text","text":"late"}]}}
""",
    ),
    Probe(
        "prose of 19,600 characters",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{%meta,"name":"give"}}
< {"jsonrpc":"2.0","id":%id,"result":{%type,"content":[{"type":"text","text":"%prose"}]}}
""",
    ),
    Probe(
        "rows that become a table, and what stands around them",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{%meta,"name":"give"}}
< {"vendor":1.0,"jsonrpc":"2.0","id":%id,"result":%rows,"trace":1.0}
""",
        ("RELAY-10",),
    ),
    # --- asking the user --------------------------------------------------------------------------------------------
    Probe(
        "elicitation by a form in mid-call, and rows after it",
        LEGACY,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{"name":"give"}}
< {"jsonrpc":"2.0","id":%id,"method":"elicitation/create","params":{"mode":"form","message":"Which?","requestedSchema":{"type":"object","properties":{"n":{"type":"number","default":1.0},"c":{"type":"string","oneOf":[{"const":"a","title":"A"}]}},"required":["n"]}}}
> {"jsonrpc":"2.0","id":%id,"result":{"action":"accept","content":{"n":1.0,"c":"a"},"_meta":{"x":1}}}
< {"jsonrpc":"2.0","id":%id,"result":%rows,"trace":1.0}
""",
        ("RELAY-10",),
    ),
    Probe(
        "elicitation by URL",
        TASKS,
        r"""
> {"jsonrpc":"2.0","id":%id1,"method":"tools/call","params":{"name":"give"}}
< {"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{"mode":"url","elicitationId":"e-1","url":"https://x.example/?a=1&b=%C3%A9","message":"Sign in"}}
> {"jsonrpc":"2.0","id":"e","result":{"action":"decline"}}
< {"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"e-1"}}
< {"jsonrpc":"2.0","id":%id1,"error":{"code":-32042,"message":"sign in first","data":{"elicitations":[{"mode":"url","elicitationId":"e-2","url":"https://x.example/","message":"Sign in"}]}}}
""",
    ),
    Probe(
        "sampling, and an answer with members of its own",
        LEGACY,
        r"""
< {"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"modelPreferences":{"hints":[{"name":"m"}],"costPriority":0.30},"maxTokens":100,"temperature":1e0,"includeContext":"none","metadata":{"v":1.0}}}
> {"jsonrpc":"2.0","id":1,"result":{"role":"assistant","content":{"type":"text","text":"ho"},"model":"m","stopReason":"vendorStop","usage":{"n":1.0}}}
""",
    ),
    Probe(
        "sampling with tools",
        TASKS,
        r"""
< {"jsonrpc":"2.0","id":"s-1","method":"sampling/createMessage","params":{"messages":[{"role":"user","content":[{"type":"text","text":"w"}]}],"tools":[{"name":"w","inputSchema":{"type":"object","$defs":{}}}],"toolChoice":{"mode":"auto"},"maxTokens":9}}
> {"jsonrpc":"2.0","id":"s-1","result":{"role":"assistant","model":"m","stopReason":"toolUse","content":[{"type":"tool_use","id":"c1","name":"w","input":{"n":1.0}}]}}
< {"jsonrpc":"2.0","id":"s-2","method":"sampling/createMessage","params":{"messages":[{"role":"user","content":[{"type":"tool_result","toolUseId":"c1","content":[],"isError":false}]}],"maxTokens":9}}
> {"jsonrpc":"2.0","id":"s-2","error":{"code":-1,"message":"User rejected","data":null}}
""",
    ),
    Probe(
        "roots, and their change",
        LEGACY,
        r"""
< {"jsonrpc":"2.0","id":2,"method":"roots/list"}
> {"jsonrpc":"2.0","id":2,"result":{"roots":[{"uri":"file:///a%20b","name":"a","_meta":{"x":1.0}}]}}
> {"jsonrpc":"2.0","method":"notifications/roots/list_changed"}
""",
    ),
    Probe(
        "a request of the server that it cancels",
        LEGACY,
        r"""
< {"jsonrpc":"2.0","id":3,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}
< {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3,"reason":"no longer"}}
> {"jsonrpc":"2.0","method":"x.example/noted"}
""",
    ),
    Probe(
        "rounds of input, and rows after them",
        MODERN,
        r"""
> {"jsonrpc":"2.0","id":%id1,"method":"tools/call","params":{%meta,"name":"give","arguments":{}}}
< {"jsonrpc":"2.0","id":%id1,"result":{"resultType":"input_required","inputRequests":{"who":{"method":"elicitation/create","params":{"mode":"form","message":"Who?","requestedSchema":{"type":"object","properties":{}}}},"say":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1.0}},"where":{"method":"roots/list"}},"requestState":"st\u0061te=="}}
> {"jsonrpc":"2.0","id":%id2,"method":"tools/call","params":{%meta,"name":"give","arguments":{},"inputResponses":{"who":{"action":"accept","content":{"n":1.0}},"where":{"roots":[]}},"requestState":"st\u0061te=="}}
< {"jsonrpc":"2.0","id":%id2,"result":{"resultType":"input_required","requestState":"2"}}
> {"jsonrpc":"2.0","id":%id3,"method":"tools/call","params":{%meta,"name":"give","arguments":{},"requestState":"2"}}
< {"jsonrpc":"2.0","id":%id3,"result":%rows,"trace":1.0}
""",
        ("RELAY-10",),
    ),
    Probe(
        "a prompt that asks for input",
        MODERN,
        r"""
> {"jsonrpc":"2.0","id":%id1,"method":"prompts/get","params":{%meta,"name":"p"}}
< {"jsonrpc":"2.0","id":%id1,"result":{"resultType":"input_required","inputRequests":{"u":{"method":"elicitation/create","params":{"mode":"url","url":"https://x.example/","message":"m","elicitationId":"i"}}}}}
> {"jsonrpc":"2.0","id":%id2,"method":"prompts/get","params":{%meta,"name":"p","inputResponses":{"u":{"action":"accept"}}}}
< {"jsonrpc":"2.0","id":%id2,"result":{"resultType":"complete","messages":[]}}
""",
    ),
    # --- tasks and extensions ---------------------------------------------------------------------------------------
    Probe(
        "a task: begun, told of, listed, its result rows",
        TASKS,
        r"""
> {"jsonrpc":"2.0","id":%id1,"method":"tools/call","params":{"name":"give","arguments":{"n":1.0},"task":{"ttl":60000,"vendor":1.0}}}
< {"jsonrpc":"2.0","id":%id1,"result":{"task":{"taskId":"t-1","status":"working","statusMessage":"on it","createdAt":"2026-11-30T00:00:00Z","lastUpdatedAt":"2026-11-30T00:00:00Z","ttl":60000,"pollInterval":5.0e3},"_meta":{"io.modelcontextprotocol/model-immediate-response":"wait"}}}
< {"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"t-1","status":"completed","ttl":null}}
> {"jsonrpc":"2.0","id":%id2,"method":"tasks/get","params":{"taskId":"t-1"}}
< {"jsonrpc":"2.0","id":%id2,"result":{"taskId":"t-1","status":"completed","ttl":6e4}}
> {"jsonrpc":"2.0","id":%id3,"method":"tasks/list","params":{"cursor":"c"}}
< {"jsonrpc":"2.0","id":%id3,"result":{"tasks":[{"taskId":"t-1","status":"completed","ttl":60000}]}}
> {"jsonrpc":"2.0","id":%id4,"method":"tasks/result","params":{"taskId":"t-1"}}
< {"jsonrpc":"2.0","id":%id4,"result":%rows,"trace":1.0}
""",
        ("RELAY-10",),
    ),
    Probe(
        "a task that is cancelled, and one of the client's",
        TASKS,
        r"""
> {"jsonrpc":"2.0","id":%id1,"method":"tools/call","params":{"name":"give","task":{}}}
< {"jsonrpc":"2.0","id":%id1,"result":{"task":{"taskId":"t-2","status":"working","ttl":null}}}
> {"jsonrpc":"2.0","id":%id2,"method":"tasks/cancel","params":{"taskId":"t-2"}}
< {"jsonrpc":"2.0","id":%id2,"result":{"taskId":"t-2","status":"cancelled","ttl":null}}
> {"jsonrpc":"2.0","id":%id3,"method":"tasks/result","params":{"taskId":"t-2"}}
< {"jsonrpc":"2.0","id":%id3,"error":{"code":-32602,"message":"cancelled"}}
< {"jsonrpc":"2.0","id":4,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"task":{"ttl":1}}}
> {"jsonrpc":"2.0","id":4,"result":{"task":{"taskId":"c-1","status":"working","ttl":1}}}
< {"jsonrpc":"2.0","id":5,"method":"tasks/result","params":{"taskId":"c-1"}}
> {"jsonrpc":"2.0","id":5,"result":{"role":"assistant","content":{"type":"text","text":"t"},"model":"m","_meta":{"io.modelcontextprotocol/related-task":{"taskId":"c-1"}}}}
""",
    ),
    Probe(
        "a task of the extension: begun by the server, given input, its result rows",
        MODERN,
        r"""
> {"jsonrpc":"2.0","id":%id1,"method":"tools/call","params":{%meta,"name":"give"}}
< {"jsonrpc":"2.0","id":%id1,"result":{"resultType":"task","taskId":"t-1","status":"working","createdAt":"2026-11-30T00:00:00Z","lastUpdatedAt":"2026-11-30T00:00:00Z","ttlMs":60000,"pollIntervalMs":1e3}}
> {"jsonrpc":"2.0","id":%id2,"method":"tasks/get","params":{%meta,"taskId":"t-1"}}
< {"jsonrpc":"2.0","id":%id2,"result":{"resultType":"complete","taskId":"t-1","status":"input_required","inputRequests":{"a":{"method":"roots/list"}},"ttlMs":null}}
> {"jsonrpc":"2.0","id":%id3,"method":"tasks/update","params":{%meta,"taskId":"t-1","inputResponses":{"a":{"roots":[]}}}}
< {"jsonrpc":"2.0","id":%id3,"result":{"resultType":"complete"}}
> {"jsonrpc":"2.0","id":%id4,"method":"tasks/get","params":{%meta,"taskId":"t-1"}}
< {"jsonrpc":"2.0","id":%id4,"result":{"resultType":"complete","taskId":"t-1","status":"completed","ttlMs":6e4,"result":%rows,"trace":1.0}}
""",
        ("RELAY-26",),
    ),
    Probe(
        "a task whose result the server sends by itself",
        MODERN,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{%meta,"name":"give"}}
< {"jsonrpc":"2.0","id":%id,"result":{"resultType":"task","taskId":"t-3","status":"working","ttlMs":null}}
< {"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"t-3","status":"working","ttlMs":1.0}}
< {"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"t-3","status":"completed","result":%rows,"trace":1.0}}
""",
        ("RELAY-26",),
    ),
    Probe(
        "a version that the server does not speak",
        MODERN,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}}
< {"jsonrpc":"2.0","id":%id,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"2099-01-01"}}}
""",
    ),
    Probe(
        "requests of a vendor, both ways, at once",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"x.example/do","params":{%meta,"deep":{"n":[1.0,{"b":1e2}]}}}
< {"jsonrpc":"2.0","id":%id,"method":"x.example/ask","params":[1.0,"positional"]}
> {"jsonrpc":"2.0","id":%id,"result":"no object"}
< {"jsonrpc":"2.0","id":%id,"result":[1.0]}
""",
    ),
    Probe(
        "notifications of a vendor, both ways",
        ALL,
        r"""
> {"jsonrpc":"2.0","method":"notifications/x.example/on","params":{"n":1.0},"extra":true}
< {"jsonrpc":"2.0","method":"ui/notifications/size-changed","params":{"height":1e2}}
""",
    ),
    Probe(
        "members of the envelope that nobody knows, in any order",
        ALL,
        r"""
> {"trace":{"id":1.0},"params":{%meta,"name":"give"},"method":"tools/call","id":%id,"jsonrpc":"2.0"}
< {"result":{%type,"content":[]},"trace":null,"id":%id,"jsonrpc":"2.0","error2":{}}
""",
    ),
    # --- resources, prompts, completion, logging --------------------------------------------------------------------
    Probe(
        "resources with icons, sizes and annotations",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"resources/list","params":{%meta,"cursor":""}}
< {"jsonrpc":"2.0","id":%id,"result":{%type,"resources":[{"uri":"file:///%C3%A9","name":"e","title":"É","size":12345678901234567890,"annotations":{"priority":1.0},"icons":[{"src":"x","sizes":["48x48"]}],"_meta":{}}],"nextCursor":"n"}}
""",
    ),
    Probe(
        "a resource's text and bytes",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"resources/read","params":{%meta,"uri":"file:///a"}}
< {"jsonrpc":"2.0","id":%id,"result":{%type,"contents":[{"uri":"file:///a","text":"[1.0, 1e2]","mimeType":"application/json"},{"uri":"file:///b","blob":"AA==","vendor":1.0}],"ttlMs":0}}
""",
    ),
    Probe(
        "resource templates",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"resources/templates/list","params":{%meta}}
< {"jsonrpc":"2.0","id":%id,"result":{%type,"resourceTemplates":[{"uriTemplate":"db://{table}{?q*}","name":"t","icons":[],"annotations":{"audience":["assistant"]}}]}}
""",
        ("RESOURCES-05",),
    ),
    Probe(
        "a resource that is subscribed to, changes, and is let go",
        LEGACY,
        r"""
> {"jsonrpc":"2.0","id":%id1,"method":"resources/subscribe","params":{"uri":"file:///a"}}
< {"jsonrpc":"2.0","id":%id1,"result":{}}
< {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///a","title":"t","vendor":1.0}}
< {"jsonrpc":"2.0","method":"notifications/resources/list_changed"}
> {"jsonrpc":"2.0","id":%id2,"method":"resources/unsubscribe","params":{"uri":"file:///a"}}
< {"jsonrpc":"2.0","id":%id2,"result":{"_meta":{}}}
""",
    ),
    Probe(
        "prompts, and one with an embedded resource",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id1,"method":"prompts/list","params":{%meta}}
< {"jsonrpc":"2.0","id":%id1,"result":{%type,"prompts":[{"name":"p","title":"P","arguments":[{"name":"a","required":true,"title":"A"}],"icons":[{"src":"data:,"}],"_meta":{"v":1.0}}]}}
> {"jsonrpc":"2.0","id":%id2,"method":"prompts/get","params":{%meta,"name":"p","arguments":{"a":"1.0"}}}
< {"jsonrpc":"2.0","id":%id2,"result":{%type,"description":"d","messages":[{"role":"user","content":{"type":"resource","resource":{"uri":"x:y","text":"t"}}},{"role":"assistant","content":{"type":"hologram","v":1.0}}]}}
""",
    ),
    Probe(
        "completion with its context",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"completion/complete","params":{%meta,"ref":{"type":"ref/resource","uri":"db://{table}"},"argument":{"name":"table","value":"is"},"context":{"arguments":{"owner":"o"}}}}
< {"jsonrpc":"2.0","id":%id,"result":{%type,"completion":{"values":["issues"],"total":1.0,"hasMore":false,"vendor":[]}}}
""",
    ),
    Probe(
        "logging, and its level",
        LEGACY,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"logging/setLevel","params":{"level":"debug"}}
< {"jsonrpc":"2.0","id":%id,"result":{}}
< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"debug","logger":"l","data":{"n":1.0,"k":"\ud83d\ude00"}}}
""",
    ),
    Probe(
        "logging at a level that the request names",
        MODERN,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{"_meta":{%version,"io.modelcontextprotocol/logLevel":"debug"},"name":"give"}}
< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"debug","logger":"l","data":[1.0]}}
< {"jsonrpc":"2.0","id":%id,"result":{"resultType":"complete","content":[]}}
""",
    ),
    Probe(
        "pings of both sides",
        LEGACY,
        r"""
> {"jsonrpc":"2.0","id":1,"method":"ping"}
< {"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":1}}}
> {"jsonrpc":"2.0","id":1,"result":{}}
< {"jsonrpc":"2.0","id":1,"result":{"_meta":{"x":1.0}}}
""",
    ),
)
