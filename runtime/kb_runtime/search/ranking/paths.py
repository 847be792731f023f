"""Classifies records by their paths: tests, examples and other secondary files, and versions."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

# What a path says about its file, with the words by which a query asks for such files.
_PLACES: tuple[tuple[str, re.Pattern[str], frozenset[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE), frozenset(words.split()))
    for name, pattern, words in (
        (
            "test",
            r"(?:^|/)(?:tests?|testing|specs?|__tests__|fixtures?|mocks?|testdata)/"
            r"|(?:^|/)(?:test_[^/]*|[^/]*[_.-](?:test|spec)s?\.[^/]*|conftest\.py)$",
            "test tests testing tested spec specs fixture fixtures mock mocks assert unittest",
        ),
        (
            "example",
            r"(?:^|/)(?:examples?|samples?|demos?|benchmarks?|benches)/",
            "example examples sample samples demo demos benchmark benchmarks bench",
        ),
        (
            "generated",
            r"(?:^|/)(?:generated|__generated__|dist|build)/"
            r"|(?:\.pb\.\w+|_pb2(?:_grpc)?\.pyi?|\.g\.\w+|\.generated\.\w+|\.min\.\w+|\.d\.ts)$",
            "generated generate codegen protobuf declaration declarations typings",
        ),
        (
            "vendored",
            r"(?:^|/)(?:vendor(?:ed)?|third[_-]?party|node_modules|_?compat|legacy|deprecated)/",
            "vendor vendored third party compat compatibility legacy deprecated",
        ),
        (
            "changelog",
            r"(?:^|/)(?:changelog|changes|history|release[_-]?notes|news)"
            r"(?:\.(?:adoc|html?|markdown|mdx?|org|rst|te?xt))?$",
            "changelog change changes changed history release released releases version news",
        ),
    )
)

RE_EXPORTS = "re-export"
"""The kind of a file that only passes on what others define: its text says so, not its path."""
_ASKING: Mapping[str, frozenset[str]] = {
    **{name: asking for name, _, asking in _PLACES},
    RE_EXPORTS: frozenset(
        {"barrel", "export", "exports", "import", "imports", "reexport", "reexports"}
    ),
}


# Kinds of collections whose records show how a thing is done and do not say it, with the words by which a
# query asks for them.
_SHOWING: Mapping[str, frozenset[str]] = {
    "examples": _ASKING["example"] | {"code", "program", "programs", "snippet", "snippets"},
    "code": frozenset(
        {"code", "implement", "implementation", "implemented", "implements", "source"}
    ),
}


def showing_kinds(words: Collection[str]) -> frozenset[str]:
    """The kinds of collections whose programs give way to what explains, for a query with these lower-case
    words."""
    return frozenset(kind for kind, asking in _SHOWING.items() if asking.isdisjoint(words))


def place_kinds(path: str) -> frozenset[str]:
    """Which kinds of secondary files `path` belongs to: test, example, generated, vendored, changelog."""
    return frozenset(name for name, pattern, _ in _PLACES if pattern.search(path))


_VERSION = re.compile(r"(?:^|/)v(\d{1,3})(?=/)")


class Version(NamedTuple):
    """Where a path lies in a folder of versions: `("src", 3, "/a.ts")` for `src/v3/a.ts`."""

    folder: str
    number: int
    rest: str


def version_of(path: str) -> Version | None:
    """The folder that holds versions, which of them `path` is in, and where in it."""
    found = _VERSION.search(path)
    return Version(path[: found.start()], int(found[1]), path[found.end() :]) if found else None


def kinds_asked_for(words: Collection[str]) -> frozenset[str]:
    """The kinds of secondary files that a query with these lower-case words asks for."""
    return frozenset(name for name, asking in _ASKING.items() if not asking.isdisjoint(words))
