"""Tests of `include` and `exclude`."""

from __future__ import annotations

import pytest

from kbc.sources.patterns import NOT_INCLUDED, PathPatterns


@pytest.mark.parametrize(
    ("pattern", "excluded"),
    [
        ("guide/**", ["guide/a.md", "guide/more/b.md"]),
        ("guide/**/", ["guide/more/b.md"]),  # what is in a folder of `guide`
        ("b.md", ["guide/more/b.md"]),
        ("/b.md", []),
        ("/guide/a.md", ["guide/a.md"]),
        ("/guide", ["guide/a.md", "guide/more/b.md"]),
        ("/guide/more", ["guide/more/b.md"]),
        ("-guide/a.md", []),
        ("\\", []),  # none that Git reads
    ],
)
def test_a_pattern_excludes_what_git_would_ignore(pattern: str, excluded: list[str]) -> None:
    patterns = PathPatterns(exclude=[pattern])
    paths = ["guide/a.md", "guide/more/b.md", "index.md"]
    assert [path for path in paths if patterns.reason(path)] == excluded
    assert {patterns.reason(path) for path in excluded} <= {f"excluded by {pattern!r}"}


def test_only_what_include_matches_is_wanted() -> None:
    patterns = PathPatterns(include=["guide/**"], exclude=["more/"])
    assert patterns.reason("guide/a.md") == ""
    assert patterns.reason("index.md") == NOT_INCLUDED
    assert patterns.reason("guide/more/b.md") == "excluded by 'more/'"


def test_the_order_of_patterns_counts_where_one_takes_files_back() -> None:
    patterns = PathPatterns(exclude=["-index.md", "/index.md", "!/index.md", "/b.md"])
    assert [name for name in ("index.md", "b.md") if patterns.reason(name)] == ["b.md"]


def test_thousands_of_paths_are_looked_up() -> None:
    paths = [f"guide/{number}.md" for number in range(20_000)]
    patterns = PathPatterns(exclude=[f"/{path}" for path in paths])
    assert all(map(patterns.reason, paths))  # one by one, this takes an hour
    assert not patterns.reason("guide/index.md")
