from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_runtime.errors import ToolError
from kb_runtime.text.names import (
    clean_path,
    edit_distance,
    ends_with,
    known_as,
    quoted,
    resolve,
    resolve_path,
    suggest,
)


class Names:
    """Ids with further names, looked up one by one."""

    def __init__(self, entries: Sequence[tuple[str, ...]]) -> None:
        self._entries = entries

    def _matches(self, key: str, *, folded: bool) -> list[int]:
        def same(name: str) -> bool:
            return name.casefold() == key.casefold() if folded else name == key

        by_id = [at for at, names in enumerate(self._entries) if same(names[0])]
        others = [at for at, names in enumerate(self._entries) if any(map(same, names[1:]))]
        return by_id + others

    def find(self, key: str) -> int | None:
        return next(iter(self._matches(key, folded=False)), None)

    def find_folded(self, key: str) -> int | None:
        return next(iter(self._matches(key, folded=True)), None)

    def find_all(self, key: str) -> list[int]:
        both = [*self._matches(key, folded=False), *self._matches(key, folded=True)]
        return list(dict.fromkeys(both))

    def id(self, index: int) -> str:
        return self._entries[index][0]

    def ids(self) -> list[str]:
        return [names[0] for names in self._entries]


FILES = Names([("docs/lang.md",), ("docs/index.md",), ("choreo/index.md",), ("docs/Lang.md",)])


def test_exact_name_wins_over_alias_and_case() -> None:
    names = Names([("a", "b"), ("B",), ("b",)])
    assert resolve("b", [names]) == (0, 2)


def test_alias_wins_over_another_case() -> None:
    assert resolve("==", [Names([("eq", "=="), ("EQ",)])]) == (0, 0)
    assert resolve("x", [Names([("X",), ("y", "x")])]) == (0, 1)


def test_case_is_the_last_resort() -> None:
    assert resolve("MAPBY", [Names([("mapBy",)])]) == (0, 0)
    assert resolve("nothing", [Names([("mapBy",)])]) is None


def test_exact_name_in_a_later_catalog_wins_over_case_in_an_earlier_one() -> None:
    assert resolve("x", [Names([("X",)]), Names([("x",)])]) == (1, 0)


def test_path_prefers_the_exact_case() -> None:
    assert resolve_path("docs/Lang.md", [FILES]) == (0, 3)
    assert resolve_path("docs/lang.md", [FILES]) == (0, 0)


def test_unique_ending_at_a_segment_resolves_a_path() -> None:
    names = Names([("docs/builtin.md",), ("docs/mybuiltin.md",)])
    assert resolve_path("builtin.md", [names]) == (0, 0)
    assert resolve_path("builtin", [names]) == (0, 0)
    assert resolve_path("uiltin.md", [names]) is None


@pytest.mark.parametrize("ending", ["README.md", "README", "docs/README.md"])
def test_an_ending_in_the_same_case_counts_before_others(ending: str) -> None:
    names = Names([("docs/a/readme.md",), ("x/docs/readme.md",), ("y/docs/README.md",)])
    assert resolve_path(ending, [names]) == (0, 2)
    assert resolve_path(ending.casefold().replace("docs/", ""), [names]) is None


def test_shared_ending_resolves_to_nothing() -> None:
    assert resolve_path("index.md", [FILES]) is None


def test_a_path_with_the_folder_that_its_collection_strips_is_found() -> None:
    stripped = Names([("a/index.md", "docs/a/index.md", "index.md"), ("b/index.md", "index.md")])
    assert resolve_path("docs/a/index.md", [FILES, stripped]) == (1, 0)
    assert resolve_path("Docs/A/index.md", [FILES, stripped]) == (1, 0)
    assert resolve_path("docs/b/index.md", [FILES, stripped]) is None


def test_file_name_key_does_not_override_ambiguity() -> None:
    names = Names([("cosmos/bank.qnt", "bank.qnt"), ("games/bank.qnt", "bank.qnt")])
    assert resolve_path("bank.qnt", [names]) is None


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("https://rope.dev/en/stable/guide/knots.html#bowline", 0),
        ("http://rope.dev/guide/knots/?lang=en", 0),
        ("https://git.example.org/rope/blob/main/docs/api/knots.md#L7", 1),
        ("https://rope.dev/API/", 2),
        ("https://git.example.org/rope/blob/main/src/winch.c", 4),
        ("https://git.example.org/rope/blob/main/src/winch.h", 3),
        ("https://rope.dev/src/winch", None),
        ("https://rope.dev/api/hoist", None),
        ("https://rope.dev/knots/", None),
        ("https://rope.dev/sails/", None),
        ("https://rope.dev/", None),
    ],
)
def test_the_address_of_a_page_names_its_file(address: str, found: int | None) -> None:
    pages = ("docs/guide/knots.md", "docs/api/knots.md", "docs/api/index.md")
    names = Names([(id,) for id in (*pages, "src/winch.h", "src/winch.c", "hoist#rope")])
    place = resolve_path(address, [FILES, names])
    assert place == (None if found is None else (1, found))


def test_single_letter_never_resolves_as_ending() -> None:
    assert resolve_path("d", [Names([("docs/d",)])]) is None


@pytest.mark.parametrize(
    ("path", "ending", "expected"),
    [
        ("docs/lang.md", "LANG.md", True),
        ("docs/lang.md", "docs/lang", True),
        ("docs/lang.md", "ang.md", False),
        ("docs/.hidden", ".hidden", True),
    ],
)
def test_ends_with(path: str, ending: str, expected: bool) -> None:
    assert ends_with(path, ending) is expected


def test_suggestions_put_parts_before_typos() -> None:
    known = ["setToMap", "mapBy", "map", "mop", "fold"]
    assert suggest("map", known)[:3] == ["map", "mapBy", "setToMap"]
    assert "mop" in suggest("map", known)
    assert "fold" not in suggest("map", known)


def test_suggestions_find_swapped_letters() -> None:
    assert suggest("tempaltes", ["templates", "examples"]) == ["templates"]


def test_suggestions_compare_the_file_name_of_paths() -> None:
    assert suggest("lnag.md", ["docs/lang.md", "docs/repl.md"]) == ["docs/lang.md"]


def test_single_letter_suggests_nothing() -> None:
    assert suggest("d", ["docs/builtin.md", "d"]) == []


def test_suggestions_are_limited() -> None:
    assert len(suggest("name", [f"name{number}" for number in range(30)], 10)) == 10


@given(st.text("abé", max_size=12), st.text("abé", max_size=12), st.integers(1, 3))
def test_edit_distance_is_symmetric_and_bounded(first: str, second: str, bound: int) -> None:
    unbounded = edit_distance(first, second, 24)
    assert unbounded is not None
    assert unbounded == edit_distance(second, first, 24)
    assert (unbounded == 0) == (first == second)
    assert edit_distance(first, second, bound) == (unbounded if unbounded <= bound else None)


@pytest.mark.parametrize(
    "path", ["../x", "docs/../../x", "..", "a\\..\\..\\b", "C:\\x", "c:/x", "/..", "x/.."]
)
def test_path_that_leaves_the_knowledge_base_is_bad_input(path: str) -> None:
    with pytest.raises(ToolError) as caught:
        clean_path(path, "filename")
    assert caught.value.kind == "BAD_INPUT"
    assert "filename" in caught.value.message
    assert quoted(path) in caught.value.message


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/docs/x.md", "docs/x.md"),
        ("//etc/hosts", "/etc/hosts"),
        ("./docs/./x.md", "docs/x.md"),
        ("docs\\x.md", "docs/x.md"),
        ("docs/", "docs"),
        ("/", ""),
        ("a..b/c..", "a..b/c.."),
    ],
)
def test_clean_path(path: str, expected: str) -> None:
    assert clean_path(path, "path") == expected


def test_quoted_values_are_short_and_on_one_line() -> None:
    assert quoted("a\nb") == '"a\\nb"'
    assert len(quoted("x" * 10_000)) < 100
    assert len(quoted(["x" * 50] * 100)) <= 160
    assert quoted(object()) == "object"


def test_known_name_is_found_exactly_before_in_another_case() -> None:
    assert known_as("docs", ["Docs", "docs"]) == "docs"
    assert known_as("DOCS", ["Docs", "docs"]) == "Docs"
    assert known_as("doc", ["Docs", "docs"]) is None
