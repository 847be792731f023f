"""Bounds what a connection may take: descriptors, time for a request's header and body, time to read answers.

uvicorn has no limits of its own for any of these. A client that opens connections and says nothing, or half
of something, would otherwise keep them, and with them all descriptors of the process, for as long as it
likes.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from functools import partial
from typing import Any, NamedTuple, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

RESERVED_DESCRIPTORS = 128
"""What a process needs beside connections: two versions of an artifact with all their files, while one
replaces the other, and the event loop."""

_REFUSED = (
    b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 1\r\n"
    b"content-type: text/plain; charset=utf-8\r\ncontent-length: 34\r\n\r\n"
    b"Too many connections are open now."
)


class ConnectionLimits(NamedTuple):
    """Connections of one process, in total and by address, and seconds.

    Half of the connections for one address: a proxy in front is one address, and nobody else takes
    everything. A header arrives in one packet or two; a body of 4 MiB over 1 Mbit/s takes 35 s.
    """

    total: int = 1000
    by_address: int = 500
    header_s: float = 10.0
    body_s: float = 60.0
    write_s: float = 60.0


def limits_for_this_process() -> ConnectionLimits:
    """The limits with no more connections than there are descriptors for, of which the process asks for
    as many as it needs. `accept` thus never fails for want of one."""
    wanted = ConnectionLimits()
    try:
        import resource
    except ImportError:  # Windows, where sockets are no descriptors
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted.total + RESERVED_DESCRIPTORS
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        # With few descriptors connections get half.
        total = max(1, soft - RESERVED_DESCRIPTORS, min(soft // 2, RESERVED_DESCRIPTORS))
        wanted = wanted._replace(
            total=min(wanted.total, total), by_address=min(wanted.by_address, -(-total // 2))
        )
    return wanted


class Connections:
    """The open connections of a process, oldest first. Used on the event loop only."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits = limits
        self._open: dict[BoundedProtocol, str] = {}
        self._by_address: Counter[str] = Counter()

    def admit(self, connection: BoundedProtocol, address: str) -> bool:
        """Counts a connection; False where there are too many. A connection that waits for its client
        is closed for a new one, the oldest first: whoever sends a request at once gets its answer, however
        many connections others keep open."""
        if self._by_address[address] >= self.limits.by_address:
            if not self._make_room(address):
                return False
        elif len(self._open) >= self.limits.total and not self._make_room(self._busiest()):
            return False
        self._open[connection] = address
        self._by_address[address] += 1
        return True

    def forget(self, connection: BoundedProtocol) -> None:
        """Safe to call twice."""
        address = self._open.pop(connection, None)
        if address is not None:
            self._by_address[address] -= 1
            if not self._by_address[address]:
                del self._by_address[address]

    def _busiest(self) -> str:
        return self._by_address.most_common(1)[0][0]

    def _make_room(self, address: str) -> bool:
        for other, whose in self._open.items():
            if whose == address and other.is_waiting:
                self.forget(other)
                other.transport.abort()
                return True
        return False


class BoundedProtocol(H11Protocol):
    """uvicorn's protocol with the limits of a `Connections`."""

    def __init__(self, connections: Connections, **options: Any) -> None:
        super().__init__(**options)
        self._admitted = connections
        self._limits = connections.limits
        self._deadline: asyncio.TimerHandle | None = None
        self._awaited = ""  # "header", "body", or nothing while an answer is made
        self._unread: asyncio.TimerHandle | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether nothing is done for this connection until its client sends more."""
        if self.flow.write_paused:  # an answer is under way, though the application is done with it
            return False
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if not self._admitted.admit(self, self.client[0] if self.client else ""):
            transport.write(_REFUSED)
            transport.close()
            return
        self._follow()

    def connection_lost(self, exc: Exception | None) -> None:
        self._admitted.forget(self)
        super().connection_lost(exc)
        self._relax()
        if self._unread is not None:
            self._unread.cancel()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        self._follow()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._follow()

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(self._limits.write_s, self.transport.abort)
            self._follow()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None
        if not self.transport.is_closing():
            self._follow()

    def _follow(self) -> None:
        """Sets the deadline of what the client has to send next. More bytes of the same thing do not
        move it."""
        awaited = ""
        if self.is_waiting:
            begun = self.cycle is not None and not self.cycle.response_complete
            awaited = "body" if begun else "header"
        if awaited == self._awaited:
            return
        self._relax()
        self._awaited = awaited
        if awaited:
            seconds = self._limits.body_s if awaited == "body" else self._limits.header_s
            self._deadline = self.loop.call_later(seconds, self.transport.abort)

    def _relax(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def bounded(limits: ConnectionLimits) -> type[asyncio.Protocol]:
    """What `uvicorn.Config` takes as `http`: it calls it for each connection."""
    return cast("type[asyncio.Protocol]", partial(BoundedProtocol, Connections(limits)))
