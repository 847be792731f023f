"""Markdown topics: attribute lists, semantic elements between paragraphs, code from files.

An element that is all XML becomes Markdown as in a `.topic` file. Of one with Markdown in it, which stands
between blank lines, the tags become labels, and what is in between is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from kbc.formats.commonmark import fence
from kbc.formats.document import DocumentProblem, FormatError, Read
from kbc.formats.writerside.elements import INLINE, NO_TEXT, code_of
from kbc.formats.writerside.page import TopicWriter, fragment
from kbc.formats.writerside.tags import ATTRIBUTE_LIST, LIST_ALONE, TITLE, Closings, attributes
from kbc.formats.writerside.topic import Topic
from kbc.formats.writerside.xml import parsed
from kbc.languages.includes.fenced import FENCE, fenced_stretches
from kbc.languages.includes.files import indented, not_included

_LIST = re.compile(ATTRIBUTE_LIST)
_LIST_BELOW = re.compile(rf"(?:[ \t>]*\n)*[ \t>]*(?P<list>{ATTRIBUTE_LIST})[ \t]*(?:\n|\Z)")
_LIST_BEHIND = re.compile(
    rf"(?<=[)`\ue001]){ATTRIBUTE_LIST}|(?<=\S)[ \t]+{ATTRIBUTE_LIST}[ \t]*$", re.MULTILINE
)
_HEADING_LIST = re.compile(
    rf"(?P<title>#{{1,6}}[ \t].*?)(?<![ \t])[ \t]*+(?P<list>{ATTRIBUTE_LIST})[ \t]*\Z"
)
_SPAN = re.compile(r"(?P<ticks>`+)(?!`)(?:(?!\n[ \t]*\n).)*?(?<!`)(?P=ticks)(?!`)", re.DOTALL)
_FOUND = re.compile(
    r"(?P<comment><!--(?:(?!<!--).)*?-->)|<var\b(?P<var>[^<>]*?)(?:/>|>[ \t]*</var>)"
    r"|<(?P<name>include|code-block)\b(?P<stated>(?:\"[^\"]*\"|[^<>\"])*?)(?P<empty>/)?>"
    r"|^[ \t]*<(?P<block>api-doc|cards?|chapter|compare|def|deflist|if|link-summary|list|note|p"
    r"|primary-label|procedure|quote|secondary-label|section-starting-page|seealso|show-structure|snippet|step|tab|table|tabs|tip|tldr|video"
    r"|warning|web-summary|card-summary|no-index)\b"
    r"(?P<attributes>(?:\"[^\"]*\"|[^<>\"])*?)(?P<alone>/)?>",
    re.DOTALL | re.MULTILINE,
)
_INCLUDES = re.compile(r"<include\b[^<>]*[^/<>]>(?:(?!<include\b).)*?</include>", re.DOTALL)
_COMMENT_OR_CODE = re.compile(
    r"(?P<comment><!--)|^[ \t>]*(?P<marks>`{3,}|~{3,})[^\n]*\n.*?^[ \t>]*(?P=marks)[`~]*[ \t]*$"
    r"|(?<!`)(?P<ticks>`++)[^\n]*?(?<!`)(?P=ticks)(?!`)"
    r"|<code-block\b(?:(?!<code-block\b).)*?</code-block>",
    re.DOTALL | re.MULTILINE,
)
_MARKDOWN_INSIDE = re.compile(r"\n[ \t]*\n[ \t]*[^<\s]|\ue000")
"""Text behind a blank line is Markdown, also inside of an element."""

_NOTICES = ("note", "tip", "warning")
_TITLED = frozenset({"def", "deflist", "list", "procedure", "tab", "tabs"})
_TAGS = re.compile(
    r"[ \t]*</?(?:cards?|chapter|compare|def|deflist|if|li|link-summary|list|note|p|procedure|quote"
    r"|section-starting-page|seealso|snippet|step|tab|table|tabs|tbody|td|th|thead|tip|tldr|tr|warning)"
    r"(?:\s(?:\"[^\"]*\"|[^<>\"])*)?/?>[ \t]*"
)
_INLINE = re.compile(
    r"<(?P<name>a|b|code|control|emphasis|format|path|shortcut|strong|title|tooltip|ui-path)\b(?P<attributes>(?:\"[^\"]*\"|[^<>\"])*?)"
    r"(?:/>|>(?P<text>(?:(?!\n[ \t]*\n|<(?P=name)\b).)*?)</(?P=name)>)",
    re.DOTALL,
)
_IMAGE = re.compile(r"<img\b(?:\"[^\"]*\"|[^<>\"])*>")
_LINK = re.compile(
    r"(?P<text>\[\])?(?P<open>\]?\()(?P<target>[^()\s]+)(?P<close>(?:[ \t]+\"[^\"\n]*\")?\))"
)
_REFERENCE = re.compile(r"^(?P<before> {0,3}\[[^\]\n]+\]:[ \t]+)(?P<target>[^\s<>]+)", re.MULTILINE)
_TOKEN = re.compile(r"(?P<indent>^[ \t]*)?\ue000(?P<number>\d+)\ue001", re.MULTILINE)


def expand_page(
    text: str, path: str, read: Read, named: Mapping[str, str]
) -> tuple[str, tuple[DocumentProblem, ...]]:
    """The Markdown topic at `path` as its site shows it, and what could not be had. `named` gives the
    paths of topics by their names."""
    topic = Topic.of(path, read, named)
    return expand(topic, text), tuple(topic.problems)


def expand(topic: Topic, text: str) -> str:
    """The same for a topic that is being read, and for parts that it includes."""
    source = text.replace("\r\n", "\n").replace("\ue000", "").replace("\ue001", "")
    source = TITLE.sub(lambda found: f"# {found['title'].strip()}\n", source, count=1)
    with topic.scope(_declared(source)):
        return _Markdown(topic).expand(source)


def _declared(text: str) -> dict[str, str]:
    """The variables that a topic declares, by their first values; those of includes are of no one else."""
    outside = _INCLUDES.sub("", text)
    found: dict[str, str] = {}
    for match in re.finditer(r"<var\b([^<>]*)>", outside):
        stated = attributes(match[1])
        found.setdefault(stated.get("name", ""), stated.get("value", ""))
    return found


class _Markdown:
    """One text; what must not be read again is kept apart, and put into its places at the end."""

    def __init__(self, topic: Topic) -> None:
        self._topic = topic
        self._kept: list[str] = []

    def expand(self, text: str) -> str:
        parts = [
            [
                stretch
                if is_code
                else _LIST.sub(lambda found: " ".join(found[0].split()), stretch),
                is_code,
            ]
            for stretch, is_code in fenced_stretches(_without_comments(text))
        ]
        shown: list[str] = []
        for at, (stretch, is_code) in enumerate(parts):
            if not is_code:
                shown.append(str(stretch))
                continue
            behind = str(parts[at + 1][0]) if at + 1 < len(parts) else ""
            stated = _LIST_BELOW.match(behind)
            if stated and not parts[at + 1][1]:
                parts[at + 1][0] = behind[stated.end() :]
            indent, code = self._fence(str(stretch), attributes(stated["list"]) if stated else {})
            shown.append(indent + self._keep(code))
        return self._restored(self._prose("\n".join(shown)))

    def _keep(self, text: str) -> str:
        self._kept.append(text)
        return f"\ue000{len(self._kept) - 1}\ue001"

    def _restored(self, text: str) -> str:
        """With everything in its place; a block has the indentation of its place on all lines."""

        def put(match: re.Match[str]) -> str:
            return indented(match["indent"] or "", self._restored(self._kept[int(match["number"])]))

        return _TOKEN.sub(put, text)

    def _fence(self, stretch: str, stated: Mapping[str, str]) -> tuple[str, str]:
        """What stands before a block of code, and the block without that: with the code of the file that its
        attributes name, and without these."""
        lines = stretch.split("\n")
        opening = FENCE.match(lines[0])
        if opening is None:
            return "", stretch
        before = lines[0][: opening.start("marks")]
        found = _LIST.search(opening["info"])
        stated = {**(attributes(found[0]) if found else {}), **stated}
        info = opening["info"][: found.start()] if found else opening["info"]
        head = f"{opening['marks']}{info.rstrip()}"
        indent = before if not before.strip() else ""
        code = self._topic.code(stated, "{src=}")
        if code is not None:
            margin = "" if indent else re.sub(r"[^ \t>]", " ", before)
            block = "\n".join(margin + line for line in fence(code, info.strip()))
            return indent, block if indent else before + block[len(margin) :]
        is_literal = (
            stated.get("ignore-vars") == "true" or stated.get("interpolate-variables") == "false"
        )
        body = lines[1:] if is_literal else self._topic.filled("\n".join(lines[1:])).split("\n")
        if indent:  # the place gives it back
            blanks = re.compile(rf"[ \t]{{0,{len(indent)}}}")
            body = [blanks.sub("", line, count=1) for line in body]
            return indent, "\n".join([head, *body])
        return "", "\n".join([before + head, *body])

    def _prose(self, text: str) -> str:
        """Elements first, in the order in which they declare variables; then what is left between them."""
        text = _SPAN.sub(lambda span: self._keep(self._topic.filled(span[0])), text)
        parts: list[str] = []
        position = 0
        closings = Closings(text)
        while match := _FOUND.search(text, position):
            parts.append(self._inline(text[position : match.start()]))
            shown, position = self._element(match, text, closings)
            parts.append(shown)
        parts.append(self._inline(text[position:]))
        shown = "\n".join(self._notices("".join(parts).split("\n")))
        return re.sub(r"\n(?:[ \t]*\n){2,}", "\n\n", shown)

    def _element(self, match: re.Match[str], text: str, closings: Closings) -> tuple[str, int]:
        """What stands in the place of an element or its opening tag, and where reading goes on."""
        if match["comment"] is not None:
            return "", match.end()
        if match["var"] is not None:
            stated = attributes(match["var"])
            if self._topic.is_shown(stated.get("instance", "")):
                value = self._topic.filled(stated.get("value", ""))
                self._topic.variables[stated.get("name", "")] = value
            return "", match.end()
        name = match["name"] or match["block"]
        stated = attributes(match["stated"] or match["attributes"] or "")
        end = None if match["empty"] or match["alone"] else closings.of(name, match.end())
        inner = text[match.end() : end[0]] if end else ""
        after = end[1] if end else match.end()
        indent = re.match(r"[ \t]*", match[0])
        margin = indent[0] if indent else ""
        if not self._topic.is_shown(stated.get("instance", "")) or name in NO_TEXT:
            return "", after
        if name == "include":
            return self._include(stated, inner), after
        if name == "code-block":
            source = text[match.start() : after]
            return self._keep("\n".join(self._code_block(stated, inner, source))), after
        if end is None and not match["alone"]:
            return f"\n{self._label(name, stated, margin)}\n", match.end()
        if "<" in inner or match["alone"]:
            source = self._restored(text[match.start() : after])
            if not _MARKDOWN_INSIDE.search(inner) and (found := self._xml(source)) is not None:
                return f"{margin}{self._keep(found)}\n" if found else "", after
        return f"\n{self._label(name, stated, margin)}\n", match.end()

    def _xml(self, source: str) -> str | None:
        """The Markdown of an element that is all XML; None for one that is not."""
        try:
            root = parsed(source.encode())
        except FormatError:
            return None
        return TopicWriter(self._topic, expand).part(root).strip("\n")

    def _code_block(self, stated: Mapping[str, str], inner: str, source: str) -> list[str]:
        language = stated.get("lang", "").lower()
        code = self._topic.code(stated, "code-block src")
        if code is not None:
            return fence(code, language)
        inner = self._restored(inner)
        try:
            root = parsed(self._restored(source).encode())
            inner = "".join(root.itertext())
        except FormatError:
            pass  # code as it is, with signs that XML would have escaped
        is_literal = stated.get("ignore-vars") == "true"
        return fence(code_of(inner if is_literal else self._topic.filled(inner)), language)

    def _include(self, stated: Mapping[str, str], inner: str) -> str:
        topic = self._topic
        name, id = topic.filled(stated.get("from", "")), topic.filled(stated.get("element-id", ""))
        path = topic.find(name) if name else topic.own_path
        with topic.scope(_declared(inner)), topic.inside(path, id) as is_bounded:
            is_readable = path and is_bounded
            wanted = stated.get("use-filter", "")
            found = fragment(topic, path, id, expand, wanted) if is_readable else None
        if found is None:
            if stated.get("nullable") == "true":
                return ""
            topic.problems.unresolved("include", f"{name}#{id} is not there")
            found = not_included(f"{name}#{id}")
        topic.chars += len(found)
        return self._keep(found.strip("\n"))

    def _label(self, name: str, stated: Mapping[str, str], margin: str) -> str:
        title = self._topic.filled(stated.get("title", ""))
        if name == "chapter" and title:
            id = stated.get("id", "")
            return f"## {title}" + (f' {{id="{id}"}}' if id else "")
        label = name.capitalize() if name in _NOTICES else title if name in _TITLED else ""
        margin = margin if len(margin.expandtabs(4)) < 4 else ""
        return f"\n{margin}**{label}**\n" if label else ""

    def _inline(self, text: str) -> str:
        """Text between elements: links by paths, elements in a line as Markdown, values of variables."""
        if "<" in text:
            text = _INLINE.sub(self._inline_element, text)
            text = _IMAGE.sub(lambda found: attributes(found[0]).get("alt", ""), text)
            text = _TAGS.sub(_gap, text)
        text = self._topic.filled(text)
        if "{" in text:
            text = "\n".join(_without_list(line) for line in text.split("\n"))
        if "](" in text or "[](" in text:
            text = _LINK.sub(self._link, text)
        return _REFERENCE.sub(
            lambda found: f"{found['before']}{self._topic.target(found['target'])}", text
        )

    def _inline_element(self, match: re.Match[str]) -> str:
        stated = attributes(match["attributes"])
        text = _INLINE.sub(self._inline_element, match["text"] or "")
        name = match["name"]
        if name == "a":
            href, anchor = stated.get("href", ""), stated.get("anchor", "")
            if not href and not anchor:
                return text
            shown = " ".join(text.split()) or self._topic.title_of(href, anchor)
            return f"[{shown}]({self._topic.target(href, anchor)})"
        if name == "title":
            return f"\n**{' '.join(text.split())}**\n"
        tag = INLINE.get(name, "")
        if tag == "code":
            plain = " ".join((text or stated.get("key", "").lstrip("$")).split())
            is_code = plain and "`" not in plain and "\ue000" not in plain
            shown = plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
            return f"`{shown}`" if is_code else plain
        mark = {"strong": "**", "em": "*"}.get(tag, "")
        return f"{mark}{text.strip()}{mark}" if mark and text.strip() else text

    def _link(self, match: re.Match[str]) -> str:
        if not match["open"].startswith("]") and not match["text"]:
            return match[0]
        target = match["target"]
        shown = self._topic.target(target)
        if match["text"]:
            page, _, anchor = target.partition("#")
            return f"[{self._topic.title_of(page, anchor)}]({shown}{match['close']}"
        return f"{match['open']}{shown}{match['close']}"

    def _notices(self, lines: list[str]) -> list[str]:
        """Without lines that hold nothing but an attribute list; a quote with a style gets its label."""
        shown: list[str] = []
        labelled = 0
        for line in lines:
            alone = LIST_ALONE.fullmatch(line) if "{" in line else None
            if alone is None:
                shown.append(line)
                continue
            stated = attributes(alone["list"])
            style = stated.get("style") or stated.get("type") or ""
            if style in _NOTICES:
                _label_quote(shown, style, labelled)
                labelled = len(shown)
        return shown


def _label_quote(lines: list[str], style: str, start: int) -> None:
    """Writes the kind of a notice above the quote that ends the lines; it begins at line `start` or below,
    where the notice above it ends."""
    at = len(lines)
    while at > start and not lines[at - 1].strip():
        at -= 1
    end = at
    while at > start and lines[at - 1].lstrip().startswith(">"):
        at -= 1
    if at < end:
        margin = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        apart = [""] if 0 < at == start else []
        lines[at:at] = [*apart, f"{margin}> **{style.capitalize()}**", f"{margin}>"]


def _without_comments(text: str) -> str:
    """Prose without comments; those in code stay."""
    if "<!--" not in text:
        return text
    shown: list[str] = []
    position = seen = 0
    while match := _COMMENT_OR_CODE.search(text, seen):
        seen = match.end()
        if match["comment"]:
            end = text.find("-->", seen)
            if end < 0:
                break
            shown.append(text[position : match.start()])
            position = seen = end + len("-->")
    return "".join(shown) + text[position:]


def _without_list(line: str) -> str:
    """A line without attribute lists; of that of a heading its id stays."""
    found = _HEADING_LIST.match(line)
    if found is None:
        return _LIST_BEHIND.sub("", line)
    id = attributes(found["list"]).get("id")
    return found["title"] + (f' {{id="{id}"}}' if id else "")


def _gap(match: re.Match[str]) -> str:
    """A tag between paragraphs ends them; one in a line is nothing."""
    return "\n\n" if match[0].strip().startswith(("<td", "<tr", "<th")) else "\n"
