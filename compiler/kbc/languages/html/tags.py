"""Tags of HTML in pages of Markdown: those that say how text looks go, those with a meaning become Markdown.

A tag with values of attributes is one, and so is one of HTML whose partner is on the page; `<name>` and
`<source file>` alone are as likely words that readers replace by their own. Tables and lists are left to
`embedded`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from html import unescape
from html.entities import html5
from typing import NamedTuple

from kb_runtime.text.rendering import backticks, exact_fence
from kb_runtime.text.unshown import blank, without
from kbc.cache.phases import remembered
from kbc.languages import markdown
from kbc.languages.front_matter import front_matter_end
from kbc.languages.html.blocks import flattened
from kbc.languages.html.raised import lowered, raised
from kbc.languages.includes.components import attributes
from kbc.languages.includes.fenced import INDENTED_CODE, indentation
from kbc.languages.mdx.syntax import code_spans
from kbc.limits import MAX_INLINE_CHARS, MAX_TITLE_CHARS

_BLOCKS = frozenset([
    "address", "article", "aside", "blockquote", "center", "details", "div", "fieldset", "figcaption",
    "figure", "footer", "form", "header", "hgroup", "hr", "legend", "main", "nav", "p", "section", "summary",
])  # fmt: skip
_PHRASES = frozenset([
    "a", "abbr", "audio", "b", "bdi", "big", "br", "button", "cite", "code", "data", "del", "dfn", "em",
    "embed", "font", "i", "iframe", "img", "ins", "kbd", "label", "mark", "nobr", "object", "picture", "q",
    "s", "samp", "small", "source", "span", "strike", "strong", "sub", "sup", "time", "track", "tt", "u",
    "var", "video", "wbr",
])  # fmt: skip
_KNOWN = _BLOCKS | _PHRASES
_ALONE = frozenset(["br", "center", "details", "div", "hr", "img", "p", "wbr"])
"""Names that nobody writes for anything else, with or without a partner."""

_CODE = frozenset(["code", "kbd", "samp", "tt"])
_MARKS = {
    **dict.fromkeys(["b", "strong"], "**"),
    **dict.fromkeys(["cite", "dfn", "em", "i", "var"], "*"),
    **dict.fromkeys(["del", "s", "strike"], "~~"),
}
_PAIRED = frozenset([*_CODE, *_MARKS, "a", "abbr", "sub", "summary", "sup"])
"""Names of elements that become something else than their text."""

_SHOWN_ELSEWHERE = frozenset(["audio", "embed", "iframe", "video"])
_NAMES = "|".join(sorted(_KNOWN, key=len, reverse=True))
_CUSTOM = r"[a-z]+(?:-[a-z]+)+"
_STATED = r"(?:\s(?:[^<>{}\"']|\"[^\"<]*\"|'[^'<]*')*+)?"
_ENTITY = r"&(?:[A-Za-z]\w{1,30}|#\d{1,7}|#[xX][\da-fA-F]{1,6});"
_REST_OF_ENTITY = re.compile(r"[#A-Za-z]")
"""What makes an entity of an ampersand before it."""

_TAG = re.compile(
    rf"<(?P<drawn>svg|math|script|style|template|pre|textarea)(?=[\s/>])"
    rf"|<(?P<end>/?)(?P<name>(?i:{_NAMES})|{_CUSTOM})(?P<stated>{_STATED})(?<!=)/?>"
    rf"|(?P<entity>{_ENTITY})"
)
_TRIGGER = re.compile(rf"</?(?:(?i:{_NAMES})|svg|pre|{_CUSTOM})(?=[\s/>])|{_ENTITY}")
_PRE = re.compile(r"<pre(?P<stated>[^<>]*>\s*(?:<code[^<>]*>)?)(?P<text>.*)</pre>", re.DOTALL)
_LANGUAGE = re.compile(r"\b(?:lang(?:uage)?-|lang=[\"'])([\w+#-]+)")
_BREAK = re.compile(r"<br\s*/?>\n?", re.IGNORECASE)
_KNOWN_TAG = re.compile(rf"</?(?i:{_NAMES})(?:\s[^<>]*)?>")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_BOUND = re.compile(r"\s[:@][\w.:-]+=(?:\"[^\"]*\"|'[^']*')")
"""What a program computes."""
_UNQUOTED = re.compile(
    r"(?<=\s)(?P<name>[a-z-]{1,40})=(?P<value>[^\s\"'`=<>{}]+)|\"[^\"]*\"|'[^']*'"
)
_ID = re.compile(r"[\w:.-]+")
_ROW = re.compile(r"[ \t>]*\|")
_HEADING = re.compile(rf"[ \t>]*#{{1,6}}[ \t]([^\n]{{1,{MAX_TITLE_CHARS}}})")
_QUOTES = re.compile(r"[ \t]*(?:>[ \t]*)*")
_BARE_PIPE = re.compile(r"(?<!\\)\|")
_RAISED = re.compile(r"(?<=([^<>]))<su([pb])>([^<>]{1,100})</su\2>")
_ANY_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_ICON = re.compile(
    r"(?<![\w-])(?:fa|bi|mdi|icon|glyphicon)-(?!(?:lg|sm|xs|fw|\dx)\b)([a-z][a-z-]*)"
)
_UNSEEN = (
    rf"(?:[ \t]|</?(?!(?i:a|embed|iframe|img|video|audio)\b)(?i:{_NAMES})(?:[ \t][^<>\n]*)?>)*+"
)
"""Blanks, and tags that leave nothing on the page."""
_TEXT_BESIDE = re.compile(rf"{_UNSEEN}[^\s]")
_TEXT_BELOW = re.compile(rf"{_UNSEEN}\n[ \t>]*[^\s>]")
_ADDRESS = re.compile(r"[^\s()<>]+")
_OTHER_BLOCK = re.compile(r"^[ \t]*(?:#|[-*+>|][ \t]|\d+[.)][ \t]|`{3}|~{3})", re.MULTILINE)


class _OpenTag(NamedTuple):
    """A tag that is open: the place of what it became among the parts of the text so far, and where it ends
    in the source."""

    name: str
    part: int
    end: int
    stated: Mapping[str, str]
    is_paired: bool


@remembered("html-tags")
def without_html_tags(text: str) -> str:
    """A page of Markdown, not MDX, without the tags of HTML outside of code and comments. Each line keeps its
    number but those below a label that text follows directly, and below `<pre>` on fewer lines than a fence
    takes. An element with an id leaves `<a id="name"></a>`, which links may lead to."""
    if not _TRIGGER.search(text):
        return text
    source = text.replace("\r\n", "\n")
    result = _TagRewriting(flattened(source, _BLOCKS)).text()
    return result.replace("\n", "\r\n") if "\r\n" in text else result


class _TagRewriting:
    """Goes through the tags of a page in order."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._seen = self._written = front_matter_end(source)
        self._line = source.count("\n", 0, self._seen) + 1
        self._parts = [source[: self._seen]]
        self._open: list[_OpenTag] = []
        self._counts: Counter[str] = Counter()  # of the names of `_open`
        self._kept_until = 0
        self._blank_until = 0  # where the last indentation ends that entities made

    @cached_property
    def _code_lines(self) -> frozenset[int]:
        return markdown.parse(self._source).code_lines

    def text(self) -> str:
        source = self._source
        prose = without(source, code_spans(source))
        prose = _COMMENT.sub(lambda found: blank(found[0]), prose)
        closings = (each["name"] for each in _TAG.finditer(prose) if each["end"])
        ahead = Counter(map(str.lower, closings))
        endless: set[str] = set()
        position = self._seen
        while found := _TAG.search(prose, position):
            position = found.end()
            is_text = source[found.start() - 1 : found.start()] == "\\" or self._is_in_code(found)
            if drawn := found["drawn"]:
                end = -1 if drawn in endless else prose.find(f"</{drawn}>", position)
                if end < 0:
                    endless.add(drawn)
                    continue
                position = end + len(drawn) + 3
                if drawn == "svg" and not is_text:
                    self._replace(found.start(), position, "")
                elif drawn == "pre" and not is_text:
                    self._fence(found.start(), position)
                continue
            if entity := found["entity"]:
                if not is_text:
                    self._write_entity(entity, found.start(), position)
                continue
            name = found["name"].lower()
            ahead[name] -= bool(found["end"])
            if is_text or position <= self._kept_until:
                continue
            if found["end"]:
                self._close(name, found)
            elif (
                "=" in found["stated"]
                or name in _ALONE
                or ((name in _KNOWN or found["stated"].strip(" \t\n/")) and ahead[name])
            ):
                self._begin(name, found)
        self._parts.append(source[self._written :])
        return "".join(self._parts)

    def _write_entity(self, entity: str, start: int, end: int) -> None:
        """Writes what an entity stands for; of blanks that begin a line none, as indented text is code."""
        is_alone = entity == "&amp;" and not _REST_OF_ENTITY.match(self._source, end)
        shown = "&" if is_alone else _character(entity)
        if shown == " ":
            line_start = self._source.rfind("\n", 0, start) + 1
            margin = _QUOTES.match(self._source, max(line_start, self._blank_until))
            if margin and margin.end() >= start:
                self._blank_until = end
                shown = ""
        self._replace(start, end, shown)

    def _fence(self, start: int, end: int) -> None:
        """Preformatted text on lines of its own, as fenced code."""
        source = self._source
        margin = source[source.rfind("\n", 0, start) + 1 : start]
        if margin.strip() or _TEXT_BESIDE.match(source, end):
            return
        element = _PRE.fullmatch(source, start, end)
        text = _BREAK.sub("\n", element["text"]) if element else ""
        code = unescape(_KNOWN_TAG.sub("", text)).strip("\n")
        if not element or not code.strip():
            return
        language = _LANGUAGE.search(element["stated"])
        fenced = exact_fence(code, language[1] if language else "").rstrip("\n")
        lines = fenced.replace("\n", f"\n{margin}")
        left = source.count("\n", start, end) - lines.count("\n")
        self._parts += [source[self._written : start], lines + "\n" * max(0, left)]
        self._written = end

    def _is_in_code(self, tag: re.Match[str]) -> bool:
        """Whether the line of a tag is indented code."""
        source, at = self._source, tag.start()
        self._line += source.count("\n", self._seen, at)
        self._seen = at
        start = source.rfind("\n", 0, at) + 1
        margin = source[start : min(at, start + INDENTED_CODE)]
        return indentation(margin) >= INDENTED_CODE and self._line in self._code_lines

    def _begin(self, name: str, tag: re.Match[str]) -> None:
        stated = _stated(_BOUND.sub("", tag["stated"]))
        source, end = self._source, tag.end()
        place = stated.get("id", "") or (stated.get("name", "") if name == "a" else "")
        is_empty = tag[0].endswith("/>") or source.startswith(f"</{name}>", end)
        if place and is_empty and name in ("a", "div", "span"):  # as pages of Markdown have it
            self._kept_until = end if tag[0].endswith("/>") else end + len(name) + 3
            return
        anchor = f'<a id="{place}"></a>' if place and _ID.fullmatch(place) else ""
        if name == "img":
            shown = "" if self._is_in_titled_heading(tag) else _picture(stated)
            self._replace(tag.start(), end, anchor + shown)
            return
        if name in _SHOWN_ELSEWHERE and (address := stated.get("src", "")):
            label = " ".join(stated.get("title", name).split()).translate(_WITHOUT_BRACKETS)
            anchor += _link(label, address)
        if name in ("i", "span") and is_empty and self._is_in_row(tag):
            icon = _ICON.search(stated.get("class", ""))
            anchor += icon[1] if icon else ""
        is_paired = name in _PAIRED and not self._counts[name]
        shown = anchor or ("" if is_paired else self._between(name, tag))
        self._replace(tag.start(), end, shown)
        if not tag[0].endswith("/>"):
            self._open.append(_OpenTag(name, len(self._parts) - 1, end, stated, is_paired))
            self._counts[name] += 1

    def _close(self, name: str, tag: re.Match[str]) -> None:
        if not self._counts[name]:
            if name in _KNOWN:
                self._replace(tag.start(), tag.end(), self._between(name, tag))
            return
        while True:
            opened = self._open.pop()
            self._counts[opened.name] -= 1
            if opened.name == name:
                break
        raw = self._source[opened.end : tag.start()]
        if not opened.is_paired or len(raw) > MAX_INLINE_CHARS:
            self._replace(tag.start(), tag.end(), self._between(name, tag))
            return
        self._parts.append(self._source[self._written : tag.start()])
        first = opened.part + 1
        inner = "".join(self._parts[first:])
        self._parts[first:] = [self._shown(opened, raw, inner, tag)]
        self._written = tag.end()

    def _shown(self, opened: _OpenTag, raw: str, inner: str, tag: re.Match[str]) -> str:
        """What an element became: `raw` is what it has in the source, `inner` that without tags."""
        name = opened.name
        if name == "summary":
            return self._label(inner, tag)
        if name == "a":
            return _linked(inner, opened.stated)
        if name == "abbr":
            return _explained(inner, opened.stated.get("title", ""))
        if "\n\n" in inner or not inner.strip() or _OTHER_BLOCK.search(inner.lstrip()):
            return inner
        if name in _CODE:
            raw = _RAISED.sub(_in_code, raw)
            code = " ".join(unescape(_ANY_TAG.sub("", raw)).split())
            if not code or "\n" in raw.strip():
                return inner
            marks = backticks(code)
            pad = " " if code[0] == "`" or code[-1] == "`" else ""
            shown = f"{marks}{pad}{code}{pad}{marks}"
            return _BARE_PIPE.sub(r"\|", shown) if self._is_in_row(tag) else shown
        text = inner.strip()
        before = inner[: len(inner) - len(inner.lstrip())]
        after = inner[len(before) + len(text) :]
        if name in ("sub", "sup"):
            last = self._parts[opened.part] or "".join(self._parts[max(0, opened.part - 2) :][:2])
            text = (raised if name == "sup" else lowered)(text, last[-1:])
        elif _MARKS[name][0] not in text and text[0] != "`":
            text = f"{_MARKS[name]}{text}{_MARKS[name]}"
        return f"{before}{text}{after}"

    def _label(self, inner: str, tag: re.Match[str]) -> str:
        """The label of text that a page shows on demand, as a paragraph in as many lines, above what is in
        it beside paragraphs (code, a list)."""
        source = self._source
        first = len(inner) - len(inner.lstrip())
        if not inner.startswith(("```", "~~~"), first):
            first = inner.find("\n", first) + 1 or len(inner)
        other = _OTHER_BLOCK.search(inner, first)
        blocks = inner[other.start() :] if other else ""
        inner = inner[: len(inner) - len(blocks)]
        label = " ".join(inner.replace("**", "").split())
        if not label:
            return inner + blocks
        shown = f"**{label}**" if "*" not in label and label[0] != "#" else label
        margin = _QUOTES.match(source, source.rfind("\n", 0, tag.start()) + 1)
        quotes = margin[0] if margin else ""
        blank_line = f"\n{quotes.rstrip()}"
        lines = inner.count("\n")
        if blocks:
            is_beside_text = blocks[-1] != "\n" and _TEXT_BESIDE.match(source, tag.end())
            end = f"\n{quotes}" if is_beside_text else ""
            return f"{shown}{blank_line * (lines - 1)}\n{blocks}{end}"
        if _TEXT_BESIDE.match(source, tag.end()):
            return f"{shown}{blank_line * max(1, lines)}\n{quotes}"
        is_above_text = _TEXT_BELOW.match(source, tag.end()) is not None
        return shown + blank_line * max(lines, int(is_above_text))

    def _between(self, name: str, tag: re.Match[str]) -> str:
        """What stands for a tag that goes: a blank between words that it sets apart."""
        if name != "br" and name not in _BLOCKS:
            return ""
        before = self._source[self._written : tag.start()] or self._parts[-1]
        after = self._source[tag.end() : tag.end() + 1]
        return " " if before[-1:].strip() and after.strip() else ""

    def _is_in_titled_heading(self, tag: re.Match[str]) -> bool:
        """Whether a tag is in a heading with text: what a picture there says is in no anchor."""
        heading = _HEADING.match(self._source, self._source.rfind("\n", 0, tag.start()) + 1)
        return heading is not None and any(map(str.isalnum, _ANY_TAG.sub("", heading[1])))

    def _is_in_row(self, tag: re.Match[str]) -> bool:
        return _ROW.match(self._source, self._source.rfind("\n", 0, tag.start()) + 1) is not None

    def _replace(self, start: int, end: int, shown: str) -> None:
        """Writes what is in the source up to `start`, and `shown` in as many lines as there are to `end`."""
        source = self._source
        self._parts += [
            source[self._written : start],
            shown + "\n" * source.count("\n", start, end),
        ]
        self._written = end


def _linked(inner: str, stated: Mapping[str, str]) -> str:
    """The text of a link as a link, in as many lines; blocks of other kinds than paragraphs are none."""
    text = " ".join(inner.split())
    address = stated.get("href", "")
    is_link = address and text and not address.lower().startswith("javascript:")
    if not is_link or _OTHER_BLOCK.search(inner):
        return inner
    before = inner[: len(inner) - len(inner.lstrip())]
    after = inner[len(inner.rstrip()) :]
    within = inner.count("\n") - before.count("\n") - after.count("\n")
    if "\n" in before:  # indented as the element is
        before = "\n" * before.count("\n")
    return f"{before}{_link(text, address)}{after}" + "\n" * within


def _explained(inner: str, title: str) -> str:
    """A term with what a page shows of it when one points there: what it is short for, or means."""
    said = " ".join(unescape(title).split())
    term = inner.rstrip()
    is_more = said and said.casefold() not in inner.casefold()
    return f"{term} ({said}){inner[len(term) :]}" if is_more and term else inner


def _stated(attributes_of_tag: str) -> dict[str, str]:
    """The attributes of a tag, also those whose values are written without quotes."""
    found = _UNQUOTED.finditer(attributes_of_tag) if "=" in attributes_of_tag else ()
    plain = {each["name"]: each["value"] for each in found if each["name"]}
    return plain | attributes(attributes_of_tag)


def _in_code(found: re.Match[str]) -> str:
    """Raised or lowered text in code."""
    return (raised if found[2] == "p" else lowered)(found[3], found[1])


_WITHOUT_BRACKETS = str.maketrans("", "", "[]")


def _character(entity: str) -> str:
    """The character that an entity stands for; the entity itself where the character would not show, or may
    mean something in Markdown."""
    if entity[1] != "#" and entity[1:] not in html5:
        return entity
    found = unescape(entity)
    if found == "\xa0":
        return " "
    is_plain = found.isprintable() and (not found.isascii() or found in ('"', "'"))
    return found if is_plain else entity


def _link(text: str, address: str) -> str:
    address = unescape(address.strip())
    target = address if _ADDRESS.fullmatch(address) else f"<{address}>"
    return f"[{text}]({target})" if "\n" not in address and "<" not in address else text


def _picture(stated: Mapping[str, str]) -> str:
    """A picture as Markdown has it; without an address that it can have, what it says."""
    said = " ".join(unescape(stated.get("alt", "")).split()).translate(_WITHOUT_BRACKETS)
    address = stated.get("src", "").strip()
    return f"![{said}]({address})" if _ADDRESS.fullmatch(address) else said
