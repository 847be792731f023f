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
from kbc.languages.html.raised import lowered, raised
from kbc.languages.html.tree import HEADINGS, children, classes_of, elements, has, is_removed, named

_BLOCKS = ("p", "pre", "div", "ul", "ol", "table", "dl", "blockquote")
_MOST_COLUMNS = 100
_LONG_TEXT = 1_000
_BLANKS = re.compile(r"[ \t]{2,}")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,}) *")
_INVISIBLE = re.compile("[\xad\u2060\ufeff]|\u200b(?=[\0-\x7f]|\\Z)")
"""Between the words of scripts without blanks, the last of these signs is one."""
_TAG_BEGIN = re.compile(r"<(?=[A-Za-z/!?])")
_FENCE = re.compile(r"[ >\d.-]*(`{3,})[^`]*\Z")


def to_markdown(content: Tag, *, is_embedded: bool = False) -> str:
    """Markdown without blank lines at its ends; "" when there is no text. `prepare_tables` comes before.

    With `is_embedded` it is for a page of Markdown, which keeps the addresses of pictures, and in which text
    that looks like a tag must not become one.
    """
    converter = _EmbeddedConverter() if is_embedded else _Converter()
    markdown = visible(converter.convert_soup(content))
    text = "\n".join(_tidied(markdown)).strip("\n")
    return f"{text}\n" if text.strip() else ""


def visible(text: str) -> str:
    """The text without signs that only say where a word may be broken."""
    return _INVISIBLE.sub("", text)


def prepare_tables(content: Tag) -> None:
    """Leaves only tables that Markdown can show: no rows without text, and no cells that hold blocks."""
    for row in list(named(content, "tr")):
        if not is_removed(row) and not row.get_text(strip=True) and row.find_previous_sibling("tr"):
            row.decompose()  # lays a table out
    for table in list(named(content, "table")):
        is_inner = not is_removed(table) and table.find_parent("table") is not None
        if is_inner and not table.get_text(strip=True) and not has(table, "img"):
            table.decompose()
    tables = [(table, has(table, "table")) for table in named(content, "table")]
    for table, is_around_others in reversed(tables):
        _put_heading_before(table)
        _fill_columns(table)
        if is_around_others or _holds_blocks(table):
            _linearize(table)


def _own(table: Tag, *names: str) -> list[Tag]:
    """The elements of a table with these names, without those of tables in it."""
    return [each for each in named(table, *names) if each.find_parent("table") is table]


def _put_heading_before(table: Tag) -> None:
    """Takes the heading that is the first row of a table out of it."""
    row = next(named(table, "tr"), None)
    heading = next(named(row, *HEADINGS), None) if row is not None else None
    if row is None or heading is None:
        return
    if heading.get_text().split() == row.get_text().split():
        table.insert_before(heading.extract())
        row.decompose()


def _fill_columns(table: Tag) -> None:
    """Puts an empty cell wherever one of a row above reaches (`rowspan`), so that columns stay columns."""
    if not any("rowspan" in cell.attrs for cell in named(table, "td", "th")):
        return
    reaching: dict[int, int] = {}  # by column, how many of the next rows a cell reaches into
    part = None
    for row in _own(table, "tr"):
        if row.parent is not part:  # no cell reaches out of the head
            part, reaching = row.parent, {}
        column = 0
        below: dict[int, int] = {}
        for cell in [*children(row, "td", "th"), None]:
            while rows := reaching.pop(column, 0):
                empty = Tag(name="td")
                row.append(empty) if cell is None else cell.insert_before(empty)
                below[column] = rows - 1
                column += 1
            if cell is not None:
                columns = range(column, min(column + _span(cell, "colspan"), _MOST_COLUMNS))
                below |= dict.fromkeys(columns, _span(cell, "rowspan") - 1)
                column += len(columns)
        reaching = below


def _span(cell: Tag, name: str) -> int:
    """How many columns or rows a cell takes."""
    stated = str(cell.get(name) or "1")
    return max(1, int(stated)) if re.fullmatch(r"[0-9]{1,4}", stated) else 1


def _holds_blocks(table: Tag) -> bool:
    """Whether a cell holds what has no place in a line of a Markdown table: code on several lines, a heading
    above text, or, in a table of one column, several paragraphs; nor is a column without a head a table."""
    if table.find_parent("pre") is not None:
        return False
    if any("\n" in code_text(code) for code in named(table, "pre")):
        return True
    cells = [children(row, "td", "th") for row in named(table, "tr")]
    if any(children(cell, *HEADINGS) and children(cell, *_BLOCKS) for row in cells for cell in row):
        return True
    return (
        bool(cells)
        and all(len(each) <= 1 for each in cells)
        and (
            not has(table, "th")
            or any(len(children(cell, *_BLOCKS)) > 1 for each in cells for cell in each)
        )
    )


def _linearize(table: Tag) -> None:
    """Makes each cell a block of its own, in the order of the rows."""
    parts = _own(table, "thead", "tbody", "tfoot", "caption")
    columns = _own(table, "colgroup", "col")
    rows = _own(table, "tr")
    cells = [cell for row in rows for cell in children(row, "td", "th")]
    for each in (*cells, *rows, table):
        each.name, each.attrs = "div", {}
    for part in parts:
        part.name = "p" if part.name == "caption" else "div"
    for column in columns:
        if not is_removed(column):
            column.decompose()


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

    def convert_sup(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """An exponent, not more digits of the number before it."""
        return raised(text.strip(), _character_before(element))

    def convert_sub(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """An index."""
        return lowered(text.strip(), _character_before(element))

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
        content = " ".join(text.split()).replace("|", "\\|")
        return f" {content} " + "|" * min(_span(element, "colspan"), _MOST_COLUMNS)

    convert_th = convert_td

    def convert_tr(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """A row; below the first one, which is empty for a table without a head, the line of a table. What
        stands before the rows (a caption, columns) or around them makes no other row the first."""
        table = element.find_parent("table")
        if table is None or next(named(table, "tr"), None) is not element:
            return f"|{text}\n"
        columns = max(1, len(re.findall(r"(?<!\\)\|", text)))
        line = f"|{' --- |' * columns}\n"
        parent = element.parent
        is_head = all(cell.name == "th" for cell in children(element, "td", "th")) or (
            parent is not None and parent.name == "thead" and len(children(parent, "tr")) == 1
        )
        return f"|{text}\n{line}" if is_head else f"|{'  |' * columns}\n{line}|{text}\n"

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


class _EmbeddedConverter(_Converter):
    """Markdown for a part of a page that is written in it."""

    def escape(self, text: str, parent_tags: set[str]) -> str:
        """The text, in which nothing begins a tag or a comment."""
        return _TAG_BEGIN.sub(r"\\<", str(super().escape(text, parent_tags)))  # type: ignore[misc]

    def convert_img(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """A picture as Markdown has it, outside of headings."""
        said, address = str(element.get("alt") or ""), str(element.get("src") or "").strip()
        is_heading = not parent_tags.isdisjoint(HEADINGS)
        if is_heading or not address or re.search(r"[\s()<>{}]", address):
            return said
        return f"![{' '.join(said.split())}]({address})"


_CONTEXTS = {
    **dict.fromkeys([*(f"h{level}" for level in range(1, 7)), "td", "th"], ("_inline",)),
    **dict.fromkeys(["code", "kbd", "samp"], ("_noformat",)),
}
"""What markdownify calls the inside of these elements beside their names."""


def _character_before(element: Tag) -> str:
    """The last character of the text directly before an element; "" without one."""
    before = element.previous_sibling
    text = before.get_text() if isinstance(before, Tag) else str(before or "")
    return text[-1:]


def _is_text(node: object, parent: Tag) -> TypeGuard[NavigableString]:
    """Whether a node is text that shows: no comment, and no white space beside or at the ends of a block."""
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
