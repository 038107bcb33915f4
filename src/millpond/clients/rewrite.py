"""Rewrite: the edits that put Millpond before a server, and those that take it away again.

Rule: the old command's text moves into the list as it is written, so that it can move back: nothing needs to be kept
elsewhere to undo it. A list that was not there is written without spaces, `["--","npx"]`, and that tells it from an
empty one that was. Imports the clients' modules and the standard library.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from millpond.clients.entries import URL_KEYS, Entry
from millpond.clients.text import Edit, Field, Format, Span

_Fields = Mapping[str, Field]


def wrapping(text: str, fields: _Fields, program: Sequence[str], form: Format) -> list[Edit]:
    """The edits that put `program` (an absolute path, options) and `--` before an entry's command."""
    command = fields["command"]
    put_command = Edit(*command.value, form.literal(program[0]))
    words = [*map(form.literal, (*program[1:], "--")), command.value.of(text)]
    args = fields.get("args")
    if args is None:
        return [put_command, form.with_args(text, command, f"[{','.join(words)}]")]
    old = form.elements(text, args.value)
    if not old:
        return [put_command, Edit(args.value.start + 1, args.value.start + 1, ", ".join(words))]
    between = text[args.value.start + 1 : old[0].start]
    comma = f",{between}" if "\n" in between and between.isspace() else ", "
    return [put_command, Edit(old[0].start, old[0].start, "".join(f"{word}{comma}" for word in words))]


def unwrapping(text: str, fields: _Fields, head: int, form: Format) -> list[Edit]:
    """The edits that give an entry back its command; `head` counts Millpond's words, the first is the command."""
    command, args = fields["command"], fields["args"]
    words = form.elements(text, args.value)
    old = words[head - 1]
    put_command = Edit(*command.value, old.of(text))
    if len(words) > head:
        return [put_command, Edit(words[0].start, words[head].start, "")]
    own = f"[{','.join(word.of(text) for word in words)}]"
    if args.value.of(text) == own and form.has_own_args(text, command, args):
        return [put_command, form.without_args(text, command, args)]
    return [put_command, Edit(words[0].start, _list_end(text, old, args.value), "")]


def _list_end(text: str, last: Span, array: Span) -> int:
    """Behind the last element, and behind a comma that a list without elements may not have."""
    rest = text[last.stop : array.stop]
    return last.stop + 1 + rest.index(",") if rest.lstrip()[:1] == "," else last.stop


def wrapping_remote(text: str, fields: _Fields, entry: Entry, program: Sequence[str], form: Format) -> list[Edit]:
    """The edits that make an address `millpond URL`: its headers become options, their values variables in `env`, and
    its type that of a command.
    """
    url = fields[next(key for key in URL_KEYS if key in fields)]
    words = [*map(form.literal, (*program[1:], *entry.header_options)), url.value.of(text)]
    array = f"[{', '.join(words)}]"
    edits = [
        Edit(*url.key, form.renamed(url.key.of(text), "command")),
        Edit(*url.value, form.literal(program[0])),
    ]
    if "type" in fields:
        edits.append(Edit(*fields["type"].value, form.literal("stdio")))
    headers = fields.get("headers")
    if headers is None:
        return [*edits, form.with_args(text, url, array)]
    key = headers.key.of(text)
    variables = _variables(entry, form)
    if variables and "env" not in fields:
        edits += (Edit(*headers.key, form.renamed(key, "env")), Edit(*headers.value, f"{{{variables}}}"))
        return [*edits, form.with_args(text, url, array)]
    edits += (Edit(*headers.key, form.renamed(key, "args")), Edit(*headers.value, array))
    if variables:
        start = fields["env"].value.start + 1
        edits.append(Edit(start, start, f"{variables}{', ' if entry.env else ''}"))
    return edits


def _variables(entry: Entry, form: Format) -> str:
    """The values of its headers as members of `env`. Only JSON has headers: what TOML has, its client makes up."""
    named = entry.header_variables.items()
    return ", ".join(f"{form.literal(variable)}: {form.literal(entry.headers[name])}" for name, variable in named)
