"""Names of members in headings of many languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbc.chunking import signatures


def names(heading: str) -> list[str]:
    return [".".join(path) for path in signatures.of_heading(heading)]


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


@given(st.text(max_size=80))
def test_any_heading_is_read(text: str) -> None:
    assert all(all(path) for path in signatures.of_heading(text))


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
    assert list(signatures.qualified(own, owner, anchor)) == expected
