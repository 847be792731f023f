"""MCP over stdin and stdout: one JSON message per line, on the standard library alone.

The SDK builds every wire type of every revision when it is imported, which costs 0.7 s and 65 MB; a
process that a client starts for each conversation cannot afford that. Requests are answered in order,
each within milliseconds. Those that wait for the compiler are answered when they are ready, from threads
of their own. A `notifications/cancelled` needs no action: it comes too late, or for an ingestion, which
either happens as a whole or does not.
"""

from __future__ import annotations

import json
import os
import select
import sys
from _thread import allocate_lock  # `import threading` costs a server 2 ms before its first answer

from kb_runtime.mcp import failures, revisions
from kb_runtime.mcp.connection import Connection, Deferred, error_answer
from kb_runtime.text.written_json import WrittenObject, json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from types import FrameType
    from typing import Any

MAX_LINE_BYTES = 4 * 1024 * 1024
"""As a body over HTTP. Parsed, JSON of the worst shape takes some forty times as much memory."""
MAX_WAITING = 8
"""Answers that may be waited for at a time; a client that wants more waits for the next one."""
_READ_BYTES = 65_536
_STOP_S = 1.0
"""How long a client may take to read the answer in progress once the server is told to stop."""
UNREAD_S = 5.0
"""How long a client that has closed stdin may leave what was answered unread."""
_LONGEST_WAIT_S = 0.5
"""A signal that comes right before a wait, or to another thread, is handled after it."""
_PIECE_BYTES = 4096
"""What a pipe or a socket takes without waiting once it is ready to be written to."""


class StdioServer:
    """The loop. `after_first_answer` is called once, when the client has its first answer."""

    def __init__(self, connection: Connection, after_first_answer: Callable[[], None]) -> None:
        self._connection = connection
        self._writing = allocate_lock()  # news comes from another thread than answers
        self._source = -1
        self._sink: _Sink | None = None
        self._after_first_answer: Callable[[], None] | None = after_first_answer
        self._stopping = False
        self._deferred: set[Deferred] = set()
        # `wakeup` is for `signal.set_wakeup_fd`. Whoever waits, waits for this pipe as well: a signal that
        # comes when no handler can run before the wait begins has left a byte in it.
        self._woken, self.wakeup = os.pipe()
        _set_blocking(self.wakeup, False)

    def serve(self, source: int, sink: int) -> None:
        """Reads requests from the descriptor `source` until it ends, or a signal stops the server."""
        self._source, self._sink = source, _Sink(sink)
        try:
            for line in read_lines(lambda: self._read(source)):
                if self._stopping:
                    return
                answer = self.answer_line(line)
                if isinstance(answer, Deferred):
                    self._answer_deferred(answer)
                    self._announce()
                elif answer is not None:
                    self._write(encode(answer))
                    self._connection.written()
                    self._announce()
            self._finish(0)
        except BrokenPipeError:
            return

    def tell(self, kinds: Sequence[str], updated: Collection[str]) -> None:
        """Sends what the client is to know about changed lists and resources. Safe to call from any
        thread, at any time: nobody is told before there is a client or after it has left."""
        try:
            for message in self._connection.news(kinds, updated):
                self._write(encode(message))
        except OSError:
            return

    def _answer_deferred(self, deferred: Deferred) -> None:
        """Has the answer written when it is there."""
        from threading import Thread

        def answer() -> None:
            try:
                self._write(encode(deferred.answer()))
            except OSError:  # the client has left
                return
            finally:
                self._deferred.discard(deferred)
                self._wake()

        self._finish(MAX_WAITING - 1)
        if not self._stopping:
            self._deferred.add(deferred)
            Thread(target=answer, daemon=True).start()

    def _finish(self, most: int) -> None:
        """Waits until at most so many answers are waited for; a signal to stop ends that."""
        while len(self._deferred) > most and not self._stopping:
            os.read(self._woken, _READ_BYTES)

    def _wake(self) -> None:
        """Ends a wait, now or when it begins."""
        try:
            os.write(self.wakeup, b"\0")
        except BlockingIOError:  # the pipe is full: a wait ends without this byte
            return

    def _write(self, data: bytes) -> None:
        """Raises BrokenPipeError when the client has left: it has closed its end, or it has closed stdin
        and does not read."""
        while not self._writing.acquire(timeout=_LONGEST_WAIT_S):
            pass
        try:
            if self._sink is None:
                raise BrokenPipeError
            left = memoryview(data)
            while left:
                if hasattr(select, "poll"):
                    self._await_reader(self._sink.descriptor)
                left = left[self._sink.write(left) :]
        finally:
            self._writing.release()

    def _await_reader(self, sink: int) -> None:
        """Returns when the client can take more."""
        waiting = select.poll()
        waiting.register(sink, select.POLLOUT)
        if not waiting.poll(0):
            waiting.register(self._source, getattr(select, "POLLRDHUP", 0))
            while not (ready := dict(waiting.poll(_LONGEST_WAIT_S * 1000))):
                pass
            if sink in ready:
                return
            waiting.unregister(self._source)
            if not waiting.poll(UNREAD_S * 1000):
                raise BrokenPipeError

    def stop(self, _signal: int = 0, _frame: FrameType | None = None) -> None:
        """A signal handler: the loop ends, after the answer in progress."""
        self._stopping = True
        self._wake()

    def _read(self, source: int) -> bytes:
        """What has arrived; nothing at the end of the input, and when the server is to stop."""
        if hasattr(select, "poll"):  # not on Windows, which has no such signals either
            waiting = select.poll()
            waiting.register(source, select.POLLIN)
            waiting.register(self._woken, select.POLLIN)
            while not self._stopping:
                ready = [descriptor for descriptor, _ in waiting.poll()]
                if self._woken in ready:
                    os.read(self._woken, _READ_BYTES)
                if source in ready:
                    break
        if self._stopping:
            return b""
        try:
            return os.read(source, _READ_BYTES)
        except ConnectionResetError:  # stdin may be a socket, whose other end has gone
            return b""

    def answer_line(self, line: bytes | None) -> Any:
        """The answer to one line, or `Deferred`; None where none is due. `line` is None for one that was
        too long."""
        if line is None:
            return error_answer(
                None,
                revisions.INVALID_REQUEST,
                f"The line is longer than {MAX_LINE_BYTES} bytes and was dropped",
            )
        if not line.strip():
            return None
        try:
            message = _DECODER.decode(line.decode("utf-8"))
        except UnicodeDecodeError:
            return error_answer(None, revisions.PARSE_ERROR, "Parse error: the line is not UTF-8")
        except (ValueError, RecursionError):
            return error_answer(None, revisions.PARSE_ERROR, "Parse error: the line is not JSON")
        return self._connection.answer(message)

    def _announce(self) -> None:
        if self._after_first_answer is not None:
            self._after_first_answer()
            self._after_first_answer = None


class _Sink:
    """What answers are written to: a descriptor that is written to without ever waiting for the reader,
    although whether it waits is a property that other processes share."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._takes_what_fits = hasattr(os, "pwritev") and hasattr(os, "RWF_NOWAIT")

    def write(self, data: memoryview) -> int:
        """How many bytes it has taken, of a sink that is ready to be written to. Raises BrokenPipeError."""
        if self._takes_what_fits:
            try:
                return os.pwritev(self.descriptor, [data], -1, os.RWF_NOWAIT)
            except BlockingIOError:
                return 0
            except BrokenPipeError:
                raise
            except OSError:  # an older kernel has this for files alone
                self._takes_what_fits = False
        return os.write(self.descriptor, data[:_PIECE_BYTES])


def serve_stdio(connection: Connection, after_first_answer: Callable[[StdioServer], None]) -> None:
    """Serves the process's own stdin and stdout until the client leaves.

    File descriptor 1 points to stderr meanwhile: a stray print of any library lands there, never
    between two messages.
    """
    import signal

    from kb_runtime.signals import terminations

    source, sink = os.dup(0), os.dup(1)
    _set_blocking(source, True)
    _set_blocking(sink, True)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    try:
        os.dup2(2, 1)
    except OSError:  # no stderr at all
        os.dup2(0, 1)
    sys.stdout = sys.stderr
    server = StdioServer(connection, lambda: after_first_answer(server))

    def stop(number: int, frame: FrameType | None) -> None:
        server.stop(number, frame)
        if hasattr(
            signal, "setitimer"
        ):  # a write goes on after this handler, as long as nobody reads
            signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
            signal.setitimer(signal.ITIMER_REAL, _STOP_S)

    for each in terminations():
        signal.signal(each, stop)
    if hasattr(select, "poll"):  # else nothing waits for the pipe while it reads
        signal.set_wakeup_fd(server.wakeup, warn_on_full_buffer=False)
    server.serve(source, sink)
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)


def read_lines(read: Callable[[], bytes]) -> Iterator[bytes | None]:
    """Lines without their newline; None for one above MAX_LINE_BYTES, whose rest is skipped.

    A last line without a newline counts: some clients close stdin right after their request.
    """
    pending = bytearray()
    dropping = False
    while data := read():
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            if dropping:
                dropping = False
            elif len(pending) + end - start > MAX_LINE_BYTES:
                yield None
            else:
                pending += data[start:end]
                yield bytes(pending)
            pending.clear()
            start = end + 1
        if not dropping:
            pending += data[start:]
            if len(pending) > MAX_LINE_BYTES:
                pending.clear()
                dropping = True
                yield None
    if pending:
        yield bytes(pending)


def encode(answer: Any) -> bytes:
    """The line for one answer. Lone surrogates, which UTF-8 lacks, are sent as escapes."""
    try:
        text = _json(answer)
    except (ValueError, TypeError) as error:  # NaN, or a value that is no JSON: a bug of a tool
        failures.report("an answer cannot be written as JSON", error)
        request_id = answer.get("id") if isinstance(answer, dict) else None
        text = json_text(
            error_answer(request_id, revisions.INTERNAL_ERROR, "Internal server error")
        )
    try:
        return text.encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        return _ASCII_ENCODER.encode(json.loads(text)).encode("ascii") + b"\n"


def _json(answer: Any) -> str:
    """One answer as JSON, in which the structure of a tool's answer that is written is not written again."""
    result: Any = answer.get("result") if isinstance(answer, dict) else None
    structure = result.get(_STRUCTURE) if isinstance(result, dict) else None
    if not isinstance(structure, WrittenObject):
        return json_text(answer)
    around = json_text({**answer, "result": {**result, _STRUCTURE: None}})
    # Quotes in texts are escaped: only the field itself is written so.
    return around.replace(f'"{_STRUCTURE}":null', f'"{_STRUCTURE}":{structure.json}', 1)


def _set_blocking(descriptor: int, blocking: bool) -> None:
    """Windows has this for pipes only, and from Python 3.12 on; its pipes block unless told otherwise."""
    if hasattr(os, "set_blocking"):
        try:
            os.set_blocking(descriptor, blocking)
        except OSError:
            if os.name != "nt":
                raise


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
_STRUCTURE = "structuredContent"
_ASCII_ENCODER = json.JSONEncoder(separators=(",", ":"))
