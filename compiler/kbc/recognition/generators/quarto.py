"""Quarto: _quarto.yml of a website or book names its title, address and the order of its pages."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Any

from kbc.project.include_tree import IncludeTree
from kbc.project.sites.settings import SiteSettings
from kbc.recognition.configuration import read_any
from kbc.recognition.site import MAX_NESTING, NOT_PAGES, Site, joined, mapping, text

GENERATOR = "quarto"
CONFIGS = ("_quarto.yml", "_quarto.yaml")
_SOURCES = (".qmd", ".md", ".ipynb", ".rmd")
_REFERENCE = re.compile(r"_quartodoc.*\.ya?ml")
"""What quartodoc reads instead of the configuration of the site."""

_SHORTCODE = re.compile(r"\{\{<[^{}]*>\}\}")
_NESTED = ("chapters", "appendices", "contents", "sidebar", "navbar", "left", "right", "menu")
"""Keys of a book, a sidebar and a bar of navigation, in the order of their pages."""


def recognise(tree: IncludeTree, folder: str, config: str) -> Site:
    """The website, book or manuscript whose _quarto.yml is in `folder`."""
    data = read_any(tree, config)
    described = next(
        (mapping(data[name]) for name in ("book", "website", "manuscript") if data.get(name)), {}
    )
    pages = list(_pages(described))
    project = mapping(data.get("project"))
    output = text(project, "output-dir")
    return Site(
        folder=folder,
        title=_SHORTCODE.sub("", text(described, "title") or text(data, "title")).strip(),
        description=text(described, "description"),
        base_url=text(described, "site-url"),
        order=tuple(path for path, _ in pages),
        titles={path: title for path, title in pages if title},
        # What begins with an underscore is there to be included.
        exclude=(
            *NOT_PAGES,
            "_*",
            *([f"!/{posixpath.basename(config)}"] if data.get("quartodoc") else []),
            *(f"!/{name}" for name in tree.names(folder) if _REFERENCE.fullmatch(name)),
            "README.*",
            *([f"/{joined(output)}/"] if joined(output) else []),
        ),
        settings=SiteSettings(contents=config if pages and text(project, "type") == "book" else ""),
    )


def _pages(value: Any, depth: int = 0) -> Iterator[tuple[str, str]]:
    """(path, title) of the pages that a navigation names, in its order; the title is "" where it has none."""
    if depth > MAX_NESTING:
        return
    if isinstance(value, list):
        for each in value:
            yield from _pages(each, depth + 1)
    elif isinstance(value, dict):
        # A section, a part or an item may be a page of its own.
        for key in ("href", "file", "part", "section"):
            yield from (
                (path, text(value, "text")) for path, _ in _pages(value.get(key), depth + 1)
            )
        for key in _NESTED:
            yield from _pages(value.get(key), depth + 1)
    elif isinstance(value, str) and value.lower().endswith(_SOURCES) and "://" not in value:
        yield joined(value), ""
