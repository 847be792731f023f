"""RDoc, the markup of Ruby's documentation, as Markdown: headings, lists, code by indentation, links."""

from __future__ import annotations

import re
from collections import deque
from textwrap import dedent
from urllib.parse import quote_plus

from kbc.formats import commonmark
from kbc.formats.document import Converted, Problems, Read, decode
from kbc.languages.includes.files import not_included
from kbc.project.source_file import decode_any, resolved_path

MAX_DEPTH = 20
"""Lists in lists; deeper ones are read as text."""

_HEADING = re.compile(r"(?P<marks>={1,6})[ \t]*(?P<title>[^=\s].*?)[ \t]*")
_ITEM = re.compile(
    r"(?P<bullet>[*-])(?P<gap>[ \t]+)(?=\S)|(?P<number>\d+)\.(?P<space>[ \t]+)(?=\S)|[A-Za-z]\.[ \t]+(?=\S)"
    r"|\[(?P<label>[^\]\n]+)\](?!\()(?:[ \t]+|\Z)|(?P<term>\S(?:[^\n]*?\S)?)::(?:[ \t]+|\Z)"
)
_RULE = re.compile(r"-{3,}")
_HIDDEN = re.compile(r"^--[ \t]*$.*?(?:^\+\+[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_DIRECTIVE = re.compile(
    r"^:(?P<name>title|main|section|include|enddoc|nodoc|markup):[ \t]*(?P<rest>.*)$"
)
_WORD = r"(?:[\w.@:?!=/$-]|[#~](?=\w))+"
_INLINE = re.compile(
    r"\\(?P<escaped>[*_+<`{\\A-Za-z#])"
    r"|(?P<open><(?:tt|code)>)(?P<code>.{0,4000}?)</(?:tt|code)>|`(?P<ticks>[^`\n]+)`"
    rf"|(?<![\w+])\+(?P<plus>{_WORD})\+(?![\w+])"
    r"|<(?P<tag>b|strong|i|em)>(?P<marked>.{0,4000}?)</(?P=tag)>"
    rf"|(?<![\w*])\*(?P<bold>{_WORD})\*(?![\w*])|(?<!\w)_(?P<slanted>[^\s_]+(?:_[^\s_]+)*)_(?!\w)"
    r"|\{(?P<text>[^{}\n]+)\}\[(?P<to>[^\]\s]+)\]|(?P<single>[\w-]{1,200}+)\[(?P<at>(?:https?|link|rdoc-ref|mailto):[^\]\s]+)\]"
    r"|(?<![\w/])(?P<address>https?://[^\s<>\"')\]]*[^\s<>\"')\].,;:!?])",
    re.DOTALL,
)


def convert(path: str, data: bytes, read: Read) -> Converted:
    """The document of a file; files that it includes and that are not there are problems of it."""
    page = _RDocWriter(path, read)
    text = _HIDDEN.sub("", page.included(decode(data).expandtabs()))
    lines = page.blocks(text.split("\n"))
    title = page.titles[0] if page.titles else ""
    return Converted(
        text=commonmark.document(lines),
        format="rdoc",
        title=page.stated or title,
        anchors=tuple(page.anchors),
        problems=tuple(page.problems),
    )


class _RDocWriter:
    """Reads one page; `titles` and `anchors` are those of its headings in order."""

    def __init__(self, path: str, read: Read) -> None:
        self._path, self._read = path, read
        self.stated = ""
        self.titles: list[str] = []
        self.anchors: list[str] = []
        self.problems = Problems()

    def included(self, text: str, depth: int = 0) -> str:
        """The text with the files that it includes, without its directives."""
        lines = []
        for line in text.split("\n"):
            directive = _DIRECTIVE.match(line.strip()) if ":" in line else None
            if directive is None:
                lines.append(line)
            elif directive["name"] == "title":
                self.stated = self.stated or directive["rest"]
            elif directive["name"] == "include":
                name = directive["rest"].strip()
                data = self._read(resolved_path(name, self._path) or "") or self._read(name)
                if data is None or depth >= MAX_DEPTH:
                    message = f"the included file {name!r} is not in the tree"
                    self.problems.unresolved(":include:", message)
                    lines.append(not_included(name))
                else:
                    lines.append(self.included(decode_any(data).expandtabs(), depth + 1))
        return "\n".join(lines)

    def blocks(self, lines: list[str], depth: int = 0) -> list[str]:
        """The blocks of lines whose margin is at their beginning."""
        found: list[list[str]] = []
        waiting = deque(dedent("\n".join(lines)).split("\n"))
        while waiting:
            line = waiting[0]
            if not line.strip():
                waiting.popleft()
            elif line.startswith(" "):
                found.append(commonmark.fence(dedent("\n".join(_taken(waiting, 1))).strip("\n")))
            elif heading := _HEADING.fullmatch(line):
                waiting.popleft()
                found.append(self._heading(len(heading["marks"]), heading["title"]))
            elif _RULE.fullmatch(line.rstrip()):
                waiting.popleft()
            elif line.startswith(">>>"):
                waiting.popleft()
                found.append(commonmark.quote(self.blocks(_taken(waiting, 1), depth + 1)))
            elif depth < MAX_DEPTH and (item := _ITEM.match(line)):
                found.append(self._list(waiting, item, depth))
            else:
                found.append(commonmark.paragraph(_markdown(" \n".join(_paragraph(waiting)))))
        return commonmark.blocks(found)

    def _heading(self, level: int, title: str) -> list[str]:
        plain = re.sub(r"[`*\\]", "", _markdown(title))
        self.titles.append(plain)
        self.anchors.append(f"label-{quote_plus(title).replace('%', '-')}")
        return commonmark.heading(level, _markdown(title))

    def _list(self, waiting: deque[str], first: re.Match[str], depth: int) -> list[str]:
        """The items of one kind that follow each other."""
        kind, items = _kind(first), []
        while waiting and (item := _ITEM.match(waiting[0])) and _kind(item) == kind:
            label = item["label"] or item["term"]
            width = 0 if label else item.end()
            rest = waiting.popleft()[item.end() :]
            inner = _margin(_taken(waiting, width or 1), width)
            own = self.blocks([rest, *inner] if rest.strip() else inner, depth + 1)
            items.append(commonmark.blocks([[f"**{_markdown(label)}**"], own]) if label else own)
            while len(waiting) > 1 and not waiting[0].strip() and _ITEM.match(waiting[1]):
                waiting.popleft()
        return commonmark.itemised(items, first=1 if kind == "number" else None)


def _kind(item: re.Match[str]) -> str:
    if item["label"] or item["term"]:
        return "label"
    return "bullet" if item["bullet"] else "number"


def _taken(waiting: deque[str], width: int) -> list[str]:
    """The lines at the front of `waiting` that are indented so far, with blank ones between them."""
    count = 0
    for index, line in enumerate(waiting):
        if line.strip() and len(line) - len(line.lstrip()) < width:
            break
        if line.strip():
            count = index + 1
    return [waiting.popleft() for _ in range(count)]


def _margin(lines: list[str], width: int) -> list[str]:
    """Lines of an item without its margin, which is that of its text, else that of the lines."""
    if width:
        return [line[width:] for line in lines]
    own = dedent("\n".join(lines))
    return own.split("\n") if own.strip() else []


def _paragraph(waiting: deque[str]) -> list[str]:
    lines = [waiting.popleft()]
    while waiting:
        line = waiting[0]
        if not line.strip() or line.startswith((" ", "=", ">>>")) or _ITEM.match(line):
            break
        lines.append(waiting.popleft())
    return lines


def _markdown(text: str) -> str:
    """Text in lines as Markdown."""
    return commonmark.escaped_around(text, _INLINE, _marked)


def _marked(match: re.Match[str]) -> str:
    found = match.groupdict()
    for name in ("code", "ticks", "plus"):
        if found[name] is not None:
            return commonmark.code_span(found[name])
    if found["marked"] is not None:
        mark = "**" if found["tag"] in ("b", "strong") else "*"
        return f"{mark}{_markdown(found['marked']).strip()}{mark}"
    if found["bold"] or found["slanted"]:
        mark = "**" if found["bold"] else "*"
        return f"{mark}{commonmark.escaped(found['bold'] or found['slanted'])}{mark}"
    if target := found["to"] or found["at"]:
        return _link(_markdown(found["text"] or found["single"] or ""), target)
    if found["address"]:
        return f"<{found['address']}>"
    return commonmark.escaped(found["escaped"] or "")


def _link(text: str, target: str) -> str:
    """A link to an address or a file; names of Ruby, which `rdoc-ref:` refers to, are text."""
    name = target.removeprefix("link:").removeprefix("rdoc-ref:")
    is_object = target.startswith("rdoc-ref:") and not re.search(r"\.(?:rdoc|md)\b", name)
    page, mark, anchor = name.partition("@")
    place = f"{page}#label-{anchor}" if mark and target.startswith("rdoc-ref:") else name
    return text if is_object else commonmark.link(text, place)
