"""Facets as written by the back end and read back: posting lists, globs, neighbours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import translate
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_runtime.errors import ArtifactError
from kb_runtime.store.facets import Facet, Facets, folder_values
from kbc.backends.facets import write_facets

PATHS = [
    "tests/api/auth/test_login.py:12",
    "tests/api/auth/test_logout.py",
    "tests/api/test_users.py:3",
    "tests/ui/login.spec.ts:120",
    "über/ß.py:1",
    "a[b].py",
]


def opened(folder: Path, records: Sequence[Sequence[Facet]]) -> Facets:
    write_facets(folder, "tests", records)
    return Facets(str(folder / "catalog"), "tests")


def with_paths(folder: Path, paths: Sequence[str]) -> Facets:
    return opened(folder, [[Facet("testpath", path), Facet("steps", "1")] for path in paths])


def test_records_of_values(tmp_path: Path) -> None:
    records = [[Facet("tag", "a")], [], [Facet("tag", "a"), Facet("tag", "b"), Facet("k", "a")]]
    facets = opened(tmp_path, records)
    assert facets.records([Facet("tag", "a")], 3).tolist() == [True, False, True]
    assert facets.records([Facet("tag", "b"), Facet("tag", "a")], 3).tolist() == [True, False, True]
    assert facets.records([Facet("tag", "c"), Facet("none", "a")], 3).tolist() == [False] * 3
    assert list(facets.values("tag")) == [("a", 2), ("b", 1)]
    assert list(facets.values("none")) == []
    assert (facets.count("tag", "a"), facets.count("tag", "z"), facets.count("x", "a")) == (2, 0, 0)


def test_a_collection_without_facets(tmp_path: Path) -> None:
    facets = opened(tmp_path, [[], []])
    assert facets.records([Facet("tag", "a")], 2).tolist() == [False, False]
    assert facets.matching("testpath", "*") == []
    assert facets.near("key", "A-1", 3) == []


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("tests/api/*", PATHS[:3]),
        ("*test_login.py", PATHS[:1]),
        ("*test_login.py:12", PATHS[:1]),
        ("*login*", [PATHS[0], PATHS[3]]),
        ("tests/*/test_*.py", PATHS[:3]),
        ("tests/api/test_user?.py", PATHS[2:3]),
        ("tests/api/test_[t-v]sers.py", PATHS[2:3]),
        ("tests/api/test_[!u]sers.py", []),
        ("tests/[z-a]pi/*", []),
        ("api/*", []),
        ("*", PATHS),
        ("über/?.py", PATHS[4:5]),
        ("a[[]b].py", PATHS[5:]),
        ("*[b*", PATHS[5:]),
        ("auth/test", PATHS[:2]),
        ("test", PATHS[:4]),
        ("TEST", []),
        (":1", [PATHS[0], PATHS[3], PATHS[4]]),
    ],
)
def test_patterns(tmp_path: Path, pattern: str, found: list[str]) -> None:
    facets = with_paths(tmp_path, PATHS)
    assert sorted(facets.matching("testpath", pattern)) == sorted(found)
    mask, values = facets.records_matching("testpath", [pattern], len(PATHS), len(found))
    assert sorted(values or []) == sorted(found)
    assert [path for path, wanted in zip(PATHS, mask.tolist(), strict=True) if wanted] == found


NAMES = st.text(st.sampled_from("ab/.é_"), min_size=1, max_size=8)


@pytest.mark.slow
@settings(max_examples=200)
@given(
    st.lists(NAMES, min_size=1, max_size=8, unique=True),
    st.text(st.sampled_from("ab/.é**?"), min_size=1, max_size=8),
)
def test_globs_match_what_the_standard_library_matches(names: list[str], pattern: str) -> None:
    with TemporaryDirectory() as folder:
        found = with_paths(Path(folder), names).matching("testpath", pattern)
    if any(char in pattern for char in "*?"):
        expected = [name for name in names if re.fullmatch(translate(pattern), name)]
    else:
        expected = [name for name in names if pattern in name]
    assert sorted(found) == sorted(expected)


@settings(max_examples=200)
@given(
    st.lists(st.text(st.sampled_from("ab/é:12"), min_size=1, max_size=9), min_size=1, unique=True),
    st.lists(st.sampled_from([*"ab/:1?*", "[ab]", "[!a]", "[!1-2]", "[é-ë]", "[b-a]"])).map(
        "".join
    ),
)
def test_globs_leave_a_line_number_out(names: list[str], pattern: str) -> None:
    pattern += "*" * (not any(char in pattern for char in "*?["))
    with TemporaryDirectory() as folder:
        found = with_paths(Path(folder), names).matching("testpath", pattern)
    matches = re.compile(translate(pattern)).fullmatch
    expected = [name for name in names if matches(name) or matches(re.sub(r":[0-9]+\Z", "", name))]
    assert sorted(found) == sorted(expected)


def test_records_of_several_patterns(tmp_path: Path) -> None:
    facets = with_paths(tmp_path, PATHS)
    mask, values = facets.records_matching("testpath", ["*.ts", "tests/api/*", "*login*"], 6, 3)
    assert (mask.tolist(), values) == ([True, True, True, True, False, False], None)


def test_a_glob_of_many_stars_ends(tmp_path: Path) -> None:
    facets = with_paths(tmp_path, ["a" * 400 + ".py"])
    assert facets.matching("testpath", "*a" * 200 + "*b") == []


def test_neighbours(tmp_path: Path) -> None:
    facets = opened(tmp_path, [[Facet("key", f"A-{number}")] for number in range(1, 7)])
    assert facets.near("key", "A-35", 2) == ["A-2", "A-3", "A-4", "A-5"]
    assert facets.near("key", "Z", 1) == ["A-6"]


def test_folders_are_in_the_folders_above() -> None:
    assert folder_values("/API Tests\\Auth//Login/") == [
        "api tests",
        "api tests/auth",
        "api tests/auth/login",
    ]


@pytest.mark.parametrize("size", [0, 8, 40, -1])
def test_a_cut_file_is_refused(tmp_path: Path, size: int) -> None:
    write_facets(tmp_path, "tests", [[Facet("tag", "a")]])
    path = tmp_path / "catalog" / "tests.facets"
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(ArtifactError):
        Facets(str(tmp_path / "catalog"), "tests")
