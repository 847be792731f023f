"""Files that version control ignores are written by a build, and not missing."""

from __future__ import annotations

import pytest

from kbc.languages.includes.generated import is_generated

FILES = {
    ".gitignore": b"/doc/*-gallery.txt\n*.log\n!doc/kept.log\n[\n",
    "doc/.gitignore": b"_auto/\n",
    "../.gitignore": b"/site/doc/talks.txt\n",
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("doc/a-gallery.txt", True),
        ("doc/deep/a-gallery.txt", False),
        ("doc/_auto/x/y.rst", True),
        ("_auto/x.rst", False),
        ("doc/kept.log", False),
        ("/doc/run.log", True),
        ("doc/talks.txt", True),  # by its name: the folders above have unknown names
        ("doc/missing.txt", False),
        ("../elsewhere.txt", False),
    ],
)
def test_a_file_is_generated_where_an_ignore_file_above_names_it(path: str, expected: bool) -> None:
    assert is_generated(path, FILES.get) is expected
