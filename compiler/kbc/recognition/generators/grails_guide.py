"""Guides of Grails and Micronaut: AsciiDoc that `toc.yml` beside it puts in order and gives titles."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

from kbc.project.include_tree import IncludeTree
from kbc.project.sites.settings import SiteSettings
from kbc.recognition.configuration import first_name, read_yaml
from kbc.recognition.site import MAX_NESTING, Site, joined

GENERATOR = "grails-guide"
PLACES = ("src/main/docs/guide", "src/en/guide", "src/docs/guide")
CONFIGS = (*(f"{place}/toc.yml" for place in PLACES), "toc.yml")
_ENDINGS = (".adoc", ".asciidoc")


def recognise(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """The guide whose contents are in `folder` or below it; None where most entries have no page."""
    place = posixpath.dirname(config)
    entries = list(_entries(read_yaml(tree, config), ""))
    titles = {path: title for name, title in entries if (path := _page(tree, place, name))}
    if not titles or len(titles) * 2 < len(entries):
        return None
    return Site(folder=place, titles=titles, settings=SiteSettings(config_folder=folder))


def _entries(contents: Mapping[Any, Any], parent: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Paths without endings and titles of all entries, in order."""
    if depth > MAX_NESTING:
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
    return first_name(tree, folder, (f"{name}{each}" for each in _ENDINGS))
