"""What a worker does: it proves that its results are the bytes of a serial build, and runs the tasks.

A payload is sent once to every worker: the encoder's graph, its tokenizer and the facts that must be the
same there. Tasks name the payload by its SHA-256.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError
from typing import Any, NamedTuple, TypeVar

from kb_runtime.search.analysis import Analyzer
from kbc import chunking
from kbc.backends.lexical import FieldTerms, RecordChunks, analyse
from kbc.cache import toolchain
from kbc.chunking.budget import TokenBudget
from kbc.encoding.encoder import embed_window, open_session
from kbc.encoding.graph_cache import Graph
from kbc.encoding.processor import processor
from kbc.encoding.quantize import Float32
from kbc.encoding.tokenizer import TokenCounter, TokenIds
from kbc.languages.containment import contained
from kbc.records import CompiledChunk, CompiledRecord

_CPU = "CPU"
_PROBES = ("leader election", "def next(self):\n    return self._queue.popleft()\n" * 8)

Item = TypeVar("Item")
Result = TypeVar("Result")


class _Loaded(NamedTuple):
    budget: TokenBudget
    session: Any


_loaded: dict[str, _Loaded] = {}


def facts() -> dict[str, str]:
    """Whatever decides the bytes of a result besides its input: versions by name, the kind of CPU."""
    return {
        "Python": toolchain.PYTHON,
        **toolchain.library_versions(),
        "kbc's source": toolchain.source_hash()[:12],
        _CPU: processor(),
    }


def payload(
    tokenizer: bytes, max_tokens: int, graph: Graph | None, prompt: str = ""
) -> tuple[str, bytes]:
    """What workers need, as bytes, and their SHA-256. `prompt` stands before every chunk; `graph` is None
    for a build without vectors."""
    files, probes = None, ""
    if graph is not None:
        files = tuple(graph)
        probes = _probes(TokenCounter(tokenizer, prompt), max_tokens, open_session(graph))
    # Plain values: another version of kbc must be able to read the facts.
    data = pickle.dumps((facts(), tokenizer, max_tokens, files, probes, prompt))
    return hashlib.sha256(data).hexdigest(), data


def admit(name: str, data: bytes) -> str:
    """Loads a payload into this process if its results will be the same bytes; why not, or ""."""
    if name in _loaded:
        return ""
    if hashlib.sha256(data).hexdigest() != name:
        return "what it received is not what was sent"
    theirs, *rest = pickle.loads(data)
    try:
        ours = facts()
    except PackageNotFoundError as error:
        return f"{error.name} is not installed there"
    if difference := _difference(theirs, ours):
        return difference
    tokenizer, max_tokens, graph, probes, prompt = rest
    counter, session = TokenCounter(tokenizer, prompt), None
    if graph is not None:
        session = open_session(Graph(*graph))
        if _probes(counter, max_tokens, session) != probes:
            return "its vectors of two test texts differ"
    _loaded[name] = _Loaded(TokenBudget.of(counter, max_tokens), session)
    return ""


def forget(name: str) -> None:
    """Frees what `admit` loaded."""
    _loaded.pop(name, None)


def embed(name: str, token_ids: Sequence[TokenIds]) -> Float32:
    """The task of a window of texts: vectors float32 [n, d]."""
    return embed_window(_loaded[name].session, token_ids)


def chunk(name: str, records: Sequence[CompiledRecord]) -> list[list[CompiledChunk] | None]:
    """The task of a window of records: the chunks of each, None where it fails."""
    with contained():
        return _each(partial(chunking.chunk, budget=_loaded[name].budget), records)


def terms(_name: str, records: Sequence[RecordChunks]) -> list[list[list[FieldTerms]] | None]:
    """The task of a window of records with chunks: the terms of each, None where it fails."""
    return _each(partial(analyse, analyzer=Analyzer()), records)


def _each(task: Callable[[Item], Result], items: Sequence[Item]) -> list[Result | None]:
    def result(item: Item) -> Result | None:
        try:
            return task(item)
        except Exception:  # the build does it again itself, and says which file it is
            return None

    return list(map(result, items))


def _difference(theirs: dict[str, str], ours: dict[str, str]) -> str:
    """What a worker with the facts `ours` has that the build with `theirs` has not."""
    for fact, expected in theirs.items():
        found = ours.get(fact, "unknown")
        if found == expected:
            continue
        if fact == _CPU:
            unlike = sorted({*expected.split()} ^ {*found.split()})
            return f"its CPU computes differently ({', '.join(unlike)})"
        return f"{fact} is {found} there and {expected} here"
    return ""


def _probes(counter: TokenCounter, max_tokens: int, session: Any) -> str:
    """The SHA-256 of the vectors of `_PROBES`, which are cut to what the model takes."""
    token_ids = [ids[:max_tokens] for ids in counter.encode_many(_PROBES)]
    vectors = embed_window(session, token_ids)
    return hashlib.sha256(vectors.tobytes()).hexdigest()
