"""Throughput of one and of two Dask workers, what a task costs, and whether the vectors are the same bytes.

    python -m benchmarks.encoders.executors [--texts N] [TREE ...]

Starts a scheduler and workers of one thread each on loopback, and embeds the same texts with
one worker, with two, and with two of which one is killed after a quarter of the texts. The overhead of a task
is the time of tasks that do nothing, against that of a window of texts. Needs
`kb-compiler[compiler,dask]` and two quiet cores: with other processes on them, the ratio is that of the
cores that are left. What quiet cores would reach follows from the processor time of the busiest worker, and
of all processes together.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import psutil

from benchmarks.encoders import embedding
from kbc.encoding.encoder import DocumentEncoder, _windows
from kbc.encoding.graph_cache import read_graph
from kbc.encoding.model import Model, resolve_model
from kbc.encoding.quantize import Float32
from kbc.encoding.tokenizer import TokenCounter
from kbc.execution import worker
from kbc.execution.pool import WorkerPool

BAR_RATIO = 1.7
BAR_OVERHEAD = 0.02
EMPTY_TASKS = 300
WAIT_S = 120


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trees", nargs="*", type=Path)
    parser.add_argument("--texts", type=int, default=600)
    options = parser.parse_args(arguments)
    corpus = Path("../shared/corpora/quint-docs")
    model = resolve_model()
    embedding.TEXTS = options.texts
    texts = embedding.read_texts(
        options.trees or [corpus if corpus.is_dir() else Path()], TokenCounter(model)
    )
    graph = read_graph(model, "int8", None)
    payload = worker.payload(model.tokenizer_path.read_bytes(), model.max_tokens, graph)

    with DocumentEncoder(model, 1, "int8") as encoder:
        started = time.perf_counter()
        serial = encoder.encode(texts)
        alone = time.perf_counter() - started
    with ExitStack() as stack:
        scheduler = stack.enter_context(tempfile.TemporaryDirectory()) + "/scheduler.json"
        manager = start(stack, "scheduler", "--scheduler-file", scheduler, "--port", "0")
        wait_for(Path(scheduler).exists)

        def one_more() -> subprocess.Popen[bytes]:
            return start(
                *(stack, "worker", "--scheduler-file", scheduler),
                *("--nthreads", "1", "--no-nanny"),
            )

        def run(
            *workers: subprocess.Popen[bytes], at_quarter: Callable[[], object] = lambda: None
        ) -> Run:
            executor = f"dask:{scheduler}"
            return measured(model, texts, executor, payload, manager, workers, at_quarter)

        first = one_more()
        one = run(first)
        second = one_more()
        two = run(first, second)
        killed = run(first, second, at_quarter=second.kill)
    ratio = one.seconds / two.seconds
    quiet = one.busiest / max(two.busiest, two.together / 2)
    overhead = two.per_task / two.per_window
    same = all(np.array_equal(serial, each.vectors) for each in (one, two, killed))
    print(
        f"{len(texts)} texts, {one.tokens:,} tokens; load of the machine {os.getloadavg()[0]:.1f}"
    )
    print("| workers | seconds | tokens/s | processor time of the busiest worker, of all |")
    print("| --- | ---: | ---: | ---: |")
    print(f"| 1 thread, no Dask | {alone:.2f} | {one.tokens / alone:,.0f} | |")
    for label, each in (("1", one), ("2", two), ("2, one killed at a quarter", killed)):
        print(
            f"| {label} | {each.seconds:.2f} | {one.tokens / each.seconds:,.0f}"
            f" | {each.busiest:.2f} s, {each.together:.2f} s |"
        )
    print(f"two workers to one: {ratio:.2f} ({verdict(ratio >= BAR_RATIO)}, >= {BAR_RATIO})")
    print(f"on two quiet cores, by processor time: {quiet:.2f}")
    print(
        f"a task takes {two.per_task * 1000:.1f} ms of processor time in all processes besides its window"
        f" of {two.per_window * 1000:.0f} ms:"
        f" {overhead:.1%} ({verdict(overhead <= BAR_OVERHEAD)}, <= {BAR_OVERHEAD:.0%})"
    )
    print(f"vectors are the bytes of one thread's: {'yes' if same else 'NO'}")
    return 0 if same and ratio >= BAR_RATIO and overhead <= BAR_OVERHEAD else 1


class Run:
    """What some workers took: seconds of all texts, and of processor time those of the busiest worker, of
    all processes, of an empty task in all processes, of a window on its worker."""

    seconds: float
    busiest: float
    together: float
    per_task: float
    per_window: float
    tokens: int
    vectors: Float32


def measured(
    model: Model,
    texts: list[str],
    executor: str,
    payload: tuple[str, bytes],
    manager: subprocess.Popen[bytes],
    workers: Sequence[subprocess.Popen[bytes]],
    at_quarter: Callable[[], object],
) -> Run:
    run = Run()
    called: list[int] = []

    def progress(done: int, _tokens: int) -> None:
        if done >= len(texts) // 4 and not called:
            called.append(done)
            at_quarter()

    with WorkerPool(executor, 1, lambda: payload) as pool:
        remote = pool.encoder()
        client = remote.executor._client  # type: ignore[attr-defined]
        client.wait_for_workers(len(workers), timeout=WAIT_S)
        before = [processor_time(each) for each in (manager, *workers)], time.process_time()
        futures = [remote.executor.submit(int, number) for number in range(EMPTY_TASKS)]
        for future in futures:
            future.result()
        between = [processor_time(each) for each in (manager, *workers)], time.process_time()
        run.per_task = (sum(between[0]) - sum(before[0]) + between[1] - before[1]) / EMPTY_TASKS
        remote = remote._replace(width=len(workers))
        windows = encoder_windows(model, texts, len(workers))
        with DocumentEncoder(model, 1, "int8", remote=lambda: remote) as encoder:
            between = [processor_time(each) for each in (manager, *workers)], time.process_time()
            started = time.perf_counter()
            run.vectors = encoder.encode(texts, None, progress)
            run.seconds = time.perf_counter() - started
            run.tokens = encoder.counts.tokens
        spent = [
            processor_time(each) - earlier
            for each, earlier in zip((manager, *workers), between[0], strict=True)
        ]
    run.busiest = max(spent[1:])
    run.together = sum(spent) + time.process_time() - between[1]
    run.per_window = sum(spent[1:]) / len(windows)
    return run


def processor_time(process: subprocess.Popen[bytes]) -> float:
    """Seconds, user and system; 0 of one that was killed."""
    try:
        times = psutil.Process(process.pid).cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system)


def encoder_windows(model: Model, texts: Sequence[str], workers: int) -> list[list[int]]:
    """The windows that the encoder makes of `texts`."""
    token_ids = TokenCounter(model).encode_many(list(dict.fromkeys(texts)))
    return _windows(range(len(token_ids)), token_ids, workers)


def start(stack: ExitStack, role: str, *arguments: str) -> subprocess.Popen[bytes]:
    """`dask scheduler` or `dask worker` on loopback, ended with `stack`."""
    command = [sys.executable, "-m", f"distributed.cli.dask_{role}", "--host", "127.0.0.1"]
    process = subprocess.Popen(
        [*command, *arguments, "--no-dashboard", "--dashboard-address", "127.0.0.1:0"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stderr=subprocess.DEVNULL,
    )
    stack.callback(process.wait)
    stack.callback(process.kill)
    return process


def wait_for(condition: Callable[[], object]) -> None:
    end = time.monotonic() + WAIT_S
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("the cluster does not start")
        time.sleep(0.05)


def verdict(met: bool) -> str:
    return "met" if met else "missed"


if __name__ == "__main__":
    sys.exit(main())
