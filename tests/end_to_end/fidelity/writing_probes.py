"""The second table of probes: JSON as it is written, ids, and what is no message at all."""

from __future__ import annotations

from end_to_end.fidelity.probe import ALL, Probe

WRITING = (
    # --- JSON as it is written --------------------------------------------------------------------------------------
    Probe(
        "numbers as they are written",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{%meta,"name":"give","arguments":{"a":1.0,"b":1e2,"c":1E+2,"d":-0,"e":-0.0,"f":0.10,"g":12345678901234567.89,"h":9007199254740993,"i":1e400,"j":%digits}}}
< {"jsonrpc":"2.0","id":%id,"result":{%type,"content":[],"structuredContent":{"a":1.0,"b":1e2,"c":1E+2,"d":-0,"e":-0.0,"f":0.10,"g":12345678901234567.89,"h":18446744073709551617,"i":1e400}}}
""",
    ),
    Probe(
        "an integer of 5,000 digits in a result",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"resources/read","params":{%meta,"uri":"x:y"}}
< {"jsonrpc":"2.0","id":%id,"result":{%type,"contents":[],"n":%digits}}
""",
    ),
    Probe(
        "NaN and the infinities",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{%meta,"name":"give","arguments":{"n":NaN,"i":[Infinity,-Infinity]}}}
< {"jsonrpc":"2.0","id":%id,"result":{%type,"content":[],"structuredContent":{"n":NaN,"i":[Infinity,-Infinity],"s":"NaN"}}}
""",
    ),
    Probe(
        "keys that are there twice",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{%meta,"name":"give","arguments":{"a":1,"a":2}}}
< {"jsonrpc":"2.0","id":%id,"result":{%type,"content":[],"structuredContent":{"a":1,"a":2},"vendor":1,"vendor":1.0}}
""",
    ),
    Probe(
        "members of params and of the result that are there twice",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{%meta,"name":"other","name":"give"}}
< {"jsonrpc":"2.0","id":%id,"result":{%type,"content":[],"content":[{"type":"text","text":"second"}]}}
""",
    ),
    Probe(
        "lone surrogates",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{%meta,"name":"give","arguments":{"\udc00":"a\ud800"}}}
< {"jsonrpc":"2.0","id":%id,"result":{%type,"content":[{"type":"text","text":"\ud83d"}],"structuredContent":{"\ud800":"\ude00\ud83d"}}}
""",
    ),
    Probe(
        "escapes as they are written",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"m\u0065thod":"tools\/call","params":{%meta,"name":"g\u0069ve","arguments":{"é":"\u00e9","/":"\/","\u0000":"\u0000"}}}
< {"jsonrpc":"2.0","id":%id,"r\u0065sult":{%type,"content":[{"type":"text","text":"\u00e9é\/\u2028 \u0000\b\f😀\ud83d\ude00"}]}}
""",
    ),
    Probe(
        "spaces, tabs and carriage returns between tokens",
        ALL,
        '>   { "jsonrpc" : "2.0" , "id" : %id , "method":\t"tools/call","params" : { %meta,"name" : "give" } }  \r\n'
        '< \t{ "jsonrpc" : "2.0" ,\r"id" : %id , "result" : { %type,"content" : [ ] } } \r',
    ),
    Probe(
        "nesting of 1,900 levels",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{%meta,"name":"give","arguments":{"d":%lists}}}
< {"jsonrpc":"2.0","id":%id,"result":{%type,"content":[],"structuredContent":{"d":%lists}}}
""",
    ),
    Probe(
        "a byte order mark before the message",
        ALL,
        '> \ufeff{"jsonrpc":"2.0","id":%id,"method":"x.example/bom","params":{%meta}}\n'
        '< \ufeff{"jsonrpc":"2.0","id":%id,"result":{%type,"content":[]}}',
    ),
    Probe(
        "a byte order mark inside of a string",
        ALL,
        '> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{%meta,"name":"give","arguments":{"\ufeff":"\ufeff"}}}\n'
        '< {"jsonrpc":"2.0","id":%id,"result":{%type,"content":[{"type":"text","text":"\ufeffa"}]}}',
    ),
    Probe(
        "bytes that are no UTF-8",
        ALL,
        '> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{%meta,"name":"give","arguments":{"b":"\udcff\udcfe"}}}\n'
        '< {"jsonrpc":"2.0","id":%id,"result":{%type,"content":[{"type":"text","text":"\udcc3("}]}}',
    ),
    Probe(
        "control characters inside of strings",
        ALL,
        '> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{%meta,"name":"give","arguments":{"t":"a\tb\x00"}}}\n'
        '< {"jsonrpc":"2.0","id":%id,"result":{%type,"content":[{"type":"text","text":"\x1b[31m\x7f\r"}]}}',
    ),
    Probe(
        "lines of 2 MiB that are no tool's result",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"resources/read","params":{%meta,"uri":"x:%long"}}
< {"jsonrpc":"2.0","id":%id,"result":{%type,"contents":[{"uri":"x:y","text":"%long"}]}}
""",
    ),
    # --- ids --------------------------------------------------------------------------------------------------------
    Probe(
        "the ids 1, the string 1 and 1.0 at once, answered in another order",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{%meta,"name":"give","arguments":{"n":1}}}
> {"jsonrpc":"2.0","id":"1","method":"resources/read","params":{%meta,"uri":"x:y"}}
> {"jsonrpc":"2.0","id":1.0,"method":"tools/list","params":{%meta,"cursor":"c"}}
< {"jsonrpc":"2.0","id":1.0,"result":{%type,"tools":[],"nextCursor":"d"}}
< {"jsonrpc":"2.0","id":1,"result":{%type,"content":[]}}
< {"jsonrpc":"2.0","id":"1","result":{%type,"contents":[]}}
""",
    ),
    Probe(
        "ids that are large, negative or written oddly",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":18446744073709551617,"method":"tools/call","params":{%meta,"name":"give"}}
> {"jsonrpc":"2.0","id":-9007199254740993,"method":"tools/call","params":{%meta,"name":"give"}}
> {"jsonrpc":"2.0","id":1e2,"method":"tools/call","params":{%meta,"name":"give"}}
< {"jsonrpc":"2.0","id":1e2,"result":{%type,"content":[]}}
< {"jsonrpc":"2.0","id":-9007199254740993,"result":{%type,"content":[]}}
< {"jsonrpc":"2.0","id":18446744073709551617,"result":{%type,"content":[]}}
""",
    ),
    Probe(
        "ids that are strings: empty, escaped, long",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":"","method":"tools/call","params":{%meta,"name":"give"}}
> {"jsonrpc":"2.0","id":"\u00e9\/\ud83d\ude00","method":"tools/call","params":{%meta,"name":"give"}}
> {"jsonrpc":"2.0","id":"00000000-0000-4000-8000-000000000001/%id","method":"tools/call","params":{%meta,"name":"give"}}
< {"jsonrpc":"2.0","id":"00000000-0000-4000-8000-000000000001/%id","result":{%type,"content":[]}}
< {"jsonrpc":"2.0","id":"é/😀","result":{%type,"content":[]}}
< {"jsonrpc":"2.0","id":"","result":{%type,"content":[]}}
""",
    ),
    Probe(
        "ids that are null, lists and objects",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":null,"method":"tools/call","params":{%meta,"name":"give"}}
> {"jsonrpc":"2.0","id":[1],"method":"tools/call","params":{%meta,"name":"give"}}
> {"jsonrpc":"2.0","id":{"a":1.0},"method":"tools/call","params":{%meta,"name":"give"}}
< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}
< {"jsonrpc":"2.0","id":[1],"result":{%type,"content":[]}}
< {"jsonrpc":"2.0","id":{"a":1.0},"result":{%type,"content":[]}}
""",
    ),
    Probe(
        "an id that is used twice at once",
        ALL,
        r"""
> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{%meta,"name":"give","arguments":{"n":1}}}
> {"jsonrpc":"2.0","id":%id,"method":"tools/call","params":{%meta,"name":"give","arguments":{"n":2}}}
< {"jsonrpc":"2.0","id":%id,"result":{%type,"content":[{"type":"text","text":"one"}]}}
< {"jsonrpc":"2.0","id":%id,"result":{%type,"content":[{"type":"text","text":"two"}]}}
""",
    ),
    Probe(
        "answers that nobody asked for",
        ALL,
        r"""
< {"jsonrpc":"2.0","id":"nobody","result":{%type,"content":[{"type":"text","text":"x"}]}}
< {"jsonrpc":"2.0","id":-1,"error":{"code":-32700,"message":"Parse error"}}
> {"jsonrpc":"2.0","id":"nobody","result":{}}
> {"jsonrpc":"2.0","id":"nobody","error":{"code":1.0,"message":""}}
""",
    ),
    # --- what is no message -----------------------------------------------------------------------------------------
    Probe(
        "a batch of 2025-03-26, and its answers",
        ALL,
        r"""
> [{"jsonrpc":"2.0","id":%id1,"method":"tools/call","params":{"name":"give"}},{"jsonrpc":"2.0","id":%id2,"method":"tools/list"},{"jsonrpc":"2.0","method":"notifications/x"}]
< [{"jsonrpc":"2.0","id":%id2,"result":{"tools":[{"name":"give","outputSchema":{}}]}},{"jsonrpc":"2.0","id":%id1,"result":%rows}]
""",
    ),
    Probe(
        "lines that are no JSON",
        ALL,
        "> \n> junk\n> {\n> {}\n> []\n> null\n> 1.0\n> \r\n"
        '< Server listening on stdio\n< \n< {"jsonrpc":\n< {}\n< {"id":1.0\n< }\n< \udcff\udcfe\x00\n< \r',
    ),
    Probe(
        "messages that are no JSON-RPC",
        ALL,
        r"""
> {"jsonrpc":"1.0","id":%id1,"method":"tools/call"}
> {"id":%id2,"method":"tools/call","params":[]}
> {"jsonrpc":"2.0","id":%id3,"method":7}
> {"jsonrpc":"2.0","id":%id4,"method":"tools/call","params":null}
< {"jsonrpc":"2.0","id":%id1}
< {"id":%id2,"result":null,"error":null}
< {"jsonrpc":"2.0","id":%id3,"result":{},"error":{"code":0}}
< {"jsonrpc":"2.0","id":%id4,"result":"text"}
""",
    ),
    Probe(
        "last lines that lack their end",
        ALL,
        '>> {"jsonrpc":"2.0","method":"notifications/x","params":{"a":1.0}}\n'
        '<< {"jsonrpc":"2.0","method":"notifications/y","params":{"a":1.0}}',
    ),
)
