"""Globs over paths: what they match, how they are normalised, what is refused."""

from __future__ import annotations

from contextlib import suppress
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_runtime.errors import ToolError
from kb_runtime.text.globs import MAX_PATTERN_CHARS, PathGlobs, normalise

ANY = ("src/app.py", "src/deep/er/view.ts", "tests/test_app.py", "README.md", "a/b[1].py")


def matching(pattern: str, *paths: str) -> list[str]:
    globs = PathGlobs([pattern], [])
    return [path for path in paths or ANY if path in globs]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.py", ["src/app.py", "tests/test_app.py", "a/b[1].py"]),
        ("app.py", ["src/app.py"]),
        ("src/*", ["src/app.py"]),
        ("src/**", ["src/app.py", "src/deep/er/view.ts"]),
        ("src/", ["src/app.py", "src/deep/er/view.ts"]),
        ("src", ["src/app.py", "src/deep/er/view.ts"]),
        ("src/deep", ["src/deep/er/view.ts"]),
        ("./src\\app.py", ["src/app.py"]),
        ("**/view.ts", ["src/deep/er/view.ts"]),
        ("**/app.py", ["src/app.py"]),
        ("src/**/view.*", ["src/deep/er/view.ts"]),
        ("src/**/app.py", ["src/app.py"]),
        ("*.{py,ts}", ["src/app.py", "src/deep/er/view.ts", "tests/test_app.py", "a/b[1].py"]),
        ("{src,tests}/*.py", ["src/app.py", "tests/test_app.py"]),
        ("test_*", ["tests/test_app.py"]),
        ("[RT]*", ["README.md"]),
        ("[!R]*.md", []),
        ("?EADME.md", ["README.md"]),
        ("b[[]1].py", ["a/b[1].py"]),
        ("**", list(ANY)),
        ("readme.md", []),
    ],
)
def test_what_a_pattern_matches(pattern: str, expected: list[str]) -> None:
    assert matching(pattern) == expected


def test_what_is_excluded_counts_after_what_is_included() -> None:
    globs = PathGlobs(["*.py"], ["tests/"])
    assert [path for path in ANY if path in globs] == ["src/app.py", "a/b[1].py"]
    assert not PathGlobs([], [])
    assert "anything" in PathGlobs([], [])
    assert "tests/x.py" not in PathGlobs([], ["tests/"])


def test_patterns_are_normalised_and_repeated_ones_dropped() -> None:
    assert normalise(["./a/", "a\\", "a/**", "b.py", "././/b.py"], "p") == ("a/**", "b.py")


def test_any_number_of_leading_dots_is_read_once() -> None:
    assert normalise([".//" + "./" * 1_000_000 + "a"], "p") == ("a",)


@pytest.mark.parametrize("field", ["include_paths", "exclude_paths"])
@pytest.mark.parametrize(
    "pattern", ["/etc/passwd", "\\etc", "C:\\x", "~/x", "../x", "a/../../b", "a\\..\\b", "x" * 301]
)
def test_patterns_that_leave_the_workspace_are_refused_by_field(field: str, pattern: str) -> None:
    with pytest.raises(ToolError) as raised:
        normalise([pattern], field)
    assert raised.value.kind == "BAD_INPUT"
    assert field in raised.value.message


@pytest.mark.parametrize(
    "pattern", ["**/a/**/b/**/c/**/d/**/e", "{a,b,c}{a,b,c}{a,b,c}{a,b,c}{a,b,c}"]
)
def test_patterns_that_stand_for_too_much_are_refused(pattern: str) -> None:
    with pytest.raises(ToolError, match="exclude_paths"):
        PathGlobs([], [pattern])


def test_a_pattern_of_many_stars_is_no_burden() -> None:
    assert matching("*a" * 100 + "b", "a" * 250) == []
    assert matching("**/" + "*a" * 60 + "b/**/x", "/".join(["a" * 80] * 12)) == []


@given(st.text(alphabet="ab*?/[]!-{},.\\^é", max_size=40), st.text(alphabet="ab/.é[]", max_size=30))
def test_every_pattern_is_matched_or_refused(pattern: str, path: str) -> None:
    with suppress(ToolError):
        assert isinstance(path in PathGlobs([pattern], []), bool)


@given(
    st.text(alphabet="ab*?", min_size=1, max_size=12).filter(lambda text: "**" not in text),
    st.text(alphabet="ab", min_size=1, max_size=12),
)
def test_within_a_name_a_pattern_means_what_the_shell_means(pattern: str, name: str) -> None:
    assert (f"x/{name}" in PathGlobs([f"x/{pattern}"], [])) == fnmatchcase(name, pattern)


@given(st.lists(st.text(alphabet="ab.é_", min_size=1, max_size=8), min_size=1, max_size=6))
def test_a_path_without_wildcards_matches_itself(segments: list[str]) -> None:
    path = "/".join(segments)
    if ".." not in segments and segments[0] != "." and len(path) <= MAX_PATTERN_CHARS:
        assert path in PathGlobs([path], [])


def test_the_braces_of_all_patterns_share_a_budget() -> None:
    braces = "{" + ",".join(map(str, range(100))) + "}"
    allowed = [f"{at}/{braces}" for at in range(5)]
    assert "4/99" in PathGlobs(allowed, [])
    with pytest.raises(
        ToolError, match=r"Invalid exclude_paths: .* brings the patterns to more than 500"
    ):
        PathGlobs([], [*allowed, "one/more"])
