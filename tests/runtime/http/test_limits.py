"""Rate limits: a bucket for each client, filled at the rate of the limit."""

from __future__ import annotations

import pytest

from kb_runtime.errors import UsageError
from kb_runtime.http import limits
from kb_runtime.http.limits import RateLimiter
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
