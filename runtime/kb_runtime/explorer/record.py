"""The page of a record: its text with the borders of its chunks, what links to it, what agents get."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from starlette.responses import Response

import kb_runtime as kr
from kb_runtime.explorer import markup
from kb_runtime.explorer.links import Links, read_links
from kb_runtime.explorer.visit import Visit

CHUNKS_PER_PAGE = 40
TERMS = 12
NEIGHBOURS = 6
MOST_LISTED = 50
_LINES_BEFORE = 100
"""Of a long text that is shown from a line on, so many lines come before it."""
_MARK_BYTES = 3
"""What a byte order mark adds to a file in UTF-8."""
VIEWS = (
    ("", "Rendered"),
    ("stored", "As stored"),
    ("agent", "As the agent sees it"),
    ("data", "Fields"),
)
_MARKDOWN_KINDS = frozenset({"docs", "builtins", "patterns", "pages", "sources", "workshops"})
_LONG_FIELDS = frozenset(
    {"text", "content", "stored", "title", "id", "collection", "path", "url", "summary"}
)
_STRUCTURAL_FIELDS = frozenset(
    {"line", "lines", "size", "format", "processed", "sha256", "order", "topics"}
)
"""What the head of the page says already, and what means nothing to a reader."""
_MOST_VALUES = 24


@dataclass(frozen=True)
class ShownChunk:
    """A chunk on the page; `is_hit` for the one that a search led to."""

    chunk: kr.Chunk
    html: Markup
    tokens: int
    is_cut: bool
    is_hit: bool


@dataclass(frozen=True)
class Stored:
    """A stored text on the page, from the line `first` of its file on."""

    html: Markup
    is_cut: bool
    first: int


def page(visit: Visit) -> Response:
    name = visit.text("name")
    if not name:
        return browse(visit)
    record = visit.kb.get(name)
    view = visit.text("view")
    chunks = visit.kb.chunks(record.address)
    pages = max(1, -(-len(chunks) // CHUNKS_PER_PAGE))
    row = visit.text("row")
    first = next((at for at, each in enumerate(chunks) if str(each.row) == row), 0)
    number = visit.number("page", first // CHUNKS_PER_PAGE + 1, 1, pages)
    data: Mapping[str, Any] = record.data
    return visit.render(
        "record.html",
        record=record,
        data=data,
        view=view if view in dict(VIEWS) else "",
        views=[
            (title, visit.record_url(record.address, view=key, q=visit.text("q")), key)
            for key, title in VIEWS
        ],
        pieces=_pieces(visit, record, chunks, number, row) if not view else [],
        stored=_stored(record, visit.number("line", 1, 1, 1 << 31)) if view == "stored" else None,
        converted=view == "stored" and is_converted(visit, record),
        agent=_agent(visit, record) if view == "agent" else None,
        fields=markup.json_code(data) if view == "data" else "",
        facts=facts(data),
        inline=markup.inline,
        steps=data.get("steps") if record.kind == "tests" else None,
        count=len(chunks),
        pages=pages,
        number=number,
        tokens=visit.kb.count_tokens(record.text[: markup.MOST_CHARS * 4]),
        query=visit.text("q"),
    )


def browse(visit: Visit) -> Response:
    """All records, a page of each collection at a time."""
    names = [info.name for info in visit.kb.collections if info.records]
    collection = visit.text("collection")
    collection = collection if collection in names else (names[0] if names else "")
    count = next((each.records for each in visit.kb.collections if each.name == collection), 0)
    size = 100
    number = visit.number("page", 1, 1, max(1, -(-count // size)))

    def listed() -> list[tuple[str, str]]:
        return [(each.address, each.title) for each in visit.kb.records(collection)]

    records = visit.opened.remembered(f"records of {collection}", listed) if collection else []
    return visit.render(
        "records.html",
        collection=collection,
        records=records[(number - 1) * size : number * size],
        number=number,
        pages=max(1, -(-count // size)),
    )


def links_of(visit: Visit) -> Links:
    return visit.opened.remembered("links", lambda: read_links(visit.kb))


def links_part(visit: Visit) -> Response:
    record = visit.kb.get(visit.text("name"))
    links = links_of(visit)

    def listed(addresses: Sequence[str]) -> list[tuple[str, str]]:
        return [(visit.record_url(each), links.titles[each]) for each in addresses[:MOST_LISTED]]

    to, of = links.to.get(record.address, ()), links.of.get(record.address, ())
    return visit.render("links.html", to=listed(to), of=listed(of), more_to=len(to) - MOST_LISTED)


def chunk_part(visit: Visit) -> Response:
    """The terms of a chunk, and the chunks nearest to it."""
    row = visit.number("row", 0, 0, 1 << 31)
    chunk = visit.kb.chunk(row)
    terms = visit.kb.terms(chunk.text[: markup.MOST_CHARS])[:TERMS]
    widest = max((each.count * each.information for each in terms), default=1.0) or 1.0
    near = visit.kb.neighbours(row, NEIGHBOURS)
    return visit.render(
        "chunk.html",
        chunk=chunk,
        terms=[(each, 100 * each.count * each.information / widest) for each in terms],
        neighbours=[
            (other, cosine, visit.record_url(other.address, row=other.row))
            for other, cosine in near
        ],
    )


def facts(data: Mapping[str, Any]) -> list[tuple[str, str | list[str]]]:
    """The short fields of a record: numbers, words, and lists of words."""
    found: list[tuple[str, str | list[str]]] = []
    for name, value in data.items():
        label = name.replace("_", " ")
        if (
            name in _LONG_FIELDS | _STRUCTURAL_FIELDS
            or isinstance(value, dict)
            or value in ("", None, [])
        ):
            continue
        if isinstance(value, list):
            words = [each for each in value if isinstance(each, str) and len(each) <= 80]
            if words and len(words) == len(value):
                more = (
                    [f"and {len(words) - _MOST_VALUES} more"] if len(words) > _MOST_VALUES else []
                )
                found.append(
                    (label, [markup.visible(each) for each in words[:_MOST_VALUES]] + more)
                )
        elif len(str(value)) <= 300:
            found.append((label, markup.visible(str(value))))
    return found


def _pieces(
    visit: Visit, record: kr.Record, chunks: Sequence[kr.Chunk], number: int, row: str
) -> list[ShownChunk]:
    # Every record is read for its links: of a large build only once that was done for another page.
    is_small = sum(info.chunks for info in visit.kb.collections) <= 20_000
    links = links_of(visit) if is_small or visit.opened.knows("links") else None
    data: Mapping[str, Any] = record.data
    path = str(data.get("path", ""))

    def resolve(href: str) -> str:
        target = links.resolve(href, path) if links is not None else ""
        return visit.record_url(target) if target else ""

    shown = chunks[(number - 1) * CHUNKS_PER_PAGE : number * CHUNKS_PER_PAGE]
    pieces: list[ShownChunk] = []
    fence = ""
    outline = markup.HeadingLevels()
    for chunk in shown:
        text = chunk.text[: markup.MOST_CHARS]
        if _is_markdown(record, chunk):
            source = f"{fence}\n{text}" if fence else text
            html = markup.markdown(source, resolve, outline, breaks=record.kind == "tests")
            fence = markup.open_fence(text, fence)
        else:
            language = chunk.language or str(data.get("language", ""))
            shown_as = "diff" if data.get("is_diff") else language
            html = markup.code(text, shown_as, chunk.lines[0])
        tokens = visit.kb.count_tokens(text)
        pieces.append(
            ShownChunk(chunk, html, tokens, len(chunk.text) > len(text), str(chunk.row) == row)
        )
    return pieces


def _is_markdown(record: kr.Record, chunk: kr.Chunk) -> bool:
    data: Mapping[str, Any] = record.data
    if data.get("is_diff") or record.kind not in _MARKDOWN_KINDS:
        return record.kind == "tests"
    language = str(data.get("language", "markdown"))
    return language in ("markdown", "mdx", "", "html") and chunk.language not in ("diff",)


def _stored(record: kr.Record, line: int) -> Stored:
    """The text with its lines numbered; of a long one the part that has the line `line`."""
    data: Mapping[str, Any] = record.data
    first = int(data.get("line", 1))
    lines = record.text.split("\n")
    start = 0
    if len(record.text) > markup.MOST_CHARS and 0 < line - first < len(lines):
        start = max(0, line - first - _LINES_BEFORE)
    text = "\n".join(lines[start:])
    shown = text[: markup.MOST_CHARS]
    html = markup.code(shown, str(data.get("language", "")), first + start, anchors=True)
    return Stored(html, is_cut=start > 0 or len(shown) < len(text), first=first + start)


def is_converted(visit: Visit, record: kr.Record) -> bool:
    """Whether the stored text is no copy of its file or of a part of it, so that its lines are others.
    Line ends and a byte order mark make no difference."""
    data: Mapping[str, Any] = record.data
    if int(data.get("line", 1)) > 1:
        return False  # a part of a file, which says where it begins
    sizes = visit.opened.remembered(
        "input sizes", lambda: {str(each["path"]): int(each["bytes"]) for each in visit.kb.inputs}
    )
    size = sizes.get(str(data.get("path", "")))
    if size is None:
        return False  # a part of a folder that was read as a whole
    length = len(record.text.encode("utf-8", "replace"))
    ends = record.text.count("\n")
    return size - length not in (0, ends, _MARK_BYTES, ends + _MARK_BYTES)


def _agent(visit: Visit, record: kr.Record) -> dict[str, Any]:
    """What the tool that gets a record of any kind answers."""
    tool = next(
        (each["name"] for each in visit.kb.tool_definitions if each["name"].endswith("_get")), ""
    )
    try:
        text = visit.kb.call_tool(tool, {"name": record.address}).text
    except kr.ToolError as failure:
        return {"tool": tool, "text": "", "tokens": 0, "error": str(failure)}
    tokens = visit.kb.count_tokens(text)
    return {"tool": tool, "text": markup.visible(text), "tokens": tokens, "error": ""}
