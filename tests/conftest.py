"""What all tests share: how Hypothesis tries its examples, and two artifacts.

Property tests try the same examples each time, and no example has a limit of time: whether `make test` is
green must depend neither on chance nor on what else the machine does. `--hypothesis-profile=random` tries
others.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from tests.documents import QUINT_DOCS
from tests.once import once
from tests.small_artifact import SMALL, Entries, publish_small

from kbc.linking.linker import Published
from kbc.pipeline.build import BuildOptions, build

settings.register_profile(
    "random", deadline=None, suppress_health_check=list(HealthCheck), print_blob=True
)
settings.register_profile("fixed", settings.get_profile("random"), derandomize=True, database=None)
settings.load_profile("fixed")

# A process ignores what the one that started it ignores, as under nohup, but not what that handles.
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)


@pytest.fixture(scope="session")
def quint_artifact(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Path:
    """The documentation tree of the tests, compiled; test processes share it, and tests must not
    change it. Embeddings are kept between sessions."""
    assert pytestconfig.cache is not None
    cache = Path(pytestconfig.cache.mkdir("kbc"))

    def make(out: Path) -> None:
        build(QUINT_DOCS, BuildOptions(out=out, cache=cache))

    return once(tmp_path_factory, "quint-docs", make) / "quint"


@pytest.fixture
def publish(tmp_path: Path) -> Callable[..., Published]:
    """`publish(entries, keep=..., **manifest_fields)` into the same output folder every time."""

    def run(entries: Entries = SMALL, **options: Any) -> Published:
        return publish_small(tmp_path / "out", entries, **options)

    return run
