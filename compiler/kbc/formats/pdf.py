"""PDF: the text of each page, with headings where the size of the type tells them.

The library is C code, so it runs in a process of its own (`pdf_pages`) with limits on time and memory.
"""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from collections import Counter
from collections.abc import Mapping
from itertools import chain, takewhile
from pathlib import Path
from typing import Any

from kbc.formats import commonmark
from kbc.formats.document import FIGURE, Converted, DocumentProblem, FormatError, Read
from kbc.formats.program import run

MAX_HEADING_CHARS = 150
MAX_LABEL_WORDS = 5
"""Of a line in a figure; one with more is text."""
_PROGRAM = Path(__file__).with_name("pdf_pages.py")

_DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?(?:(\d\d)(\d\d)(\d\d)?)?")
_BULLET = re.compile(r"[•◦▪●‣–]\s+")
_HYPHEN = re.compile(r"(?<=[a-zà-ÿ])-\n(?=[a-zà-ÿ])")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_END = re.compile(r"\w[.!?:](?!\S)|[。！？]")
_BROKEN = re.compile(r"([^\W\d_]*)\ufffe([^\W\d_]*)")
_NO_TITLE = re.compile(
    r"(?:microsoft (?:word|powerpoint) - |untitled\b).*|\S+\.(?:docx?|dvi|fm|indd|odt|pdf|pptx?|ps|rtf|tex)",
    re.IGNORECASE,
)
"""What programs write as a title: the name of a file."""


def convert(path: str, data: bytes, read: Read) -> Converted:
    """The document, a section a page with the anchor `page=N`, which viewers open.

    Raises `FormatError` for what is no PDF, or is encrypted.
    """
    if importlib.util.find_spec("pypdfium2") is None:
        raise ModuleNotFoundError("No module named 'pypdfium2'", name="pypdfium2")
    if b"%PDF-" not in data[:1024]:
        raise FormatError("the file is not a PDF: it does not begin with %PDF-")
    answer = _pages(data)
    pages: list[list[dict[str, Any]]] = answer["pages"]
    _join_words(pages)
    sizes = Counter[float]()
    for line in chain(*pages):
        sizes[line["size"]] += len(line["text"])
    body = sizes.most_common(1)[0][0] if sizes else 0.0
    levels = _levels(pages, body)
    fixed = sum(len(line["text"]) for line in chain(*pages) if line["pitch"])
    has_code = 2 * fixed < sizes.total()  # else all of it was typed
    gap = _paragraph_gap(pages, body)
    repeated = _repeated(pages)
    anchors: list[str] = []
    parts: list[list[str]] = []
    title = " ".join(answer["title"].split())
    if not title or _NO_TITLE.fullmatch(title):
        title = _title(pages, body)
    if title:
        parts.append(commonmark.heading(1, commonmark.escaped(title)))
        anchors.append("")
    for number, page in enumerate(pages, start=1):
        lines = [line for line in page if _key(line["text"]) not in repeated]
        written = _page(lines, levels, gap, has_code)
        if not written:
            continue
        parts.append(commonmark.heading(2, f"Page {number}"))
        anchors.append(f"page={number}")
        for part in written:
            parts.append(part)
            if part[0].startswith("#"):
                anchors.append(f"page={number}")
    is_figure = sizes and len(pages) == 1 and not any(map(_is_text, pages[0]))
    problems = (_FIGURE,) if is_figure else () if sizes else (_without_text(len(pages)),)
    return Converted(
        text=commonmark.document(commonmark.blocks(parts)) if not problems else "",
        format="pdf",
        title=title,
        author=" ".join(answer["author"].split()),
        created_at=_date(answer["created"]),
        anchors=tuple(anchors) if not problems else (),
        problems=problems,
    )


_FIGURE = DocumentProblem(
    code=FIGURE,
    message="the only page has labels and no text: it is a figure, and was left out",
    hint="Exclude it from the collection's paths.",
)


def _is_text(line: Mapping[str, Any]) -> bool:
    """Whether a line is more than a label: it has many words, or a sentence ends in it."""
    text = line["text"]
    return len(_WORD.findall(text)) > MAX_LABEL_WORDS or _END.search(text) is not None


def _without_text(pages: int) -> DocumentProblem:
    return DocumentProblem(
        code="pdf-without-text",
        message=f"none of the {pages} pages has text: they are images",
        hint="Run an OCR program over the file, or exclude it from the collection's paths.",
    )


def _pages(data: bytes) -> dict[str, Any]:
    command = [sys.executable, "-I", str(_PROGRAM)]
    done = run("the reader of PDF", command, data)
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
        raise FormatError(f"the PDF cannot be read: {said[:200] or 'its reader ended'}")
    answer = json.loads(done.stdout)
    if "error" in answer:
        raise FormatError(f"the PDF cannot be read: {answer['error']}")
    assert isinstance(answer, dict)
    return answer


def _join_words(pages: list[list[dict[str, Any]]]) -> None:
    """Joins words that are broken at the end of a line. The hyphen stays where the document has the word with
    it, or both parts but not the whole, as words of their own."""
    texts = (_BROKEN.sub(" ", line["text"].lower()) for line in chain(*pages))
    words = {word for text in texts for word in _WORD.findall(text)}

    def joined(match: re.Match[str]) -> str:
        parts = [part.lower() for part in match.groups()]
        is_word = "".join(parts) in words
        are_words = all(len(part) > 2 and part in words for part in parts)
        has_hyphen = "-".join(parts) in words or (are_words and not is_word)
        return f"{match[1]}{'-' if has_hyphen else ''}{match[2]}"

    for line in chain(*pages):
        if "\ufffe" in line["text"]:
            line["text"] = _BROKEN.sub(joined, line["text"])


def _title(pages: list[list[dict[str, Any]]], body: float) -> str:
    """What the first page with text has in the largest type, if that is larger than the text's."""
    first = next((page for page in pages if page), [])
    largest = max((line["size"] for line in first), default=0.0)
    found = " ".join(line["text"].strip() for line in first if line["size"] == largest)
    is_title = largest > body * 1.12 and len(found) <= MAX_HEADING_CHARS
    return " ".join(found.split()) if is_title else ""


def _paragraph_gap(pages: list[list[dict[str, Any]]], body: float) -> float:
    """The room above a line from which on it begins a paragraph: more than lines of one have."""
    gaps = sorted(line["gap"] for page in pages for line in page[1:] if line["size"] == body)
    usual = gaps[len(gaps) // 4] if gaps else 0.0
    least = max(body, 1.0) * 0.9
    return least if usual < least else usual + body * 0.5


def _levels(pages: list[list[dict[str, Any]]], body: float) -> dict[float, int]:
    """Sizes of type larger than the text's -> the level of such headings, from 3 on."""
    short = (line for line in chain(*pages) if len(line["text"]) <= MAX_HEADING_CHARS)
    found = {line["size"] for line in short if line["size"] > body * 1.12}
    return {size: min(index + 3, 6) for index, size in enumerate(sorted(found, reverse=True))}


def _key(text: str) -> str:
    return re.sub(r"\d+", "#", " ".join(text.split()))


def _repeated(pages: list[list[dict[str, Any]]]) -> set[str]:
    """Running heads and feet: what stands first or last on most pages, page numbers aside."""
    if len(pages) < 4:
        return set()
    counts = Counter[str]()
    for page in pages:
        counts.update({_key(line["text"]) for line in [*page[:2], *page[-2:]]})
    return {text for text, count in counts.items() if count > len(pages) * 0.6}


def _page(
    lines: list[dict[str, Any]], levels: dict[float, int], paragraph: float, has_code: bool
) -> list[list[str]]:
    """Headings, paragraphs, items and code of a page, in reading order; `paragraph` is the least gap above
    a paragraph."""
    parts: list[list[str]] = []
    text: list[str] = []

    def end_paragraph() -> None:
        if text:
            joined = _HYPHEN.sub("", "\n".join(text))
            parts.append(commonmark.paragraph(commonmark.escaped(joined)))
            text.clear()

    previous: dict[str, Any] | None = None
    end_of_code = 0
    for index, line in enumerate(lines):
        if index < end_of_code:
            continue
        if has_code and (code := _code(lines, index, levels, is_new=not text)):
            end_paragraph()
            parts.append(commonmark.fence("\n".join(_indented(code))))
            end_of_code = index + len(code)
            previous = code[-1]
            continue
        shown = " ".join(line["text"].split())
        if not shown:
            continue
        level = levels.get(line["size"])
        if level and len(shown) <= MAX_HEADING_CHARS and re.search(r"\w", shown):
            end_paragraph()
            follows = previous is not None and previous["size"] == line["size"] and parts
            if follows and parts[-1][0].startswith("#") and line["gap"] < line["size"] * 1.2:
                parts[-1] = [f"{parts[-1][0]} {commonmark.escaped(shown)}"]
            else:
                parts.append(commonmark.heading(level, commonmark.escaped(shown)))
        elif match := _BULLET.match(shown):
            end_paragraph()
            parts.append([f"- {commonmark.escaped(shown[match.end() :])}"])
        else:
            if previous is not None and line["gap"] > paragraph:
                end_paragraph()
            text.append(shown)
        previous = line
    end_paragraph()
    return parts


def _code(
    lines: list[dict[str, Any]], start: int, levels: dict[float, int], *, is_new: bool
) -> list[dict[str, Any]]:
    """The lines in fixed-width type from `start` on, if there are several, or one that is a paragraph."""
    rest = (lines[index] for index in range(start, len(lines)))
    found = list(takewhile(lambda line: line["pitch"] and line["size"] not in levels, rest))
    is_alone = is_new or (bool(found) and found[0]["gap"] > found[0]["size"] * 0.9)
    return found if len(found) > 1 or is_alone else []


def _indented(code: list[dict[str, Any]]) -> list[str]:
    """Lines of code, as far from the left as they are on the page, with the blank lines between them."""
    margin = min(line["left"] for line in code)
    least = min((line["gap"] for line in code[1:]), default=0.0)
    shown: list[str] = []
    for line in code:
        if shown and line["gap"] > least + line["size"] * 0.7:
            shown.append("")
        shown.append(" " * round((line["left"] - margin) / line["pitch"]) + line["text"].strip())
    return shown


def _date(value: str) -> str:
    match = _DATE.match(value)
    return f"{match[1]}-{match[2] or '01'}-{match[3] or '01'}" if match else ""
