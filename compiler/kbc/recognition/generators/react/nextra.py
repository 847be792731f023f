"""Nextra: a next.config that names it, pages in `content`, `pages` or `app`, and `_meta` files."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Any

from kbc.project.include_tree import IncludeTree
from kbc.project.sites.settings import AddressSettings, SiteSettings
from kbc.recognition.configuration import MAX_PAGES, first_existing, read_json, read_text
from kbc.recognition.javascript.exports import exported, exported_value
from kbc.recognition.site import MAX_NESTING, NOT_PAGES, Site, joined, mapping, text, texts

GENERATOR = "nextra"
CONFIGS = tuple(f"next.config.{ending}" for ending in ("js", "mjs", "ts", "cjs", "mts"))

_CONTENT = ("content", "src/content", "pages", "src/pages", "app", "src/app")
"""Where pages are, of Nextra 4 and of those before, in the order in which it looks."""

_NAMED = re.compile(r"""["']nextra["']""")
_BASE_PATH = re.compile(r"""\bcontentDirBasePath\s*:\s*["']([^"']*)["']""")
_SITEMAPS = tuple(f"next-sitemap.config.{ending}" for ending in ("js", "mjs", "cjs", "ts"))
_ENDINGS = (".mdx", ".md")
_PROGRAMS = ("js", "jsx", "ts", "tsx", "mjs")
_GROUP = re.compile(r"\([^/]*\)")
"""A folder that is no part of the address."""


def recognise(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """The site whose next.config is in `folder`; None where it has no pages of Nextra."""
    source = read_text(tree, config)
    if not _NAMED.search(source):
        return None
    data = exported(source)
    languages = mapping(data.get("i18n"))
    locales = texts(languages.get("locales")) if "locales" in languages else []
    language = text(languages, "defaultLocale") or next(iter(locales), "")
    others = [each for each in locales if each != language]
    for name in _CONTENT:
        pages = _Pages(tree, joined(folder, name), language, others, of_app=name.endswith("app"))
        if pages.places:
            break
    else:
        return None
    base = [text(data, "basePath")]
    if name.endswith("content"):
        stated = _BASE_PATH.search(source)
        base += [pages.language_folder, stated[1] if stated else ""]
    sitemap = first_existing(tree, folder, _SITEMAPS)
    address = text(exported(read_text(tree, sitemap)), "siteUrl") if sitemap else ""
    translations = [joined(folder, name, each) for each in others] if pages.language_folder else []
    return Site(
        folder=pages.folder,
        base_url=address,
        order=tuple(pages.order),
        titles=pages.titles,
        include=tuple(f"page{each}" for each in _ENDINGS) if pages.of_app else (),
        exclude=(
            *NOT_PAGES,
            "_*",
            r"\[*.mdx",  # a route of Next.js for many addresses
            *(f"*{each}{ending}" for each in pages.others for ending in _ENDINGS),
        ),
        settings=SiteSettings(
            config_folder=folder,
            addresses=AddressSettings(
                known={path: joined(*base, place) for path, place in pages.places.items()}
            ),
            left_out={f"{each}/": "a translation" for each in translations},
        ),
        files=(*pages.files, *([sitemap] if address else [])),
        translations=tuple(translations),
    )


class _Pages:
    """The pages below a folder, or below that of the `language` in it, with what `_meta` files say of them.

    `places` are their paths in addresses, `titles` what the navigation calls them, `order` those that it
    shows, `files` the `_meta` files that were read, `others` how files in other languages end. Of `app` only
    `page.mdx` is a page.
    """

    def __init__(
        self, tree: IncludeTree, content: str, language: str, others: list[str], *, of_app: bool
    ) -> None:
        own = joined(content, language)
        self.language_folder = language if language and not of_app and tree.names(own) else ""
        self.folder = own if self.language_folder else content
        self.of_app = of_app
        self.places: dict[str, str] = {}
        self.titles: dict[str, str] = {}
        self.order: list[str] = []
        self.files: list[str] = []
        self._tree = tree
        self._suffix = f".{language}" if language and not self.language_folder else ""
        self.others = tuple(f".{each}" for each in others) if self._suffix else ()
        self._walk("", "", {"items": self._meta("", "_meta.global")})

    def _walk(self, folder: str, place: str, entry: Any, depth: int = 0) -> None:
        """The pages of `folder`, whose addresses begin with `place`; `entry` is what the `_meta` above says
        of it, of a global one with its `items`."""
        meta = mapping(mapping(entry).get("items")) or self._meta(folder, "_meta")
        found = self._entries(folder)
        names = meta if "index" in meta else ("index", *meta)
        ranks = {name: rank for rank, name in enumerate(names)}
        for name in sorted(found, key=lambda each: (ranks.get(each, len(ranks)), each)):
            stated = meta.get(name, meta.get("*") if name not in meta else None)
            is_index = name == "index"
            own = place if is_index or _GROUP.fullmatch(name) else joined(place, name)
            for path in found[name]:
                if path.endswith(_ENDINGS):
                    item = entry if self.of_app else stated
                    words = posixpath.basename(folder) if is_index else name
                    self._add(path, own, item, words)
                elif depth < MAX_NESTING:
                    self._walk(path, own, stated, depth + 1)

    def _entries(self, folder: str) -> dict[str, list[str]]:
        """Name in `_meta` -> the page and the folder that it stands for."""
        found: dict[str, list[str]] = {}
        for name in self._tree.names(joined(self.folder, folder)):
            path = joined(folder, name)
            stem, ending = posixpath.splitext(name)
            if name.startswith(("_", ".")):
                continue
            if ending in _ENDINGS:
                if stem.endswith(self.others) or (self.of_app and stem != "page"):
                    continue
                known = "index" if self.of_app else stem.removesuffix(self._suffix)
                found.setdefault(known, []).insert(0, path)
            elif not self._tree.exists(joined(self.folder, path)):
                found.setdefault(name, []).append(path)
        return found

    def _add(self, path: str, place: str, entry: Any, words: str) -> None:
        if len(self.places) >= MAX_PAGES:
            return
        self.places[path] = place
        title = entry if isinstance(entry, str) else text(mapping(entry), "title")
        words = words.replace("-", " ").replace("_", " ")
        if shown := title.strip() or words[:1].upper() + words[1:]:
            self.titles[path] = shown
        if not place or mapping(entry).get("display") != "hidden":
            self.order.append(path)

    def _meta(self, folder: str, name: str) -> Mapping[str, Any]:
        place = joined(self.folder, folder)
        stems = (f"{name}{self._suffix}", name) if self._suffix else (name,)
        files = tuple(f"{each}.{ending}" for each in stems for ending in ("json", *_PROGRAMS))
        path = first_existing(self._tree, place, files)
        if not path:
            return {}
        self.files.append(path)
        if path.endswith(".json"):
            return read_json(self._tree, path)
        return mapping(exported_value(read_text(self._tree, path), "tsx"))
