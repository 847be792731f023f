"""Limits: a bucket of requests for each client, bytes of bodies in flight, calls that take long."""

from __future__ import annotations

import threading
from collections.abc import Callable

import anyio
import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from kb_runtime.errors import ProtocolError, UsageError
from kb_runtime.http import limits
from kb_runtime.http.limits import LimitedBodies, LongCalls, RateLimiter
from kb_runtime.options.http import RateLimit
from kb_runtime.options.serve import parse


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_client_may_send_its_limit_at_once_and_then_at_its_rate() -> None:
    clock = Clock()
    limiter = RateLimiter(RateLimit(3, 60), clock)
    assert [limiter.wait("a") for _ in range(5)] == [0, 0, 0, 20, 20]
    assert limiter.wait("b") == 0
    clock.now += 19
    assert limiter.wait("a") == pytest.approx(1)
    clock.now += 1
    assert limiter.wait("a") == 0
    clock.now += 3600  # a long pause saves up no more than the limit
    assert [limiter.wait("a") for _ in range(4)] == [0, 0, 0, 20]


def test_the_number_of_remembered_clients_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_CLIENTS", 3)
    limiter = RateLimiter(RateLimit(1, 60), Clock())
    assert [limiter.wait(name) for name in "abcd"] == [0, 0, 0, 0]
    assert limiter.wait("d") == 60
    assert limiter.wait("a") == 0  # the longest unseen one was forgotten


def test_bodies_in_flight_have_a_sum_and_room_comes_back() -> None:
    sent: list[list[Message]] = []
    go_on = anyio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive()).get("more_body"):
            pass
        if scope["path"] == "/slow":
            await go_on.wait()
        await Response("read")(scope, receive, send)

    limited = LimitedBodies(app, 100)

    async def ask(path: str, *sizes: int) -> None:
        pieces = [
            {"type": "http.request", "body": bytes(size), "more_body": number < len(sizes)}
            for number, size in enumerate(sizes, 1)
        ]
        answers: list[Message] = []
        sent.append(answers)

        async def receive() -> Message:
            return pieces.pop(0)

        async def send(message: Message) -> None:
            answers.append(message)

        await limited(
            {"type": "http", "path": path, "method": "POST", "headers": []}, receive, send
        )

    async def run() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask, "/slow", 40, 40)
            await anyio.sleep(0)
            await ask("/", 20)
            await ask("/", 20, 1)
            go_on.set()
        await ask("/", 50, 50)
        await ask("/", 101)

    anyio.run(run)
    assert [answers[0]["status"] for answers in sent] == [200, 200, 503, 200, 503]
    assert (b"retry-after", b"1") in sent[2][0]["headers"]


@pytest.mark.parametrize(("size", "statuses"), [(90, [200, 200]), (91, [413, 200])])
def test_a_stream_that_has_begun_takes_no_room_and_may_have_a_small_body_only(
    monkeypatch: pytest.MonkeyPatch, size: int, statuses: list[int]
) -> None:
    monkeypatch.setattr(limits, "MOST_OF_STREAM", 90)
    told: list[int] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        kind = "text/event-stream" if scope["path"] == "/stream" else "text/plain"
        headers = [(b"content-type", kind.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        if scope["path"] == "/stream":
            await anyio.sleep_forever()

    limited = LimitedBodies(app, 100)

    async def ask(path: str, size: int) -> None:
        async def receive() -> Message:
            return {"type": "http.request", "body": bytes(size)}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                told.append(message["status"])

        await limited({"type": "http", "path": path}, receive, send)

    async def run() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask, "/stream", size)
            await anyio.wait_all_tasks_blocked()
            await ask("/", 90)
            tasks.cancel_scope.cancel()

    anyio.run(run)
    assert told == statuses


def test_a_client_that_leaves_in_the_middle_of_its_body_is_no_defect() -> None:
    pieces = [{"type": "http.request", "body": b"{", "more_body": True}]
    answers: list[Message] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await Request(scope, receive).body()

    async def receive() -> Message:
        return pieces.pop(0) if pieces else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        answers.append(message)

    anyio.run(LimitedBodies(app, 100), {"type": "http"}, receive, send)
    assert not answers


@pytest.mark.parametrize(
    ("value", "limit"), [("5/s", (5, 1)), ("60/min", (60, 60)), ("1000/h", (1000, 3600))]
)
def test_rates_as_they_are_written(value: str, limit: tuple[int, int]) -> None:
    http = parse(["artifact", "--http", "--rate-limit", value]).http
    assert http is not None
    assert http.rate_limit == limit


@pytest.mark.parametrize("value", ["", "60", "0/s", "60/minute", "-1/s", "1.5/s", "5/"])
def test_other_rates_are_refused(value: str) -> None:
    with pytest.raises(UsageError, match="--rate-limit must be like 5/s"):
        parse(["artifact", "--http", f"--rate-limit={value}"])


def test_calls_that_take_long_take_turns_and_few_of_them_wait() -> None:
    calls = LongCalls(most_waiting=1)
    begun, go = threading.Event(), threading.Event()

    def first() -> int:
        begun.set()
        return int(go.wait(60))

    async def ask() -> list[int]:
        found: list[int] = []

        async def run(call: Callable[[], int]) -> None:
            found.append(await calls.run(call))

        async with anyio.create_task_group() as group:
            group.start_soon(run, first)
            await anyio.to_thread.run_sync(begun.wait, 60)
            group.start_soon(run, lambda: 2)
            await anyio.wait_all_tasks_blocked()
            with pytest.raises(ProtocolError, match="1 such calls wait already"):
                await calls.run(lambda: 3)
            go.set()
        return found

    assert anyio.run(ask) == [1, 2]
