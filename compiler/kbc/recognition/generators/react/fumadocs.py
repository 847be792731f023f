"""Fumadocs: a source.config that names folders of pages, `meta.json` files, and loaders with addresses."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest

from kbc.project.include_tree import IncludeTree
from kbc.project.sites.settings import AddressSettings, SiteSettings
from kbc.recognition.configuration import MAX_PAGES, first_existing, read_json, read_text
from kbc.recognition.site import MAX_NESTING, NOT_PAGES, Site, joined, texts

GENERATOR = "fumadocs"
CONFIGS = tuple(f"source.config.{ending}" for ending in ("ts", "tsx", "mts", "js", "mjs"))

_ENDINGS = (".mdx", ".md")
_DEFAULT = "content/docs"
"""The folder of `defineDocs` that names none."""

_CONTENT = "content"
"""The folder of pages where the configuration names none, by convention."""

_COLLECTION = re.compile(r"\bconst\s+(?P<name>\w+)\s*=\s*define(?:Docs|Collections)\s*\(")
_DIR = re.compile(r"""\bdir\s*:\s*\[?\s*["'`]([^"'`$]+)["'`]""")
_IS_DATA = re.compile(r"""\btype\s*:\s*["']meta["']""")

_SOURCES = ("lib", "src/lib", "app/lib", "loaders", "app", "src")
_SOURCE = tuple(f"source.{ending}" for ending in ("ts", "tsx", "js", "mjs"))
"""Where the loaders are: `lib/source.ts`, or in a folder of that."""

_LOADER = re.compile(r"\bloader\s*\(")
_BASE = re.compile(r"""\bbaseUrl\s*:\s*["'`]([^"'`$]*)["'`]""")
_LOADED = re.compile(
    r"\b(?P<own>\w+)\.toFumadocsSource\b|\b(?:toFumadocsSource|createMDXSource)\(\s*(?P<given>\w+)"
)

_GROUP = re.compile(r"\([^/]*\)")
"""A folder that is no part of the address."""


def recognise(tree: IncludeTree, folder: str, config: str) -> list[Site]:
    """The sites whose source.config is in `folder`, one for each folder of pages that is in no other one."""
    source = read_text(tree, config)
    if "fumadocs" not in source:  # `fumadocs-mdx`, or a module of the site's own
        return []
    named = {joined(place): name for name, place in _collections(source)}
    named = named or {_CONTENT: _CONTENT}
    outer = [place for place in named if not any(place.startswith(f"{each}/") for each in named)]
    loaders = first_existing(tree, "", _loader_files(tree, folder))
    bases = {_CONTENT: ""} | (dict(_bases(read_text(tree, loaders))) if loaders else {})
    found: list[Site] = []
    for place in outer:
        own = {
            each.removeprefix(place).lstrip("/"): bases.get(name, posixpath.basename(each))
            for each, name in named.items()
            if f"{each}/".startswith(f"{place}/")
        }
        pages = _PageTree(tree, joined(folder, place), own)
        if pages.addresses:
            found.append(
                Site(
                    folder=pages.folder,
                    name="docs" if not found else posixpath.basename(place),
                    order=tuple(pages.order),
                    exclude=NOT_PAGES,
                    settings=SiteSettings(
                        config_folder=folder, addresses=AddressSettings(known=pages.addresses)
                    ),
                    files=(*pages.files, loaders),
                )
            )
    return found


def _collections(source: str) -> Iterator[tuple[str, str]]:
    """The name of each collection of pages, and its folder."""
    starts = [*_COLLECTION.finditer(source)]
    for match, following in zip_longest(starts, starts[1:]):
        stated = source[match.end() : following.start() if following else len(source)]
        folder = _DIR.search(stated)
        if folder or ("defineDocs" in match[0] and not _IS_DATA.search(stated)):
            yield match["name"], folder[1] if folder else _DEFAULT


def _loader_files(tree: IncludeTree, folder: str) -> tuple[str, ...]:
    places = [joined(folder, each) for each in _SOURCES]
    places += [joined(each, name) for each in places[:3] for name in tree.names(each)]
    return tuple(joined(place, name) for place in places for name in _SOURCE)


def _bases(source: str) -> Iterator[tuple[str, str]]:
    """The name of a collection, and where its addresses begin."""
    for stated in _LOADER.split(source)[1:]:
        base, loaded = _BASE.search(stated), _LOADED.search(stated)
        if base and loaded:
            yield loaded["own"] or loaded["given"], base[1].strip("/")


class _PageTree:
    """The pages below a folder: their paths in `addresses`, the `order` of the navigation, and the `files`
    that say it. `bases` are where addresses begin, by the folders in it ("": itself)."""

    def __init__(self, tree: IncludeTree, folder: str, bases: Mapping[str, str]) -> None:
        self.folder = folder
        self.addresses: dict[str, str] = {}
        self.order: list[str] = []
        self.files: list[str] = []
        self._tree = tree
        self._bases = bases
        self._walk("", "")

    def _walk(self, folder: str, place: str, depth: int = 0) -> None:
        place = self._bases.get(folder, place)
        names = self._tree.names(joined(self.folder, folder))
        pages = {
            posixpath.splitext(name)[0]: joined(folder, name)
            for name in names
            if name.endswith(_ENDINGS)
        }
        folders = [name for name in names if not name.endswith(_ENDINGS) and name[0] not in "._"]
        shown = self._shown(folder, (*pages, *folders))
        for name in shown:
            if name in pages and len(self.addresses) < MAX_PAGES:
                own = place if name == "index" else joined(place, name)
                self.addresses[pages[name]] = own
                self.order.append(pages[name])
            if name in folders and depth < MAX_NESTING:
                own = place if _GROUP.fullmatch(name) else joined(place, name)
                self._walk(joined(folder, name), own, depth + 1)

    def _shown(self, folder: str, names: tuple[str, ...]) -> list[str]:
        """The entries of a folder in the order of its `meta.json`, in which `...` stands for the others and
        `z...a` for these in reverse, and `...folder` and `folder/page` for what is in a folder; those that
        it leaves out are last."""
        path = joined(self.folder, folder, "meta.json")
        meta: Mapping[str, object] = {}
        if self._tree.exists(path):
            self.files.append(path)
            meta = read_json(self._tree, path)
        rest = sorted(dict.fromkeys(names), key=lambda name: (name != "index", name))
        stated = (each.removeprefix("...") for each in texts(meta.get("pages")))
        listed = [each.removeprefix("./").split("/")[0] for each in stated]
        others = [each for each in rest if each not in listed]
        found: list[str] = []
        for each in listed:
            if each in ("", "z...a"):
                found += others[::-1] if each else others
            elif each in rest:
                found.append(each)
        return list(dict.fromkeys((*found, *others)))
