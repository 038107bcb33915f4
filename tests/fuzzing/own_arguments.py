"""The own tool's arguments: any bytes give arguments or a refusal, and what a refusal says to send leads to arguments."""

from __future__ import annotations

import msgspec

from fuzzing.target import JSON_WORDS, Target
from millpond.core.argument_names import KEYS, is_kept
from millpond.core.arguments import FORMATS, Arguments, read_arguments
from millpond.core.errors import Reason, Refusal
from millpond.core.steps import MAX_STEP_CHARACTERS

MOST_STEPS = 200
"""A step mends one thing, and no more things than that are in one which is printed."""


def check(data: bytes) -> None:
    """The engine's reading and the relay's agree, and steps can be followed."""
    kept, raw = is_kept(data), data
    for number in range(MOST_STEPS):
        read = read_arguments(raw, "query", exports=bool(len(data) & 1))
        if isinstance(read, Arguments):
            assert read.sql.strip()
            assert "\0" not in read.sql
            assert read.format in FORMATS
            assert read.max_rows is None or read.max_rows >= 1
            assert number or not read.save_as or kept
            return
        raw = _step_of(read)
    raise AssertionError("steps that lead nowhere")


def _step_of(refusal: Refusal) -> bytes:
    assert refusal.reason is Reason.BAD_ARGUMENT
    assert refusal.message.isprintable()
    assert len(refusal.step) <= MAX_STEP_CHARACTERS
    assert refusal.step
    return refusal.step.encode() if refusal.step.startswith("{") else msgspec.json.encode({"sql": refusal.step})


TARGET = Target(
    check=check,
    seeds=(
        b'{"sql":"SELECT 1","max_rows":10,"format":"csv","save_as":"t","exact_total":true,"canvas":"c","export":"a.csv"}',
        b'{"query":"```sql\\nSELECT 1\\n```","limit":"7.0","Output Format":" MD ","with-total":"yes"}',
        b'{"arguments":{"statement":"`SELECT 1`;","rows":null}}',
        b'"{\\"sql\\": \\"SELECT 1\\", \\"saveAs\\": \\"t\\"}"',
        b'{"sql":"FROM t OFFSET 2 -- a","offset":3,"max_rowz":1,"zzz":[]}',
        b'{"sql":"SELECT 1","query":"SELECT 2","q":null}',
        b'"SELECT 1"',
        b"",
    ),
    words=(*JSON_WORDS, *(f'"{key}":'.encode() for key in KEYS), b'"offset":', b"```", b"~~~", b"`", b"SELECT 1", b"\\u0000", b"--", b"/*", b";", b"1e300"),
)  # fmt: skip
