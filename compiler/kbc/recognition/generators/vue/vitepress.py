"""VitePress: .vitepress/config, with clean addresses, rewrites and sidebars."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from kbc.project.include_tree import IncludeTree
from kbc.recognition.configuration import first_existing, read_text, script_configs
from kbc.recognition.javascript import exported
from kbc.recognition.site import NOT_PAGES, Site, joined, mapping, text, text_values, texts

GENERATOR = "vitepress"
_OWN_SLUGS = re.compile(r"\banchor\s*:\s*\{[^{}]*\bslugify\b")
CONFIGS = script_configs(".vitepress")
_DYNAMIC = r"*\[*\]*"
"""Files and folders such as `[version].md`, of which a program makes pages."""


def recognise(tree: IncludeTree, folder: str) -> Site | None:
    """The site whose `.vitepress` is in `folder`; None without one."""
    config = first_existing(tree, folder, CONFIGS)
    if not config:
        return None
    data = exported(read_text(tree, config))
    source = joined(folder, text(data, "srcDir") or ".")
    host = text(mapping(data.get("sitemap")), "hostname").rstrip("/")
    base = f"{host}/{text(data, 'base').strip('/')}".rstrip("/") if host else ""
    theme = mapping(data.get("themeConfig"))
    locales = mapping(data.get("locales"))
    shown = shown_locale(locales, "root")
    root = mapping(locales.get(shown))
    sidebar = theme.get("sidebar") or mapping(root.get("themeConfig")).get("sidebar")
    order, titles = navigation(tree, source, sidebar)
    return Site(
        generator=GENERATOR,
        config=config,
        folder=source,
        title=text(data, "title") or text(root, "title"),
        description=text(data, "description") or text(root, "description"),
        base_url=base,
        order=order,
        titles=titles,
        exclude=(
            *NOT_PAGES,
            "node_modules/",
            _DYNAMIC,
            *(f"/{name}/" for name in locales if name != shown),
            *texts(data.get("srcExclude")),
        ),
        options={
            "clean_urls": data.get("cleanUrls") is True,
            "open_anchors": _has_own_slugs(tree, folder, config),
            "rewrites": text_values(data.get("rewrites")),
            "config_folder": folder,
            "language": "" if shown == "root" else language_of(shown),
        },
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


def navigation(
    tree: IncludeTree,
    source: str,
    sidebar: Any,
    endings: tuple[str, ...] = (".md",),
    language: str = "",
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The pages below `source` that a sidebar lists, in order, and what it calls them; their files have one
    of `endings`, and links to them may begin with the `language`."""
    titles: dict[str, str] = {}
    for title, link in _links(sidebar, ""):
        path = _page(tree, source, link, endings)
        if not path and language and link.strip("/").startswith(f"{language}/"):
            path = _page(tree, source, link.strip("/").removeprefix(language), endings)
        if path:
            titles.setdefault(path, title)
    return tuple(titles), {path: title for path, title in titles.items() if title}


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
    for place in (stem, joined(stem, "index"), joined(stem, "README")):
        for ending in endings:
            if tree.exists(joined(source, f"{place}{ending}")):
                return f"{place}{ending}"
    return ""
