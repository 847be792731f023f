"""The structure of a Markdown or MDX text: front matter, top-level blocks, headings with anchors.

Blocks come from markdown-it-py's block rules (CommonMark and tables), so a `#` in a fence, in an
indented code block or in a comment is no heading. Line numbers are 1-based and count "\\n" in the
text as given: CRLF texts keep their lines, and a lone carriage return ends a Markdown line without
starting a new numbered one. The time is linear in the text: inline markup is parsed for headings only.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from kbc.cache.phases import remembered
from kbc.diagnostics import Diagnostic, Diagnostics, Severity
from kbc.languages.anchors import AnchorRules, Label, assigned, split_attributes, unpictured
from kbc.languages.comments import HIDDEN, CommentedLines
from kbc.languages.fences import language_of_fence
from kbc.languages.front_matter import FrontMatter, front_matter_end, read_front_matter
from kbc.languages.mdx.syntax import mask
from kbc.limits import MAX_INLINE_CHARS, short_title
from kbc.records import Section

BlockKind = Literal[
    "heading", "paragraph", "fence", "code", "table", "list", "quote", "html", "rule", "reference"
]

# Attributes of HTML and of components (`titleId`), attribute lists, and targets of MyST.
_STATED_ID = re.compile(
    r"\b(?:id|name|permalink|\w+Id)\s*=\s*\{?[\"'`]?([^\"'`\s<>{}]+)"
    r"|\{:?[^{}#]*#([^\s{}#]{1,200})[^{}]{0,500}\}|^\(([^()]{1,200})\)=\s*$"
)
_FOOTNOTE = re.compile(r"\[\^([^\]\s]{1,200})\]:")
_MARKUP = re.compile(r"[\\`*_\[\]<>&!~\0]")
"""Inline text without these is plain, as most titles are, and needs no parser."""

_TITLE = re.compile(
    r"^(?P<marks>`{3,}+|~{3,}+).*?^(?P=marks)|^#[ \t]+(?P<title>[^\r\n]+)", re.DOTALL | re.MULTILINE
)
"""A heading of level 1; code, in which such a line is a comment, is passed over."""

_AS_IT_STANDS = re.compile(r"!\[|<|  ")
"""In a heading: pictures, tags and blanks beside each other, which GitHub's anchors and titles differ in."""

_ROLE = re.compile(r"\{[\w:-]+\}(?=`)")
_BLANK = " \t"  # what a blank line may hold; other white space is text to Markdown

_KINDS: Mapping[str, BlockKind] = {
    "heading_open": "heading", "paragraph_open": "paragraph", "fence": "fence",
    "code_block": "code", "table_open": "table", "bullet_list_open": "list",
    "ordered_list_open": "list", "blockquote_open": "quote", "html_block": "html", "hr": "rule",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A top-level block on lines `start_line` to `end_line` (inclusive).

    `content` is a fence's or an indented block's code, or the source of a paragraph or of an HTML
    block, with "\\n" line ends. `items` are the texts of a list's items, one string each.
    """

    kind: BlockKind
    start_line: int
    end_line: int
    level: int = 0  # of a heading, 1 to 6
    title: str = ""  # of a heading, as plain text
    info: str = ""  # of a fence: what follows the opening marks
    content: str = ""
    items: tuple[str, ...] = ()

    @property
    def language(self) -> str:
        """What a fence's info string calls its language, in lower case."""
        return language_of_fence(self.info)


@dataclass(frozen=True, slots=True)
class Fence:
    """A fence on lines `start_line` to `end_line`, at the top level or in a list or a quotation.
    `language` is what its info string calls it, in lower case."""

    start_line: int
    end_line: int
    language: str


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed text. Every line that is not blank is in the front matter or in exactly one block
    (or is MDX import, export or tag syntax); blocks are in order and share no line. `headings` are
    the top-level headings. `labels` are all that get an anchor, in order, and `ids` those that the text
    states elsewhere: in attributes of blocks, in HTML and in components."""

    text: str
    front_matter: FrontMatter | None
    blocks: tuple[Block, ...]
    headings: tuple[Block, ...]
    labels: tuple[Label, ...]
    ids: frozenset[str]
    code_lines: frozenset[int]  # the lines of fenced and indented code, also in lists and quotes
    commented: tuple[CommentedLines, ...]
    fences: tuple[Fence, ...]
    references: Mapping[str, Any]  # link reference definitions, for `plain_text`
    problems: tuple[Diagnostic, ...]

    @property
    def data(self) -> Mapping[str, Any]:
        """The front matter's mapping, empty without one."""
        return self.front_matter.data if self.front_matter else {}

    @property
    def title(self) -> str:
        """The first heading of level 1; "" without one."""
        return next((each.title for each in self.headings if each.level == 1), "")

    def line_of(self, key: str) -> int:
        """The line of a front matter key, else 1."""
        return self.front_matter.line_of(key) if self.front_matter else 1

    def report(self, path: str, diagnostics: Diagnostics) -> None:
        for problem in self.problems:
            diagnostics.add(dataclasses.replace(problem, path=path))


@remembered("markdown")
def parse(text: str, *, mdx: bool = False) -> Document:
    """The structure of `text`. With `mdx`, import and export statements, JSX tags and expressions
    are no part of any block, and indented text is no code, as MDX has it."""
    problems: list[Diagnostic] = []
    source = text.replace("\r\n", "\n")
    line_numbers: Sequence[int] = range(1, source.count("\n") + 2)
    if "\r" in source:
        line_numbers = [1]
        for end in re.findall(r"[\r\n]", source):
            line_numbers.append(line_numbers[-1] + (end == "\n"))
        source = source.replace("\r", "\n")
    lines = source.split("\n")
    front_matter, body_start = read_front_matter(lines, line_numbers, problems)
    lines[:body_start] = [""] * body_start
    written = lines
    if mdx:
        lines = mask("\n".join(lines)).split("\n")
    tokens: list[Token] = []
    environment: dict[str, Any] = {}
    parser = _MDX_BLOCKS if mdx else _MARKDOWN_BLOCKS
    # markdown-it's own newline handling is done above; NUL is what its rules cannot see.
    parser.block.parse("\n".join(lines).replace("\0", "\ufffd"), parser, environment, tokens)
    references = environment.get("references", {})
    found = _BlockList(lines, line_numbers)
    found.read(tokens, references)
    for token in tokens:
        if token.type == "fence":
            _check_fence(token, line_numbers, problems)
    code = {
        index
        for token in tokens
        if token.type in ("fence", "code_block") and token.map is not None
        for index in range(*token.map)
    }
    return Document(
        text=text,
        front_matter=front_matter,
        blocks=tuple(found.blocks),
        headings=tuple(found.headings),
        labels=tuple(_labels(tokens, references)),
        ids=frozenset(_stated_ids(line for at, line in enumerate(written) if at not in code)),
        code_lines=frozenset(line_numbers[index] for index in code),
        commented=tuple(_commented(tokens, line_numbers)),
        fences=tuple(
            Fence(
                line_numbers[token.map[0]],
                line_numbers[token.map[1] - 1],
                language_of_fence(token.info),
            )
            for token in tokens
            if token.type == "fence" and token.map is not None
        ),
        references=references,
        problems=tuple(problems),
    )


def _commented(tokens: Sequence[Token], line_numbers: Sequence[int]) -> Iterator[CommentedLines]:
    for token in tokens:
        if token.type in ("inline", "html_block") and token.map and HIDDEN.search(token.content):
            first, end = token.map
            yield CommentedLines(
                line_numbers[first], line_numbers[end - 1], token.type == "html_block"
            )


def anchors(document: Document, rules: AnchorRules) -> frozenset[str]:
    """Everything in the document that a link may name."""
    found = set(document.ids)
    for style in (rules.style, *rules.others):
        found.update(assigned(document.labels, AnchorRules(style, rules.terms)))
        if style in ("github", "kramdown-gfm"):
            found.update(*map(unpictured, document.labels))
    return frozenset(found - {""})


def sections(document: Document, rules: AnchorRules = AnchorRules()) -> tuple[Section, ...]:  # noqa: B008
    """The document's headings, in file order, with the lines and characters under each."""
    numbered = zip(document.labels, assigned(document.labels, rules), strict=True)
    own = [anchor for label, anchor in numbered if label.is_section]
    lines = document.text.split("\n")
    if lines[-1] == "" and len(lines) > 1:
        lines.pop()
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line) + 1)
    offsets[-1] = len(document.text)
    end_lines = [len(lines)] * len(document.headings)
    still_open: list[int] = []
    for index, heading in enumerate(document.headings):
        while still_open and document.headings[still_open[-1]].level >= heading.level:
            closed = still_open.pop()
            end_lines[closed] = max(document.headings[closed].start_line, heading.start_line - 1)
        still_open.append(index)
    return tuple(
        Section(
            title=heading.title,
            level=heading.level,
            line=heading.start_line,
            end_line=end_line,
            anchor=anchor,
            chars=offsets[end_line] - offsets[heading.start_line - 1],
        )
        for heading, end_line, anchor in zip(document.headings, end_lines, own, strict=True)
    )


def plain_text(source: str, references: Mapping[str, Any] | None = None) -> str:
    """Inline Markdown as plain text on one line: code and link texts stay, markup and HTML tags go.

    `references` are those of the document, so that `[text][]` reads as a link.
    """
    if len(source) > MAX_INLINE_CHARS or _MARKUP.search(source) is None:
        return " ".join(source.split())
    tokens = _INLINE.parseInline(source, {"references": references or {}})[0].children or []
    return " ".join("".join(_inline_text(tokens)).split())


def to_html(text: str) -> str:
    """A text in Markdown, by the rules of `parse`, as HTML."""
    return str(_MARKDOWN_BLOCKS.render(text))


def heading_text(source: str) -> str:
    """The source of a heading as plain text, without its attributes and the names of MyST's roles."""
    return plain_text(_ROLE.sub("", split_attributes(source.strip())[0]))


def first_title(text: str) -> str:
    """The first heading of level 1 of a page that nobody parses, as plain text; "" without one."""
    found = (each["title"] for each in _TITLE.finditer(text, front_matter_end(text)))
    return heading_text(next(filter(None, found), ""))


def _inline_text(tokens: Iterable[Token]) -> Iterable[str]:
    for token in tokens:
        if token.type in ("text", "code_inline", "text_special"):
            yield token.content
        elif token.type in ("softbreak", "hardbreak"):
            yield " "
        elif token.type == "image":
            yield from _inline_text(token.children or [])


def _block_parser(*, mdx: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table")
    return parser.disable(["code", "html_block"]) if mdx else parser


_MARKDOWN_BLOCKS = _block_parser(mdx=False)
_MDX_BLOCKS = _block_parser(mdx=True)
_INLINE = MarkdownIt("commonmark").enable("strikethrough")


class _BlockList:
    """Collects the top-level blocks of a text in order, and the headings among them (also those that share a
    line, see `_add`)."""

    def __init__(self, lines: Sequence[str], line_numbers: Sequence[int]) -> None:
        self.blocks: list[Block] = []
        self.headings: list[Block] = []
        self._lines = lines
        self._line_numbers = line_numbers
        self._covered = 0  # lines before this index belong to a block or are known to be blank

    def read(self, tokens: Sequence[Token], references: Mapping[str, Any]) -> None:
        """Adds what the tokens of the text say, and the link reference definitions between them."""
        for index, token in enumerate(tokens):
            kind = _KINDS.get(token.type)
            if token.level != 0 or token.map is None or kind is None:
                continue
            first, end = token.map
            while kind != "fence" and end - 1 > first and not self._lines[end - 1].strip(_BLANK):
                end -= 1
            self._add_references(first)
            self._covered = end
            self._add(first, end, kind, **_fields(tokens, index, references))
        self._add_references(len(self._lines))

    def _add(self, first: int, end: int, kind: BlockKind, **fields: Any) -> None:
        """Appends the block on lines [first, end). A block that begins on the line where the last
        one ends (only a lone carriage return between them) becomes a part of it."""
        numbers = self._line_numbers
        block = Block(kind=kind, start_line=numbers[first], end_line=numbers[end - 1], **fields)
        if kind == "heading":
            self.headings.append(block)
        if self.blocks and block.start_line <= self.blocks[-1].end_line:
            end_line = max(block.end_line, self.blocks[-1].end_line)
            self.blocks[-1] = dataclasses.replace(self.blocks[-1], end_line=end_line)
        else:
            self.blocks.append(block)

    def _add_references(self, end: int) -> None:
        """Link reference definitions give no token; lines with text between blocks are theirs."""
        start: int | None = None
        for index in range(self._covered, end + 1):
            if index < end and self._lines[index].strip(_BLANK):
                start = index if start is None else start
            elif start is not None:
                content = "\n".join(self._lines[start:index])
                self._add(start, index, "reference", content=content)
                start = None


def _fields(tokens: Sequence[Token], index: int, references: Mapping[str, Any]) -> dict[str, Any]:
    """What `Block` has of the block that `tokens[index]` opens, beside its kind and its lines."""
    token = tokens[index]
    match _KINDS[token.type]:
        case "heading":
            source = tokens[index + 1].content
            title = _titled(source, references)[0]
            if "![" in source:  # badges and icons beside a title say nothing of it
                title = short_title(" ".join(_unpictured(source, references).split())) or title
            return {"level": int(token.tag[1]), "title": title}
        case "paragraph":
            return {"content": tokens[index + 1].content}
        case "list":
            return {"items": _list_items(tokens, index)}
        case "fence" | "code" | "html":
            return {"info": token.info.strip(), "content": token.content.removesuffix("\n")}
        case _:
            return {}


def _titled(source: str, references: Mapping[str, Any]) -> tuple[str, str]:
    """A heading's plain title, without its attributes, and the id that these state, or ""."""
    bare, stated = split_attributes(source)
    return short_title(plain_text(bare, references)), stated


def _unpictured(source: str, references: Mapping[str, Any]) -> str:
    """What `Label` has of a heading's source."""
    if _AS_IT_STANDS.search(source) is None or len(source) > MAX_INLINE_CHARS:
        return ""
    bare, _ = split_attributes(source)
    tokens = _INLINE.parseInline(bare, {"references": references})[0].children or []
    kept = [token for token in tokens if token.type not in ("image", "html_inline")]
    shown = "".join(_inline_text(kept))
    return shown if len(kept) < len(tokens) or "  " in shown else ""


def _labels(tokens: Sequence[Token], references: Mapping[str, Any]) -> Iterator[Label]:
    """Headings at any depth, and the terms of definition lists: the lines of a paragraph that a line with
    a colon at its beginning follows, with or without a blank line between them."""
    waiting: list[str] = []
    for index, token in enumerate(tokens):
        if token.type == "heading_open":
            title, stated = _titled(tokens[index + 1].content, references)
            shown = _unpictured(tokens[index + 1].content, references)
            yield Label(title, stated, is_section=token.level == 0, unpictured=shown)
        if token.type != "paragraph_open":
            waiting = waiting if token.type in ("paragraph_close", "inline") else []
            continue
        lines = tokens[index + 1].content.split("\n")
        first = next((at for at, line in enumerate(lines) if line.startswith((": ", ":\t"))), None)
        terms = waiting if first == 0 else lines[:first] if first else []
        for term in terms:
            yield Label(short_title(plain_text(term, references)), is_term=True)
        waiting = lines if first is None else []


def _stated_ids(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if "=" in line or "#" in line:
            for match in _STATED_ID.finditer(line):
                yield match[1] or match[2] or match[3]
        if line.startswith("[^") and (note := _FOOTNOTE.match(line)):
            yield from (f"fn:{note[1]}", f"fnref:{note[1]}")


def _list_items(tokens: Sequence[Token], opening: int) -> tuple[str, ...]:
    """The text of each item of the list that `tokens[opening]` opens, nested lists included."""
    items: list[list[str]] = []
    for at in range(opening + 1, len(tokens)):  # not a slice, which takes all that follows
        token = tokens[at]
        if token.level == 0:
            break
        if token.type == "list_item_open" and token.level == 1:
            items.append([])
        elif token.type == "inline":
            items[-1].append(plain_text(token.content))
        elif token.type in ("fence", "code_block"):
            items[-1].append(token.content.strip())
    return tuple(" ".join(parts) for parts in items)


def _check_fence(token: Token, line_numbers: Sequence[int], problems: list[Diagnostic]) -> None:
    assert token.map is not None
    first, end = token.map
    content_lines = token.content.count("\n")
    if token.content and not token.content.endswith("\n"):
        content_lines += 1
    if end - first - 2 < content_lines or end - first < 2:
        problems.append(
            Diagnostic(
                Severity.WARNING,
                "markdown-unclosed-fence",
                f"the code block that {token.markup + token.info!r} opens is never closed",
                line=line_numbers[first],
                hint=f"Add a line with {token.markup!r} where the code ends. Without it, all that follows "
                "in the file (or in the list item or quotation) is read as code.",
            )
        )
        return
    reopened = re.compile(rf"^ {{0,3}}{re.escape(token.markup)}[\w-]+\s*$", re.MULTILINE)
    if match := reopened.search(token.content):
        line = line_numbers[first + 1 + token.content.count("\n", 0, match.start())]
        problems.append(
            Diagnostic(
                Severity.WARNING,
                "markdown-fence-in-fence",
                f"{match.group().strip()!r} inside a code block does not close it",
                line=line,
                hint=f"Close the block with {token.markup!r} alone, or open the outer one with more marks.",
            )
        )
