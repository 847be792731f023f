"""Writes the content of an HTML page as Markdown, with markdownify: ATX headings, named fences, tables
that hold what their cells hold."""

from __future__ import annotations

import re
from typing import TypeGuard

from bs4 import Comment, Doctype, Tag
from bs4.element import NavigableString
from markdownify import (  # type: ignore[attr-defined]
    ATX,
    MarkdownConverter,
    should_remove_whitespace_inside,
    should_remove_whitespace_outside,
)

from kb_runtime.text.rendering import backticks
from kbc.languages.html.code import code_language, code_text
from kbc.languages.html.tree import HEADINGS, children, classes_of, elements, is_removed, named

_BLOCKS = ("p", "pre", "div", "ul", "ol", "table", "dl", "blockquote")
_MOST_COLUMNS = 100
_LONG_TEXT = 1_000
_BLANKS = re.compile(r"[ \t]{2,}")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,}) *")
_FENCE = re.compile(r"[ >\d.-]*(`{3,})[^`]*\Z")


def to_markdown(content: Tag) -> str:
    """Markdown without blank lines at its ends; "" when there is no text. `prepare_tables` comes before."""
    markdown = _Converter().convert_soup(content)
    text = "\n".join(_tidied(markdown)).strip("\n")
    return f"{text}\n" if text.strip() else ""


def prepare_tables(content: Tag) -> None:
    """Leaves only tables that Markdown can show: no rows without text, and no cells that hold blocks."""
    for row in list(named(content, "tr")):
        if not is_removed(row) and not row.get_text(strip=True) and row.find_previous_sibling("tr"):
            row.decompose()  # lays a table out
    for table in reversed(list(named(content, "table"))):
        _put_heading_before(table)
        if _holds_blocks(table):
            _linearize(table)


def _put_heading_before(table: Tag) -> None:
    """Takes the heading that is the first row of a table out of it."""
    row = next(named(table, "tr"), None)
    heading = next(named(row, *HEADINGS), None) if row is not None else None
    if row is None or heading is None:
        return
    if heading.get_text().split() == row.get_text().split():
        table.insert_before(heading.extract())
        row.decompose()


def _holds_blocks(table: Tag) -> bool:
    """Whether a cell holds what has no place in a line of a Markdown table: code on several lines,
    another table, or, in a table of one column, several paragraphs."""
    if table.find_parent("pre") is not None:
        return False
    if any("\n" in code_text(code) for code in named(table, "pre")):
        return True
    cells = [children(row, "td", "th") for row in named(table, "tr")]
    return (
        bool(cells)
        and all(len(each) <= 1 for each in cells)
        and any(len(children(cell, *_BLOCKS)) > 1 for each in cells for cell in each)
    )


def _linearize(table: Tag) -> None:
    """Makes each cell a block of its own, in the order of the rows."""
    for row in named(table, "tr"):
        for cell in children(row, "td", "th"):
            cell.name = "div"
            cell.attrs = {}
        row.name = "div"
        row.attrs = {}
    for part in named(table, "thead", "tbody", "tfoot"):
        part.name = "div"
    for column in named(table, "colgroup", "col"):
        if not is_removed(column):
            column.decompose()
    if table.caption is not None:
        table.caption.name = "p"
    table.name = "div"
    table.attrs = {}


class _Converter(MarkdownConverter):
    """Markdown as this project's parser reads it best."""

    def __init__(self) -> None:
        super().__init__(
            heading_style=ATX,
            bullets="-",
            escape_underscores=False,
            escape_asterisks=False,
            code_language_callback=code_language,
        )

    def process_tag(self, node: Tag, parent_tags: set[str] | None = None) -> str:
        """Code is taken as it is: what highlights it, a dozen elements a line, is not converted.

        So no other element is in code, for which the library would look above each of them.
        """
        around = parent_tags or set()
        if node.name == "pre":
            return self.convert_pre(node, "", around)
        inside = {*around, node.name, *_CONTEXTS.get(node.name, ())}
        parts = [
            self.process_tag(each, inside)
            if isinstance(each, Tag)
            else self.process_text(each, parent_tags=inside)
            for each in list(node.contents)  # of which long text is replaced
            if isinstance(each, Tag) or _is_text(each, node)
        ]
        convert = self.get_conv_fn_cached(node.name)  # type: ignore[attr-defined]
        text = _joined(parts)
        return str(convert(node, text, parent_tags=around)) if convert is not None else text

    def process_text(self, text: NavigableString, parent_tags: set[str] | None = None) -> str:
        """Collapses blanks first: for many of them the library takes time for the square of their number."""
        if len(text) > _LONG_TEXT and len(short := _BLANKS.sub(" ", text)) < len(text):
            shorter = NavigableString(short)
            text.replace_with(shorter)
            text = shorter
        return str(super().process_text(text, parent_tags))  # type: ignore[misc]

    def convert_img(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """A picture says what its caption says; addresses of files are no text."""
        return str(element.get("alt") or "")

    def convert_summary(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """The label of text that a page shows on demand; a heading in it remains one."""
        if any(each.name in HEADINGS for each in elements(element)):
            return f"\n\n{text}\n\n"
        label = " ".join(text.split())
        return f"\n\n**{label}**\n\n" if label and "*" not in label else f"\n\n{label}\n\n"

    def convert_span(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """Docutils has the type of a term in a span, which its style puts behind a colon."""
        return f" : {text.strip()}" if "classifier" in classes_of(element) else text

    def convert_dt(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """A term or a signature, as a paragraph of its own."""
        if "sig" in classes_of(element):
            signature = " ".join(element.get_text().split())
            return f"\n\n`{signature}`\n\n" if "`" not in signature else f"\n\n{signature}\n\n"
        return f"\n\n{' '.join(text.split())}\n\n"

    def convert_dd(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """Not indented, which would make its code blocks part of indented code."""
        return f"\n\n{text.strip()}\n\n"

    convert_dl = convert_dd

    def convert_td(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """A cell on one line; of a cell over several columns the others are empty."""
        span = str(element.get("colspan") or "1")
        columns = min(int(span), _MOST_COLUMNS) if re.fullmatch(r"[0-9]{1,4}", span) else 1
        content = " ".join(text.split()).replace("|", "\\|")
        return f" {content} " + "|" * max(columns, 1)

    convert_th = convert_td

    def convert_pre(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """A fence longer than any in the code, with the code as it is; in a table a code span."""
        code = code_text(element)
        if not code.strip():
            return ""
        if "td" in parent_tags or "th" in parent_tags:
            marks = backticks(code)
            return f"{marks}{code}{marks}"
        marks = backticks(code, 3)
        return f"\n\n{marks}{code_language(element)}\n{code}\n{marks}\n\n"


_CONTEXTS = {
    **dict.fromkeys([*(f"h{level}" for level in range(1, 7)), "td", "th"], ("_inline",)),
    **dict.fromkeys(["code", "kbd", "samp"], ("_noformat",)),
}
"""What markdownify calls the inside of these elements beside their names."""


def _is_text(node: object, parent: Tag) -> TypeGuard[NavigableString]:
    """Whether a node is text that shows: not a comment, and no white space beside a block or at the ends of
    one."""
    if not isinstance(node, NavigableString) or isinstance(node, (Comment, Doctype)):
        return False
    if node.strip():
        return True
    before, after = node.previous_sibling, node.next_sibling
    if should_remove_whitespace_inside(parent) and (before is None or after is None):
        return False
    return not (should_remove_whitespace_outside(before) or should_remove_whitespace_outside(after))


def _joined(parts: list[str]) -> str:
    """The parts one after another, with no more line ends between two than the more that one of them has
    there, and at most two."""
    found: list[str] = []
    ends = 0  # those of the text so far, which are not yet in `found`
    for part in parts:
        inner = part.strip("\n")
        if not part:
            continue
        leading = len(part) - len(part.lstrip("\n"))
        between = min(2, max(ends, leading)) if found and ends and leading else ends + leading
        found.append("\n" * between)
        found.append(inner)
        ends = len(part) - leading - len(inner)
    return "".join(found) + "\n" * ends


def _tidied(markdown: str) -> list[str]:
    """The lines, with one blank line in a row and no white space at line ends, except in code."""
    lines: list[str] = []
    marks = ""
    for line in markdown.split("\n"):
        if marks:
            lines.append(line)
            if line.strip() == marks:
                marks = ""
            continue
        opening = _FENCE.match(line)
        marks = opening[1] if opening else ""
        if lines and lines[-1] and _UNDERLINE.fullmatch(line):
            line = f"\\{line.strip()}"  # text, which would make a heading of the line above
        if line.strip() or (lines and lines[-1]):
            lines.append(line.rstrip())
    return lines
