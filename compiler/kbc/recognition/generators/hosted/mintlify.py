"""Mintlify: docs.json (mint.json before) with the navigation, which may be in files of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kbc.project.include_tree import IncludeTree
from kbc.recognition.configuration import first_name, ignored_paths, read_json
from kbc.recognition.site import (
    MAX_NESTING,
    NOT_PAGES,
    Site,
    joined,
    mapping,
    redirects_of_pages,
    text,
)

GENERATOR = "mintlify"
CONFIGS = ("docs.json", "mint.json")
_ENDINGS = (".mdx", ".md")
_VARIANTS = ("languages", "versions")
"""Lists of which a reader sees one at a time."""

_IGNORED = (
    "/snippets/", "/_snippets/", "node_modules/",
    "README.md", "LICENSE.md", "CHANGELOG.md", "CONTRIBUTING.md",
)  # fmt: skip
"""What is no page: parts that pages import, and files for those who write them."""

_IGNORE_FILE = ".mintignore"


def recognise(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """The site whose docs.json is in `folder`; None where it is another program's."""
    data = read_json(tree, config)
    if "navigation" not in data or not ("mintlify" in text(data, "$schema") or "colors" in data):
        return None
    navigation = _Navigation(tree, folder)
    shown = list(navigation.pages(data["navigation"]))
    order = [found for page in shown if (found := navigation.file_of(page))]
    ours = {above for page in shown for above in _folders(page)}
    others = {
        next((above for above in _folders(page) if above not in ours), "")
        for page in navigation.of_other_variants
    } - {""}
    return Site(
        folder=folder,
        title=text(data, "name"),
        description=text(data, "description"),
        order=tuple(order),
        exclude=(
            *NOT_PAGES,
            *_IGNORED,
            *(f"/{name}/" for name in sorted(others)),
            *ignored_paths(tree, joined(folder, _IGNORE_FILE)),
        ),
        redirects=redirects_of_pages(data.get("redirects")),
        files=tuple(navigation.files),
    )


def _folders(page: str) -> Iterator[str]:
    """The folders that a page is in, outermost first."""
    for match in re.finditer("/", page):
        yield page[: match.start()]


class _Navigation:
    """Walks through a navigation; `files` are those that it took in, and `of_other_variants` the pages of
    languages and versions that are not the first choice."""

    def __init__(self, tree: IncludeTree, folder: str) -> None:
        self._tree = tree
        self._folder = folder
        self.files: list[str] = []
        self.of_other_variants: list[str] = []

    def pages(self, node: Any, depth: int = 0) -> Iterator[str]:
        """The names of the pages below a node, in order."""
        if depth > MAX_NESTING:
            return
        if isinstance(node, str):
            yield node.strip("/")
        elif isinstance(node, list):
            for each in node:
                yield from self.pages(each, depth + 1)
        elif isinstance(node, Mapping):
            if taken_in := text(node, "$ref"):
                yield from self.pages(self._taken_in(taken_in), depth + 1)
            if root := text(node, "root"):
                yield root.strip("/")
            for name, value in node.items():
                if name in _VARIANTS and isinstance(value, list):
                    yield from self._variants(value, depth)
                elif isinstance(value, (list, Mapping)):
                    yield from self.pages(value, depth + 1)

    def file_of(self, page: str) -> str:
        """The file of a page below the folder of the site; "" where there is none."""
        return first_name(self._tree, self._folder, (f"{page}{ending}" for ending in _ENDINGS))

    def _variants(self, variants: list[Any], depth: int) -> Iterator[str]:
        defaults = (at for at, each in enumerate(variants) if mapping(each).get("default") is True)
        shown = next(defaults, 0)
        for at, each in enumerate(variants):
            found = list(self.pages(each, depth + 1))
            if at == shown:
                yield from found
            else:
                self.of_other_variants += found

    def _taken_in(self, name: str) -> Mapping[str, Any]:
        path = joined(self._folder, name)
        if path in self.files or not self._tree.exists(path):
            return {}
        self.files.append(path)
        return read_json(self._tree, path)
