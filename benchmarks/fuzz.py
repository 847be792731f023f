"""Structure-aware fuzzing: does any input end in a signal, an internal error, a hang or a swollen process?

    python -m benchmarks.fuzz [KIND ...] [--minutes 10] [--examples N] [--seed 0]

Hypothesis makes inputs of each kind that are nearly right: Markdown of nested blocks, HTML of nested
elements, TOML of nested tables, notebooks with fields of other types, archives with hostile names, JSON-RPC
requests with params of every shape, and artifacts with one section or the manifest altered and sealed
again. A worker compiles a file up to its chunks, answers a request, or verifies and serves an artifact.
What lies in `tests/corpus/KIND` is tried first; an input that fails is kept there.

    defect   an internal error, an error without the file's name, a lie of `verify`     must be 0
    hang     more than 5 s of CPU                                                       must be 0
    large    the worker has used more than 1 GB                                         must be 0
    crash    the worker died                                                            must be 0

Inputs of the same seed are the same. Exit code 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import json
import os
import random
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from benchmarks.lined_worker import LinedWorker, peak_bytes
from benchmarks.resealed import MOST_CPU_S, MOST_MEMORY, WALL_S

CORPUS = Path(__file__).parents[1] / "tests" / "corpus"
FINE = "fine"
_ROUND = 50  # examples of a kind, before it is another one's turn
_WORDS = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
_MANY = st.integers(1, 12) | st.sampled_from((50, 400, 3000))


def _repeated(text: str) -> st.SearchStrategy[str]:
    return _MANY.map(lambda many: text * many)


_INLINE = st.one_of(
    _WORDS,
    st.sampled_from(("`a`", "[x](y.md)", "![i](j.png)", "<b>", "</b>", "[^1]", "&amp;", "a\u0301")),
    st.sampled_from(
        ("*", "_", "[", "](", "`", "<", "\\", "~~", "|", "{{", ":::", "\u0301")
    ).flatmap(_repeated),
)
_LINE = st.lists(_INLINE, max_size=5).map("".join)
_BLOCK = st.one_of(
    st.tuples(st.integers(1, 7), _LINE).map(lambda each: "#" * each[0] + " " + each[1]),
    st.tuples(_LINE, st.sampled_from("=-"), _MANY).map(
        lambda each: f"{each[0]}\n{each[1] * each[2]}"
    ),
    st.tuples(_LINE, st.sampled_from(("```", "~~~~", "```py", ":::tip"))).map("\n".join),
    st.lists(_LINE, max_size=4).map(lambda cells: "|" + "|".join(cells) + "|\n|-|-|\n|a|b|"),
    st.tuples(st.sampled_from(("> ", "- ", "1. ", "    ", "\t")).flatmap(_repeated), _LINE).map(
        "".join
    ),
    st.sampled_from(("---\ntitle: [a\n---", "[r]: /x", "<details>", "<!--", "{% include x %}")),
    _LINE,
)
MARKDOWN = st.lists(_BLOCK, max_size=12).map(lambda blocks: "\n\n".join(blocks).encode())

_TAGS = st.sampled_from(
    (
        "div",
        "p",
        "b",
        "table",
        "tr",
        "td",
        "ul",
        "li",
        "pre",
        "code",
        "h1",
        "a",
        "dl",
        "dt",
        "svg",
        "x-y",
    )
)
_ATTRIBUTES = st.sampled_from(
    ("", ' class="highlight"', " hidden", ' href="//["', ' id="a" id="b"', ' ="')
)


def _element(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(_TAGS, _ATTRIBUTES, st.lists(inner, max_size=4), st.booleans(), _MANY).map(
        lambda each: (
            f"<{each[0]}{each[1]}>" * (each[4] if each[3] else 1)
            + "".join(each[2])
            + f"</{each[0]}>" * (each[4] if each[3] else 1)
        )
    )


HTML = st.recursive(_WORDS, _element, max_leaves=20).map(
    lambda body: f"<html><head><title>t</title></head><body><main>{body}</main></body>".encode()
)

_KEYS = st.sampled_from(
    ("kb", "name", "collection", "kind", "paths", "search", "boosts", "tools", "a")
)
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats()
    | _WORDS
    | st.sampled_from(("docs", "code", "../..", "/", "**", "")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS | _WORDS, inner, max_size=4),
    max_leaves=15,
)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f"{json.dumps(key)} = {_toml(one)}" for key, one in value.items()) + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return "nil" if value is None else json.dumps(value)


TOML = st.tuples(
    st.dictionaries(_KEYS, _VALUES, max_size=5), st.sampled_from(("", "[", "a.")).flatmap(_repeated)
).map(
    lambda each: (
        "[kb]\nname = 'x'\n"
        + "".join(f"[{key}]\n{key} = {_toml(value)}\n" for key, value in each[0].items())
        + (f"x = {each[1]}" if each[1] else "")
    ).encode("utf-8", "replace")
)

_CELL = st.fixed_dictionaries(
    {"cell_type": st.sampled_from(("code", "markdown", "raw")) | _VALUES},
    optional={
        "source": _WORDS | st.lists(_LINE, max_size=3) | _VALUES,
        "metadata": _VALUES,
        "outputs": st.lists(
            st.fixed_dictionaries(
                {"output_type": st.sampled_from(("stream", "display_data", "error")) | _VALUES},
                optional={"text": _VALUES, "data": _VALUES, "traceback": _VALUES},
            )
            | _VALUES,
            max_size=3,
        ),
    },
)
NOTEBOOK = st.fixed_dictionaries(
    {"cells": st.lists(_CELL | _VALUES, max_size=5) | _VALUES, "nbformat": st.just(4) | _VALUES},
    optional={"metadata": _VALUES, "nbformat_minor": _VALUES},
).map(lambda value: json.dumps(value).encode())

_NAMES = (
    st.sampled_from(
        (
            "a.md",
            "../a.md",
            "/a.md",
            "a/" * 200 + "a.md",
            "C:\\a.md",
            "a\x00.md",
            ".git/config",
            "CON",
            "",
        )
    )
    | _WORDS
)


def _zip(members: list[tuple[str, bytes]]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in dict(members).items():
            archive.writestr(zipfile.ZipInfo(name or "x"), data)
    return stream.getvalue()


ARCHIVE = st.lists(st.tuples(_NAMES, MARKDOWN | HTML | st.just(bytes(3 << 20))), max_size=5).map(
    _zip
)

_METHODS = st.sampled_from(
    [
        *("initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/read"),
        *("server/discover", "prompts/get", "completion/complete", "resources/subscribe"),
        "notifications/cancelled",
    ]
)
_TOOLS = st.sampled_from(
    [
        *("hybrid_search", "get_doc", "list_docs", "search_docs", "search_tests", "get_file"),
        *("find_symbol", "codebase_retrieval", "check_health", "get_context_for_prompt"),
        "compact_search",
    ]
)
_PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "name": _TOOLS | st.builds("small_{}".format, _TOOLS) | _VALUES,
        "arguments": st.dictionaries(
            st.sampled_from(
                ("query", "k", "filename", "path", "cursor", "limit", "filters", "symbol")
            ),
            _VALUES,
            max_size=4,
        )
        | _VALUES,
        "uri": st.sampled_from(("kb://small/docs/gate.md", "kb://", "file:///etc/passwd"))
        | _VALUES,
        "protocolVersion": st.sampled_from(("2025-11-25", "2024-11-05", "2026-07-28")) | _VALUES,
        "capabilities": _VALUES,
        "clientInfo": _VALUES,
        "_meta": _VALUES,
        "ref": _VALUES,
        "argument": _VALUES,
    },
)
REQUEST = st.one_of(
    st.fixed_dictionaries(
        {"jsonrpc": st.just("2.0"), "method": _METHODS, "id": st.integers() | _VALUES},
        optional={"params": _PARAMS | _VALUES},
    ).map(lambda message: json.dumps(message).encode()),
    st.tuples(st.sampled_from(('{"a":', "[", "1")), _MANY).map(
        lambda each: (each[0] * each[1]).encode()
    ),
)
ARTIFACT = st.integers(0, 10**9).map(lambda number: str(number).encode())

KINDS: Mapping[str, st.SearchStrategy[bytes]] = {
    "markdown": MARKDOWN,
    "html": HTML,
    "toml": TOML,
    "notebook": NOTEBOOK,
    "archive": ARCHIVE,
    "request": REQUEST,
    "artifact": ARTIFACT,
}
_PATHS = {
    "markdown": "p/a.md",
    "html": "p/a.html",
    "toml": "kb.toml",
    "notebook": "p/a.ipynb",
    "archive": "docs.zip",
}


def _file_trial(kind: str, scratch: Path) -> Callable[[bytes], str]:
    from benchmarks.mutations import READ, REFUSED, compile_file

    def trial(data: bytes) -> str:
        outcome, said = compile_file(scratch / "kb", _PATHS[kind], data)
        return FINE if outcome in (READ, REFUSED) else f"{outcome}: {said}"

    return trial


def _request_trial(scratch: Path) -> Callable[[bytes], str]:
    from benchmarks.resealed import small_artifact
    from kb_runtime.live.versions import LiveArtifact
    from kb_runtime.mcp import revisions
    from kb_runtime.mcp.connection import Connection
    from kb_runtime.mcp.dispatch import Dispatcher
    from kb_runtime.mcp.stdio import StdioServer, encode

    dispatcher = Dispatcher(LiveArtifact(small_artifact(scratch)))

    def trial(data: bytes) -> str:
        server = StdioServer(Connection(dispatcher.handle), lambda: None)
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}
        server.answer_line(
            json.dumps(
                {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}
            ).encode()
        )
        answer = server.answer_line(data)
        os.close(server.wakeup)
        os.close(server._woken)
        text = "" if answer is None else encode(answer).decode()
        is_defect = f'"code":{revisions.INTERNAL_ERROR}' in text or "bug in the server" in text
        return f"defect: {text[:300]}" if is_defect else FINE

    return trial


def _artifact_trial(scratch: Path) -> Callable[[bytes], str]:
    from benchmarks.resealed import REFUSED, SOUND, Forger, small_artifact, trial

    build = small_artifact(scratch)
    forger = Forger(build, 0)

    def forged(data: bytes) -> str:
        name = forger.alter(int(data))
        try:
            outcome, said = trial(str(build)) if name else (REFUSED, "")
        finally:
            forger.mend()
        return FINE if outcome in (REFUSED, SOUND) else f"{outcome}: {name}: {said}"

    return forged


def work(kind: str) -> None:
    """The worker: tries the input on each line of stdin, in base64."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    with tempfile.TemporaryDirectory(prefix="kbc-fuzz-") as name:
        scratch = Path(name)
        special = {"request": _request_trial, "artifact": _artifact_trial}
        trial = special[kind](scratch) if kind in special else _file_trial(kind, scratch)
        for line in sys.stdin:
            began = time.process_time()
            try:
                said = trial(base64.b64decode(line))
            except BaseException as error:
                said = f"defect: {type(error).__name__}: {error}"
            seconds = time.process_time() - began
            used = peak_bytes()
            if said == FINE and seconds > MOST_CPU_S:
                said = f"hang: {seconds:.1f} s"
            elif said == FINE and used > MOST_MEMORY:
                said = f"large: {used >> 20} MB"
            answers.write(json.dumps(said[:500]) + "\n")
            answers.flush()


class Fuzzer:
    """Tries inputs of one kind; `failures` are what was said of those that failed."""

    def __init__(self, kind: str, keep: Path | None) -> None:
        """An input that fails is kept in the folder `keep`."""
        self.kind = kind
        self.tried = 0
        self.failures: list[str] = []
        self._keep = keep
        command = [sys.executable, "-m", "benchmarks.fuzz", kind, "--work"]
        self._worker = LinedWorker(command, WALL_S)

    def corpus(self) -> None:
        for path in sorted((CORPUS / self.kind).glob("*")):
            self._try(path.read_bytes())

    def round(self, number: int, examples: int = _ROUND) -> None:
        """The examples of a seed."""

        @seed(number)
        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            phases=(Phase.generate,),
            suppress_health_check=list(HealthCheck),
        )
        @given(KINDS[self.kind])
        def each(data: bytes) -> None:
            self._try(data)

        each()

    def close(self) -> None:
        self._worker.close()

    def _try(self, data: bytes) -> None:
        self.tried += 1
        answer = self._worker.ask(base64.b64encode(data).decode())
        said = f"crash: {self._worker.ended}" if answer is None else answer
        if said == FINE:
            return
        self.failures.append(said)
        if self._keep is not None:
            name = hashlib.sha256(data).hexdigest()[:12]
            (self._keep / self.kind).mkdir(parents=True, exist_ok=True)
            (self._keep / self.kind / name).write_bytes(data)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--examples", type=int, help="of each kind, instead of a time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.work:
        work(options.kinds[0])
        return 0
    fuzzers = [Fuzzer(kind, CORPUS) for kind in options.kinds or KINDS]
    until = time.monotonic() + options.minutes * 60
    for fuzzer in fuzzers:
        fuzzer.corpus()
        if options.examples:
            fuzzer.round(options.seed, options.examples)
    chance = random.Random(options.seed)
    while not options.examples and time.monotonic() < until:
        for fuzzer in fuzzers:
            if time.monotonic() < until:
                fuzzer.round(chance.randrange(1 << 32))
    failed = 0
    for fuzzer in fuzzers:
        fuzzer.close()
        failed += len(fuzzer.failures)
        print(f"{fuzzer.kind:10}{fuzzer.tried:9,} tried{len(fuzzer.failures):6,} failed")
        for said in list(dict.fromkeys(fuzzer.failures))[:5]:
            print(f"    {said}")
    print(f"{sum(each.tried for each in fuzzers):,} tried, {failed:,} failed (bar 0)")
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
