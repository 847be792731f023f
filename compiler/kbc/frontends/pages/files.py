"""Reads the pages in a file of a documentation set: Markdown, HTML, text, JSON Lines, `llms-full.txt`.

Text is kept as it is stored, except that HTML is reduced to its main content, as Markdown.
"""

from __future__ import annotations

import dataclasses
import html as html_entities
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from kbc.diagnostics import Diagnostics
from kbc.formats import Converted, convert
from kbc.frontends.converted import is_converted, outline, read_converted
from kbc.frontends.markdown_file import first_paragraph, has_long_line, shorten
from kbc.frontends.page_includes import PageIncludes
from kbc.frontends.pages.repeated import without_repeated
from kbc.languages import markdown
from kbc.languages.addresses import without_pictures
from kbc.languages.anchors import AnchorRules
from kbc.languages.front_matter import stated_language
from kbc.languages.includes.dialects.katacoda import without_actions
from kbc.processor_time import limited
from kbc.project.routes import texts
from kbc.project.source_file import SourceFile
from kbc.project.well_formed import parse_json, scalar_at
from kbc.records import Section
from kbc.sources.formats import format_by_content, is_html_name, looks_like_html

_PAGE_LINK = re.compile(
    r"\s*(?:Source|URL|Link):\s*<?((?:https?|kb)://[^\s>]+)>?\s*\Z", re.IGNORECASE
)
_LINK_WITHIN = 4
"""Lines after a level-1 heading in which `llms-full.txt` may name the page's address."""

BUNDLE = re.compile(
    r"(?:(?P<jsonl>.+)\.(?:jsonl|ndjson)|(?:(?P<llms>.+?)[-_.])?llms-full.*\.txt)\Z"
)
"""Names of files that hold many pages."""

_MOST_PROBLEMS = 9
"""Lines of a file that are reported one by one."""
_LOCATION = re.compile(r"<loc>\s*(?:<!\[CDATA\[)?\s*([^<\]]+?)\s*(?:\]\]>)?\s*</loc>")
_FRONT_MATTER_DATES = ("createdAt", "created_at", "date")


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedPage:
    """A page before it has a place: `url` is what it says about itself, "" when nothing. `line` is its
    first line in the file; the lines of HTML and JSON Lines count within the page. `entry_line` is the
    line of the file that a page of JSON Lines is, 0 for others. `name` is that of a part of a file.
    `spoken` is the language that the page says its words are in."""

    text: str
    format: str  # markdown | mdx | html | text
    title: str = ""
    url: str = ""
    name: str = ""
    line: int = 1
    entry_line: int = 0
    summary: str = ""
    author: str = ""
    created_at: str = ""
    page_count: int = 0
    spoken: str = ""
    tags: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()


def plain_name(path: str) -> str:
    """The file's name in lower case, without the query that a mirror may have put into it."""
    return path.rsplit("/", 1)[-1].lower().partition("?")[0]


def read_pages(
    files: Sequence[SourceFile], diagnostics: Diagnostics, includes: PageIncludes
) -> Iterator[list[ParsedPage]]:
    """The pages of each file, chosen by its name, with what they include; what cannot be read is left out,
    with a diagnostic."""
    formats = [(file, _format(file)) for file in files]
    to_convert = [(file, name) for file, name in formats if name is not None]
    converted = read_converted(to_convert, diagnostics)
    found: list[list[ParsedPage | Converted]] = []
    for file, format in formats:
        if format is None:
            with limited(file.path, len(file.data)):
                found.append([*_own_pages(file, diagnostics, includes)])
            continue
        known = len(diagnostics)
        documents = next(converted)
        if format == "html" and not documents and len(diagnostics) == known:
            _without_content(file, diagnostics)
        found.append([*documents])
    html = [page for each in found for page in each if _is_html(page)]
    own = dict(zip(map(id, html), without_repeated(html), strict=True))
    for each in found:
        pages = (own.get(id(page), page) for page in each)
        yield [_converted(page) if isinstance(page, Converted) else page for page in pages]


def _is_html(page: ParsedPage | Converted) -> TypeGuard[Converted]:
    return isinstance(page, Converted) and page.format == "html"


def _format(file: SourceFile) -> str | None:
    """The name of the format that a file is converted from, "" where its ending says it; None for others."""
    name = file.path.rpartition("/")[2]
    if format := format_by_content(file.path, file.data):
        return format
    if is_html_name(name):
        return "html"
    if is_converted(file.path):
        return ""
    return "html" if looks_like_html(name, file.data) else None


def _own_pages(
    file: SourceFile, diagnostics: Diagnostics, includes: PageIncludes
) -> list[ParsedPage]:
    """The pages of a file of text."""
    name = plain_name(file.path)
    ending = name.rpartition(".")[2]
    text = without_actions(without_pictures(file.text(diagnostics) or ""))
    if not text:
        return []
    if ending in ("jsonl", "ndjson"):
        return list(_json_lines(file, text, diagnostics))
    if has_long_line(text, file.path, diagnostics):
        return []
    if BUNDLE.fullmatch(name):
        found = list(_llms_full(text))
    elif ending == "txt":
        first = next((part for part in re.split(r"\n\s*\n", text) if part.strip()), "")
        found = [ParsedPage(text=text, format="text", summary=shorten(first))]
    else:
        found = [_markdown(file, includes.expand(file, text), diagnostics, includes.rules)]
    if not any(page.text.strip() for page in found):
        _without_content(file, diagnostics)
    return [page for page in found if page.text.strip()]


def _without_content(file: SourceFile, diagnostics: Diagnostics) -> None:
    message = "the page has no main content and was left out"
    hint = "Remove pages that contain only navigation from the folder."
    diagnostics.warning("page-without-content", message, file.path, hint=hint)


def sitemap_locations(text: str) -> list[str]:
    """The addresses of pages in a sitemap, in its order; those of further sitemaps are left out."""
    found = [html_entities.unescape(match) for match in _LOCATION.findall(text)]
    return [url for url in found if not url.lower().endswith((".xml", ".xml.gz"))]


def _markdown(
    file: SourceFile, text: str, diagnostics: Diagnostics, rules: AnchorRules
) -> ParsedPage:
    """Front matter is used as far as it can be read: the page is its author's, not ours to mend."""
    is_mdx = file.path.lower().endswith(".mdx")
    document = markdown.parse(text, mdx=is_mdx)
    for each in document.problems:
        if each.code == "front-matter-invalid":
            diagnostics.warning(each.code, each.message, file.path, each.line, hint=each.hint)
    data = document.data
    return ParsedPage(
        text=text,
        format="mdx" if is_mdx else "markdown",
        title=document.title or scalar_at(data, "title"),
        url=scalar_at(data, "url") or scalar_at(data, "canonical"),
        summary=shorten(scalar_at(data, "description") or scalar_at(data, "summary"))
        or first_paragraph(document.blocks, document.references),
        author=scalar_at(data, "author"),
        created_at=next(filter(None, (scalar_at(data, key) for key in _FRONT_MATTER_DATES)), ""),
        spoken=stated_language(data),
        tags=_tags(data),
        sections=markdown.sections(document, rules),
    )


def _converted(document: Converted) -> ParsedPage:
    found = outline(document)
    titles = [found.heading, document.title]
    if document.format == "html":
        titles.reverse()  # its headings were weighed against its title
    return ParsedPage(
        text=document.text,
        format=document.format,
        title=titles[0] or titles[1],
        name=document.name,
        url=document.url,
        summary=shorten(document.summary) or found.summary,
        author=document.author,
        created_at=document.created_at,
        spoken=document.spoken,
        sections=found.sections,
    )


def _llms_full(text: str) -> Iterator[ParsedPage]:
    """A page begins at each level-1 heading followed by its address; where no heading has one, at
    each level-1 heading. The pages, joined, are the file."""
    lines = text.split("\n")
    headings = [each for each in markdown.parse(text).headings if each.level == 1]
    addresses = {each.start_line: _address(lines, each.end_line) for each in headings}
    if any(addresses.values()):
        headings = [each for each in headings if addresses[each.start_line]]
    starts = [1, *(each.start_line for each in headings[1:])] if headings else [1]
    for number, start in enumerate(starts):
        end = starts[number + 1] - 1 if number + 1 < len(starts) else len(lines)
        part = "\n".join(lines[start - 1 : end]) + ("\n" if end < len(lines) else "")
        page = _parsed(part, start)
        if headings:
            heading = headings[number]
            page = dataclasses.replace(page, title=heading.title, url=addresses[heading.start_line])
        yield page


def _address(lines: list[str], after: int) -> str:
    """The address on one of the lines that follow line `after`."""
    for line in lines[after : after + _LINK_WITHIN]:
        if match := _PAGE_LINK.match(line):
            return match[1]
        if line.startswith("#"):
            break
    return ""


def _json_lines(file: SourceFile, text: str, diagnostics: Diagnostics) -> Iterator[ParsedPage]:
    """An object a line: `url`, and `text`, `markdown` or `content` as Markdown, or `html`. Of many lines that
    are no page, as in a log, the first are reported, and how many there are."""
    problems: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            found = _line(line)
            if isinstance(found, ParsedPage):
                yield dataclasses.replace(found, entry_line=number)
            else:
                problems.append((number, found))
    if (more := len(problems) - _MOST_PROBLEMS) > 1:
        place, message = problems[_MOST_PROBLEMS]
        message = f"{message}; {more - 1} lines below are no page either"
        problems[_MOST_PROBLEMS:] = [(place, message)]
    for place, message in problems:
        hint = 'A line is an object such as {"url": "https://...", "title": "...", "text": "..."}.'
        diagnostics.error("page-line-invalid", message, file.path, place, hint=hint)


def _line(line: str) -> ParsedPage | str:
    """The page of a line, or why it is none."""
    try:
        entry = parse_json(line)
    except RecursionError:
        return "the line is not JSON: it nests too deeply"
    except ValueError as error:
        return f"the line is not JSON: {getattr(error, 'msg', 'a number has too many digits')}"
    if not isinstance(entry, dict):
        return f"the line is {line.strip()[:40]!r}, not an object"
    if not scalar_at(entry, "url"):
        return "the page has no `url`"
    if (page := _entry(entry)) is None:
        return f"the page {entry['url']!r} has no `text`, `markdown`, `content` or `html`"
    return page


def _entry(entry: Mapping[str, Any]) -> ParsedPage | None:
    """The page of one line; None without content."""
    texts = (entry.get(key) for key in ("text", "markdown", "content"))
    stated = (each for each in texts if isinstance(each, str) and each.strip())
    page = next(map(_parsed, stated), None)
    if page is None and isinstance(entry.get("html"), str):
        html = entry["html"].encode("utf-8", "replace")
        page = _converted(*convert("", html, lambda _: None, format="html"))
    if page is None or not page.text.strip():
        return None
    count = entry.get("pageCount", entry.get("page_count"))
    created = (scalar_at(entry, key) for key in _FRONT_MATTER_DATES)
    return dataclasses.replace(
        page,
        url=scalar_at(entry, "url"),
        title=scalar_at(entry, "title") or page.title,
        summary=shorten(scalar_at(entry, "description")) or page.summary,
        author=scalar_at(entry, "author") or page.author,
        created_at=next(filter(None, created), "") or page.created_at,
        page_count=count if isinstance(count, int) and not isinstance(count, bool) else 0,
        spoken=stated_language(entry) or page.spoken,
        tags=_tags(entry),
    )


def _parsed(text: str, line: int = 1) -> ParsedPage:
    """Markdown that is not a file of its own; section lines are the file's."""
    document = markdown.parse(text)
    return ParsedPage(
        text=text,
        format="markdown",
        title=document.title,
        line=line,
        summary=first_paragraph(document.blocks, document.references),
        sections=tuple(
            dataclasses.replace(each, line=each.line + line - 1, end_line=each.end_line + line - 1)
            for each in markdown.sections(document)
        ),
    )


def _tags(data: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(map(str.strip, texts(data.get("tags"))))
