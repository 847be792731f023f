"""Looks for new versions between calls and opens their sections before a call needs them."""

from __future__ import annotations

import gc
from threading import Event, Thread
from typing import TYPE_CHECKING

from kb_runtime import log
from kb_runtime.errors import ArtifactError
from kb_runtime.mcp import failures

if TYPE_CHECKING:
    from kb_runtime.live.versions import LiveArtifact

POLL_S = 1.0
"""How long a new version may go unnoticed without a call; a call looks for itself."""


class Prefetcher:
    """A background thread over a `LiveArtifact`, from `start` to `stop`: it loads the version that is served,
    and from `follow` on looks for others."""

    def __init__(self, live: LiveArtifact, prepared: str = "") -> None:
        """`prepared` is the build id that `prepare` returned, if it was called already."""
        self._live = live
        self._wake = Event()
        self._follows = Event()
        self._stopped = False
        self._prepared = prepared
        self._thread = Thread(target=self._run, daemon=True)
        self.is_preparing = True
        live.on_swap(self._wake.set)

    def start(self) -> None:
        self._thread.start()

    def follow(self) -> None:
        self._follows.set()

    def stop(self) -> None:
        """Ends the thread, after what it is opening."""
        self._stopped = True
        self._follows.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        if not self._prepared:
            self._prepare_first()
        self.is_preparing = False
        self._follows.wait()
        while not self._stopped:
            try:
                self._prepare_newest()
            except Exception as error:
                failures.report("Looking for a new version failed", error)
            if not self._live.can_change:
                return
            self._wake.wait(POLL_S)
            self._wake.clear()

    def _prepare_newest(self) -> None:
        self._live.follow()
        if self._prepared != self._live.build_id:
            self.is_preparing = True
            self._prepared = prepare(self._live)
        self.is_preparing = False

    def _prepare_first(self) -> None:
        """What a process loads before its first answer is no garbage: nothing looks for some meanwhile, nor
        among it later."""
        gc.disable()
        try:
            self._prepared = prepare(self._live)
        finally:
            gc.freeze()
            gc.enable()


def prepare(live: LiveArtifact) -> str:
    """Loads the engines and every section of the live version, so that the next call finds them ready.
    Returns its build id; failures are logged."""
    build_id = live.build_id
    try:
        import kb_runtime.mcp.calls  # noqa: F401

        with live.lease() as knowledge:
            build_id = knowledge.build_id
            knowledge.prepare()
    except ArtifactError as error:
        fact = error.message.removesuffix(".")
        log.say(f"{fact}; calls that need it fail, or do without it and say so.", level="error")
    except Exception as error:
        failures.report("The engines could not be loaded ahead of the first call", error)
    return build_id
