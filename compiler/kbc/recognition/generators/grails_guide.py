"""Guides of Grails and Micronaut: AsciiDoc that `toc.yml` beside it puts in order and gives titles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kbc.project.include_tree import IncludeTree
from kbc.recognition.configuration import read_yaml
from kbc.recognition.site import Site, joined

GENERATOR = "grails-guide"
PLACES = ("src/main/docs/guide", "src/en/guide", "src/docs/guide")
MAX_DEPTH = 12

_CONTENTS = "toc.yml"
_ENDINGS = (".adoc", ".asciidoc")


def recognise(tree: IncludeTree, folder: str) -> Site | None:
    """The guide whose contents are in `folder`, or where a project in `folder` has them; None without one, or
    where most entries have no page."""
    for place in (folder, *(joined(folder, each) for each in PLACES)):
        config = joined(place, _CONTENTS)
        contents = read_yaml(tree, config) if tree.exists(config) else {}
        entries = list(_entries(contents, ""))
        titles = {path: title for name, title in entries if (path := _page(tree, place, name))}
        if titles and len(titles) * 2 >= len(entries):
            return Site(
                generator=GENERATOR,
                config=config,
                folder=place,
                order=tuple(titles),
                titles=titles,
                options={"config_folder": folder},
            )
    return None


def _entries(contents: Mapping[Any, Any], parent: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Paths without endings and titles of all entries, in order."""
    if depth > MAX_DEPTH:
        return
    for key, value in contents.items():
        name = joined(parent, str(key))
        if isinstance(value, Mapping):
            title = value.get("title")
            yield name, title if isinstance(title, str) else ""
            inner = {each: value[each] for each in value if each != "title"}
            yield from _entries(inner, name, depth + 1)
        elif isinstance(value, str):
            yield name, value


def _page(tree: IncludeTree, folder: str, name: str) -> str:
    return next(
        (f"{name}{each}" for each in _ENDINGS if tree.exists(joined(folder, f"{name}{each}"))), ""
    )
