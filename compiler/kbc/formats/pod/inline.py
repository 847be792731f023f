"""Text of a paragraph of POD: codes such as `C<text>` or `B<< text >>`, as Markdown."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from kbc.formats import commonmark

MAX_DEPTH = 40

_TOKEN = re.compile(r"(?P<code>[A-Z])(?P<open><<+(?=\s)|<)|(?P<space>(?<!\s)\s*)(?P<close>>+)")
_ENTITIES = {"verbar": "|", "sol": "/", "lchevron": "«", "rchevron": "»"}
_SCHEME = re.compile(r"(?:https?|ftp|mailto|irc):\S+")
_SECTION = re.compile(r"\"([^\"]*)\"")


@dataclass(frozen=True, slots=True)
class _PodCode:
    name: str
    children: list[str | _PodCode]


def markdown(text: str) -> str:
    """The Markdown of a paragraph; a code that is never closed ends with it."""
    return _markdown(_parsed(text)).replace("\u00a0", " ")


def plain(text: str) -> str:
    """The text of a paragraph without any marks, on one line."""
    return " ".join(_plain(_parsed(text)).split())


def _parsed(text: str) -> list[str | _PodCode]:
    root = _PodCode("", [])
    open_codes: list[tuple[_PodCode, int]] = [(root, 0)]
    position = 0
    while match := _TOKEN.search(text, position):
        code, depth = open_codes[-1]
        code.children.append(text[position : match.start()])
        position = match.end()
        if match["code"]:
            if len(open_codes) > MAX_DEPTH:
                code.children.append(match[0])
                continue
            inner = _PodCode(match["code"], [])
            code.children.append(inner)
            open_codes.append((inner, len(match["open"])))
        elif depth == 1:  # `<` ends with the first `>`
            code.children.append(match["space"])
            open_codes.pop()
            position = match.start("close") + 1
        elif depth > 1 and match["space"] and len(match["close"]) >= depth:
            open_codes.pop()
            position = match.start("close") + depth
        else:
            code.children.append(match[0])
    open_codes[-1][0].children.append(text[position:])
    return root.children


def _plain(nodes: Sequence[str | _PodCode]) -> str:
    return "".join(node if isinstance(node, str) else _plain_code(node) for node in nodes)


def _plain_code(code: _PodCode) -> str:
    inner = _plain(code.children)
    if code.name in ("X", "Z"):
        return ""
    if code.name == "E":
        return _character(inner)
    return _target(inner)[0] if code.name == "L" else inner


def _character(name: str) -> str:
    name = name.strip()
    if name in _ENTITIES:
        return _ENTITIES[name]
    if name[:1] == "0" and not name.isdigit():  # hexadecimal (`0x201E`)
        name = f"#{name.removeprefix('0')}"
    return html.unescape(f"&#{name};" if name.isdigit() else f"&{name};")


def _target(link: str) -> tuple[str, str]:
    """What a link says, and its address, "" for other pages."""
    text, bar, target = link.partition("|")
    target = (target if bar else link).strip()
    if _SCHEME.fullmatch(target):
        return text.strip() if bar else target, target
    if bar:
        return text.strip(), ""
    page, slash, section = target.partition("/")
    section = _SECTION.sub(r"\1", section)
    if not slash and (match := _SECTION.fullmatch(target)):
        return match[1], ""
    if not slash or not section:
        return page, ""
    return f'"{section}" in {page}' if page else section, ""


def _markdown(nodes: Sequence[str | _PodCode]) -> str:
    return "".join(
        commonmark.escaped(node) if isinstance(node, str) else _written(node) for node in nodes
    )


def _written(code: _PodCode) -> str:
    shown = _plain_code(code)
    if code.name in ("C", "F"):
        return commonmark.code_span(shown)
    if code.name in ("B", "I"):
        mark = "**" if code.name == "B" else "*"
        inner = _markdown(code.children).strip()
        return f"{mark}{inner}{mark}" if inner else ""
    if code.name == "L":
        text, address = _target(_plain(code.children))
        if address:
            return commonmark.link("" if text == address else commonmark.escaped(text), address)
        is_code = any(isinstance(each, _PodCode) and each.name == "C" for each in code.children)
        return commonmark.code_span(text) if is_code else commonmark.escaped(text)
    if code.name == "S":
        return _markdown(code.children)
    return commonmark.escaped(shown)
