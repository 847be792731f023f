"""The front ends on a whole documentation tree, with what its kb.toml declares."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.documents import QUINT_DOCS

from kbc import frontends
from kbc.diagnostics import Diagnostics
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.records import BuiltinRecord, CompiledRecord, DocRecord, PatternRecord

COLLECTIONS = {
    "builtins": Collection("builtins", "builtins", ("docs/builtin.md",)),
    "docs": Collection("docs", "docs", ("docs",), group="core"),
    "choreo": Collection("choreo", "docs", ("choreo",), group="choreo"),
    "posts": Collection("posts", "docs", ("posts",), group="posts"),
    "guidelines": Collection("guidelines", "docs", ("guidelines",), group="guidelines"),
    "patterns": Collection("patterns", "patterns", ("patterns",)),
}


def files_of(entry: str) -> list[SourceFile]:
    path = QUINT_DOCS / entry
    if path.is_file():
        return [SourceFile(entry, path.read_bytes())]
    return [SourceFile(f"{entry}/{p.name}", p.read_bytes(), entry) for p in sorted(path.iterdir())]


@pytest.fixture(scope="module")
def records() -> dict[str, Sequence[CompiledRecord]]:
    diagnostics = Diagnostics()
    found: dict[str, Sequence[CompiledRecord]] = {
        name: frontends.read(collection, files_of(collection.paths[0]), diagnostics)
        for name, collection in COLLECTIONS.items()
    }
    frontends.check(found, diagnostics)
    assert not diagnostics.errors
    return found


def test_builtins(records: dict[str, Sequence[CompiledRecord]]) -> None:
    entries = {each.id: each for each in records["builtins"] if isinstance(each, BuiltinRecord)}
    assert len(entries) == 77
    assert all(entry.categories and entry.description for entry in entries.values())
    assert entries["mapBy"].signature.startswith("pure def mapBy:")
    in_map = {name for name, entry in entries.items() if "map" in entry.categories}
    assert {"mapBy", "setToMap", "setOfMaps", "keys", "get", "put"} <= in_map
    aliases = {alias: name for name, entry in entries.items() for alias in entry.aliases}
    assert (aliases["=="], aliases[">="]) == ("eq", "igte")
    categories = {name: entry.category for name, entry in entries.items()}
    assert [
        categories[name] for name in ("iff", "always", "assign", "reps", "fail", "oneOf", "nth")
    ] == ["logic", "temporal", "action", "action", "action", "set", "list"]


def test_outlines(records: dict[str, Sequence[CompiledRecord]]) -> None:
    pages = {r.id: r for name in COLLECTIONS for r in records[name] if isinstance(r, DocRecord)}
    outline = pages["docs/builtin.md"].sections
    assert len(outline) == 136
    assert sum(section.level == 2 for section in outline) == 77
    lines = pages["docs/builtin.md"].text.split("\n")
    assert all(
        lines[section.line - 1] == f"{'#' * section.level} {section.title}" for section in outline
    )
    assert len({section.anchor for section in outline}) == 136
    windows = [page for page in pages.values() if "\r\n" in page.text]
    assert len(windows) == 2
    assert all(page.sections for page in windows)
    assert len([page for page in pages.values() if page.group == "core"]) == 7
    assert all("import " not in page.content[:200] for page in pages.values())


def test_patterns(records: dict[str, Sequence[CompiledRecord]]) -> None:
    patterns = {r.id: r for r in records["patterns"] if isinstance(r, PatternRecord)}
    assert len(patterns) == 12
    assert len({pattern.category for pattern in patterns.values()}) == 6
    assert all(pattern.description for pattern in patterns.values())
    pairs = [pair for pattern in patterns.values() for pair in pattern.anti_patterns]
    assert len(pairs) == 13
    assert all(set(pair) == {"dont", "reason", "do"} for pair in pairs)
    assert len(patterns["quint-syntax-rules"].rules) == 6
