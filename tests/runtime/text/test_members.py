"""Names of members in headings of many languages, and in what is typed to look them up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_runtime.text import members
from kb_runtime.text.members import NameMatch


def names(heading: str) -> list[str]:
    return [".".join(path) for path in members.of_heading(heading)]


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("`Cache.get(key: str) -> bytes`", "Cache.get"),
        ("`class pkg.Cache(size: int = 10) of Mapping[str, bytes]`", "pkg.Cache"),
        ("`async Cache.close() -> None`", "Cache.close"),
        ("async with connect(address)", "connect"),
        ("`Cache.size: int | None`", "Cache.size"),
        ("`@memoize(size=1)`", "memoize"),
        ("cache.on(event, listener)", "cache.on"),
        ("`client.users.list(opts)`", "client.users.list"),
        ("path.join(\\[...paths\\])", "path.join"),
        ("response.type=", "response.type"),
        ("`app.hide()` _macOS_", "app.hide"),
        ("`new Cache([options])`", "Cache"),
        ("Class: Cache", "Cache"),
        ("Static Method: `Cache.of()`", "Cache.of"),
        ("[`_.chunk(array, [size=1])`](#chunk) {#chunk}", "_.chunk"),
        ('<a id="x"></a><code>_.zip([arrays])</code>', "_.zip"),
        ("`int cache_get(cache_t *cache, const char *key)`", "cache_get"),
        ("`void (*cache_cb)(cache_t* cache, int status)`", "cache_cb"),
        ("`int cache_walk (cache_t *c, void (*visit) (int))`", "cache_walk"),
        ("`void* cache_t.data`", "cache_t.data"),
        ("`unsigned int cache_size`", "cache_size"),
        ("std::map<std::pair<A, B>, C>::insert(x)", "std.map.insert"),
        ("`pub fn push(&mut self, value: T) -> Result<(), E>`", "push"),
        ("func get(_ key: String) -> Data", "get"),
        ("`Enum.member?(enumerable, element)`", "Enum.member?"),
        ("`map/2`", "map"),
        ("``Caches/Cache/get(_:)``", "Caches.Cache.get"),
        ("`filter`", "filter"),
        ("`timeout` (optional)", "timeout"),
        ("`Cache.open(" + "argument=None, " * 40 + ")`", "Cache.open"),
    ],
)
def test_a_heading_that_is_a_signature_names_its_member(heading: str, name: str) -> None:
    assert names(heading) == [name]


def test_a_heading_may_name_several() -> None:
    assert names("`get(key)` / `put(key, value)` and `drop`") == ["get", "put", "drop"]


@pytest.mark.parametrize(
    "heading",
    [
        "Getting started",
        "Using `filter()` with maps",
        "The `fold` of setOfMaps",
        "Configuration (advanced)",
        "HTTP(S) servers",
        "What is new in 2.0",
        "Migrating to v2 (from v1)",
        "[26.1.0](https://example.com/tree/26.1.0) - 2026-03-19",
        "`git commit -m`",
        "GET /users/{id}",
        "`--verbose`",
        "`package.json`",
        "Node.js",
        "Event: 'close'",
        "",
        "`" + "a" * 400 + "(x)`",
        "`get(" + "x, " * 1000 + ")`",
        "`get()` " + "* " * 1000 + "x",
    ],
)
def test_other_headings_name_none(heading: str) -> None:
    assert names(heading) == []


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
    assert all(all(path) for path in members.of_heading(text))
    assert all(all(path) for path in members.mentioned(text))
    members.typed(text)


@pytest.mark.parametrize(
    ("own", "owner", "anchor", "expected"),
    [
        (("get",), ("pkg", "Cache"), "", [("pkg", "Cache", "get")]),
        (("Cache", "get"), ("pkg", "Cache"), "", [("pkg", "Cache", "get")]),
        (("win", "close"), ("Window",), "", [("win", "close"), ("Window", "close")]),
        (("Other", "get"), ("pkg", "Cache"), "", [("Other", "get")]),
        (("Cache", "get"), (), "pkg.Cache.get", [("pkg", "Cache", "get")]),
        (("cache_get",), (), "c.cache_get", [("cache_get",)]),
        (("cache", "get"), (), "cachegetkey", [("cache", "get")]),
    ],
)
def test_a_member_has_the_name_of_what_it_belongs_to(
    own: tuple[str, ...], owner: tuple[str, ...], anchor: str, expected: list[tuple[str, ...]]
) -> None:
    assert list(members.qualified(own, owner, anchor)) == expected


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
