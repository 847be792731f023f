from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from kbc.execution.cluster import dask_workers
from kbc.execution.errors import ClusterError

distributed = pytest.importorskip("distributed")
WORKER = "tcp://127.0.0.1:1"


class Scheduler:
    """A client of Dask, with what its workers answer when they are asked, time after time."""

    def __init__(self, answers: Sequence[Mapping[str, str]]) -> None:
        self._answers = list(answers)

    def __call__(self, **_: Any) -> Scheduler:
        return self

    def wait_for_workers(self, _: int, timeout: float) -> None:
        if not self._answers:
            raise TimeoutError(timeout)

    def run(self, *_: Any, **__: Any) -> Mapping[str, str]:
        return self._answers.pop(0)

    def nthreads(self) -> Mapping[str, int]:
        return {WORKER: 3}

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: name


def width(monkeypatch: pytest.MonkeyPatch, *answers: Mapping[str, str]) -> int:
    monkeypatch.setattr(distributed, "Client", Scheduler(answers))
    with dask_workers("tcp://127.0.0.1:9", "name", b"", []) as (_, found):
        return found


def test_a_worker_that_is_lost_before_it_has_answered_makes_room_for_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert width(monkeypatch, {}, {WORKER: ""}) == 3


def test_without_another_the_sentence_is_that_there_is_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(ClusterError, match=r"at tcp://127\.0\.0\.1:9 has no worker") as caught:
        width(monkeypatch, {})
    assert caught.value.code == "no-workers"
