"""Macros and other names that a manual of Texinfo defines for itself (`@macro`, `@alias`), put in place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_MAX_DEPTH = 12
_MAX_CHARS = 4_000_000
"""Of what all uses of macros in a manual become."""

_MARK = re.compile(
    r"^[ \t]*@(?:(?P<end>end[ \t]+r?macro)\b|r?macro[ \t]+(?P<name>[\w-]+)[ \t]*"
    r"(?:\{(?P<parameters>[^{}\n]*)\})?|(?P<leaves>end[ \t]+)?"
    r"(?P<other>if(?:docbook|info|latex|nothtml|plaintext|tex|xml))\b)[^\n]*\n?",
    re.MULTILINE,
)
_ALIAS = re.compile(
    r"^@alias[ \t]+([A-Za-z]\w{0,99})[ \t]*=[ \t]*([A-Za-z]\w{0,99})[ \t]*$", re.MULTILINE
)
_COMMAND = re.compile(r"(?<!@)@(?P<name>[A-Za-z]\w*+)(?!-)")
_BACKSLASHED = re.compile(r"\\([\w-]+)\\|\\(\\)")
_BRACE = re.compile(r"@.|[{}]", re.DOTALL)
_COMMA = re.compile(r"@.|\\.|[{},]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Macro:
    parameters: tuple[str, ...]
    body: str

    def with_arguments(self, arguments: list[str], most: int) -> str:
        """What a use stands for; nothing if that is longer than `most`."""
        given = dict(zip(self.parameters, arguments, strict=False))
        left = most - len(self.body)

        def filled(match: re.Match[str]) -> str:
            nonlocal left
            if match[2]:
                return "\\"
            value = given.get(match[1], "") if match[1] in self.parameters else match[0]
            left -= len(value)
            return value if left >= 0 else ""

        result = _BACKSLASHED.sub(filled, self.body)
        return result if left >= 0 else ""


def with_macros(text: str) -> str:
    """A manual with what its macros stand for, without their definitions."""
    if aliases := dict(_ALIAS.findall(text)):
        text = _COMMAND.sub(lambda command: f"@{_meant(command['name'], aliases)}", text)
    text, macros = _defined(text)
    if not macros:
        return text
    names = "|".join(map(re.escape, sorted(macros, key=len, reverse=True)))
    use = re.compile(rf"(?<!@)(?:@@)*(?P<at>@)(?P<name>{names})(?![\w-])")
    return _MacroUses(macros, use).expanded(text)


def _meant(name: str, aliases: Mapping[str, str]) -> str:
    """What a name is another one for, through other names."""
    for _ in range(_MAX_DEPTH):
        if name not in aliases:
            break
        name = aliases[name]
    return name


def _defined(text: str) -> tuple[str, dict[str, _Macro]]:
    """The text without its definitions, and these. One for another format than HTML counts where there is no
    other."""
    macros: dict[str, _Macro] = {}
    kept: list[str] = []
    position = depth = 0
    opened: re.Match[str] | None = None
    within = ""
    for mark in _MARK.finditer(text):
        if mark["other"]:
            if opened is None and (not within or within == mark["other"]):
                within = "" if mark["leaves"] else mark["other"]
        elif mark["end"] is None:
            depth += 1
            if opened is None:
                opened = mark
                kept.append(text[position : mark.start()])
        elif opened is not None:
            depth -= 1
            if not depth:
                stated = (opened["parameters"] or "").split(",")
                parameters = tuple(each.strip() for each in stated if each.strip())
                body = text[opened.end() : mark.start()].removesuffix("\n")
                if not within or opened["name"] not in macros:
                    macros[opened["name"]] = _Macro(parameters, body)
                position, opened = mark.end(), None
    if opened is not None:  # one without an end
        position = opened.start()
    return "".join([*kept, text[position:]]), macros


class _MacroUses:
    def __init__(self, macros: Mapping[str, _Macro], use: re.Pattern[str]) -> None:
        self._macros = macros
        self._use = use
        self._left = _MAX_CHARS

    def expanded(self, text: str, depth: int = 0) -> str:
        if self._use.search(text) is None:
            return text
        closing = _closing_braces(text)
        parts: list[str] = []
        position = 0
        while depth < _MAX_DEPTH and self._left > 0 and (use := self._use.search(text, position)):
            macro = self._macros[use["name"]]
            arguments, end = _arguments(text, use.end(), macro, closing)
            result = macro.with_arguments(arguments, self._left)
            self._left -= len(result)
            parts += [text[position : use.start("at")], self.expanded(result, depth + 1)]
            position = end
        return "".join([*parts, text[position:]])


def _closing_braces(text: str) -> dict[int, int]:
    """Where each brace that opens is closed."""
    closing: dict[int, int] = {}
    waiting: list[int] = []
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            waiting.append(brace.start())
        elif brace[0] == "}" and waiting:
            closing[waiting.pop()] = brace.start()
    return closing


def _arguments(
    text: str, start: int, macro: _Macro, closing: Mapping[int, int]
) -> tuple[list[str], int]:
    """The arguments of a use whose name ends at `start`, and where it ends."""
    if not text.startswith("{", start):
        line_end = text.find("\n", start)
        line_end = len(text) if line_end < 0 else line_end
        if len(macro.parameters) != 1:
            return [], start
        return [text[start:line_end].strip()], line_end
    end = closing.get(start)
    if end is None:
        return [], start
    inside = text[start + 1 : end]
    return _split(inside) if len(macro.parameters) > 1 else [inside.strip()], end + 1


def _split(inside: str) -> list[str]:
    """Arguments between commas that are not in braces."""
    found: list[str] = []
    depth = position = 0
    for mark in _COMMA.finditer(inside):
        depth += (mark[0] == "{") - (mark[0] == "}")
        if mark[0] == "," and not depth:
            found.append(inside[position : mark.start()])
            position = mark.end()
    return [each.strip().replace("\\,", ",") for each in [*found, inside[position:]]]
