"""Finds other knowledge bases of a client whose tools have the names of those of a new server."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from kb_runtime.clients import config_file
from kb_runtime.clients.errors import ConfigError, TextError
from kb_runtime.clients.probe import probe
from kb_runtime.clients.server import artifacts_of, launch_of
from kb_runtime.text.tables import some_of

if TYPE_CHECKING:
    from kb_runtime.clients.installation import InstallTarget
    from kb_runtime.clients.table import Client

_SHOWN = 3
"""Tools that a message names; the structure has all."""


@dataclass(frozen=True, slots=True)
class Collision:
    """`tools` are offered by the new server and by the client's server `other`."""

    client: str
    other: str
    tools: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.other} has tools of the same names: {some_of(self.tools, _SHOWN)}"


def collisions(
    clients: Iterable[Client], place: InstallTarget, name: str, tools: Sequence[str]
) -> list[Collision]:
    """The servers of this program, besides `name`, that offer one of `tools` in a client. Each is started
    once to list its tools; one that does not start is left out: `doctor` is for that. None in a project,
    whose files may come from anybody and name any command."""
    if place.scope != "user":
        return []
    offered: dict[tuple[str, ...], Sequence[str]] = {}
    found = []
    for client in clients:
        for other, entry in _entries(client, place).items():
            launch = launch_of(entry)
            if other == name or not launch.is_enabled or artifacts_of(launch.argv) is None:
                continue
            if launch.argv not in offered:
                report = probe(launch.argv, place.machine, launch.environment)
                offered[launch.argv] = report.names
            if shared := tuple(tool for tool in offered[launch.argv] if tool in tools):
                found.append(Collision(client.id, other, shared))
    return found


def _entries(client: Client, place: InstallTarget) -> dict[str, Any]:
    """The servers of a client; none where its configuration cannot be read."""
    try:
        path = client.path(place.machine, place.scope, place.project)
        return dict(client.format.entries(config_file.read(path).text()))
    except (ConfigError, TextError):
        return {}
