"""Names of members in what is typed to look them up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_runtime.text import members
from kb_runtime.text.members import NameMatch


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("Cache.get", ("Cache", "get")),
        ("pkg.Cache.get()", ("pkg", "Cache", "get")),
        ("Cache::get", ("Cache", "get")),
        ("Cache#get", ("Cache", "get")),
        ("cache->get(key)", ("cache", "get")),
        ("Cache.prototype.get", ("Cache", "get")),
        ("lists:map/2", ("lists", "map")),
        ("Vec<T>::push", ("Vec", "push")),
        ("`.get(x => x)`", ("get",)),
        ("str-append", ("str-append",)),
        ("how do I get a value", ()),
        ("2.0", ()),
        ("docs/guide.md", ()),
        ("x" * 301, ()),
    ],
)
def test_a_text_that_is_a_name_is_taken_apart(text: str, path: tuple[str, ...]) -> None:
    assert members.typed(text) == path


def test_qualified_and_called_names_are_mentioned() -> None:
    text = "what does Cache.get return, and Cache#put or flush(), in https://a.b/c.d a second?"
    found = members.mentioned(text)
    assert found[:3] == (("Cache", "get"), ("Cache", "put"), ("flush",))
    assert ("second",) not in found


@given(st.text(max_size=80))
def test_any_text_is_read(text: str) -> None:
    assert all(all(path) for path in members.mentioned(text))
    members.typed(text)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("pkg.Cache.get", NameMatch.SAME),
        ("Cache.get", NameMatch.SAME),
        ("get", NameMatch.SAME),
        ("cache.get", NameMatch.OTHER_CASE),
        ("org.pkg.Cache.get", NameMatch.PREFIXED),
        ("library.get", NameMatch.AROUND),
        ("Store.get", None),
        ("Cache.put", None),
        ("Cache", None),
        ("GET", NameMatch.OTHER_CASE),
    ],
)
def test_a_typed_name_matches_the_end_of_a_name(name: str, expected: NameMatch | None) -> None:
    path = members.segments(name)
    assert members.match(path, ("pkg", "Cache", "get"), {"library"}) is expected


def test_a_word_in_lower_case_alone_names_no_class() -> None:
    assert members.match(("cache",), ("pkg", "Cache")) is None
    assert members.match(("pkg", "cache"), ("pkg", "Cache")) is NameMatch.OTHER_CASE
