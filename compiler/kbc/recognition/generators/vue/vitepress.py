"""VitePress: .vitepress/config, with clean addresses, rewrites and sidebars."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from kbc.project.include_tree import IncludeTree
from kbc.project.sites.settings import AddressSettings, LinkSettings, SiteSettings
from kbc.recognition.configuration import (
    first_existing,
    first_name,
    read_script,
    read_text,
    script_configs,
)
from kbc.recognition.javascript.globs import as_ignored
from kbc.recognition.site import NOT_PAGES, Site, joined, mapping, text, text_values, texts

GENERATOR = "vitepress"
_OWN_SLUGS = re.compile(r"\banchor\s*:\s*\{[^{}]*\bslugify\b")
_REST = re.compile(r"(?P<start>[^:]*)(?P<rest>:\w+\*)")
_NOWHERE_ELSE: Mapping[str, str] = MappingProxyType({})
CONFIGS = script_configs(".vitepress")
_BESIDE_PAGES = ("config.ts", "config.mts", "config.js", "config.mjs")
"""What adds to the configuration for the pages in its folder."""
_DYNAMIC = r"*\[*\]*"
"""Files and folders such as `[version].md`, of which a program makes pages."""


def recognise(tree: IncludeTree, folder: str, config: str) -> Site:
    """The site whose `.vitepress` is in `folder`."""
    data = read_script(tree, config)
    source = joined(folder, text(data, "srcDir") or ".")
    host = text(mapping(data.get("sitemap")), "hostname").rstrip("/")
    beside = first_existing(tree, source, _BESIDE_PAGES)
    added = read_script(tree, beside) if beside else {}
    theme = {**mapping(data.get("themeConfig")), **mapping(added.get("themeConfig"))}
    rewrites = text_values(data.get("rewrites"))
    locales = mapping(data.get("locales"))
    shown = shown_locale(locales, "root")
    root = mapping(locales.get(shown))
    sidebar = theme.get("sidebar") or mapping(root.get("themeConfig")).get("sidebar")
    return Site(
        folder=source,
        title=text(data, "title") or text(root, "title"),
        description=next(
            filter(None, (text(each, "description") for each in (data, root, added))), ""
        ),
        base_url=f"{host}/{text(data, 'base').strip('/')}".rstrip("/"),
        titles=navigation(tree, source, sidebar, moved=_moved(rewrites)),
        exclude=(
            *NOT_PAGES,
            "node_modules/",
            _DYNAMIC,
            *(f"/{name}/" for name in locales if name != shown),
            *as_ignored(texts(data.get("srcExclude"))),
        ),
        settings=SiteSettings(
            config_folder=folder,
            language="" if shown == "root" else language_of(shown),
            addresses=AddressSettings(
                rewrites=rewrites, without_ending=data.get("cleanUrls") is True
            ),
            links=LinkSettings(has_own_anchors=_has_own_slugs(tree, folder, config)),
        ),
    )


def shown_locale(locales: Mapping[str, Any], root: str) -> str:
    """The name of the locale that is read: the one at the `root` of the site, else the English one, else the
    first; "" without any."""
    english = (name for name in locales if language_of(name) == "en")
    return root if root in locales else next(english, next(iter(locales), ""))


def language_of(locale: str) -> str:
    """`zh` of `zh-CN` or `/zh-CN/`."""
    return re.split("[-_]", locale.strip("/"))[0].lower()


def _has_own_slugs(tree: IncludeTree, folder: str, config: str) -> bool:
    """Whether a function of the site's own makes anchors, in the configuration or in a file beside it."""
    beside = joined(folder, ".vitepress/config")
    paths = [config, *(joined(beside, name) for name in tree.names(beside))]
    return any(_OWN_SLUGS.search(read_text(tree, path)) for path in paths)


def _moved(rewrites: Mapping[str, str]) -> dict[str, str]:
    """Where addresses begin -> where the paths of their pages do, of rules for whole folders."""
    found: dict[str, str] = {}
    for page, address in rewrites.items():
        inner, outer = _REST.fullmatch(page), _REST.fullmatch(address)
        if inner and outer and inner["rest"] == outer["rest"]:
            found[outer["start"]] = inner["start"]
    return found


def navigation(
    tree: IncludeTree,
    source: str,
    sidebar: Any,
    endings: tuple[str, ...] = (".md",),
    moved: Mapping[str, str] = _NOWHERE_ELSE,
) -> dict[str, str]:
    """The pages below `source` that a sidebar lists, in order, with what it calls them; their files have one
    of `endings`. `moved` says where the paths of pages begin whose addresses begin otherwise."""
    titles: dict[str, str] = {}
    for title, link in _links(sidebar, ""):
        place = link.strip("/")
        elsewhere = (
            inner + place.removeprefix(outer)
            for outer, inner in moved.items()
            if place.startswith(outer)
        )
        pages = (_page(tree, source, each, endings) for each in (link, *elsewhere))
        if path := next(filter(None, pages), ""):
            titles.setdefault(path, title)
    return titles


def _links(item: Any, base: str) -> Iterator[tuple[str, str]]:
    if isinstance(item, str):  # VuePress lists pages by their paths alone
        yield "", posixpath.join(base, item)
    elif isinstance(item, list):
        for each in item:
            yield from _links(each, base)
    elif isinstance(item, Mapping):
        base = text(item, "base", "prefix") or base
        link = text(item, "link")
        if link and "://" not in link:
            yield text(item, "text"), posixpath.join(base, link) if base else link
            if base and not base.endswith("/"):  # `/reference/theme-` before `nav`
                yield text(item, "text"), base + link
        inner = next((item[name] for name in ("items", "children") if name in item), None)
        if inner is not None:
            yield from _links(inner, base)
        elif not link:  # sidebars by path
            for place, value in item.items():
                if not isinstance(value, str):
                    yield from _links(value, place if place.startswith("/") else base)


def _page(tree: IncludeTree, source: str, link: str, endings: tuple[str, ...]) -> str:
    stem = link.partition("#")[0].strip("/").removesuffix(".html")
    for ending in endings:
        stem = stem.removesuffix(ending)
    places = (stem, joined(stem, "index"), joined(stem, "README"))
    names = (f"{place}{ending}" for place in places for ending in endings)
    return first_name(tree, source, names)
