"""Writes the content of an HTML page as Markdown, with markdownify: ATX headings, named fences, tables
that hold what their cells hold."""

from __future__ import annotations

import re

from bs4 import Tag
from markdownify import ATX, MarkdownConverter

from kb_runtime.text.rendering import backticks
from kbc.languages.html.code import classes_of, code_language, code_text, is_removed

_BLOCKS = ("p", "pre", "div", "ul", "ol", "table", "dl", "blockquote")
_MOST_COLUMNS = 100
_FENCE = re.compile(r"[ >\d.-]*(`{3,})[^`]*\Z")


def to_markdown(content: Tag) -> str:
    """Markdown without blank lines at its ends; "" when there is no text."""
    for table in reversed(content.find_all("table")):
        if _holds_blocks(table):
            _linearize(table)
    markdown = _Converter().convert_soup(content)
    text = "\n".join(_tidied(markdown)).strip("\n")
    return f"{text}\n" if text.strip() else ""


def _holds_blocks(table: Tag) -> bool:
    """Whether a cell holds what has no place in a line of a Markdown table: code on several lines,
    another table, or, in a table of one column, several paragraphs."""
    if table.find_parent("pre") is not None:
        return False
    if any("\n" in code_text(code) for code in table.find_all("pre")):
        return True
    rows = table.find_all("tr")
    cells = [row.find_all(["td", "th"], recursive=False) for row in rows]
    return (
        bool(cells)
        and all(len(each) <= 1 for each in cells)
        and any(len(cell.find_all(_BLOCKS, recursive=False)) > 1 for each in cells for cell in each)
    )


def _linearize(table: Tag) -> None:
    """Makes each cell a block of its own, in the order of the rows."""
    for row in table.find_all("tr"):
        for cell in row.find_all(["td", "th"], recursive=False):
            cell.name = "div"
            cell.attrs = {}
        row.name = "div"
        row.attrs = {}
    for part in table.find_all(["thead", "tbody", "tfoot"]):
        part.name = "div"
    for column in table.find_all(["colgroup", "col"]):
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
        """Code is taken as it is: what highlights it, a dozen elements a line, is not converted."""
        if node.name == "pre":
            return self.convert_pre(node, "", parent_tags or set())
        return str(super().process_tag(node, parent_tags))  # type: ignore[misc]

    def convert_img(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """A picture says what its caption says; addresses of files are no text."""
        return str(element.get("alt") or "")

    def convert_summary(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """The label of text that a page shows on demand."""
        label = " ".join(text.split())
        return f"\n\n**{label}**\n\n" if label and "*" not in label else f"\n\n{label}\n\n"

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
        if line.strip() or (lines and lines[-1]):
            lines.append(line.rstrip())
    return lines
