"""How messages call what was recognised: the names of generators, sites and paths."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from kb_runtime.text.tables import some_of
from kbc.recognition.site import Site

MAX_SHOWN_PATHS = 6
"""Of a collection, in the sentence that says what was recognised."""

_GENERIC = re.compile(
    r"build|content|dist|docs?|documentation|en|guides?|html|main|manual|master|out|package|pages|public"
    r"|site|sources?|src|trunk|web|website|www"
)
"""Names of folders that say nothing about what is in them."""


def folder_name(root: Path, boundary: Path, fallback: str) -> str:
    """The name of the folder `root`, or `fallback`, or where that says nothing, that of a folder above it
    within `boundary`."""
    if fallback and not _GENERIC.fullmatch(fallback):
        return fallback
    while _GENERIC.fullmatch(root.name.lower()) and root != boundary:
        root = root.parent
    return root.name


def shown(paths: Sequence[str]) -> str:
    return some_of(paths, MAX_SHOWN_PATHS)


def named(site: Site) -> str:
    if site.is_bundle:
        return f"{', '.join(each.lstrip('/') for each in site.include)}: all pages of a site"
    name = site.conventions.label
    if site.is_by_folders:
        name = "site of templates"
    what = f"{name} {site.title!r}" if site.title else name
    if site.built_by:
        what += f", built by {site.built_by}"
    place = f" ({site.config})" if site.config else ""
    return f"{what}{place}"


def with_article(name: str) -> str:
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"
