"""Messages: what DuckDB said when a statement failed while it ran, as far as it may be repeated.

Rule: a safe list. A message whose whole shape is known is repeated with what it quotes masked, unless the statement holds those very
words; of any other only its class is told. So no text of a row can stand where an error is read. Imports the standard library only.
"""

from __future__ import annotations

import re

MASK = "…"
_TYPE = r"[A-Z][A-Za-z0-9_]*(?: WITH TIME ZONE)?(?:\([^'\"\n]*\))?(?:\[\d*\])*"
_FROM = r"(?: when casting from source column (?P<name>[^\n]*))?"
_SHAPES = (
    # Texts that are no such value.
    rf"Could not convert string (?P<q>['\"])(?P<value>.*)(?P=q) to {_TYPE}{_FROM}",
    rf"invalid (?:date|time|timestamp) field format: \"(?P<value>.*)\", expected format is \([^\"]*\){_FROM}",
    rf"(?:date|time|timestamp) field value out of range: \"(?P<value>.*)\"(?:, expected format is \([^\"]*\))?{_FROM}",
    rf"Type {_TYPE} with value (?P<q>'?)(?P<value>.*)(?P=q) can't be cast (?:to|because the value is out of range for)"
    rf" the destination type {_TYPE}{_FROM}",
    rf"Casting value \"(?P<value>.*)\" to type {_TYPE} failed: value is out of range!{_FROM}",
    rf"Could not cast value (?P<value>.*) to {_TYPE}{_FROM}",
    rf"Failed to cast value to numerical: (?P<value>.*?){_FROM}",
    r"Failed to cast value to numerical: (?P<value>.*)",
    rf"Unimplemented type for cast \({_TYPE} -> {_TYPE}\)",
    rf"Malformed JSON at byte \d+ of input: [a-z ,]+\.\s*(?:Input: (?P<value>.*?))?{_FROM}",
    r"Could not parse string \"(?P<value>.*)\" according to format specifier \"(?P<name>[^\"]*)\"(?P<rest>\n.*)?",
    r"extract specifier \"(?P<value>.*)\" not recognized",
    r"Could not decode string \"(?P<value>.*)\" as base64: (?:length must be a multiple of 4|invalid byte value .*)",
    r"Invalid input for hex digit: (?P<value>.*)",
    # Numbers past their type.
    r"Overflow in [a-z]+ of [A-Z]+\d*(?:\(\d+\))?(?: \((?P<value>.*)\))?!?"
    r"(?:\. You might want to add an explicit cast to a (?:bigger decimal|decimal with a smaller scale)\.)?",
    r"Overflow in HUGEINT (?:addition|multiplication|subtraction)(?:: (?P<value>.*))?",
    r"Could not add BIGNUM.*",
    r"(?:Value|lcm value is|Substring (?:length|offset) outside|Epoch seconds) out of (?:supported )?range[\w ()<>]*",
    r"(?:Left|Right)-shift value (?P<value>.*) is out of range",
    r"(?:STDDEV|VAR|VARIANCE|SUM|AVG)[A-Z_]* is out of range!",
    r"Date (?:and time not in timestamp|out of) range(?:: (?P<value>.*))?",
    r"Division by zero(?: in expression (?P<value>.*?))?(?:\. (?P<rest>Use TRY.*))?",
    # Shapes of values and patterns.
    r"More than one row returned by a subquery used as an expression - scalar subqueries can only return a single row\.(?P<rest>.*)",
    r"Map keys (?:must be unique|can not be NULL)\.",
    r"Cannot cast (?:list|array) (?:with length|of size) \d+ to array (?:with length|of size) \d+",
    r"(?:missing \)|missing \]|unexpected \)|no argument for repetition operator|bad repetition operator|invalid escape sequence"
    r"|invalid character class range|invalid perl operator|invalid UTF-8|trailing \\|pattern too large)(?:: (?P<value>.*))?",
    r"Invalid type specifier \"[a-z]\" for formatting a value of type [a-z]+",
    r"Cannot perform list_reduce on an empty input list",
    r"Invalid UTF8 Codepoint (?P<value>.*)",
    r"JSON path error near '(?P<value>.*)'",
    r"Max bar width must be [<>]=? \d+",
)
SHAPES = tuple(re.compile(shape, re.DOTALL) for shape in _SHAPES)
"""Messages of a shape that is known, without their class."""


def repeatable(message: str, sql: str) -> str | None:
    """What may be repeated of a message (without its class); None where its shape is not known.

    What it quotes stands in it only where `sql` holds the same words; `name` and `value` are masked else, `rest` is left out.
    """
    for shape in SHAPES:
        found = shape.fullmatch(message)
        if found is not None:
            return _masked(found, sql)
    return None


def _masked(found: re.Match[str], sql: str) -> str:
    text = found[0]
    for group in sorted(found.groupdict(), key=found.start, reverse=True):
        part = found[group]
        if part and group != "q" and (group == "rest" or part not in sql):
            text = text[: found.start(group)] + ("" if group == "rest" else MASK) + text[found.end(group) :]
    return text.strip()
