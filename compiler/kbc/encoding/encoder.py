"""The document encoder: texts in, normalised vectors out.

Texts are tasks on an executor, by default threads that share one ONNX Runtime session with one thread
inside. Each text goes through it alone: on a CPU that is faster than padded batches, and a vector
depends on its own text only.
"""

from __future__ import annotations

import hashlib
import queue
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kb_runtime.search.onnx_engine import onnxruntime, session_options
from kb_runtime.text.tables import some_of
from kbc.cache.toolchain import library_versions
from kbc.encoding.cache import EmbeddingCache, text_key
from kbc.encoding.errors import EncodingError
from kbc.encoding.graph_cache import WEIGHTS, Graph, read_graph
from kbc.encoding.model import Model
from kbc.encoding.processor import processor
from kbc.encoding.quantize import Float32
from kbc.encoding.tokenizer import TokenCounter, TokenIds
from kbc.encoding.variants import REVISIONS, Variant

# Called with the number of texts done (cached ones included) and of tokens embedded so far.
Progress = Callable[[int, int], None]

_STORE_EVERY = 256  # vectors; what a killed build loses of its work
_LOOKED_UP = 4096  # vectors that are read from the cache at a time
_SHOWN_KEYS = 5
# Half a second of a core: a task takes Dask 4 ms (`python -m benchmarks.encoders.executors`).
_WINDOW_TOKENS = 6000
_WINDOWS_PER_WORKER = 8  # at least, so that all are busy to the end
_MOST_SUBMITTED = 1000  # windows, some 25 MB of token ids


class RemoteEncoder(NamedTuple):
    """An executor of other processes: `embed` is what they run, which `width` of them do at once."""

    executor: Executor
    embed: Callable[[list[TokenIds]], Float32]
    width: int


@dataclass(slots=True)
class EncodingCounts:
    """What the calls of `encode` so far took: texts from the cache, texts embedded, their tokens."""

    cached: int = 0
    embedded: int = 0
    tokens: int = 0


class Sessions:
    """Sessions that are open, by graph: a process that builds again loads each graph once."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, Variant], Any] = {}

    def get(self, model: Model, variant: Variant, graphs: Path | None) -> Any:
        """The session of a graph; `graphs` is the compiler's cache folder."""
        name = (model.graph_identity, variant)
        if name not in self._open:
            self._open[name] = open_session(read_graph(model, variant, graphs))
        return self._open[name]

    def close(self) -> None:
        self._open.clear()


class DocumentEncoder:
    """Embeds texts with `model`; `jobs` threads. A context manager: leaving it closes its session.

    The graph is written and loaded when the first text is missing from the cache, so that a build
    whose vectors are all cached pays nothing for it.
    """

    def __init__(
        self,
        model: Model,
        jobs: int = 2,
        variant: Variant = "fp32",
        cache: EmbeddingCache | None = None,
        graphs: Path | None = None,
        tokenizer: TokenCounter | None = None,
        sessions: Sessions | None = None,
        remote: Callable[[], RemoteEncoder] | None = None,
    ) -> None:
        """`graphs` is the compiler's cache folder, where the graph is kept between builds. `tokenizer`
        is the model's, for who has it loaded already; `sessions` stay open, whoever owns them.
        `remote` opens the workers that embed in place of threads of this process."""
        if jobs < 1:
            raise ValueError(f"jobs is {jobs}; it must be at least 1")
        self.model = model
        self.variant = variant
        self.tokenizer = tokenizer or TokenCounter(model)
        self.counts = EncodingCounts()
        self._jobs = jobs
        self._cache = cache
        self._graphs = graphs
        self._own_sessions = Sessions()
        self._sessions = sessions or self._own_sessions
        self._remote = remote
        self._ready: dict[bytes, Float32] = {}
        self._ready_tokens = 0
        self._cached: set[bytes] = set()  # those of `_ready` that the cache had

    @property
    def identity(self) -> str:
        """What a vector depends on besides its text: model, graph, libraries, and the arithmetic of this CPU.

        The processor is part of it because instruction sets differ in the last bits, and a cache
        that moved to another machine would make a build that cannot be reproduced there.
        """
        parts = (
            self.model.graph_identity,
            self.model.tokenizer_sha256,
            self.model.prompts.document,
            self.variant,
            str(REVISIONS[self.variant]),
            str(onnxruntime().__version__),
            library_versions()["tokenizers"],
            processor(),
        )
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def encode(
        self,
        texts: Sequence[str],
        keys: Sequence[str] | None = None,
        progress: Progress | None = None,
    ) -> Float32:
        """Vectors float32 [n, d] of length 1; row i depends on `texts[i]` alone.

        Raises `EncodingError` for texts of more than `model.max_tokens` tokens: nothing is cut.
        `keys` name the texts in that message.
        """
        vectors = np.empty((len(texts), self.model.dimensions), np.float32)
        rows_by_key: dict[bytes, list[int]] = {}
        for row, text in enumerate(texts):
            rows_by_key.setdefault(text_key(text), []).append(row)
        encoder = self.identity
        ready = self._take_ready(rows_by_key, vectors)
        absent = [key for key in rows_by_key if key not in self._ready]
        missing = self._fill_from_cache(encoder, absent, rows_by_key, vectors)
        done = len(texts) - sum(len(rows_by_key[key]) for key in missing)
        self.counts.cached += done - ready
        tokens = self._ready_tokens
        if progress is not None and done:
            progress(done, tokens)
        rows = {key: rows_by_key[key][0] for key in missing}
        with closing(self._computed(encoder, texts, rows, keys)) as embedded:
            for key, vector, count in embedded:
                vectors[rows_by_key[key]] = vector
                done += len(rows_by_key[key])
                tokens += count
                if progress is not None:
                    progress(done, tokens)
        if self._cache is not None:
            self._cache.keep_in_memory(
                encoder, {key: vectors[same[0]] for key, same in rows_by_key.items()}
            )
        return vectors

    def embed_ahead(
        self,
        texts: Sequence[str],
        keys: Sequence[str] | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Embeds texts which `encode` will be asked for with others, and keeps their vectors until then.
        `progress` is told of all of them. Raises as `encode` does."""
        rows: dict[bytes, int] = {}
        for row, text in enumerate(texts):
            if (key := text_key(text)) not in self._ready:
                rows.setdefault(key, row)
        encoder = self.identity
        found = self._cache.get_many(encoder, rows) if self._cache is not None else {}
        self._ready |= found
        self._cached |= found.keys()
        missing = {key: row for key, row in rows.items() if key not in found}
        with closing(self._computed(encoder, texts, missing, keys)) as embedded:
            for key, vector, count in embedded:
                self._ready[key] = vector
                self._ready_tokens += count
                if progress is not None:
                    progress(len(self._ready), self._ready_tokens)

    def _take_ready(self, rows_by_key: Mapping[bytes, Sequence[int]], vectors: Float32) -> int:
        """Fills the rows of `vectors` that were embedded ahead; how many of them the cache did not have."""
        computed = 0
        for key, rows in rows_by_key.items():
            if key in self._ready:
                vectors[rows] = self._ready[key]
                computed += 0 if key in self._cached else len(rows)
        return computed

    def _computed(
        self,
        encoder: str,
        texts: Sequence[str],
        rows: Mapping[bytes, int],
        keys: Sequence[str] | None,
    ) -> Generator[tuple[bytes, Float32, int], None, None]:
        """Embeds the texts at `rows`: the key, the vector and the number of tokens of each as it is done.
        Closing it stops the threads, and keeps in the cache what was done."""
        wanted = list(rows)
        token_ids: list[TokenIds] = []
        if wanted:
            token_ids = self.tokenizer.encode_many([texts[row] for row in rows.values()])
        self._require_short(token_ids, list(rows.values()), keys)
        unsaved: dict[bytes, Float32] = {}
        embedded = self._embed(token_ids)
        try:
            for index, vector in embedded:
                key, count = wanted[index], len(token_ids[index])
                unsaved[key] = vector
                if len(unsaved) >= _STORE_EVERY:
                    self._store(encoder, unsaved)
                self.counts.embedded += 1
                self.counts.tokens += count
                yield key, vector, count
        finally:
            embedded.close()
            self._store(encoder, unsaved)

    def _fill_from_cache(
        self,
        encoder: str,
        keys: list[bytes],
        rows_by_key: Mapping[bytes, Sequence[int]],
        vectors: Float32,
    ) -> list[bytes]:
        """Fills the rows of `vectors` that the cache has of `keys`, a window at a time; the other keys."""
        if self._cache is None:
            return keys
        missing: list[bytes] = []
        for start in range(0, len(keys), _LOOKED_UP):
            window = keys[start : start + _LOOKED_UP]
            found = self._cache.get_many(encoder, window)
            for key, vector in found.items():
                vectors[rows_by_key[key]] = vector
            missing += [key for key in window if key not in found]
        return missing

    def close(self) -> None:
        self._own_sessions.close()

    def __enter__(self) -> DocumentEncoder:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def _store(self, encoder: str, unsaved: dict[bytes, Float32]) -> None:
        if self._cache is not None:
            self._cache.put_many(encoder, unsaved)
        unsaved.clear()

    def _require_short(
        self, token_ids: Sequence[TokenIds], rows: Sequence[int], keys: Sequence[str] | None
    ) -> None:
        limit = self.model.max_tokens
        found = [
            (keys[row] if keys is not None else f"text {row}", len(ids))
            for ids, row in zip(token_ids, rows, strict=True)
            if len(ids) > limit
        ]
        if found:
            shown = some_of([f"{key} ({count})" for key, count in found], _SHOWN_KEYS)
            raise EncodingError(
                "text-too-long",
                f"texts with more than {limit} tokens cannot be encoded: {shown}",
                tuple(key for key, _count in found),
            )

    def _embed(self, token_ids: Sequence[TokenIds]) -> Generator[tuple[int, Float32], None, None]:
        """Yields (index, vector) as windows of texts are finished, longest text first.

        With the longest first the workers end together. Leaving the loop early cancels what waits.
        """
        if not token_ids:
            return
        order = sorted(range(len(token_ids)), key=lambda index: (-len(token_ids[index]), index))
        if self._remote is not None:
            remote = self._remote()
            windows = _windows(order, token_ids, remote.width)
            yield from _finished(remote.executor, remote.embed, windows, token_ids)
            return
        session = self._sessions.get(self.model, self.variant, self._graphs)
        workers = min(self._jobs, len(token_ids))
        with ThreadPoolExecutor(workers, thread_name_prefix="encoder") as threads:
            alone = [[index] for index in order]
            yield from _finished(threads, partial(embed_window, session), alone, token_ids)


def embed_window(session: Any, token_ids: Sequence[TokenIds]) -> Float32:
    """Vectors float32 [n, d] of n texts, each alone, as arrays of its token ids."""
    return np.stack(
        [session.run(None, {"input_ids": ids.astype(np.int64)[None]})[0][0] for ids in token_ids]
    )


def _windows(order: Sequence[int], token_ids: Sequence[TokenIds], width: int) -> list[list[int]]:
    """`order` cut into tasks: small enough that `width` workers end together, and no larger than
    `_WINDOW_TOKENS`."""
    total = sum(map(len, token_ids))
    limit = min(_WINDOW_TOKENS, total // (width * _WINDOWS_PER_WORKER))
    windows: list[list[int]] = []
    room = 0
    for index in order:
        if room <= 0:
            windows.append([])
            room = limit
        windows[-1].append(index)
        room -= len(token_ids[index])
    return windows


def _finished(
    executor: Executor,
    embed: Callable[[list[TokenIds]], Float32],
    windows: Sequence[Sequence[int]],
    token_ids: Sequence[TokenIds],
) -> Generator[tuple[int, Float32], None, None]:
    """Embeds windows on `executor`; (index, vector) of each text as its window is finished."""
    waiting = iter(windows)
    rows: dict[Future[Float32], Sequence[int]] = {}
    finished: queue.SimpleQueue[Future[Float32]] = queue.SimpleQueue()

    def submit(most: int) -> None:
        for window in islice(waiting, most):
            future = executor.submit(embed, [token_ids[index] for index in window])
            rows[future] = window
            future.add_done_callback(finished.put)

    try:
        submit(_MOST_SUBMITTED)
        while rows:
            future = finished.get()
            vectors = future.result()
            submit(1)
            yield from zip(rows.pop(future), vectors, strict=True)
    finally:
        for future in rows:
            future.cancel()


def open_session(graph: Graph) -> Any:
    """An ONNX Runtime session that many threads may call; it keeps a copy of the weights."""
    options = session_options()
    options.add_external_initializers_from_files_in_memory(
        [WEIGHTS], [graph.weights], [len(graph.weights)]
    )
    return onnxruntime().InferenceSession(graph.onnx, options, providers=["CPUExecutionProvider"])
