"""Text of records as HTML that can do no harm: escaped, or rendered and then sanitised.

Records are hostile input. Whatever leaves this module as `Markup` went through nh3 (an allow list of
elements, attributes and address schemes) or is made of escaped text. Pictures are left out: a page asks
nobody but its own server.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.lexers.special import TextLexer
from pygments.util import ClassNotFound

MOST_CHARS = 60_000
"""Of one text that is rendered: what is longer is cut, and the page says so."""
_HIGHLIGHTED_CHARS = 20_000
_LONGEST_HIGHLIGHTED_LINE = 2_000
"""Lexers look for the ends of strings and comments: a line of a megabyte would take them minutes."""

_TAGS = """
    a abbr b blockquote br caption code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i ins kbd li mark
    ol p pre q s samp small span strong sub summary sup table tbody td tfoot th thead tr u ul var
"""
_ATTRIBUTES = {
    "a": {"href", "title"},
    "abbr": {"title"},
    "ol": {"start"},
    "span": {"class"},
    "div": {"class"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
}
_SCHEMES = {"http", "https", "mailto", "kb"}
_CODE_CLASSES = re.compile(r"(?:hl|[a-z][a-z0-9]{0,2})")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})([^`\n]*)$", re.MULTILINE)
_FRONT_MATTER = re.compile(r"\A---\n(.*?\n)---(?:\n|\Z)", re.DOTALL)
_CONTROL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff\u202a-\u202e\u2066-\u2069]"
)
"""What has no place on a page: control characters, lone surrogates, and marks that reverse text."""

Resolve = Callable[[str], str]
"""The address of a page of the explorer for a link of a record; empty where it leads nowhere."""


def visible(text: str) -> str:
    """The text with characters that a page cannot show replaced by one that it can."""
    return _CONTROL.sub("�", text)


def marked(text: str, words: Iterable[str]) -> Markup:
    """The escaped text, with the words marked."""
    text = visible(text)
    wanted = sorted({word for word in words if word.strip()}, key=len, reverse=True)
    if not wanted:
        return escape(text)
    pattern = re.compile("|".join(map(re.escape, wanted)), re.IGNORECASE)
    parts: list[Markup] = []
    at = 0
    for found in pattern.finditer(text):
        parts += [escape(text[at : found.start()]), Markup("<mark>{}</mark>").format(found[0])]
        at = found.end()
    return Markup("").join([*parts, escape(text[at:])])


def json_code(value: Any) -> Markup:
    """A value as indented JSON, cut at `MOST_CHARS`."""
    shown = json.dumps(value, ensure_ascii=False, indent=2, default=str)
    return code(shown[:MOST_CHARS], "json")


def code(text: str, language: str, first_line: int = 0, *, anchors: bool = False) -> Markup:
    """Source code, highlighted where its language is known and its lines are of a length that people
    write. With `first_line` lines are numbered from there, and with `anchors` line 7 is `#L7`."""
    text = visible(text)
    rows = _highlighted(text, language).removesuffix("\n").split("\n")
    if first_line:
        # A number is an attribute that a style sheet shows: it is not copied with the code.
        rows = [
            f'<span class="line"{_anchor(number) if anchors else ""} data-line="{number}">'
            f"{row or ' '}</span>"
            for number, row in enumerate(rows, first_line)
        ]
    shown = "".join(rows) if first_line else "\n".join(rows)
    return Markup(f'<pre class="code" tabindex="0"><code>{shown}</code></pre>')  # escaped above


class HeadingLevels:
    """The level of the heading above, over the chunks of a page: no heading is more than one below it,
    whatever the author skipped, so that screen readers can follow."""

    def __init__(self) -> None:
        self._last = 1  # the title of the page

    def level(self, wanted: int) -> int:
        self._last = min(wanted, self._last + 1)
        return self._last


def _anchor(line: int) -> str:
    return f' id="L{line}"'


def inline(text: object) -> Markup:
    """A line of Markdown as text with code, emphasis and links that lead outside."""
    tokens = _MARKDOWN.parseInline(visible(str(text or ""))[:MOST_CHARS])
    _prepare(tokens, lambda _: "")
    return sanitised(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))


def markdown(
    text: str, resolve: Resolve, outline: HeadingLevels | None = None, *, breaks: bool = False
) -> Markup:
    """Markdown, rendered and sanitised. With `outline`, its headings follow those before. With `breaks`,
    the ends of lines are kept: some texts are lists of lines."""
    text = visible(text)
    front = _FRONT_MATTER.match(text)
    before = Markup("")
    if front:
        before = Markup('<div class="front-matter">{}</div>').format(code(front[1], "yaml"))
        text = text[front.end() :]
    tokens = _MARKDOWN.parse(text)
    _prepare(tokens, resolve)
    for at, token in enumerate(tokens):
        if outline is not None and token.type == "heading_open":
            token.tag = tokens[at + 2].tag = f"h{outline.level(int(token.tag[1:]))}"
    renderer = _LINES if breaks else _MARKDOWN
    html = renderer.renderer.render(tokens, renderer.options, {})
    return before + sanitised(html)


_UNREAD_TAGS = "script style template noscript iframe object svg math"
"""What is in them is left out with them."""


def sanitised(html: str) -> Markup:
    clean = nh3.clean(
        html,
        tags=set(_TAGS.split()),
        clean_content_tags=set(_UNREAD_TAGS.split()),
        attributes=_ATTRIBUTES,
        attribute_filter=_kept,
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer nofollow",
        generic_attribute_prefixes=set(),
    )
    # What may be wider than the page scrolls, for which keys need a focus.
    clean = clean.replace("<table>", '<table tabindex="0">')
    return Markup(clean.replace("<pre>", '<pre class="code" tabindex="0">'))


def open_fence(text: str, fence: str = "") -> str:
    """The line that opens the code block in which a text ends, where `fence` is the one in which it
    begins; empty outside of code blocks. Chunks are rendered one by one, and a long block goes over
    several."""
    for found in _FENCE.finditer(text):
        mark, info = found[1], found[2].strip()
        if not fence:
            fence = f"{mark}{info}"
        elif not info and mark[0] == fence[0] and len(mark) >= len(re.match(r"[`~]+", fence)[0]):  # type: ignore[index]
            fence = ""
    return fence


def _prepare(tokens: list[Token], resolve: Resolve) -> None:
    """Points links to pages of the explorer, and puts a picture's words in its place."""
    for token in tokens:
        if token.type == "link_open":
            href = str(token.attrGet("href") or "")
            token.attrSet("href", resolve(href) or (href if _is_outside(href) else ""))
        elif token.type == "image":
            token.type, token.tag, token.nesting = "html_inline", "", 0
            words = token.content or str(token.attrGet("src") or "")
            token.content = f'<span class="picture">{escape(words)}</span>'
        if token.children:
            _prepare(token.children, resolve)


def _is_outside(href: str) -> bool:
    return href.partition(":")[0].lower() in _SCHEMES


def _kept(tag: str, name: str, value: str) -> str | None:
    if name == "class":
        kept = [
            each for each in value.split() if _CODE_CLASSES.fullmatch(each) or each == "picture"
        ]
        return " ".join(kept) or None
    return value


@lru_cache(maxsize=256)
def _lexer(language: str) -> Lexer:
    name = {"quint": "typescript", "qnt": "typescript", "mdx": "markdown"}.get(language, language)
    try:
        return get_lexer_by_name(name or "text", stripnl=False, ensurenl=False)
    except ClassNotFound:
        return TextLexer(stripnl=False, ensurenl=False)


def _highlighted(text: str, language: str) -> str:
    """Escaped; highlighted where it is no longer than what people write."""
    longest = max(map(len, text.splitlines()), default=0)
    if len(text) > _HIGHLIGHTED_CHARS or longest > _LONGEST_HIGHLIGHTED_LINE:
        return str(escape(text))
    shown: str = highlight(text, _lexer(language), _FORMATTER)
    return shown


_FORMATTER = HtmlFormatter(nowrap=True)
_OPTIONS = {
    "html": True,
    "highlight": lambda text, language, _: _highlighted(text, language.lower()),
}
_MARKDOWN = MarkdownIt("commonmark", _OPTIONS).enable(["table", "strikethrough"])
_LINES = MarkdownIt("commonmark", {**_OPTIONS, "breaks": True})
