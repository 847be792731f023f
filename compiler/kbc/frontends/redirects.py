"""Pages of Markdown without a text of their own: those that only send their readers to another page, which
takes their addresses as aliases, and those that show an operation of an API description.

DocFX writes `redirect_url` into the front matter of the former, Jekyll's redirects `redirect_to`. Mintlify
writes `openapi: GET /pets` into the front matter of the latter.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from kbc.languages.front_matter import read_front_matter
from kbc.project import permalinks
from kbc.project.kinds import MARKDOWN
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile, decode_any
from kbc.records import CompiledRecord, DocRecord

REDIRECT = "redirect to another page"

_KEYS = ("redirect_url", "redirect_to")
_HEADING = re.compile(r"^#[^\n]*$|^[^\n]+\n=+[ \t]*$", re.MULTILINE)
_MAX_BYTES = 4_096


def is_redirect(file: SourceFile) -> bool:
    """Whether a file that no record was made of is a page that only sends its readers to another one."""
    if len(file.data) > _MAX_BYTES or not file.path.lower().endswith(MARKDOWN):
        return False
    lines = decode_any(file.data).split("\n")
    matter, start = read_front_matter(lines, range(1, len(lines) + 1), [])
    return bool(_target(matter.data if matter else {}, "\n".join(lines[start:])))


def with_redirects(
    collection: Collection, records: Sequence[CompiledRecord]
) -> list[CompiledRecord]:
    """The records without pages that only redirect; where these lead to a page of the collection, it has
    their paths and addresses as aliases."""
    targets = {
        record.id: target
        for record in records
        if isinstance(record, DocRecord) and (target := _target(record.frontmatter, record.content))
    }
    if not targets:
        return list(records)
    pages = [record for record in records if record.id not in targets]
    places = {
        place: index
        for index, record in reversed(list(enumerate(pages)))
        for place in (_plain(_route(collection, record)), _plain(record.path))
    }
    found = {record.id: record for record in pages}
    for record in records:
        if record.id not in targets or not isinstance(record, DocRecord):
            continue
        index = _index(targets[record.id], (_route(collection, record), record.path), places)
        page = found[pages[index].id] if index is not None else None
        if isinstance(page, DocRecord):
            aliases = (*page.aliases, record.path, *record.aliases, record.url)
            kept = tuple(dict.fromkeys(alias for alias in aliases if alias))
            found[page.id] = replace(page, aliases=kept)
    return [found[record.id] for record in records if record.id in found]


def operation_shown(
    path: str, text: str, operations: Iterable[DocRecord]
) -> tuple[str, DocRecord] | None:
    """The text of the page at `path` with the operation that its front matter names, and this operation,
    which of several is the one in the nearest file; None for a page with a text of its own, and where no
    operation is meant."""
    lines = text.replace("\r\n", "\n").split("\n")
    matter, start = read_front_matter(lines, range(1, len(lines) + 1), [])
    stated = matter.data.get("openapi") if matter else None
    if not isinstance(stated, str) or "".join(lines[start:]).strip():
        return None
    file, method, place = ("", "", *stated.split())[-3:]
    call = f"{method.upper()} {place}"
    found = [each for each in operations if each.summary.partition(": ")[0] == call]
    if not found or not place:
        return None
    named = [each for each in found if file and f"/{each.path}".endswith(f"/{file.strip('/')}")]
    operation = (
        min(named, key=lambda each: len(each.path))
        if named
        else max(found, key=lambda each: len(posixpath.commonprefix([each.path, path])))
    )
    heading, _, rest = operation.text.partition("\n")
    title = matter.data.get("title") if matter else None
    shown = f"# {title}" if isinstance(title, str) and title.strip() else heading
    return "\n".join([*lines[:start], "", shown, rest]), operation


def _target(data: Mapping[str, Any], body: str) -> str:
    """Where a page sends its readers; "" where it has text of its own."""
    stated = next((data[key] for key in _KEYS if data.get(key)), "")
    target = stated[0] if isinstance(stated, list) else stated
    if not isinstance(target, str) or not target:
        return ""
    return "" if _HEADING.sub("", body).strip() else target


def _route(collection: Collection, record: CompiledRecord) -> str:
    data = record.frontmatter if isinstance(record, DocRecord) else {}
    return permalinks.route(collection, record.path, data) or record.path


def _index(target: str, own: Sequence[str], places: Mapping[str, int]) -> int | None:
    plain = unquote(target.partition("#")[0].partition("?")[0])
    plain = re.sub(r"\Ahttps?://[^/]+/", "/", plain)
    for place in own:
        path = posixpath.normpath(posixpath.join("/", posixpath.dirname(place), plain))
        for tried in (path, plain):
            if (index := places.get(_plain(tried))) is not None:
                return index
    return None


def _plain(path: str) -> str:
    plain = path.strip("/").lower()
    stem, ending = posixpath.splitext(plain)
    plain = stem if ending in (".md", ".mdx", ".markdown", ".html", ".htm") else plain
    folder, _, name = plain.rpartition("/")
    return folder if name in ("index", "readme") else plain
