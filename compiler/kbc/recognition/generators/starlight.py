"""Starlight and other sites of Astro: astro.config, pages in src/content/docs, one language of several."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from kbc.project.include_tree import IncludeTree
from kbc.project.routes import starlight_slug
from kbc.project.sites.settings import AddressSettings, IncludeSettings, SiteSettings
from kbc.project.well_formed import sequence
from kbc.recognition.configuration import (
    import_paths,
    pages_below,
    peek_front_matter,
    read_script,
    read_text,
)
from kbc.recognition.places import FEW_PAGES
from kbc.recognition.site import MAX_NESTING, NOT_PAGES, Site, joined, mapping, text

GENERATOR = "starlight"
_COLLECTIONS, _DOCS = "content", "docs"
"""The folder of content collections below that of sources, and the collection that a theme reads."""

_THEME = "@astrojs/starlight"
_NAME = re.compile(r"[a-z][a-z0-9-]*")

CONFIGS = tuple(f"astro.config.{ending}" for ending in ("mjs", "ts", "mts", "js", "cjs"))
_ENDINGS = (".markdown", ".mdown", ".mkdn", ".mkd", ".mdwn", ".md", ".mdx", ".mdoc")
_LAST = 2.0**53
"""The place of a page that states none."""


def recognise(tree: IncludeTree, folder: str, config: str) -> list[Site] | None:
    """The site whose astro.config is in `folder`, and its other collections of pages if it is not one of
    Starlight, which publishes no others; None when it has no documentation there."""
    data = read_script(tree, config)
    sources = joined(folder, text(data, "srcDir") or "src")
    pages = joined(sources, _COLLECTIONS, _DOCS)
    if not tree.names(pages):
        return None
    base_url = f"{text(data, 'site').rstrip('/')}/{text(data, 'base').strip('/')}".rstrip("/")
    settings = SiteSettings(
        config_folder=folder,
        addresses=AddressSettings(
            as_html=text(mapping(data.get("build")), "format") == "file",
            without_slash=text(data, "trailingSlash") == "never",
        ),
        includes=IncludeSettings(import_paths=import_paths(tree, folder)),
    )
    first = _documentation(tree, pages, data)
    others = [] if _THEME in read_text(tree, config) else _others(tree, sources, base_url)
    found = [replace(first, base_url=base_url), *others]
    return [replace(each, settings=settings) for each in found]


def _others(tree: IncludeTree, sources: str, base_url: str) -> Iterator[Site]:
    """The content collections beside the documentation that hold several pages. What their addresses are,
    only programs say, unless the program that shows them is in the usual place."""
    for name in tree.names(joined(sources, _COLLECTIONS)):
        place = joined(sources, _COLLECTIONS, name)
        pages = list(pages_below(tree, place, _is_page, _is_folder))
        if name == _DOCS or not _NAME.fullmatch(name) or len(pages) < FEW_PAGES:
            continue
        routes = tree.names(joined(sources, "pages", name))
        is_usual = any(each.startswith("[") and each.endswith(".astro") for each in routes)
        own_url = f"{base_url}/{name}" if base_url and is_usual else ""
        yield Site(
            folder=place,
            name=name,
            base_url=own_url,
            exclude=(*NOT_PAGES, "_*"),
            has_no_addresses=not own_url,
        )


def _documentation(tree: IncludeTree, pages: str, data: Mapping[str, Any]) -> Site:
    """The pages of the site, in the order of its sidebar."""
    found = [mapping(each) for each in sequence(data.get("integrations"))]
    theme: Mapping[str, Any] = next((each for each in found if "title" in each), {})
    locales = mapping(theme.get("locales"))
    own = text(theme, "defaultLocale") or ("root" if "root" in locales else "")
    others = tuple(name for name in locales if own and name not in ("root", own))
    language = text(mapping(locales.get(own)), "lang") or (own if own != "root" else "en")
    sidebar = _Sidebar(tree, pages, own if own in locales and own != "root" else "", others)
    sidebar.add(_stated_sidebar(theme), language)
    return Site(
        folder=pages,
        title=_in_language(theme, "title", language),
        description=text(theme, "description"),
        titles=sidebar.titles,
        # Parts of pages, which Astro does not publish.
        exclude=(*NOT_PAGES, "_*", *(f"/{name}/" for name in others)),
        redirects=_redirects(data),
    )


def _is_page(path: str) -> bool:
    return path.endswith(_ENDINGS) and not posixpath.basename(path).startswith(("_", "."))


def _is_folder(path: str) -> bool:
    name = posixpath.basename(path)
    return "." not in name and not name.startswith("_")


def _in_language(data: Mapping[str, Any], name: str, language: str) -> str:
    """A text, or of texts by language that of `language`, else the first."""
    values = mapping(data.get(name))
    return text(data, name) or text(values, language, language.split("-")[0], *values)


def _redirects(data: Mapping[str, Any]) -> dict[str, str]:
    """Former paths and where they lead; those with parameters (`[...slug]`) are left out."""
    found: dict[str, str] = {}
    for old, new in mapping(data.get("redirects")).items():
        target = new if isinstance(new, str) else text(mapping(new), "destination")
        if target and "[" not in old:
            found[old.strip("/")] = target.strip("/")
    return found


def _stated_sidebar(theme: Mapping[str, Any]) -> Any:
    """The sidebar, or those of all topics that a plugin is given (starlight-sidebar-topics); None of a
    site that has its folders there."""
    if theme.get("sidebar"):
        return theme["sidebar"]
    given = [each for each in sequence(theme.get("plugins")) if isinstance(each, list)]
    topics = [one for each in given for one in each if "items" in mapping(one)]
    return topics or None


class _Sidebar:
    """Collects the pages that a sidebar lists: their paths below `folder`, and what it calls them. `locale`
    is the folder of the language that is read, `others` are those of other languages."""

    def __init__(
        self, tree: IncludeTree, folder: str, locale: str, others: tuple[str, ...]
    ) -> None:
        self.titles: dict[str, str] = {}
        self._locale = locale
        self._front_matter = cache(lambda path: peek_front_matter(tree, joined(folder, path)))
        self._slugs: dict[str, str] = {}

        def is_folder(path: str) -> bool:
            return path not in others and _is_folder(path)

        for path in pages_below(tree, folder, _is_page, is_folder, locale):
            slug = starlight_slug(path, self._front_matter(path))
            self._slugs.setdefault(slug.removeprefix(locale).strip("/"), path)

    def add(self, items: Any, language: str, depth: int = 0) -> None:
        """Adds what items of a sidebar list, in their order; None stands for all folders."""
        if items is None and not depth:
            self._add_folder("")
        for item in sequence(items) if depth < MAX_NESTING else ():
            entry = {"slug": item} if isinstance(item, str) else mapping(item)
            label = text(mapping(entry.get("translations")), language) or text(entry, "label")
            place = entry.get("slug", entry.get("link"))
            if isinstance(place, str) and "://" not in place:
                self._add_page(posixpath.normpath(place.partition("#")[0].strip("/") or "."), label)
            if "items" in entry:
                self.add(entry["items"], language, depth + 1)
            generated = mapping(entry.get("autogenerate"))
            if "directory" in generated:
                self._add_folder(text(generated, "directory").strip("/"))

    def _add_page(self, slug: str, label: str) -> None:
        path = self._slugs.get("" if slug in (".", "index") else slug)
        path = path or self._slugs.get(slug.removesuffix(".html"))
        if path:
            self.titles.setdefault(path, label)

    def _add_folder(self, folder: str) -> None:
        """Adds the pages of a folder as an autogenerated group has them: by the `order` that their front
        matter states, then by their slugs; of a folder in it the place is that of its first page."""
        start = joined(self._locale, folder)
        inside = [
            path
            for path in self._slugs.values()
            if (not start or path.startswith(f"{start}/")) and not self._side(path).get("hidden")
        ]
        skipped = start.count("/") + 1 if start else 0
        entries = [(path.split("/")[skipped:], path) for path in inside]
        for path in self._sorted(entries, start):
            self.titles.setdefault(path, text(self._side(path), "label"))

    def _sorted(self, entries: list[tuple[list[str], str]], start: str) -> Iterator[str]:
        groups: dict[str, list[tuple[list[str], str]]] = {}
        leaves: list[tuple[float, str, str]] = []
        for parts, path in entries:
            if len(parts) == 1:
                slug = starlight_slug(path, self._front_matter(path))
                leaves.append((self._order(path), slug, path))
            else:
                groups.setdefault(parts[0], []).append((parts[1:], path))
        for name, inner in groups.items():
            first = min(self._order(path) for _, path in inner)
            leaves.append((first, joined(start, name.lower()), name))
        for _, _, each in sorted(leaves):
            if each in groups:
                yield from self._sorted(groups[each], joined(start, each))
            else:
                yield each

    def _order(self, path: str) -> float:
        stated = self._side(path).get("order")
        return float(stated) if isinstance(stated, (int, float)) else _LAST

    def _side(self, path: str) -> Mapping[str, Any]:
        """What the front matter of a page says of the sidebar."""
        return mapping(self._front_matter(path).get("sidebar"))
