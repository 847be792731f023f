"""Fern: docs.yml beside fern.config.json has the navigation, which versions and products keep in files of
their own."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from kbc.project.include_tree import IncludeTree
from kbc.project.sites.settings import AddressSettings, SiteSettings
from kbc.project.well_formed import sequence
from kbc.recognition.configuration import peek_front_matter, read_yaml
from kbc.recognition.site import (
    MAX_NESTING,
    NOT_PAGES,
    Site,
    joined,
    mapping,
    redirects_of_pages,
    text,
    texts,
)

GENERATOR = "fern"
CONFIGS = ("docs.yml", "docs.yaml")

_BESIDE = "fern.config.json"
_ENDINGS = (".mdx", ".md")
_DESCRIPTIONS = ("*.json", "*.yaml", "*.yml")
"""Of APIs. Pages that the navigation does not list are not published."""

_WORD = re.compile(r"\w+")


class _Listed(NamedTuple):
    """A page in the navigation: its file below the folder of docs.yml, its title there, and its path on the
    site."""

    path: str
    title: str
    route: str


def recognise(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """The site whose docs.yml and fern.config.json are in `folder`; None without the second."""
    if not tree.exists(joined(folder, _BESIDE)):
        return None
    data = read_yaml(tree, config)
    navigation = _FernNavigation(tree, folder)
    listed = list(navigation.pages(data))
    if not listed:
        return None
    order = tuple(each.path for each in listed)
    return Site(
        folder=folder,
        title=text(data, "title"),
        base_url=_base_url(sequence(data.get("instances"))),
        order=order,
        titles={each.path: each.title for each in reversed(listed) if each.title},
        include=(*(f"/{path}" for path in dict.fromkeys(order)), *_DESCRIPTIONS),
        exclude=NOT_PAGES,
        redirects=redirects_of_pages(data.get("redirects")),
        settings=SiteSettings(
            addresses=AddressSettings(known={each.path: each.route for each in reversed(listed)})
        ),
        files=tuple(navigation.files),
    )


class _FernNavigation:
    """Walks through a navigation; `files` are those that it took in."""

    def __init__(self, tree: IncludeTree, folder: str) -> None:
        self._tree = tree
        self._folder = folder
        self.files: list[str] = []

    def pages(self, source: Mapping[str, Any], route: str = "") -> Iterator[_Listed]:
        """The pages of docs.yml, or of the file of a version or product, whose paths are below `route`."""
        yield from self._page(mapping(source.get("landing-page")), route)
        for product in map(mapping, sequence(source.get("products"))):
            yield from self._taken_in(
                product, _below(route, product, text(product, "display-name"))
            )
        for version in sequence(source.get("versions"))[:1]:  # a reader sees the first one
            yield from self._taken_in(mapping(version), route)
        tabs = mapping(source.get("tabs"))
        for item in sequence(source.get("navigation")):
            yield from self._item(mapping(item), tabs, route)

    def _taken_in(self, part: Mapping[str, Any], route: str) -> Iterator[_Listed]:
        path = joined(self._folder, text(part, "path"))
        if text(part, "path") and path not in self.files and self._tree.exists(path):
            self.files.append(path)
            yield from self.pages(read_yaml(self._tree, path), route)

    def _item(
        self, item: Mapping[str, Any], tabs: Mapping[str, Any], route: str, depth: int = 0
    ) -> Iterator[_Listed]:
        if depth > MAX_NESTING:
            return
        tab = mapping(tabs.get(text(item, "tab")))
        name = (
            text(item, "section", "api", "title") or text(tab, "display-name") or text(item, "tab")
        )
        own = {**tab, **item}
        if "page" in item:
            yield from self._page(item, route)
            return
        if folder := text(item, "folder"):
            below = _below(route, own, name or posixpath.basename(joined(folder)))
            yield from self._folder_of(joined(folder), below, depth)
            return
        route = _below(route, own, name)
        for overview in (text(item, "path"), text(item, "summary")):
            yield from self._listed(overview, name, route)
        if changes := text(own, "changelog"):
            yield from self._folder_of(joined(changes), route, depth)
        for inner in ("contents", "layout", "variants"):
            for each in sequence(item.get(inner)):
                yield from self._item(mapping(each), tabs, route, depth + 1)

    def _page(self, item: Mapping[str, Any], route: str) -> Iterator[_Listed]:
        title = text(item, "page")
        yield from self._listed(text(item, "path"), title, _below(route, item, title))

    def _folder_of(self, folder: str, route: str, depth: int) -> Iterator[_Listed]:
        """All pages of a folder, by name."""
        if depth > MAX_NESTING:
            return
        for name in self._tree.names(joined(self._folder, folder)):
            stem, ending = posixpath.splitext(name)
            path, below = joined(folder, name), joined(route, _slug(stem))
            if ending in _ENDINGS:
                yield from self._listed(path, "", below)
            elif not ending:
                yield from self._folder_of(path, below, depth + 1)

    def _listed(self, path: str, title: str, route: str) -> Iterator[_Listed]:
        place = joined(path)
        file = joined(self._folder, place)
        if place.endswith(_ENDINGS) and self._tree.exists(file):
            stated = text(peek_front_matter(self._tree, file), "slug")
            yield _Listed(place, title, stated.strip("/") or route)


def _below(route: str, part: Mapping[str, Any], title: str) -> str:
    """The path on the site of what is below `route` and has this title, unless it states another."""
    if part.get("skip-slug") is True:
        return route
    return joined(route, text(part, "slug") or _slug(title))


def _slug(title: str) -> str:
    return "-".join(_WORD.findall(re.sub("['\u2019]", "", title.lower())))


def _base_url(instances: list[Any]) -> str:
    for each in map(mapping, instances):
        own = next(iter(texts(each.get("custom-domain"))), "")
        if place := own or text(each, "url"):
            return place if "://" in place else f"https://{place}"
    return ""
