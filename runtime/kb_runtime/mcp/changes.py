"""Notifies clients when a new version changes a list, or a resource to which they have subscribed.

`docs/mcp.md` says which clients are notified, which depends on the transport and the revision.
"""

from __future__ import annotations

from _thread import allocate_lock  # `import threading` costs a server 2 ms before its first answer

from kb_runtime.errors import ProtocolError
from kb_runtime.mcp import revisions
from kb_runtime.mcp.answers import LISTED
from kb_runtime.mcp.params import MAX_RESOURCES, RESOURCES, too_many_resources
from kb_runtime.mcp.resources import digest
from kb_runtime.text.json_types import is_of_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import Any

    from kb_runtime.knowledge.interface import Knowledge
    from kb_runtime.live.versions import LiveArtifact
    from kb_runtime.mcp.dispatch import Dispatcher

    Listener = Callable[[Sequence[str], Collection[str]], None]
    Granted = dict[str, Any]
    """The fields of a stateless client's request that are granted."""

MAX_WATCHED = 4_096
"""Resources that are watched for all clients of a server together."""

_FULL = f"The server watches {MAX_WATCHED} resources already; unsubscribe from some, or subscribe to the list"

ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
UPDATED = "notifications/resources/updated"
_WANTED = {kind: f"{kind}ListChanged" for kind in LISTED}
"""The fields of a stateless client's request that ask for each kind."""


class Changes:
    """Compares what is listed, and the resources that are watched, before and after each swap.

    Thread-safe. What is compared is what is served, and nothing newer is looked for meanwhile: that
    could swap, and a swap ends here, where the lock is held.
    """

    def __init__(self, live: LiveArtifact, dispatcher: Dispatcher) -> None:
        self._live = live
        self._dispatcher = dispatcher
        self._listeners: list[Listener] = []
        self._comparing = allocate_lock()
        self._known = self._listed()
        self._watched: dict[str, _Watched] = {}
        live.on_swap(self._compare)

    def listen(self, listener: Listener) -> None:
        """Has `listener` called with the kinds of lists that changed and the addresses of watched
        resources that did, in the thread that noticed."""
        self._listeners.append(listener)

    def known(self, addresses: Iterable[str]) -> list[str]:
        """Those of resources that are there, each once."""
        with self._live.hold() as knowledge:
            return [one for one in dict.fromkeys(addresses) if digest(knowledge, one) is not None]

    def watch(self, addresses: Collection[str]) -> None:
        """From now on changes of these are told, until as many calls of `unwatch`. Raises
        `ProtocolError` where they are too many, and watches none of them then."""
        with self._comparing, self._live.hold() as knowledge:
            new = [one for one in addresses if one not in self._watched]
            if len(self._watched) + len(new) > MAX_WATCHED:
                raise ProtocolError(revisions.INTERNAL_ERROR, _FULL)
            # All or none: what is watched by nobody would count until the server ends.
            self._watched |= {each: _Watched(digest(knowledge, each)) for each in new}
            for address in addresses:
                self._watched[address].watchers += 1

    def unwatch(self, addresses: Iterable[str]) -> None:
        with self._comparing:
            for address in addresses:
                watched = self._watched[address]
                watched.watchers -= 1
                if not watched.watchers:
                    del self._watched[address]

    def _compare(self) -> None:
        with self._comparing:
            before, self._known = self._known, self._listed()
            changed = [kind for kind in LISTED if before[kind] != self._known[kind]]
            # No record can have changed unless a file of records has.
            updated = self._updated() if "resources" in changed else []
        if changed:
            for listener in self._listeners:
                listener(changed, updated)

    def _updated(self) -> list[str]:
        updated = []
        with self._live.hold() as knowledge:
            for address, watched in self._watched.items():
                before, watched.digest = watched.digest, digest(knowledge, address)
                if before != watched.digest:
                    updated.append(address)
        return updated

    def _listed(self) -> dict[str, Any]:
        with self._live.hold() as knowledge:
            answers = self._dispatcher.answers_for(knowledge)
            return {
                "tools": answers.tools,
                "prompts": answers.prompts,
                "resources": _records(knowledge),
            }


class _Watched:
    """A resource: what it was when it was last looked at, and for how many it is watched."""

    def __init__(self, digest: bytes | None) -> None:
        self.digest = digest
        self.watchers = 0


def list_changed(kind: str) -> str:
    return f"notifications/{kind}/list_changed"


def check_number(addresses: Sequence[str]) -> None:
    """Raises ProtocolError for more resources than one client may subscribe to: before they are read,
    which takes long for many."""
    if len(set(addresses)) > MAX_RESOURCES:
        raise too_many_resources()


def granted_changes(
    wanted: Mapping[str, Any], known: Callable[[Iterable[str]], list[str]]
) -> Granted:
    """What of a stateless client's wishes is granted: lists, and updates of the resources that are
    `known`. Raises ProtocolError."""
    granted: Granted = {field: True for field in _WANTED.values() if wanted.get(field) is True}
    addresses = wanted.get(RESOURCES) or []
    if not is_of_type(addresses, "string[]"):
        raise ProtocolError(
            revisions.INVALID_PARAMS,
            "Invalid request parameters",
            f"params.notifications.{RESOURCES} must be a list of strings",
        )
    check_number(addresses)
    if found := known(addresses):
        granted[RESOURCES] = found
    return granted


def acknowledgement(subscription: str | int, granted: Granted) -> dict[str, Any]:
    """The first message of a subscription."""
    return notification(ACKNOWLEDGED, subscription, {"notifications": dict(granted)})


def news(
    kinds: Sequence[str], updated: Iterable[str], subscriptions: Mapping[str | int, Granted]
) -> list[dict[str, Any]]:
    """The messages for subscriptions, each for what was granted to it."""
    messages = []
    addresses = list(updated)
    for subscription, granted in subscriptions.items():
        messages += [
            notification(list_changed(kind), subscription, {})
            for kind in kinds
            if _WANTED[kind] in granted
        ]
        subscribed = granted.get(RESOURCES, ())
        messages += [
            notification(UPDATED, subscription, {"uri": address})
            for address in addresses
            if address in subscribed
        ]
    return messages


def notification(method: str, subscription: str | int, params: Mapping[str, Any]) -> dict[str, Any]:
    meta = {revisions.SUBSCRIPTION_KEY: subscription}
    return {"jsonrpc": "2.0", "method": method, "params": {**params, "_meta": meta}}


def _records(knowledge: Knowledge) -> list[tuple[str, str, str]]:
    """What the list of resources is made from: of each part the files of records and their hashes."""
    return [
        (part.manifest["name"], path, part.manifest.files[path][1])
        for part in knowledge.parts
        for path in part.files_of("catalog/")
        if path.endswith(".bin")
    ]
