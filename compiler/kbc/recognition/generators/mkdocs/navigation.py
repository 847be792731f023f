"""The navigation of a site of MkDocs: `nav` in its configuration, or files among the pages.

literate-nav reads lists of links in Markdown (`SUMMARY.md`), awesome-pages reads `.pages` and awesome-nav
`.nav.yml` in each folder. Pages that nothing lists stand behind the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import unquote

from kbc.project.include_tree import IncludeTree
from kbc.recognition.configuration import read_text, read_yaml
from kbc.recognition.site import MAX_NESTING, joined, text

_MAX_FOLDERS = 5_000
_INDEXES = ("index.md", "README.md")
_REST = "..."
_GLOB = re.compile(r"[*?\[]")
_OPTIONS = re.compile(r"\.\.\.[ \t]*(?:\|[ \t]*flat\b[ \t]*)?\|?[ \t]*")
"""What stands before the pattern for the rest of a folder."""
_PAGES = (".md", ".markdown", ".mdown", ".mkdn", ".mkd")
_ITEM = re.compile(
    r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+"
    r"(?:\[(?P<title>[^\]\n]*+)\]\((?P<target><[^>\n]++>|[^)\s]++)[^)\n]*+\)"
    r"|(?P<pattern>[^\s\[]\S*+))[ \t]*$",
    re.MULTILINE,
)
"""An item of a list of literate-nav: a link, or a pattern for files and folders."""
_MARK = re.compile(r"<!--[ \t]*nav[ \t]*-->")

Titles = Mapping[str, str]
"""Page -> what the navigation calls it, "" where it does not; in order."""


def navigation(
    nav: Any, plugins: Mapping[str, Mapping[str, Any]], tree: IncludeTree, docs: str
) -> tuple[Titles, tuple[str, ...]]:
    """The pages below `docs` that the navigation lists, and the files that are there only to list them."""
    literate = _options(plugins, "literate-nav")
    if literate is not None and (nav is None or any(path.endswith("/") for path in _leaves(nav))):
        names = _LiterateNav(tree, docs, text(literate, "nav_file") or "SUMMARY.md")
        return names.pages(nav)
    awesome_pages, awesome_nav = (_options(plugins, f"awesome-{each}") for each in ("pages", "nav"))
    file = ""
    if awesome_pages is not None and (nav is None or _REST in _leaves(nav)):
        file = text(awesome_pages, "filename") or ".pages"
    elif awesome_nav is not None:
        file = text(awesome_nav, "filename") or ".nav.yml"
    if file:
        folders = _AwesomeFolders(tree, docs, file)
        folders.add(nav, "")
        return folders.titles, ()
    return _stated(nav, tree, docs), ()


def _options(plugins: Mapping[str, Mapping[str, Any]], name: str) -> Mapping[str, Any] | None:
    """What a plugin is given, by its name or that of its package."""
    return plugins.get(name, plugins.get(f"mkdocs-{name}"))


def _leaves(nav: Any) -> set[str]:
    return {path for _, path in entries(nav)}


def entries(nav: Any) -> Iterator[tuple[str, str]]:
    """(title, path) of every leaf, in order."""
    if isinstance(nav, str):
        yield "", nav
    elif isinstance(nav, list):
        for item in nav:
            yield from entries(item)
    elif isinstance(nav, Mapping):
        for title, inner in nav.items():
            if isinstance(inner, str):
                yield str(title), inner
            else:
                yield from entries(inner)


def _stated(nav: Any, tree: IncludeTree, docs: str) -> Titles:
    titles: dict[str, str] = {}
    for title, path in entries(nav):
        if "://" in path:
            continue
        if path.endswith(("/", "/*")):
            folder = path.rstrip("/*")
            names = tree.names(joined(docs, folder))
            pages = [joined(folder, name) for name in names if name.endswith(_PAGES)]
            for page in pages:
                titles.setdefault(page, title if len(pages) == 1 else "")
        elif not titles.setdefault(path, title):
            titles[path] = title
    return titles


class _LiterateNav:
    """Reads files called `name` in the folders of pages."""

    def __init__(self, tree: IncludeTree, docs: str, name: str) -> None:
        self._tree = tree
        self._docs = docs
        self._name = name
        self._titles: dict[str, str] = {}
        self._files: dict[str, None] = {}

    def pages(self, nav: Any) -> tuple[Titles, tuple[str, ...]]:
        if nav is None:
            self._folder("", 0)
        for title, path in entries(nav):
            if path.endswith("/"):
                self._folder(joined(path), 1)
            elif "://" not in path and not self._titles.get(path):
                self._titles[path] = title
        return self._titles, tuple(self._files)

    def _folder(self, folder: str, depth: int) -> None:
        """Adds what the file in a folder lists; of one without such a file, its pages."""
        path = joined(folder, self._name)
        if depth > MAX_NESTING or path in self._files or len(self._files) > _MAX_FOLDERS:
            return
        content = read_text(self._tree, joined(self._docs, path))
        if not content:
            self._matching(folder, "*", depth)
            return
        self._files[path] = None
        if mark := _MARK.search(content):
            content = content[mark.end() :]
        for item in _ITEM.finditer(content):
            if pattern := item["pattern"]:
                if "*" in pattern or pattern.endswith("/"):
                    self._matching(folder, pattern, depth)
                continue
            target = unquote(item["target"].strip("<>"))
            if "://" in target or "*" in target or target.startswith(("#", "mailto:")):
                continue
            place = joined(target if target.startswith("/") else f"{folder}/{target}")
            if target.endswith("/"):
                self._folder(place, depth + 1)
            else:
                self._add(place.partition("#")[0], re.sub(r"[`*\\]", "", item["title"]).strip())

    def _matching(self, folder: str, pattern: str, depth: int) -> None:
        """Adds the pages and, where the pattern ends in `/` or is `*`, the folders that it names."""
        above, _, last = pattern.rstrip("/").rpartition("/")
        place = joined(folder, above)
        for name in _listed(self._tree, joined(self._docs, place)):
            path = joined(place, name)
            if not fnmatchcase(name, last or "*") or path in self._titles:
                continue
            if name.endswith(_PAGES):
                if not pattern.endswith("/") and name != self._name:
                    self._add(path, "")
            elif pattern.endswith("/") or last == "*":
                self._folder(path, depth + 1)

    def _add(self, path: str, title: str) -> None:
        if not self._titles.get(path):
            self._titles[path] = title


class _AwesomeFolders:
    """Reads files called `name` in the folders of pages, each of which orders what is in its folder."""

    def __init__(self, tree: IncludeTree, docs: str, name: str) -> None:
        self.titles: dict[str, str] = {}
        self._tree = tree
        self._docs = docs
        self._name = name
        self._read = 0
        self._named: set[str] = set()

    def add(self, nav: Any, folder: str, depth: int = 0) -> None:
        """Adds what `nav`, that of a folder, lists; None: what the file in the folder says."""
        self._read += 1
        if depth > MAX_NESTING or self._read > _MAX_FOLDERS:
            return
        settings = read_yaml(self._tree, joined(self._docs, folder, self._name))
        if nav is None:
            nav = settings.get("nav", settings.get("arrange"))
        listed = _listed(self._tree, joined(self._docs, folder))
        if text(settings, "order") == "desc":
            listed.reverse()
        stated = list(entries(nav)) if nav is not None else [("", _REST)]
        self._named |= {joined(folder, path) for _, path in stated if not _is_rest(path)}
        for title, path in stated:
            if "://" in path:
                continue
            if not _is_rest(path):
                self._place(joined(folder, path), title, depth)
                continue
            pattern = _OPTIONS.sub("", path, count=1) or "*"
            for name in listed:
                place = joined(folder, name)
                if place not in self._named and _matches(name, pattern):
                    self._place(place, "", depth)

    def _place(self, path: str, title: str, depth: int) -> None:
        if path and self._tree.names(joined(self._docs, path)):
            self.add(None, path, depth + 1)
        elif path and not self.titles.get(path):
            self.titles[path] = title


def _is_rest(path: str) -> bool:
    return path.startswith(_REST) or _GLOB.search(path) is not None


def _matches(name: str, pattern: str) -> bool:
    """Whether what is in a folder is called as a pattern says, which may name all below it (`api/**`). What
    a regular expression says is not looked at."""
    first = pattern.removeprefix("glob=").split("/")[0]
    return first == "**" or first.startswith("regex=") or fnmatchcase(name, first)


def _listed(tree: IncludeTree, folder: str) -> list[str]:
    """The pages in a folder, that of the folder first, then the folders in it, as MkDocs orders them."""
    names = [name for name in tree.names(folder) if not name.startswith(".")]
    pages = sorted(
        (name for name in names if name.endswith(_PAGES)),
        key=lambda name: (name not in _INDEXES, name),
    )
    others = (name for name in names if not name.endswith(_PAGES))
    return [*pages, *(name for name in others if tree.names(joined(folder, name)))]
