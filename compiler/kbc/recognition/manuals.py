"""The man pages and manuals of programs, and pages of xdoc, wherever in a tree they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from kbc.formats.pandoc.man import START_BYTES, is_man_page
from kbc.formats.registry import BY_NAME
from kbc.project.source_file import content_of
from kbc.recognition.places import (
    FEW_PAGES,
    MAN_FOLDER,
    MANY_PAGES,
    is_of_others,
    is_page,
    within,
)
from kbc.sources.formats import format_by_content

_MAN = BY_NAME["man"].suffixes
_MAN_IN_MARKUP = re.compile(r".*\.[1-8]\.(?:adoc|asciidoc|markdown|md|rst|scd|xml)")
_MAN_TITLE = re.compile(rb"^(?:[=#%][ \t]*)?(?P<name>[\w.@+-]+)[ \t]?\([1-8]\w*\)", re.MULTILINE)
"""`= mount(8)`, `# mount(8) -- ...`, `% MOUNT(8)`."""

_MAN_IN_DOCBOOK = re.compile(rb"<refentry\b")
_XDOC = re.compile(r"(?:.*/)?(?:docs?|site|xdocs?)/(?:[^/]+/)*[^/]+\.xml")
"""Pages of xdoc by the folders that such are in; data of programs may begin as they do."""

_TEXINFO = BY_NAME["texinfo"].suffixes
_BEGINS_MANUAL = re.compile(rb"^\\input texinfo", re.MULTILINE)
"""The first line of a manual, which its chapters in other files lack."""


def manual_pages(root: Path, files: Sequence[str]) -> frozenset[str]:
    """The paths among `files` of man pages, by how they begin, in their own markup or another one, of manuals
    in Texinfo, and of pages of xdoc."""
    return frozenset(
        name
        for name in files
        if (
            name.endswith(_MAN)
            or _MAN_IN_MARKUP.fullmatch(name)
            or _XDOC.fullmatch(name)
            or ("/" in name and name.endswith(_TEXINFO))  # those at the top are about the project
        )
        and _begins_as_manual(root / name)
    )


def _begins_as_manual(path: Path) -> bool:
    start = content_of(path, START_BYTES) or b""
    if path.name.endswith(_MAN):
        return is_man_page(start)
    if path.name.endswith(_TEXINFO):
        return _BEGINS_MANUAL.search(start) is not None
    if path.name.endswith(".xml"):
        is_man = _MAN_IN_DOCBOOK.search(start) is not None
        return is_man or format_by_content(path.name, start) == "xdoc"
    title = _MAN_TITLE.search(start)
    own = path.name.rsplit(".", 2)[0]
    return title is not None and title["name"].decode().lower() == own.lower()


def manuals_beside(
    files: Sequence[str], manual_pages: frozenset[str], taken: Sequence[str]
) -> list[str]:
    """The man pages and manuals beside the source of a program, where the folders and files `taken` hold few
    pages; not those that stand below the same name (`heron.1.md`, `heron.rst`) as pages."""
    if "." in taken or sum(map(is_page, within(files, taken))) >= MANY_PAGES:
        return []
    own = sorted(name for name in manual_pages if not is_of_others(name))
    source = [name for name in own if is_page(name) or _MAN_IN_MARKUP.fullmatch(name)]
    written = {PurePosixPath(name).stem for name in [*filter(is_page, files), *source]}
    known = {*within(own, taken)}
    if len(own) >= FEW_PAGES and all(name.startswith(f"{MAN_FOLDER}/") for name in own):
        return [MAN_FOLDER] if known.isdisjoint(own) else []
    return [
        name
        for name in own
        if name not in known
        and (
            name in source
            or written.isdisjoint({PurePosixPath(name).name, PurePosixPath(name).stem})
        )
    ]
