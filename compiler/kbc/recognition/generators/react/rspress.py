"""Rspress: rspress.config, with `_nav.json` and `_meta.json`."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

from kbc.project.include_tree import IncludeTree
from kbc.project.sites.settings import AddressSettings, IncludeSettings, SiteSettings
from kbc.project.well_formed import json_value, sequence
from kbc.recognition.configuration import (
    MAX_PAGES,
    entries_in,
    first_name,
    import_paths,
    read_json,
    read_script,
    read_text,
)
from kbc.recognition.generators.vue.vitepress import language_of, navigation
from kbc.recognition.site import NOT_PAGES, Site, joined, mapping, text, texts

GENERATOR = "rspress"
CONFIGS = tuple(f"rspress.config.{ending}" for ending in ("ts", "js", "mjs", "cjs", "mts"))

_ENDINGS = (".mdx", ".md")
_PARTS = ("_*", "node_modules/", "/public/")
"""What Rspress itself leaves out: pages import it, or it is published as it is."""

_FOLDERS = ("dir", "dir-section-header")


def recognise(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """The site whose configuration is in `folder`; None when it has no pages."""
    data = read_script(tree, config)
    root = joined(folder, text(data, "root") or "docs")
    theme = mapping(data.get("themeConfig"))
    version, others = _versions(tree, root, data)
    language, languages = _languages(tree, joined(root, version), data, theme)
    place = joined(version, language)
    pages = joined(root, place)
    if not tree.names(pages):
        return None
    plugins = (text(mapping(each), "siteUrl") for each in sequence(data.get("plugins")))
    host = text(data, "siteOrigin") or next(filter(None, plugins), "")
    is_default = language in ("", text(data, "lang"))
    base = joined(text(data, "base"), "" if is_default else language)
    contents = _MetaFiles(tree, pages, _labels(tree, data, folder, language))
    titles = _stated(tree, pages, theme, language)
    order = tuple(titles)
    if not order:
        order, titles = contents.order(), contents.titles
    if not order and not any(name.endswith(_ENDINGS) for name in tree.names(pages)):
        return None
    route = mapping(data.get("route"))
    return Site(
        folder=pages,
        title=text(data, "title"),
        description=text(data, "description"),
        base_url=f"{host.rstrip('/')}/{base}".rstrip("/"),
        order=order,
        titles=titles,
        exclude=(
            *NOT_PAGES,
            *_PARTS,
            *(f"/{each}/" for each in languages if not language),
            *(_below(place, each) for each in texts(route.get("exclude"))),
        ),
        redirects=dict(_redirects(data)),
        settings=SiteSettings(
            config_folder=folder,
            language=language_of(language),
            left_out={f"{joined(root, each)}/": "another version" for each in others},
            addresses=AddressSettings(without_ending=route.get("cleanUrls") is True),
            includes=IncludeSettings(import_paths=import_paths(tree, folder)),
        ),
        files=tuple(contents.files),
        translations=tuple(
            joined(root, version, each) for each in languages if language and each != language
        ),
    )


def _versions(tree: IncludeTree, root: str, data: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The folder of the version that is read, and those of the others."""
    stated = mapping(data.get("multiVersion"))
    named = [each for each in texts(stated.get("versions")) if tree.names(joined(root, each))]
    default = text(stated, "default")
    shown = default if default in named else ""
    return shown, [each for each in named if each != shown]


def _languages(
    tree: IncludeTree, root: str, data: Mapping[str, Any], theme: Mapping[str, Any]
) -> tuple[str, list[str]]:
    """The folder of the language that is read, "" where its pages are in none, and those of all languages:
    the English one, else that of the site, else the first."""
    stated = sequence(data.get("locales") or theme.get("locales"))
    names = [text(mapping(each), "lang") for each in stated]
    found = [each for each in names if each and tree.names(joined(root, each))]
    own = text(data, "lang")
    english = (each for each in found if language_of(each) == "en")
    if own and own not in found:  # its pages are beside the folders of the others
        return "", found
    return next(english, own or next(iter(found), "")), found


def _redirects(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Former and present paths of `plugin-client-redirects`; expressions and other sites are left out."""
    for plugin in sequence(data.get("plugins")):
        for rule in sequence(mapping(plugin).get("redirects")):
            target = text(mapping(rule), "to")
            if target.startswith("/"):
                former = texts(mapping(rule).get("from"))
                yield from ((each, target) for each in former if each.startswith("/"))


def _labels(
    tree: IncludeTree, data: Mapping[str, Any], folder: str, language: str
) -> dict[str, str]:
    """What the keys of `i18n.json` stand for, by which files of the navigation name their entries."""
    named = text(data, "i18nSourcePath") or "i18n.json"
    entries = read_json(tree, joined(folder, named))
    own = language or text(data, "lang")
    return {key: shown for key, each in entries.items() if (shown := text(mapping(each), own))}


def _stated(
    tree: IncludeTree, pages: str, theme: Mapping[str, Any], language: str
) -> dict[str, str]:
    """Page -> title by a sidebar in the configuration, in order, of the language where each has its own."""
    own = (mapping(each) for each in sequence(theme.get("locales")))
    sidebars = [each.get("sidebar") for each in own if text(each, "lang") in ("", language)]
    moved = {f"{language}/": ""} if language else {}  # links may begin with the language
    for sidebar in (theme.get("sidebar"), *sidebars):
        if titles := navigation(tree, pages, sidebar, _ENDINGS, moved):
            return titles
    return {}


def _below(place: str, pattern: str) -> str:
    """A pattern of files below the root as one of files in the folder `place` below it."""
    return f"/{pattern.removeprefix(f'{place}/')}" if place and f"{place}/" in pattern else pattern


class _MetaFiles:
    """The navigation of the pages in a folder by its `_nav.json` and the `_meta.json` of each folder below.

    `titles` are what it calls pages, `files` those that were read. A folder without `_meta.json` is in the
    order of names, its index first.
    """

    def __init__(self, tree: IncludeTree, pages: str, labels: Mapping[str, str]) -> None:
        self.titles: dict[str, str] = {}
        self.files: list[str] = []
        self._tree = tree
        self._pages = pages
        self._labels = labels
        self._order: dict[str, None] = {}
        self._walked: set[str] = set()

    def order(self) -> tuple[str, ...]:
        """The pages in the order of the navigation; those that it leaves out are not among them."""
        self._add("", "index", "")
        names = self._tree.names(self._pages)
        if "_nav.json" in names and "_meta.json" not in names:
            linked = (link.strip("/").split("/") for link, _ in _links(self._json("", "_nav.json")))
            parts = dict.fromkeys(part for link in linked for part in link[:2])
            folders = [each for each in parts if each in names]
            for name in (*folders, *(each for each in names if each not in folders)):
                if self._is_folder(name):
                    self._walk(name)
        else:
            self._walk("")
        return tuple(self._order)

    def _is_folder(self, path: str) -> bool:
        place = joined(self._pages, path)
        is_hidden = posixpath.basename(path).startswith(("_", ".")) or path == "public"
        return not is_hidden and not self._tree.exists(place) and bool(self._tree.names(place))

    def _walk(self, folder: str) -> None:
        if folder in self._walked or len(self._order) > MAX_PAGES:
            return
        self._walked.add(folder)
        for item in self._items(folder):
            entry = {"name": item} if isinstance(item, str) else mapping(item)
            label = text(entry, "label")
            name = text(entry, "name")
            if entry.get("type") in _FOLDERS and name:
                self._add(folder, name, label) or self._add(joined(folder, name), "index", label)
                self._walk(joined(folder, name))
            elif entry.get("type") == "custom-link":
                for link, shown in _links(entry):
                    self._add("", link, shown)
            elif name:
                self._add(folder, name, label)

    def _items(self, folder: str) -> list[Any]:
        names = self._tree.names(joined(self._pages, folder))
        if "_meta.json" in names:
            return sequence(self._json(folder, "_meta.json"))
        found: dict[str, Any] = {}
        for name in sorted(names, key=lambda each: (posixpath.splitext(each)[0] != "index", each)):
            if name.startswith(("_", ".")):
                continue
            if self._is_folder(joined(folder, name)):
                found[name] = {"type": "dir", "name": name}
            elif name.endswith(_ENDINGS):
                found.setdefault(posixpath.splitext(name)[0], name)
        return list(found.values())

    def _add(self, folder: str, name: str, label: str) -> bool:
        """Adds the page that an entry names, with or without its ending; whether there is one."""
        place = joined(folder, name.partition("#")[0].removesuffix(".html")) or "index"
        named = [place] if place.endswith(_ENDINGS) else []
        known = (*named, *(f"{place}{ending}" for ending in _ENDINGS))
        inside = (*known, *(joined(place, f"index{ending}") for ending in _ENDINGS if not folder))
        path = first_name(self._tree, self._pages, inside)
        if not path:
            return False
        self._order.setdefault(path)
        if shown := self._labels.get(label, label):
            self.titles.setdefault(path, shown)
        return True

    def _json(self, folder: str, name: str) -> Any:
        path = joined(self._pages, folder, name)
        self.files.append(path)
        return json_value(read_text(self._tree, path))


def _links(item: Any) -> Iterator[tuple[str, str]]:
    """Links within the site and what they are called, in order, in whatever a navigation nests."""
    for entry in entries_in(item, "items"):
        link = text(entry, "link")
        if link.startswith("/"):
            yield link, text(entry, "label", "text")
