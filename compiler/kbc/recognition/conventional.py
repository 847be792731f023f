"""A folder laid out by the conventions of kb.toml, but without one.

Folders called `docs` or `examples` say little. What shows that a folder is a knowledge base is a file that
nothing else has: templates with their metadata, patterns with front matter, a routing table, exercises of
workshops, or a page whose every section is an entry with a signature.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from kbc.project.include_tree import IncludeTree
from kbc.project.kinds import KINDS, MARKDOWN
from kbc.project.model import CONVENTIONAL, Collection
from kbc.recognition.configuration import read_text

_TEMPLATE_METADATA = frozenset({"templates.toml", "templates.json", "templates.md"})
_PATTERN = re.compile(r"---\r?\n(?:.*\r?\n)*?id:.*\r?\n(?:.*\r?\n)*?---\r?\n")
_HEADING = re.compile(r"^##\s", re.MULTILINE)
_SIGNATURE = re.compile(r"^(?:\*\*)?Signature:", re.MULTILINE)
_FEWEST_ENTRIES = 3
"""A page with fewer signatures may well be about signatures."""


def recognise(tree: IncludeTree) -> list[Collection]:
    """The collections of the root of `tree`; none where nothing shows that it is a knowledge base."""
    pages = tuple(_pages_of_entries(tree))
    skipped = {"code", "tests"}  # projects of all sorts have their places
    found = []
    if pages:
        found.append(Collection(name="builtins", kind="builtins", paths=pages))
        skipped.add("builtins")
    found += [
        each
        for each in CONVENTIONAL
        if each.kind not in skipped and _holds(tree, each.kind, each.paths[0])
    ]
    kinds = {collection.kind for collection in found}
    is_own = kinds & {"builtins", "patterns", "templates", "routing", "workshops"}
    return found if is_own else []


def _holds(tree: IncludeTree, kind: str, folder: str) -> bool:
    """Whether a conventional place has what its kind reads."""
    names = tree.names(folder)
    if kind == "routing":
        return tree.exists(folder)
    if kind == "templates":
        return not _TEMPLATE_METADATA.isdisjoint(names)
    if kind == "patterns":
        return any(_PATTERN.match(read_text(tree, f"{folder}/{name}")) for name in _markdown(names))
    if kind == "examples":
        return any(each.endswith(".qnt") for each in _deep(tree, folder))
    if kind == "workshops":
        return any("exercises" in tree.names(posixpath.join(folder, name)) for name in names)
    suffixes = KINDS[kind].suffixes
    return any(each.endswith(suffixes) for each in _deep(tree, folder))


def _pages_of_entries(tree: IncludeTree) -> Iterator[str]:
    """Pages directly in docs/ most of whose sections are an entry with a signature."""
    for name in _markdown(tree.names("docs")):
        text = read_text(tree, f"docs/{name}")
        signatures = len(_SIGNATURE.findall(text))
        if signatures >= max(_FEWEST_ENTRIES, len(_HEADING.findall(text)) * 0.9):
            yield f"docs/{name}"


def _deep(tree: IncludeTree, folder: str, depth: int = 4) -> Iterator[str]:
    for name in tree.names(folder):
        yield name
        if depth and not name.startswith("."):
            yield from _deep(tree, f"{folder}/{name}", depth - 1)


def _markdown(names: list[str]) -> list[str]:
    return [name for name in names if name.endswith(MARKDOWN)]
