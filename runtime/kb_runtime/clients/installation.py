"""Adds a server to clients and removes it: computes the changes, then applies them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from kb_runtime.clients import config_file, instructions
from kb_runtime.clients.config_file import Snapshot
from kb_runtime.clients.errors import ConfigError, TextError
from kb_runtime.clients.machine import Machine
from kb_runtime.clients.server import Server, artifacts_of, launch_of
from kb_runtime.clients.table import Client, Format, Scope

Action = Literal["add", "update", "keep", "remove", "absent"]

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
"""The names that every client takes."""


@dataclass(frozen=True, slots=True)
class InstallTarget:
    """Where clients are edited: in the home folder, or in a project."""

    machine: Machine
    scope: Scope
    project: str


@dataclass(frozen=True, slots=True)
class Change:
    """What is to become of one file. `after` is None for a file that goes; `what` is `server` or
    `instructions`."""

    client: Client
    what: str
    action: Action
    before: Snapshot
    after: bytes | None

    @property
    def is_needed(self) -> bool:
        return self.after != self.before.data

    def diff(self) -> str:
        old, new = (_lines(data) for data in (self.before.data, self.after))
        path = self.before.path
        return "".join(difflib.unified_diff(old, new, path, path))

    def apply(self) -> str:
        """Writes; gives the backup's path, empty without one. Raises ConfigError."""
        return config_file.replace(self.before, self.after) if self.is_needed else ""


def add(client: Client, place: InstallTarget, name: str, server: Server, *, force: bool) -> Change:
    """The change that makes `client` start `server` under `name`. Raises ConfigError; an entry of that
    name that starts something else is replaced with `force` only."""
    before = _read(client, place)
    fields = client.fields(server.argv)
    with _naming(before):
        text = before.text()
        found = client.format.entries(text).get(name)
        foreign = found is not None and not _is_ours(found)
        if foreign and not force:
            raise _taken(before, name, found)
        new = client.format.put(text, name, fields, replace=foreign)
    _check_edit(client.format, before, new)
    action: Action = "add" if found is None else "keep" if new == text else "update"
    after = before.data if action == "keep" else before.encode(new)
    return Change(client, "server", action, before, after)


def remove(client: Client, place: InstallTarget, name: str, *, force: bool) -> Change:
    """The change that takes the server `name` out. Raises ConfigError; an entry of that name that does
    not start a server of this program goes with `force` only."""
    before = _read(client, place)
    with _naming(before):
        text = before.text()
        entries = client.format.entries(text)
        if name not in entries:
            return Change(client, "server", "absent", before, before.data)
        if not _is_ours(entries[name]) and not force:
            raise _taken(before, name, entries[name])
        after = _original(client.format, before, name, entries[name])
    if after is not None:
        _check_edit(client.format, before, Snapshot(before.path, before.target, after).text())
    return Change(client, "server", "remove", before, after)


def add_instructions(
    client: Client, place: InstallTarget, name: str, server: Server
) -> Change | None:
    """The change that tells the agent of `server`; None for a client without such a file."""
    before = _read_instructions(client, place)
    if before is None:
        return None
    with _naming(before):
        text = before.text()
        new = instructions.put(text, name, server)
    if new == text:
        return Change(client, "instructions", "keep", before, before.data)
    action: Action = "update" if f"<!-- kbc:{name} begin -->" in text else "add"
    return Change(client, "instructions", action, before, before.encode(new))


def remove_instructions(client: Client, place: InstallTarget, name: str) -> Change | None:
    """The change that takes the block of `name` out; a file that held nothing else goes."""
    before = _read_instructions(client, place)
    if before is None:
        return None
    with _naming(before):
        text = before.text()
        new = instructions.remove(text, name)
    if new == text:
        return Change(client, "instructions", "absent", before, before.data)
    was_empty = any(not data for data in config_file.backups(before))
    after = before.encode(new) if new or was_empty else None
    return Change(client, "instructions", "remove", before, after)


@contextmanager
def _naming(snapshot: Snapshot) -> Iterator[None]:
    """Puts the file's name before what is wrong with its text."""
    try:
        yield
    except TextError as error:
        raise ConfigError(
            f"{snapshot.path} {error}.",
            "Fix it and run the command again; the file was not changed.",
        ) from None


def _read(client: Client, place: InstallTarget) -> Snapshot:
    if place.scope not in client.scopes:
        raise ConfigError(
            f"{client.title} has no configuration of a {place.scope}.", "Use --scope user."
        )
    return config_file.read(client.path(place.machine, place.scope, place.project))


def _read_instructions(client: Client, place: InstallTarget) -> Snapshot | None:
    path = client.instructions(place.machine, place.scope, place.project)
    return config_file.read(path) if path else None


def _check_edit(format: Format, before: Snapshot, text: str) -> None:
    """Raises ConfigError for a text that the client could not read: a defect, which must not cost
    anybody a configuration."""
    try:
        format.entries(text)
    except TextError as error:
        raise ConfigError(
            f"{before.path} was not changed, because the new text {error}.",
            "Edit the entry by hand, and report this with the file.",
        ) from None


def _is_ours(entry: Any) -> bool:
    return artifacts_of(launch_of(entry).argv) is not None


def _taken(before: Snapshot, name: str, entry: Any) -> ConfigError:
    return ConfigError(
        f"{before.path} has another server named {name!r}: {launch_of(entry)}.",
        "Choose another name with --name, or replace it with --force.",
    )


def _original(
    format: Format, before: Snapshot, name: str, entry: Mapping[str, Any]
) -> bytes | None:
    """What the file was before the server was added, as far as that can be known.

    A backup is what was there when adding the entry to it gives the file of today, byte for byte; so is
    no file, or the text without the entry. Else the entry was added to another file than today's, and
    it is cut out.
    """
    for data in config_file.backups(before):
        earlier = Snapshot(before.path, before.target, data)
        if _leads_to(format, earlier, name, entry, before):
            return data
    nothing = Snapshot(before.path, before.target, None)
    if _leads_to(format, nothing, name, entry, before):
        return None
    candidates = format.remove(before.text(), name)
    for text in candidates:
        earlier = Snapshot(before.path, before.target, before.encode(text))
        if _leads_to(format, earlier, name, entry, before):
            return earlier.data
    return before.encode(candidates[0])


def _leads_to(
    format: Format, earlier: Snapshot, name: str, entry: Mapping[str, Any], later: Snapshot
) -> bool:
    try:
        text = earlier.text()
        if name in format.entries(text) or not isinstance(entry, dict):
            return False
        return earlier.encode(format.put(text, name, entry)) == later.data
    except (TextError, ConfigError):
        return False


def _lines(data: bytes | None) -> list[str]:
    lines = (data or b"").decode("utf-8", "replace").splitlines(keepends=True)
    return [line if line.endswith("\n") else line + "\n" for line in lines]


def detected(clients: Iterable[Client], machine: Machine) -> list[Client]:
    return [client for client in clients if client.is_detected(machine)]
