"""Lists of attributes (`{: .note }`, `{ .md-button }`), and code behind HTML, as kramdown and Python-Markdown
have them, those of pandoc, also of spans (`[text]{.small}`), and those of Goldmark, on lines below a block;
icons of Material for MkDocs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kbc.languages.includes.containers import label
from kbc.languages.includes.fenced import CODE, FENCE, after_fence
from kbc.project.sites.generators import AttributeStyle

_ICON = r":(?:material|octicons|simple|fontawesome-(?:brands|regular|solid))-[a-z0-9-]{1,80}:"
TRIGGER = re.compile(
    rf"\{{[ \t]*[:.#]|[)\]`]\{{[\w-]+=|^[ \t]*</\w+>[ \t]*\n[ \t]*[`~]{{3}}|{_ICON}", re.MULTILINE
)
"""What a page has for which there is something to do."""

_LINE = re.compile(r"[ \t>]*\{(?P<colon>:?)(?P<stated>[^{}\n]*)\}[ \t]*")
_STATED = r"(?:[.#][A-Za-z_][\w:-]*|[\w:-]+=(?:\"[^\"{}]*\"|'[^'{}]*'|[^\s\"'{}]+))"
_LIST = rf"(?:[ \t]+(?={_STATED})|(?={_STATED})){_STATED}(?:[ \t]+{_STATED})*[ \t]*\}}"
_INLINE = {
    "kramdown": re.compile(rf"{CODE}|(?<=[)\]*_`>])\{{:{_LIST}"),
    "pandoc": re.compile(rf"{CODE}|(?<=[)`])\{{{_LIST}"),
    "python-markdown": re.compile(rf"{CODE}|(?<=[)\]*_`>:])\{{:?{_LIST}"),
}
_BRACKETED = re.compile(rf"{CODE}|(?<![!\\])\[(?P<text>[^\[\]\n]*)(?<!\\)\](?P<list>\{{{_LIST})")
_ICONS = re.compile(
    rf"{CODE}|(?P<before>[ \t]?)(?:{_ICON}(?:\{{[^{{}}\n]*\}})?(?P<after>&nbsp;[ \t]*|[ \t])?)+"
)
_END_TAG = re.compile(r"[ \t]*</\w+>[ \t]*")
_CONTENTS = re.compile(r"[ \t]*(?:[-*+]|1\.)[ \t]+\S.*")
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]")
_PLAIN_HEADING = re.compile(r"[ \t]*#{1,6}[ \t][^{}]*")
_ID = re.compile(r"#[A-Za-z][\w:.-]*")
_QUOTED_HEADING = re.compile(
    rf"([ \t]*>[ \t>]*#{{1,6}}[ \t](?:.*?[^ \t])??)[ \t]*\{{:{_LIST}[ \t]*"
)
"""A notice of ExDoc: `> #### Title {: .warning}`. It has no anchor."""
_EXTENSION = re.compile(
    rf"(?P<code>{CODE})"
    r"|\{::comment\}[^{}\n]*\{:/(?:comment)?\}"
    r"|\{::(?:nomarkdown(?:[ \t][^{}\n]*)?|options[ \t][^{}\n]*/)\}|\{:/(?:nomarkdown)?\}"
)
_COMMENT_START = re.compile(r"[ \t]*\{::comment\}[ \t]*")
_COMMENT_END = re.compile(r"[ \t]*\{:/(?:comment)?\}[ \t]*")
"""Extensions of kramdown that show what they wrap as it is, set options, or hide it."""
_BEGINS_OTHER = re.compile(r"[ \t]*(?:[-*+>|]|#{1,6}[ \t]|\d+[.)][ \t]|<|$)")
"""A line that begins something else than a paragraph."""
NOTICES = frozenset([
    "attention", "caution", "danger", "important", "info", "note", "success", "tip", "warn", "warning",
])  # fmt: skip


def replace_attributes(text: str, style: AttributeStyle) -> str:
    """The text of a page without front matter, and without its lists of attributes. Those on lines of their
    own: a class of a notice becomes its label, an id stays (behind the heading above it, where kramdown has
    it on either line), and the list that stands for the table of contents goes. Headings keep theirs, which
    state their anchors. kramdown also has such a list behind the paragraph, whose label goes above it, and
    lists of images and marked text within headings; of its extensions comments go. Both programs read a
    fence behind an end tag as code, which CommonMark has for HTML up to the next empty line. Icons, which
    Python-Markdown's pages have, show no text; those in tables stay, where they often are all that a cell
    says.
    """
    lines: list[str] = []
    marks = ""
    paragraph = -1  # where the one begins that the last line belongs to; -1: to none
    is_kramdown = style == "kramdown"
    text_lines = text.split("\n")
    for line in _without_extensions(text_lines) if is_kramdown and "{:" in text else text_lines:
        opening = None if marks else FENCE.match(line)
        is_code = bool(marks) or opening is not None
        if opening and lines and _END_TAG.fullmatch(lines[-1]):
            lines.append("")
        marks = after_fence(marks, line, opening)
        if style == "python-markdown" and not is_code and not line.lstrip(" \t>").startswith("|"):
            line = _without_icons(line)
        found = None if is_code else _LINE.fullmatch(line)
        own_id = _ID.search(found["stated"]) if found and found["colon"] else None
        if own_id and style == "kramdown" and lines and _PLAIN_HEADING.fullmatch(lines[-1]):
            lines[-1] += f" {{{own_id[0]}}}"
            lines.append("")
            continue
        is_below = bool(lines and lines[-1].strip())
        if found is None or not _is_list(found, style, is_below=is_below):
            quoted = None if is_code else _QUOTED_HEADING.fullmatch(line)
            line = quoted[1] if quoted else line
            if is_code or _BEGINS_OTHER.match(line):
                paragraph = -1
            elif paragraph < 0 and not (lines and lines[-1].strip()):
                paragraph = len(lines)
            lines.append(line if is_code else _without_inline(line, style))
            continue
        stated = found["stated"].split()
        if "toc" in stated and lines and _CONTENTS.fullmatch(lines[-1]):
            lines.pop()
        kind = next((each[1:] for each in stated if each[1:].lower() in NOTICES), "")
        if kind and not is_below:
            lines += [label(kind), ""]
        elif kind and is_kramdown and paragraph >= 0:
            first = lines[paragraph]
            indent = first[: len(first) - len(first.lstrip())]
            lines[paragraph:paragraph] = [indent + label(kind), ""]
        paragraph = -1
    return "\n".join(lines)


def _without_extensions(lines: Iterable[str]) -> Iterator[str]:
    """Lines without kramdown's extensions outside of code; those of a comment are empty."""
    marks = ""
    is_comment = False
    for line in lines:
        opening = None if marks or is_comment else FENCE.match(line)
        is_code = bool(marks) or opening is not None
        marks = after_fence(marks, line, opening) if not is_comment else ""
        if is_comment or (not is_code and _COMMENT_START.fullmatch(line)):
            is_comment = _COMMENT_END.fullmatch(line) is None
            yield ""
        else:
            yield line if is_code or "{:" not in line else _EXTENSION.sub(r"\g<code>", line)


def _is_list(found: re.Match[str], style: AttributeStyle, *, is_below: bool) -> bool:
    """Whether a line in braces is a list of attributes without an id; with `is_below` it is below text."""
    if "#" in found["stated"]:
        return False
    if found["colon"]:  # `{:toc}` is one, `{:ok, pid}` none
        return (
            re.fullmatch(rf"(?:[ \t]*+(?:{_STATED}|[\w:-]++))*+[ \t]*", found["stated"]) is not None
        )
    is_list = re.fullmatch(rf"(?:[ \t]*+{_STATED})++[ \t]*", found["stated"]) is not None
    return is_list and (style == "python-markdown" or (style == "goldmark" and is_below))


def _without_icons(line: str) -> str:
    """A line without the icons outside of its code."""

    def shown(icon: re.Match[str]) -> str:
        return icon[0] if icon["ticks"] else " " if icon["before"] and icon["after"] else ""

    return _ICONS.sub(shown, line) if "-" in line else line


def _without_inline(line: str, style: AttributeStyle) -> str:
    """A line without the lists directly behind links, marked text and images, but for those in code."""
    pattern = _INLINE.get(style)
    if pattern is None or "{" not in line:
        return line
    heading_end = len(line.rstrip()) if _HEADING.match(line) else -1

    def shown(match: re.Match[str]) -> str:
        is_own = match.end() == heading_end or (heading_end >= 0 and style != "kramdown")
        is_kept = match["ticks"] or is_own or "#" in match.groupdict().get("list", match[0])
        return match[0] if is_kept else match.groupdict().get("text", "")

    if style == "pandoc":
        line = _BRACKETED.sub(shown, line)
    return pattern.sub(shown, line)
