"""What clients are told when a swap changes what is listed: the kinds of lists, and nothing else.

`docs/mcp.md` says which clients are told, which depends on the transport and the revision.
"""

from __future__ import annotations

from _thread import allocate_lock  # `import threading` costs a server 2 ms before its first answer

from kb_runtime.mcp import eras
from kb_runtime.mcp.answers import LISTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from kb_runtime.knowledge import Knowledge
    from kb_runtime.live import LiveArtifact
    from kb_runtime.mcp.dispatch import Dispatcher

    Listener = Callable[[Sequence[str]], None]

ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
_WANTED = {kind: f"{kind}ListChanged" for kind in LISTED}
"""The fields of a stateless client's request that ask for each kind."""


class Changes:
    """Compares what is listed before and after each swap. Thread-safe."""

    def __init__(self, live: LiveArtifact, dispatcher: Dispatcher) -> None:
        self._live = live
        self._dispatcher = dispatcher
        self._listeners: list[Listener] = []
        self._comparing = allocate_lock()
        self._known = self._listed()
        live.on_swap(self._compare)

    def listen(self, listener: Listener) -> None:
        """Has `listener` called with the kinds of lists that changed, in the thread that noticed."""
        self._listeners.append(listener)

    def _compare(self) -> None:
        with self._comparing:
            before, self._known = self._known, self._listed()
            changed = [kind for kind in LISTED if before[kind] != self._known[kind]]
        if changed:
            for listener in self._listeners:
                listener(changed)

    def _listed(self) -> dict[str, Any]:
        with self._live.lease() as knowledge:
            answers = self._dispatcher.answers_for(knowledge)
            return {
                "tools": answers.tools,
                "prompts": answers.prompts,
                "resources": _records(knowledge),
            }


def list_changed(kind: str) -> str:
    """The method of the notification."""
    return f"notifications/{kind}/list_changed"


def honoured(wanted: Mapping[str, Any]) -> dict[str, bool]:
    """What of a stateless client's wishes is granted: updates of single resources are not."""
    return {field: True for field in _WANTED.values() if wanted.get(field) is True}


def acknowledgement(subscription: str | int, granted: Mapping[str, bool]) -> dict[str, Any]:
    """The first message of a subscription."""
    return notification(ACKNOWLEDGED, subscription, {"notifications": dict(granted)})


def news(
    kinds: Sequence[str], subscriptions: Mapping[str | int, Mapping[str, bool]]
) -> list[dict[str, Any]]:
    """The messages for subscriptions, each for what was granted to it."""
    return [
        notification(list_changed(kind), subscription, {})
        for subscription, granted in subscriptions.items()
        for kind in kinds
        if _WANTED[kind] in granted
    ]


def notification(method: str, subscription: str | int, params: Mapping[str, Any]) -> dict[str, Any]:
    meta = {eras.SUBSCRIPTION_KEY: subscription}
    return {"jsonrpc": "2.0", "method": method, "params": {**params, "_meta": meta}}


def _records(knowledge: Knowledge) -> list[tuple[str, str, str]]:
    """What the list of resources is made from: of each part the files of records and their hashes."""
    return [
        (part.manifest["name"], path, sha256)
        for part in knowledge.parts
        for path, (_, sha256) in part.manifest.files.items()
        if path.startswith("catalog/") and path.endswith(".bin")
    ]
