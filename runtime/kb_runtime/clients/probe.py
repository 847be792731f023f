"""Starts a server the way a client does, in a bare environment and another folder, and talks to it."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, Literal

from kb_runtime.clients.machine import Machine
from kb_runtime.clients.server import query_argument, search_tool
from kb_runtime.errors import SingleCodeError, exit_codes
from kb_runtime.live.pipes import PipeReader
from kb_runtime.mcp import revisions
from kb_runtime.search.request import NO_ENCODER
from kb_runtime.store.manifest_schema import (
    is_object,
    is_switch,
    is_text,
    list_of,
    object_of,
    or_null,
)

Era = Literal["handshake", "stateless"]

ANSWER_TIMEOUT_S = 30.0
"""What Claude Code waits for a server; other clients wait 5 to 60 seconds."""
SLOW_START_S = 5.0
"""The shortest wait of a client (the OpenAI Agents SDK)."""
GRACE_S = 2.0
"""How long a server may take to leave when its input ends."""
_LOOK_S = 0.05
STDERR_LINES = 3
_MOST_STDERR = 1 << 14
_MOST_LINE = 1 << 24
_MOST_WAITING = 16
"""Lines that are read ahead: a server that writes more waits until they are looked at."""
_MOST_SAID = 300

_DEGRADED = " is unavailable ("
"""In the warnings of a search that does without one of its sides (`kb_runtime.search.request`)."""

_CLIENT = {"name": "kbc doctor", "version": "1"}

_is_info = object_of(name_=is_text, title_=or_null(is_text))
_SHAPES = {
    "initialize": object_of(protocolVersion_=is_text, serverInfo_=_is_info),
    "server/discover": object_of(_meta_=object_of(**{f"{revisions.SERVER_INFO_KEY}_": _is_info})),
    "tools/list": object_of(
        tools_=list_of(object_of(name=is_text, inputSchema_=object_of(required_=list_of(is_text))))
    ),
    "tools/call": object_of(
        isError_=or_null(is_switch),
        content_=list_of(object_of(text_=is_text)),
        structuredContent_=or_null(is_object),
    ),
}
"""What is read of the answer to each method."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a client would have seen. `problem` is one sentence, empty when all went well; times are
    milliseconds, the first one from the start of the process to its first answer."""

    era: Era
    problem: str = ""
    revision: str = ""
    server: str = ""
    start_ms: float = 0.0
    tools: int = 0
    names: tuple[str, ...] = ()
    tools_ms: float = 0.0
    search: str = ""
    query: str = ""
    hits: int = 0
    search_ms: float = 0.0
    degraded: str = ""
    """What the search warned of that is out of order; it answered without it."""
    note: str = ""
    """What the search does without because the knowledge base was built so."""

    @property
    def ok(self) -> bool:
        return not self.problem and not self.degraded

    def as_dict(self) -> dict[str, Any]:
        return {"ok": self.ok, **asdict(self)}


class _ProbeError(SingleCodeError):
    """What a server does wrong."""

    code = "probe"
    exit_code = exit_codes.BROKEN


def probe(
    argv: Sequence[str],
    machine: Machine,
    extra: Mapping[str, str],
    *,
    era: Era = "handshake",
    timeout_s: float = ANSWER_TIMEOUT_S,
) -> Report:
    """Starts `argv`, opens the protocol, lists the tools, searches once, and lets the server leave.

    `extra` are the variables that the client's entry adds. Never raises for what a server does.
    """
    environment = {**machine.bare_environment(), **extra}
    started = time.monotonic()
    try:
        process = subprocess.Popen(
            list(argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            cwd=os.path.abspath(os.sep),
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return Report(era, f"{argv[0]} cannot be started: {reason}.")
    talk = _Exchange(process, era, timeout_s)
    try:
        return _converse(talk, started)
    except _ProbeError as error:
        return Report(era, str(error))
    finally:
        talk.close()


def _converse(talk: _Exchange, started: float) -> Report:
    if talk.era == "handshake":
        opened = talk.ask(
            "initialize",
            {
                "protocolVersion": revisions.NEWEST_HANDSHAKE,
                "capabilities": {},
                "clientInfo": _CLIENT,
            },
        )
        talk.tell("notifications/initialized")
        info, revision = opened.get("serverInfo", {}), opened.get("protocolVersion", "")
    else:
        opened = talk.ask("server/discover", {})
        info = opened.get("_meta", {}).get(revisions.SERVER_INFO_KEY, {})
        revision = revisions.STATELESS_REVISIONS[0]
    ready = time.monotonic()
    tools = talk.ask("tools/list", {}).get("tools", [])
    listed = time.monotonic()
    if not tools:
        raise _ProbeError("The server offers no tools.")
    name = search_tool(tools)
    title = str(info.get("title") or info.get("name") or "")
    hits, degraded, note = 0, "", ""
    if name:
        tool = next(each for each in tools if each["name"] == name)
        hits, degraded, note = _search(talk, tool, title)
    found = time.monotonic()
    return Report(
        talk.era,
        revision=revision,
        server=title,
        start_ms=_ms(started, ready),
        tools=len(tools),
        names=tuple(str(tool.get("name")) for tool in tools),
        tools_ms=_ms(ready, listed),
        search=name,
        query=title if name else "",
        hits=hits,
        search_ms=_ms(listed, found) if name else 0.0,
        degraded=degraded,
        note=note,
    )


def _search(talk: _Exchange, tool: Mapping[str, Any], query: str) -> tuple[int, str, str]:
    """The number of hits, what was out of order, and what is as it was built. A search that finds
    nothing is a success."""
    arguments = {query_argument(tool): query or "start"}
    result = talk.ask("tools/call", {"name": tool["name"], "arguments": arguments})
    if result.get("isError"):
        text = next((part.get("text", "") for part in result.get("content", [])), "")
        raise _ProbeError(f"{tool['name']} fails: {_first_line(text) or 'no reason'}")
    structure = result.get("structuredContent") or {}
    lists = {name: value for name, value in structure.items() if isinstance(value, list)}
    without = [each for each in map(str, lists.get("warnings", ())) if _DEGRADED in each]
    degraded = next((each for each in without if NO_ENCODER not in each), "")
    note = next((each for each in without if NO_ENCODER in each), "")
    return len(lists.get("results", next(iter(lists.values()), []))), degraded, note


def _first_line(said: Any) -> str:
    return str(said).strip().partition("\n")[0][:_MOST_SAID]


class _Exchange:
    """One server process; a thread reads its lines, so that waiting for one can end."""

    def __init__(self, process: subprocess.Popen[bytes], era: Era, timeout_s: float) -> None:
        self.era = era
        self._process = process
        self._timeout_s = timeout_s
        self._lines: queue.Queue[bytes] = queue.Queue(_MOST_WAITING)
        self._errors = PipeReader(process.stderr, _MOST_STDERR)
        self._reader = threading.Thread(target=self._read_lines, daemon=True)
        self._reader.start()
        self._asked = 0

    def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """The result of a request. Raises _ProbeError."""
        self._asked += 1
        if self.era == "stateless":
            envelope = {
                revisions.REVISION_KEY: revisions.STATELESS_REVISIONS[0],
                revisions.CAPABILITIES_KEY: {},
                revisions.CLIENT_INFO_KEY: _CLIENT,
            }
            params = {**params, "_meta": envelope}
        self._send({"id": self._asked, "method": method, "params": params})
        deadline = time.monotonic() + self._timeout_s
        while True:
            answer = self._answer(method, deadline)
            if answer.get("id") == self._asked:
                break
        if "error" in answer:
            error = answer["error"]
            said = error.get("message") if isinstance(error, dict) else error
            raise _ProbeError(f"The server refuses {method}: {_first_line(said).rstrip('.')}.")
        result = answer.get("result")
        if not isinstance(result, dict):
            raise _ProbeError(f"The server answers {method} without a result.")
        if not _SHAPES[method](result):
            raise _ProbeError(
                f"The server answers {method} with a result that is not as the protocol has it."
            )
        return result

    def tell(self, method: str) -> None:
        self._send({"method": method})

    def close(self) -> None:
        """Ends the input, as a client that leaves; a server that stays is stopped."""
        process = self._process
        try:
            assert process.stdin is not None
            process.stdin.close()
        except OSError:
            pass
        for stop in (process.terminate, process.kill):
            try:
                process.wait(GRACE_S)
                break
            except subprocess.TimeoutExpired:
                stop()
        process.wait()
        until = time.monotonic() + GRACE_S
        while self._reader.is_alive() and time.monotonic() < until:
            with suppress(queue.Empty):  # it may wait for room
                self._lines.get(timeout=_LOOK_S)
        if process.stdout is not None and not self._reader.is_alive():
            process.stdout.close()  # else another process holds the pipe
        self._errors.close()

    def _send(self, message: Mapping[str, Any]) -> None:
        stream = self._process.stdin
        assert stream is not None
        with suppress(OSError):  # it has left: what it wrote before is read first
            stream.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            stream.flush()

    def _answer(self, method: str, deadline: float) -> dict[str, Any]:
        line = None
        if (left_s := deadline - time.monotonic()) > 0:
            with suppress(queue.Empty):
                line = self._lines.get(timeout=left_s)
        if line is None:
            raise _ProbeError(f"The server does not answer {method} within {self._timeout_s:g} s.")
        if not line:
            self._gone()
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            shown = line[:80].decode("utf-8", "replace").strip()
            raise _ProbeError(
                f"The server writes {shown!r} to stdout, which is not a message of the protocol."
            )
        return answer

    def _gone(self) -> None:
        """Raises _ProbeError with the exit code and the last words of a server that has left."""
        try:
            code = self._process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            raise _ProbeError("The server closes its output.") from None
        said = self._errors.text().strip().splitlines()
        words = " ".join(line.strip() for line in said[-STDERR_LINES:])
        raise _ProbeError(
            f"The server ends with exit code {code}" + (f": {words}" if words else ".")
        )

    def _read_lines(self) -> None:
        assert self._process.stdout is not None
        while line := self._process.stdout.readline(_MOST_LINE):
            self._lines.put(line)
        self._lines.put(b"")


def _ms(start: float, end: float) -> float:
    return round(1000 * (end - start), 1)
