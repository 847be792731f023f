from __future__ import annotations

from typing import Any

import pytest

from kb_runtime.text.typed_names import TypedName, named_lines, readings, section_called

NAMES = [
    ("guide/ropes.md", "guide/ropes.md"),
    ("./guide/ropes.md", "guide/ropes.md"),
    ("../ropes.md", "ropes.md"),
    ("../../ropes.md", "ropes.md"),
    ("/guide/ropes.md", "guide/ropes.md"),
    (r"guide\ropes.md", "guide/ropes.md"),
    ("`guide/ropes.md`", "guide/ropes.md"),
    ('"ropes.md"', "ropes.md"),
    ("splice()", "splice"),
    (".github/ci.yml", ".github/ci.yml"),
]
LINES = [
    ("a.py:10", (10, None)),
    ("a.py:10:4", (10, None)),
    ("a.py:10:4:", (10, None)),
    ("a.py:10-12", (10, 12)),
    ("a.py#L10", (10, None)),
    ("a.py#L10-L12", (10, 12)),
    ("a.py lines 10-12", (10, 12)),
    ("a.py line 10", (10, None)),
    ("a.py lines 10-12 of 9-30", (10, 12)),
    ("a.py, lines 10 to 12 of 1 to 99", (10, 12)),
]


def section(title: str, line: int, anchor: str) -> Any:
    return {"title": title, "level": 2, "line": line, "end_line": line + 3, "anchor": anchor}


@pytest.mark.parametrize(("typed", "name"), NAMES)
def test_a_name_may_be_typed_as_a_path_or_a_call(typed: str, name: str) -> None:
    found = list(readings(typed))
    assert found[0] == TypedName(typed)
    assert TypedName(name) in found


@pytest.mark.parametrize(("typed", "lines"), LINES)
def test_lines_behind_a_name(typed: str, lines: tuple[int, int | None]) -> None:
    assert named_lines(typed) == TypedName("a.py", "", lines)
    assert TypedName("a.py", "", lines) in readings("./" + typed)


def test_lines_of_an_address_in_a_hit() -> None:
    assert named_lines("kb://sea/docs/knots lines 3-5 of 1-9") == (
        TypedName("kb://sea/docs/knots", "", (3, 5))
    )


@pytest.mark.parametrize(
    "text", ["draw lines 3", "T-1:3", "a.py", "a.py:x", "", "a.py:" + "9" * 5000]
)
def test_text_without_lines(text: str) -> None:
    assert named_lines(text) is None


def test_what_follows_a_hash_is_a_section() -> None:
    assert TypedName("guide/ropes.md", "care") in readings("guide/ropes.md#care")
    assert TypedName("C.md", "") in readings("C.md#")


def test_a_section_is_called_by_anchor_title_and_line() -> None:
    sections = [section("Care", 3, "care"), section("care", 9, "x"), section("Use", 20, "care")]
    assert section_called(sections, "#care") == sections[0]
    assert section_called(sections, "care:20") == sections[2]
    assert section_called(sections, "care:99") == sections[0]
    assert section_called(sections, "USE") == sections[2]
    assert section_called(sections, "nope") is None
    assert section_called([], "care") is None
    assert section_called(sections, "care" + ":1" * 5000) is None
    assert section_called(sections, "care:" + "9" * 5000) == sections[0]
