"""Observes requests in the dispatch core: how long each took and how it ended.

Imported only if logs or metrics were asked for.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from kb_runtime import log
from kb_runtime.errors import ProtocolError
from kb_runtime.mcp import correlation, revisions
from kb_runtime.mcp.callers import CALLER
from kb_runtime.mcp.dispatch import Dispatcher
from kb_runtime.mcp.params import HANDSHAKE_METHODS, STATELESS_METHODS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

CALL = "tools/call"
OK = "ok"
ERROR = "error"
"""The outcome of a failed call whose tool has no kinds of errors."""
OTHER = "other"
"""Stands for a method or tool that is not served: names that clients make up are not taken over."""
_METHODS = HANDSHAKE_METHODS | STATELESS_METHODS


class Observation(NamedTuple):
    """One request. `tool` is empty but for `tools/call`; `outcome` is `ok`, the kind of a tool's error
    (`BAD_INPUT`), or the code of a JSON-RPC error (`-32602`)."""

    method: str
    tool: str
    outcome: str
    seconds: float
    correlation_id: str
    build_id: str

    @property
    def is_defect(self) -> bool:
        return self.outcome in ("INTERNAL", str(revisions.INTERNAL_ERROR))


class ObservedDispatcher(Dispatcher):
    """A dispatch core that tells of each request after it was answered."""

    observers: tuple[Callable[[Observation], None], ...] = ()
    """Called in the thread that answered, each with every request; they must be quick."""

    def handle(self, method: str, params: dict[str, Any] | None, revision: str) -> dict[str, Any]:
        given, request_id = _identified(method, params, revision)
        start = perf_counter()
        outcome = str(revisions.INTERNAL_ERROR)
        try:
            result = super().handle(method, given, revision)
            outcome = _outcome(result)
            return result
        except ProtocolError as error:
            outcome = str(error.rpc_code)
            raise
        finally:
            self._tell(method, params, outcome, perf_counter() - start, request_id)

    def refused(
        self, method: str, params: Mapping[str, Any] | None, code: int, seconds: float
    ) -> None:
        meta = (params or {}).get("_meta")
        given = correlation.given_id({"_meta": meta}) if isinstance(meta, dict) else None
        self._tell(method, params, str(code), seconds, given or correlation.new_id())

    def _tell(
        self,
        method: str,
        params: Mapping[str, Any] | None,
        outcome: str,
        seconds: float,
        request_id: str,
    ) -> None:
        observation = Observation(
            method if method in _METHODS else OTHER,
            self._tool(params) if method == CALL else "",
            outcome,
            seconds,
            request_id,
            self.answers.build_id,
        )
        for observe in self.observers:
            observe(observation)

    def _tool(self, params: Mapping[str, Any] | None) -> str:
        name = (params or {}).get("name")
        return name if isinstance(name, str) and name in self.answers.declared_names else OTHER


def _identified(
    method: str, params: dict[str, Any] | None, revision: str
) -> tuple[dict[str, Any] | None, str]:
    """`params` and their correlation id: one that is made up for a call that brings none, so that what
    the call leaves in the log has the same. Params that will be refused stay as they are."""
    meta = (params or {}).get("_meta")
    if params is not None and isinstance(meta, dict):
        given = correlation.given_id(params)
        if given is not None:
            return params, given
    made = correlation.new_id()
    lacks_meta = meta is None and not revisions.is_stateless(revision)
    if method == CALL and params is not None and (lacks_meta or isinstance(meta, dict)):
        return {**params, "_meta": {**(meta or {}), correlation.KEY: made}}, made
    return params, made


def _outcome(result: Mapping[str, Any]) -> str:
    if not result.get("isError"):
        return OK
    structured = result.get("structuredContent")
    error = structured.get("error") if isinstance(structured, dict) else None
    kind = error.get("kind") if isinstance(error, dict) else None
    return kind if isinstance(kind, str) else ERROR


def observe(dispatcher: Dispatcher, observer: Callable[[Observation], None]) -> None:
    """Has `observer` told of each request from now on. The dispatch core must be an observed one."""
    assert isinstance(dispatcher, ObservedDispatcher)
    dispatcher.observers = (*dispatcher.observers, observer)


def write_log(seen: Observation) -> None:
    """A line of the log. Arguments are what users ask: they are not written down."""
    named = {"tool": seen.tool} if seen.tool else {}
    if caller := CALLER.get():
        named["client"] = caller
    log.record(
        "error" if seen.is_defect else "info",
        correlation_id=seen.correlation_id,
        method=seen.method,
        **named,
        outcome=seen.outcome,
        milliseconds=round(seen.seconds * 1e3, 3),
        build=seen.build_id,
    )
