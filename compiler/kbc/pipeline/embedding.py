"""Embeds chunks in a thread of its own, while the build makes more of them and writes its other sections."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

from kbc.encoding import encoder
from kbc.encoding.encoder import EncodingCounts
from kbc.encoding.quantize import Float32
from kbc.records import CompiledChunk

Advance = encoder.Progress
Window = Sequence[CompiledChunk]

WINDOW_CHUNKS = 256
"""What is embedded together: enough that all threads are busy, few enough that they begin early."""


class Embedded(NamedTuple):
    """The vectors, float32 [chunks, d]; what was computed and what the cache had; notes of the cache."""

    vectors: Float32
    counts: EncodingCounts
    notes: tuple[str, ...]


class Embedding:
    """The vectors of chunks that come one after the other.

    A context manager: leaving it too early stops the thread, after the texts that it is at. What is embedded
    by then is in the cache.
    """

    def __init__(self, embed: Callable[[Iterable[Window], Advance], Embedded]) -> None:
        """`embed` gets the chunks in windows as they are there, and tells how many texts it has embedded, and
        their tokens."""
        self.texts = 0
        self._next: list[CompiledChunk] = []
        self._windows: queue.SimpleQueue[Window | None] = queue.SimpleQueue()
        self._stopped = False
        self._done = (0, 0)
        self._listener: Advance | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="embedding")
        self._embedded = self._thread.submit(embed, self._each_window(), self._advance)
        self._written: Future[None] | None = None

    def add(self, chunks: Window) -> None:
        """The next chunks."""
        self._next += chunks
        self.texts += len(chunks) + sum(1 for each in chunks if each.embedded_summary)
        if len(self._next) >= WINDOW_CHUNKS:
            self._submit()

    def end(self) -> None:
        """There are no more chunks."""
        self._submit()
        self._windows.put(None)

    def then(self, write: Callable[[Float32], None]) -> None:
        """Has the thread call `write` with all vectors once they are there."""
        self._written = self._thread.submit(lambda: write(self._embedded.result().vectors))

    def result(self, listener: Advance) -> Embedded:
        """Waits for the vectors, and tells the listener how many there are, and the tokens that were embedded
        since it waits. Raises what `embed` raised."""
        before, tokens_before = self._done
        if before:
            listener(before, 0)
        self._listener = lambda done, tokens: listener(done, tokens - tokens_before)
        return self._embedded.result()

    def wait_until_written(self) -> None:
        """Raises what `write` raised."""
        if self._written is not None:
            self._written.result()

    def __enter__(self) -> Embedding:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._stopped = True
        self._windows.put(None)
        self._thread.shutdown(cancel_futures=True)

    def _submit(self) -> None:
        self._windows.put(self._next)
        self._next = []

    def _each_window(self) -> Iterator[Window]:
        while (window := self._windows.get()) is not None:
            yield window
        if self._stopped:
            raise _StoppedError

    def _advance(self, done: int, tokens: int) -> None:
        if self._stopped:
            raise _StoppedError
        self._done = (done, tokens)
        if self._listener is not None:
            self._listener(done, tokens)


class _StoppedError(Exception):
    """Nobody wants the vectors any more."""
