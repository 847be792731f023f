"""Real artifacts, compiled once a session, and real server processes over them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.end_to_end.npm import node
from tests.end_to_end.wheelhouse import offline, wheelhouse
from tests.once import once

from kbc.pipeline.build import BuildOptions, build

ROOT = Path(__file__).parents[2]

__all__ = ["node", "offline", "wheelhouse"]

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture(scope="session")
def own_kb_artifact(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Path:
    """The knowledge base of this repository, compiled; test processes share it."""
    assert pytestconfig.cache is not None
    cache = Path(pytestconfig.cache.mkdir("kbc"))

    def make(out: Path) -> None:
        build(ROOT / "kb", BuildOptions(out=out, cache=cache))

    return once(tmp_path_factory, "own-kb", make) / "quint"


@pytest.fixture(scope="session")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that holds the encoder's graphs and nothing else."""
    from tests.end_to_end.edits import Author

    from kbc.cache import phases
    from kbc.encoding import cache as embedding_cache

    folder = tmp_path_factory.mktemp("graphs")
    Author(folder / "kb", 0)
    build(folder / "kb", BuildOptions(out=folder / "out", cache=folder / "cache"))
    for name in (embedding_cache.FILE_NAME, phases.FILE_NAME):
        (folder / "cache" / name).unlink()
    return folder / "cache" / "graphs"


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """The environment of a server process that runs this checkout."""
    paths = [str(ROOT / "compiler"), str(ROOT / "runtime")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


@pytest.fixture
def start_server(environment: dict[str, str]) -> Iterator[Start]:
    """`start_server(artifact, *options)`: a server process with pipes; stopped after the test.

    `before` is a command that runs it; `stdout` is a descriptor that it writes to, instead of a pipe.
    """
    started: list[subprocess.Popen[bytes]] = []

    def start(
        artifact: Path,
        *options: str,
        before: tuple[str, ...] = (),
        stdout: int = subprocess.PIPE,
    ) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [
                *before,
                sys.executable,
                "-m",
                "kb_runtime",
                str(artifact),
                "--tools",
                "all",
                *options,
            ],
            stdin=subprocess.PIPE,
            stdout=stdout,
            stderr=subprocess.PIPE,
            env=environment,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None and not stream.closed:
                with suppress(BrokenPipeError):
                    stream.close()
