"""Patterns of ignore files match what the library's match, however many stars they have."""

from __future__ import annotations

import itertools
import time

import pytest
from pathspec import GitIgnoreSpec

from kbc.project.git_patterns import git_patterns

PATTERNS = (
    *(
        "*a*b",
        "*a*a",
        "a**b*c",
        "*",
        "*.*",
        "*a?b*[!c]*",
        "*[a.]*b*",
        "/*a*/b*a",
        "**/a*b*/",
        "!a*b*c",
    ),
    *("a*/**/*b*", r"*\[a*b*", "*a*b/"),
)
PATHS = [
    "/".join(parts) for parts in itertools.product(("a", "ab", "aab.b", "abcab", "[ab"), repeat=2)
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_means_what_it_means_in_git(pattern: str) -> None:
    library, own = GitIgnoreSpec.from_lines([pattern]), git_patterns([pattern])
    paths = [*PATHS, *(f"{path}/" for path in PATHS), "a", "ab", "aXb", "abc", "b"]
    expected = [library.check_file(path).include for path in paths]
    assert [own.check_file(path).include for path in paths] == expected


def test_many_stars_take_no_time() -> None:
    began = time.process_time()
    assert not git_patterns(["*a" * 20 + "b"]).match_file("a" * 200 + "c")
    assert time.process_time() - began < 5


def test_a_line_that_is_no_pattern_is_passed_over() -> None:
    assert git_patterns(["!", "a"]).match_file("a")
