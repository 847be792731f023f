from __future__ import annotations

import os
import signal
from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest
from tests.tiny_models import word_piece

from kb_runtime.errors import UsageError, exit_codes
from kbc.execution.errors import ClusterError
from kbc.execution.pool import WorkerPool
from kbc.execution.worker import payload


def nothing() -> tuple[str, bytes]:
    return "none", b""


@pytest.mark.parametrize("name", ["", "thread", "ray", "dask:", "tcp://127.0.0.1:8786"])
def test_an_executor_that_does_not_exist_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="is not an executor; use threads, processes or dask:"):
        WorkerPool(name, 1, nothing)


def test_threads_send_nothing_anywhere() -> None:
    assert not WorkerPool("threads", 1, nothing).is_remote


@pytest.mark.parametrize(
    ("raised", "code"),
    [(CancelledError(), "scheduler-lost"), (BrokenProcessPool(), "workers-lost")],
)
def test_the_loss_of_workers_is_one_sentence(raised: Exception, code: str) -> None:
    pool = WorkerPool("dask:tcp://127.0.0.1:8786", 1, nothing)
    with pytest.raises(ClusterError) as caught, pool.explained():
        raise raised
    assert caught.value.code == code
    assert caught.value.exit_code == exit_codes.CLUSTER
    assert "in the cache" in caught.value.hint


def holds_back_interrupts() -> bool:
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def tokenizer_only() -> tuple[str, bytes]:
    return payload(word_piece().to_str().encode(), 64, None)


@pytest.mark.skipif(os.name == "nt", reason="signal masks")
def test_ctrl_c_is_for_the_build_and_not_for_its_processes() -> None:
    with WorkerPool("processes", 2, tokenizer_only) as pool:
        executor = pool.encoder().executor
        assert all(executor.submit(holds_back_interrupts).result() for _ in range(4))
    assert not holds_back_interrupts()


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL")
def test_the_death_of_one_process_is_said_as_such() -> None:
    with (
        WorkerPool("processes", 1, tokenizer_only) as pool,
        pytest.raises(ClusterError, match="a process of --executor processes died") as caught,
        pool.explained(),
    ):
        pool.encoder().executor.submit(os._exit, 1).result()
    assert caught.value.code == "workers-lost"


def test_no_scheduler_at_an_address_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("kbc.execution.cluster.CONNECT_S", 0.5)
    with (
        WorkerPool("dask:tcp://127.0.0.1:9", 1, nothing) as pool,
        pytest.raises(
            ClusterError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"
        ) as caught,
    ):
        pool.encoder()
    assert caught.value.code == "scheduler-unreachable"


@pytest.mark.parametrize("name", ["scheduler.json", "127.0.0.1:8786"])
def test_a_scheduler_file_that_never_comes_is_one_sentence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("kbc.execution.cluster.CONNECT_S", 0.2)
    with (
        WorkerPool(f"dask:{name}", 1, nothing) as pool,
        pytest.raises(ClusterError, match=f"there is no scheduler file '{name}'") as caught,
    ):
        pool.encoder()
    assert caught.value.code == "scheduler-unreachable"
    assert "begins with tcp://" in caught.value.hint
