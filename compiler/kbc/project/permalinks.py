"""The public URL of a page, its former URLs, its title and its position, as its site has them.

`routes` has the rule of each generator for the path of a page below the site's base URL.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from itertools import chain
from typing import Any
from urllib.parse import quote

from kbc.project.model import Collection
from kbc.project.routes import ROUTES, texts
from kbc.project.sites.redirects import plain

_ABSOLUTE = re.compile(r"https?://", re.IGNORECASE)


def address(collection: Collection, path: str, data: Mapping[str, Any]) -> str:
    """The public address of the page at `path` (below the root) with the front matter `data`; "" when
    the collection follows no generator or nobody knows where its site is."""
    base = collection.site.base_url
    if collection.url and "{" not in collection.url:
        base = collection.url
    if not collection.generator or not base:
        return ""
    place = route(collection, path, data)
    if place is None:
        return ""
    if _ABSOLUTE.match(place):
        return place
    start = base if base.endswith("//") else f"{base.rstrip('/')}/"  # https:// before a host folder
    return f"{start}{quote(place.lstrip('/'), safe='/?=&')}"


def page_url(collection: Collection, path: str, data: Mapping[str, Any]) -> str:
    """By the template in kb.toml, else by the rules of the collection's generator."""
    if collection.generator and "{" not in collection.url:
        return address(collection, path, data)
    return collection.source_url(path)


def route(collection: Collection, path: str, data: Mapping[str, Any]) -> str | None:
    """Where the site has the page, below its base address; None without a generator, or where it has not."""
    rule = ROUTES.get(collection.generator)
    if rule is None:
        return None
    return rule(page_path(collection, path), data, collection.site)


def page_path(collection: Collection, path: str) -> str:
    """`path` below the generator's folder of content; `place` is where in it the collection begins."""
    folder, place = collection.site.folder, collection.site.place
    below = path.removeprefix(f"{folder}/") if folder else path
    return f"{place}/{below}" if place else below


def aliases(collection: Collection, path: str, data: Mapping[str, Any]) -> tuple[str, ...]:
    """Former addresses of a page, from its front matter and the generator's redirects: absolute where
    the site's address is known, else paths."""
    if not collection.generator:
        return ()
    stated = [*texts(data.get("aliases")), *texts(data.get("redirect_from"))]
    place = route(collection, path, data) or ""
    own = {plain(place), plain(page_path(collection, path))}
    former = chain.from_iterable(collection.site.redirects.former.get(each, ()) for each in own)
    stated += [old for _, old in sorted(former)]
    base = collection.site.base_url.rstrip("/")
    folder = posixpath.dirname(place.rstrip("/"))
    is_below_section = collection.conventions.aliases_below_section
    found = []
    for old in stated:
        if is_below_section and not old.startswith("/") and not _ABSOLUTE.match(old):
            old = f"{folder}/{old}"
        old = old.lstrip("/")
        found.append(old if _ABSOLUTE.match(old) or not base else f"{base}/{old}")
    return tuple(dict.fromkeys(each for each in found if each))


def title(collection: Collection, path: str) -> str:
    """What the generator's navigation calls the page; "" when it does not."""
    return collection.site.titles.get(page_path(collection, path), "")


def position(collection: Collection, path: str) -> int:
    """The place of a page in the order of the generator's navigation; pages that it does not list come
    after those that it does."""
    order = collection.site.order
    return order.get(page_path(collection, path), len(order))
