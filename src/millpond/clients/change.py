"""Change: a file's text with servers wrapped or unwrapped, and what became of each.

Rule: all or nothing, and proved before it is returned: the new text reads as it must, and undoing it gives back the old
text. An entry is changed from what it is now, never from what it was. Imports the clients' modules, `core.config_url`, `core.errors`
and `core.near`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from millpond.clients import jsonc
from millpond.clients.entries import Entry, State, read_entries
from millpond.clients.rewrite import unwrapping, wrapping, wrapping_remote
from millpond.clients.text import Broken, Edit, Field, Format, edited
from millpond.core.config_url import name_problem, url_problem, value_problem
from millpond.core.errors import ConfigError
from millpond.core.near import near_name

ALREADY = "it is behind Millpond already"
NOT_WRAPPED = "it is not behind Millpond"
SIGN_IN_LIKELY = (
    "it may sign in by OAuth, which ends at the client and not at Millpond; name it to wrap it all the same"
)
NO_BACKUP = "no backup holds the entry as it was before; put its address back by hand"


@dataclass(frozen=True, slots=True)
class File:
    """A configuration file as it was read."""

    name: str
    """For messages."""
    text: str
    keys: tuple[str, ...]
    """The keys that lead to the servers."""
    form: Format

    def entries(self) -> tuple[Entry, ...]:
        """The servers in it. Raises `ConfigError` where the file cannot be read as its client would."""
        try:
            return read_entries(self.form.read(self.text), self.keys)
        except (Broken, ConfigError) as error:
            problem = f"expected {self.form.title}, {error}" if isinstance(error, Broken) else str(error)
            raise ConfigError(f"{self.name}: {problem}; nothing was changed, mend the file first") from error


@dataclass(frozen=True, slots=True)
class Change:
    """What would be written."""

    text: str
    done: tuple[str, ...]
    """The servers that change."""
    left: Mapping[str, str]
    """Those that were asked for and stay, with the reason."""


def file_of(name: str, text: str, keys: tuple[str, ...], *, is_toml: bool) -> File:
    """A file with its format."""
    if is_toml:
        from millpond.clients import toml  # tomlkit is read only where a file needs it

        return File(name, text, keys, toml)
    return File(name, text, keys, jsonc)


def refusal(entry: Entry, *, is_named: bool) -> str:
    """Why an entry stays as it is; empty where it can be wrapped. What is not named is not wrapped in doubt."""
    if entry.is_wrapped:
        return ALREADY
    if entry.state is not State.REMOTE:
        return entry.reason
    problems = (
        url_problem(entry.url or ""),
        *map(name_problem, entry.headers),
        *map(value_problem, entry.headers.values()),
    )
    if (problem := next(filter(None, problems), None)) is not None:
        return problem
    return "" if is_named or entry.headers or entry.is_loopback else SIGN_IN_LIKELY


def wrapped(file: File, names: Iterable[str] | None, program: Sequence[str]) -> Change:
    """The file with these servers wrapped; None stands for all. Raises `ConfigError` where that cannot be done.

    `program` is Millpond by its absolute path, and what comes before `--`.
    """
    entries = _chosen(file, names)
    left = {entry.name: reason for entry in entries if (reason := refusal(entry, is_named=names is not None))}
    change = [entry for entry in entries if entry.name not in left]
    places = _located(file, change)
    local, remote = list[Edit](), list[Edit]()
    for entry in change:
        if entry.state is State.REMOTE:
            remote += wrapping_remote(file.text, places[entry.name], entry, program, file.form)
        else:
            local += wrapping(file.text, places[entry.name], program, file.form)
    new = replace(file, text=edited(file.text, [*local, *remote]))
    if not _is_proved(new, change, program, undone=edited(file.text, remote)):
        raise ConfigError(f"{file.name}: it is written in a way that could not be undone; nothing was changed")
    return Change(new.text, tuple(entry.name for entry in change), left)


def unwrapped(file: File, names: Iterable[str] | None, backups: Sequence[str] = ()) -> Change:
    """The file with these servers as they were before; None stands for all that are wrapped.

    An address comes back from the newest of the `backups` (texts of this file) whose entry, wrapped in the same way, is
    the entry as it stands. Raises `ConfigError` where a file cannot be read or a name is not there.
    """
    entries = [entry for entry in _chosen(file, names) if names is not None or entry.is_wrapped]
    places = _located(file, [entry for entry in entries if entry.state is State.WRAPPED])
    left: dict[str, str] = {}
    edits: list[Edit] = []
    for entry in entries:
        if entry.state is State.WRAPPED:
            edits += unwrapping(file.text, places[entry.name], entry.head, file.form)
        elif not entry.is_wrapped:
            left[entry.name] = NOT_WRAPPED
        elif (restored := _restored(file, entry, backups)) is not None:
            edits.append(restored)
        else:
            left[entry.name] = NO_BACKUP
    done = tuple(entry.name for entry in entries if entry.name not in left)
    return Change(edited(file.text, edits), done, left)


def _chosen(file: File, names: Iterable[str] | None) -> list[Entry]:
    entries = {entry.name: entry for entry in file.entries()}
    if names is None:
        return list(entries.values())
    for name in names:
        if name not in entries:
            raise missing_server(file.name, name, entries)
    return [entries[name] for name in dict.fromkeys(names)]


def missing_server(where: str, name: str, known: Iterable[str]) -> ConfigError:
    """The error for a server that is not there, with the nearest that is."""
    names = list(known)
    near = near_name(name, names)
    advice = f"did you mean {near}?" if near else f"there are: {', '.join(names) or 'none'}"
    return ConfigError(f"{where}: expected a server named {name}, got none of that name; {advice}")


def _located(file: File, entries: Sequence[Entry]) -> Mapping[str, Mapping[str, Field]]:
    try:
        return file.form.locate(file.text, file.keys, [entry.name for entry in entries]) if entries else {}
    except Broken as error:
        raise ConfigError(f"{file.name}: {error}; nothing was changed, change that entry by hand") from error


def _is_proved(new: File, changed: Sequence[Entry], program: Sequence[str], undone: str) -> bool:
    """Whether the new text says what it must, and unwrapping its commands gives the text `undone` to the byte."""
    try:
        entries = {entry.name: entry for entry in new.entries()}
        says_it = all(_says(entries[entry.name], entry, program) for entry in changed)
        return says_it and unwrapped(new, [e.name for e in changed if e.state is State.LOCAL]).text == undone
    except ConfigError:
        return False


def _says(new: Entry, old: Entry, program: Sequence[str]) -> bool:
    variables = (
        {} if old.state is State.LOCAL else {old.header_variables[name]: old.headers[name] for name in old.headers}
    )
    return new.words == _expected(old, program) and new.env == {**old.env, **variables}


def _expected(entry: Entry, program: Sequence[str]) -> tuple[str, ...]:
    if entry.state is State.REMOTE:
        return (*program, *entry.header_options, entry.url or "")
    return (*program, "--", *entry.words)


def _restored(file: File, entry: Entry, backups: Sequence[str]) -> Edit | None:
    """The edit that gives an entry what it was in the newest backup from which wrapping makes what it is.

    A backup in which it was wrapped already, as a change to another entry leaves it, is none.
    """
    edits = (_restoring(file, entry, replace(file, text=text)) for text in backups)
    return next((edit for edit in edits if edit is not None), None)


def _restoring(file: File, entry: Entry, old: File) -> Edit | None:
    try:
        change = wrapped(old, [entry.name], entry.program)
        new = replace(old, text=change.text)
        now, before, after = (_whole(each, entry.name) for each in (file, old, new))
    except (ConfigError, Broken):
        return None
    is_the_same = change.done and now and after and now.value.of(file.text) == after.value.of(new.text)
    return Edit(*now.value, before.value.of(old.text)) if now and before and is_the_same else None


def _whole(file: File, name: str) -> Field | None:
    """The whole entry, where the format can tell where it lies."""
    table = file.keys[-1]
    return file.form.locate(file.text, file.keys[:-1], [table])[table].get(name)
