"""GitBook: SUMMARY.md lists the pages; .gitbook.yaml, or book.json of older versions, says where it is."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any

from kbc.languages.markdown import first_title
from kbc.project.include_tree import IncludeTree
from kbc.project.sites.settings import AddressSettings, SiteSettings, ValueSettings
from kbc.recognition.configuration import read_any, read_text
from kbc.recognition.generators import mkdocs
from kbc.recognition.site import (
    NOT_PAGES,
    Site,
    below,
    joined,
    linked_titles,
    mapping,
    text,
    text_values,
)

GENERATOR = "gitbook"
_SUMMARY = "SUMMARY.md"
CONFIGS = (".gitbook.yaml", ".gitbook.yml", "book.json", _SUMMARY)
_README = "README.md"
_SHIPPED = ("/_book/", "/node_modules/")
_OTHERS = ("book.toml", *mkdocs.CONFIGS)
"""Generators whose pages may have a SUMMARY.md as well, below their configuration."""

_FEWEST = 2
_GENERAL = frozenset(
    ["about", "getting started", "home", "introduction", "overview", "readme", "start", "welcome"]
)


def recognise(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """The space or book whose configuration, or SUMMARY.md with README.md, is in `folder`; None without."""
    is_book = not config.endswith((".yaml", ".yml"))
    data: Mapping[str, Any] = {} if config.endswith(_SUMMARY) else read_any(tree, config)
    place = joined(folder, text(data, "root"))
    structure = mapping(data.get("structure"))
    summary = joined(place, text(structure, "summary") or _SUMMARY)
    readme = joined(place, text(structure, "readme") or _README)
    titles = linked_titles(read_text(tree, summary))
    if is_book and not _is_book(tree, folder, place, titles):
        return None
    beside = posixpath.dirname(summary)  # where the links of the summary start
    listed = {below(place, joined(beside, path)): title for path, title in titles.items()}
    title = text(data, "title") or _heading(read_text(tree, readme))
    return Site(
        folder=place,
        title=title,
        description=text(data, "description"),
        titles=listed,
        exclude=(*NOT_PAGES, *_SHIPPED, f"/{summary.removeprefix(f'{place}/')}", "/GLOSSARY.md"),
        redirects={
            former.strip("/"): joined(new)
            for former, new in text_values(data.get("redirects")).items()
        },
        settings=SiteSettings(
            config_folder=folder,
            contents=summary if titles else "",
            addresses=AddressSettings(home=readme.removeprefix(f"{place}/"), as_html=is_book),
            values=ValueSettings(of_books=dict(mapping(data.get("variables")))),
        ),
        files=(summary,) if titles and summary != config else (),
    )


def _is_book(tree: IncludeTree, folder: str, place: str, titles: Mapping[str, str]) -> bool:
    """Whether a SUMMARY.md without GitBook's newer configuration is one of its books."""
    around = (folder, joined(folder, ".."))
    if any(tree.exists(joined(each, name)) for each in around for name in _OTHERS):
        return False
    if not tree.exists(joined(place, _README)):
        return False
    return sum(tree.exists(joined(place, path)) for path in titles) >= _FEWEST


def _heading(page: str) -> str:
    """What the first page calls itself, where this says what the book is about."""
    title = first_title(page)
    return "" if title.lower() in _GENERAL else title
