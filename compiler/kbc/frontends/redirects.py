"""Pages of Markdown without a text of their own: those that only send their readers to another page, which
takes their addresses as aliases, those that show an operation of an API description, and those that show
the description in their front matter.

DocFX writes `redirect_url` into the front matter of the first, Jekyll's redirects `redirect_to`, layouts of
other sites read `redirect`; by hand they say in one paragraph that the page has moved, with a link to it.
Mintlify writes `openapi: GET /pets` into the front matter of the second. Programs that write references for
Astro and Hugo write all that a page says into the third.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from kbc.languages.front_matter import below_front_matter, front_matter_end, stated_above
from kbc.languages.includes.fenced import SPAN
from kbc.project import permalinks
from kbc.project.model import Collection
from kbc.project.routes import site_path
from kbc.project.source_file import SourceFile, decode_any
from kbc.records import SUMMARY_KEYS, DocRecord

REDIRECT = "redirect to another page"

_KEYS = ("redirect_url", "redirect_to", "redirectTo", "redirect")
_HEADING = re.compile(r"^#[^\n]*$|^[^\n]+\n=+[ \t]*$", re.MULTILINE)
_SAYS_NOTHING = re.compile(r"(?:\s*(?:#{1,6}[ \t][^\n]*|<!--(?:[^-]|-(?!->))*+-->))*+\s*\Z")
"""Nothing, headings and comments."""
_ELEMENT = re.compile(r"<(?:p|pre|ul|ol|code|a)[ >]")
_MAX_BYTES = 4_096
# One paragraph that says where the text of the page is now, and nothing else.
_MOVED = re.compile(r"\b(?:moved|relocated)\b", re.IGNORECASE)
_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(<?([^)\s>]+)")
_MAX_NOTICE_CHARS = 400


def is_redirect(file: SourceFile) -> bool:
    """Whether a file that no record was made of is a page that only sends its readers to another one."""
    if len(file.data) > _MAX_BYTES:
        return False
    text = decode_any(file.data)
    if not file.path.lower().endswith((".md", ".markdown", ".mdx")):
        return bool(_MOVED.search(text))
    data, body = below_front_matter(text)
    return bool(_target(data, body) or _moved_to(body) or _to_own_name(file.path, body))


def with_redirects(collection: Collection, records: Sequence[DocRecord]) -> list[DocRecord]:
    """The records without pages that only redirect; where these lead to a page of the collection, it has
    their paths and addresses as aliases. A page that says by hand where its text is now stays if that is
    elsewhere, or if its title has a word that the other page's title and path lack."""
    targets: dict[str, str] = {}
    notices: set[str] = set()
    own_names: set[str] = set()
    for record in records:
        if target := _target(record.frontmatter, record.content):
            targets[record.id] = target
        elif target := _to_own_name(record.path, record.content):
            targets[record.id] = target
            own_names.add(record.id)
        elif target := _moved_to(record.content):
            targets[record.id] = target
            notices.add(record.id)
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
        if record.id not in targets:
            continue
        index = _index(targets[record.id], (_route(collection, record), record.path), places)
        page = found[pages[index].id] if index is not None else None
        is_named = page is not None and (record.id in own_names or _is_named(page, record))
        if (record.id in notices or record.id in own_names) and not is_named:
            found[record.id] = record
        elif page is not None:
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
    data, start = stated_above(text)
    stated = data.get("openapi")
    if not isinstance(stated, str) or "".join(lines[start:]).strip():
        return None
    file, method, place = ("", "", *stated.split())[-3:]
    call = f"{method.upper()} {place}"
    found = [each for each in operations if each.summary.partition(": ")[0] == call]
    if not found or not place:
        return None
    named = [each for each in found if file and f"/{each.path}".endswith(f"/{file.strip('/')}")]
    if named:
        operation = min(named, key=lambda each: len(each.path))
    else:
        operation = max(found, key=lambda each: len(posixpath.commonprefix([each.path, path])))
    heading, _, rest = operation.text.partition("\n")
    title = data.get("title")
    shown = f"# {title}" if isinstance(title, str) and title.strip() else heading
    return "\n".join([*lines[:start], "", shown, rest]), operation


def description_shown(text: str) -> str:
    """The text of a page of Markdown; of one with nothing but headings below its front matter, with the
    description that this states, if it is more than a summary: a text of several paragraphs or in HTML."""
    if not _SAYS_NOTHING.match(text, front_matter_end(text)):
        return text
    data, _ = stated_above(text)
    stated = next((data[key] for key in SUMMARY_KEYS if data.get(key)), "")
    if not isinstance(stated, str):
        return text
    is_html = _ELEMENT.search(SPAN.sub("", stated)) is not None
    if not is_html and "\n\n" not in stated.strip():
        return text
    if is_html:
        from kbc.languages.html.page import read_html  # Beautiful Soup, which few sites need

        stated = read_html(stated).text
    return f"{text.rstrip()}\n\n{stated.strip()}\n"


def _target(data: Mapping[str, Any], body: str) -> str:
    """Where a page sends its readers; "" where it has text of its own."""
    stated = next((data[key] for key in _KEYS if data.get(key)), "")
    target = stated[0] if isinstance(stated, list) else stated
    if not isinstance(target, str) or not target:
        return ""
    return "" if _HEADING.sub("", body).strip() else target


def _moved_to(body: str) -> str:
    """Where a page has moved that says so and nothing else; "" for every other page."""
    text = _HEADING.sub("", body).strip()
    if len(text) > _MAX_NOTICE_CHARS or "\n\n" in text or not _MOVED.search(text):
        return ""
    links = set(_LINK.findall(text))
    return links.pop() if len(links) == 1 else ""


def _to_own_name(path: str, body: str) -> str:
    """Where a page of one paragraph leads whose only link is to a file of the same name with another ending
    beside it: what it says is there; "" for every other page."""
    text = _HEADING.sub("", body).strip() if len(body) <= _MAX_BYTES else ""
    links = {target.partition("#")[0] for target in _LINK.findall(text)}
    if len(text) > _MAX_NOTICE_CHARS or "\n\n" in text or len(links) != 1:
        return ""
    target = links.pop()
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(target)))
    is_own = beside != path and posixpath.splitext(beside)[0] == posixpath.splitext(path)[0]
    return target if is_own and posixpath.splitext(beside)[1] else ""


def _is_named(page: DocRecord, notice: DocRecord) -> bool:
    """Whether who looks for the title of `notice` finds `page` by its own title and path."""
    return _words(notice.title) <= _words(f"{page.title} {page.path}")


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text.casefold()))


def _route(collection: Collection, record: DocRecord) -> str:
    return permalinks.route(collection, record.path, record.frontmatter) or record.path


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
    return site_path(path.strip("/")).lower()
