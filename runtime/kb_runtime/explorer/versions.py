"""What changed between two builds: settings, sizes, and record by record."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

import kb_runtime as kr
from kb_runtime.explorer import markup
from kb_runtime.explorer.bases import Base
from kb_runtime.explorer.visit import Visit

SHOWN = 200
"""Records of one collection and kind of change that the page lists."""
_MOST_LINES = 4_000
_NOT_COMPARED = frozenset(
    {"text", "content", "stored", "id", "frontmatter", "sections", "size", "lines", "sha256"}
)
"""Fields that follow from the text, which is compared itself."""


@dataclass(frozen=True)
class Build:
    """A build on disk. `key` is how an address calls it; `label` is for people."""

    key: str
    folder: str
    label: str
    base: Base

    def open(self) -> kr.KnowledgeBase:
        """Raises `ArtifactError`."""
        return self.base.open(self.folder)


def page(visit: Visit) -> Response:
    known = builds_of(visit)
    old, new = _chosen(visit, known)
    diff, refused = None, ""
    if old and new and old.key != new.key:
        try:
            with old.open() as before, new.open() as after:
                diff = before.compare(after)
        except kr.ArtifactError as error:  # damaged, or not signed by the server's key
            refused = str(error)
    return visit.render(
        "versions.html",
        builds=list(known.values()),
        old=old,
        new=new,
        diff=diff,
        refused=refused,
        shown=SHOWN,
    )


def record_page(visit: Visit) -> Response:
    known = builds_of(visit)
    old, new = _chosen(visit, known)
    collection, name = visit.text("collection"), visit.text("name")
    before = _text(old, collection, name)
    after = _text(new, collection, name)
    if before is None and after is None:
        visit.kb.get(name, collection=collection)  # raises
    old_lines, new_lines = (before or "").splitlines(), (after or "").splitlines()
    lines = difflib.unified_diff(
        old_lines[:_MOST_LINES],
        new_lines[:_MOST_LINES],
        old.label if old else "",
        new.label if new else "",
        lineterm="",
    )
    text = "\n".join(lines)
    return visit.render(
        "changed.html",
        is_cut=max(len(old_lines), len(new_lines)) > _MOST_LINES or len(text) > markup.MOST_CHARS,
        name=name,
        collection=collection,
        old=old,
        new=new,
        diff=markup.code(text[: markup.MOST_CHARS], "diff") if text else "",
        exists=after is not None,
        existed=before is not None,
    )


def builds_of(visit: Visit) -> Mapping[str, Build]:
    """The builds of all artifacts shown, those of this one first."""
    bases = visit.explorer.bases.all
    order = [bases[visit.place], *(each for each in bases if each is not bases[visit.place])]
    found: dict[str, Build] = {}
    for base in order:
        for at, folder in enumerate(kr.builds(base.path)):
            key = os.path.basename(folder)
            label = f"{os.path.basename(os.path.dirname(folder))} {key[:8]}" + (
                "" if at else " (live)"
            )
            found.setdefault(key, Build(key, folder, label, base))
    return found


def _chosen(visit: Visit, known: Mapping[str, Build]) -> tuple[Build | None, Build | None]:
    """The builds that the address names; otherwise the live one and the one before it."""
    listed = list(known.values())
    new = known.get(visit.text("new")) or (listed[0] if listed else None)
    old = known.get(visit.text("old")) or (listed[1] if len(listed) > 1 else None)
    return old, new


def _text(build: Build | None, collection: str, name: str) -> str | None:
    if build is None:
        return None
    with build.open() as kb:
        try:
            record = kb.get(name, collection=collection or None)
        except kr.ToolError:
            return None
        if record.id != name:
            return None
        data: Mapping[str, Any] = record.data
        fields = "\n".join(
            f"{key}: {value}" for key, value in data.items() if key not in _NOT_COMPARED
        )
        return f"{fields}\n\n{record.text}"
