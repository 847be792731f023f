"""Attribute lists of blocks and macros, and substitution of document attributes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from kbc.languages.includes.files import NOT_INCLUDED
from kbc.project.well_formed import comma_separated

MAX_EXPANSION = 20_000

_PART = re.compile(
    r"""\s*(?:(?P<name>[\w:-]+)\s*=\s*)?(?:"(?P<double>(?:\\.|[^"\\])*)"|'(?P<single>(?:\\.|[^'\\])*)'"""
    r"""|(?P<bare>[^,]*))\s*(?:,|\Z)"""
)
_SHORTHAND = re.compile(r"([#.%])([^#.%]+)")
_ESCAPED = re.compile(r"\\(\{[\w-]+\})|(\{[\w-]+)\\\}")
_REFERENCE = re.compile(r"(\\?)\{(?:(set|counter2?):)?([\w-]+)(?::[^{}]*)?\}")
_VERBATIM = re.compile(
    rf"(`+|\+{{1,3}})(?=\S).{{0,1000}}?(?<=\S)\1|{re.escape(NOT_INCLUDED)}[^()\n]*\)"
    r"|xref:[^\[\s]*|<<[^<>,\n]*|\[\[[^\[\]\n]*",
    re.DOTALL,
)
"""What shows no value: code, and the ids of anchors and references."""

_UNKNOWN = re.compile(r"(?<![\w/\\$`{=])\{([a-z][a-z0-9_-]+)\}(?![\w/}])")
CHARACTERS: Mapping[str, str] = {
    "empty": "", "blank": "", "sp": " ", "nbsp": " ", "zwsp": "", "wj": "", "apos": "'", "quot": '"',
    "lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”", "deg": "°", "plus": "+", "brvbar": "¦",
    "vbar": "|", "amp": "&", "lt": "<", "gt": ">", "startsb": "[", "endsb": "]", "caret": "^",
    "asterisk": "*", "tilde": "~", "backslash": "\\", "backtick": "`", "two-colons": "::",
    "two-semicolons": ";;", "cpp": "C++", "cxx": "C++", "pp": "++", "hash": "#",
}  # fmt: skip


@dataclass(slots=True)
class Attributes:
    """The list `[style#id.role%option,second,name=value]` of a block; `positional` are as written."""

    positional: list[str] = field(default_factory=list)
    named: dict[str, str] = field(default_factory=dict)
    id: str = ""
    options: list[str] = field(default_factory=list)
    title: str = ""

    @property
    def style(self) -> str:
        return self.positional[0] if self.positional else ""

    def get(self, name: str, default: str = "") -> str:
        return self.named.get(name, default)

    def add(self, other: Attributes) -> None:
        self.positional = other.positional or self.positional
        self.named.update(other.named)
        self.id = other.id or self.id
        self.options += other.options


def parse(source: str) -> Attributes:
    """The attributes in the text between brackets."""
    found = Attributes()
    position = 0
    while position < len(source):
        match = _PART.match(source, position)
        if match is None or match.end() == position:
            break
        position = match.end()
        groups = (match["double"], match["single"], match["bare"])
        value = next((group for group in groups if group is not None), "").strip()
        value = value.replace('\\"', '"')
        if match["name"]:
            found.named[match["name"]] = value
        else:
            found.positional.append(value)
    if found.positional:
        first = found.positional[0]
        style = re.match(r"[^#.%]*", first)
        assert style is not None
        if " " not in first and (style[0] != first):
            found.positional[0] = style[0]
            for mark, text in _SHORTHAND.findall(first[style.end() :]):
                if mark == "#":
                    found.id = text
                elif mark == "%":
                    found.options.append(text)
    found.id = found.named.get("id", found.id)
    for name in ("options", "opts"):
        found.options += comma_separated(found.named.get(name, ""))
    return found


def substitute(text: str, attributes: Mapping[str, str]) -> str:
    """`text` with `{name}` replaced, also in what they are replaced with; unknown ones stay, and those for
    whose values there is no room."""
    room = 0

    def value(match: re.Match[str]) -> str:
        nonlocal room
        shown = _value(match, attributes)
        if len(shown) > room:
            return match[0]
        room -= len(shown)
        return shown

    for _ in range(5):
        if "{" not in text or len(text) > MAX_EXPANSION:
            break
        room = MAX_EXPANSION
        replaced = _REFERENCE.sub(value, text)
        if replaced == text:
            break
        text = replaced
    return _ESCAPED.sub(lambda match: match[1] or f"{match[2]}}}", text)


def unknown_names(text: str) -> list[str]:
    """The names of references that `substitute` left in a text outside code and ids, so not `/users/{id}`."""
    if "{" not in text:
        return []
    return _UNKNOWN.findall(_VERBATIM.sub("", text))


def _value(match: re.Match[str], attributes: Mapping[str, str]) -> str:
    escaped, counted, name = match.groups()
    if escaped or counted == "set":
        return match[0] if escaped else ""
    key = name.lower()
    if key in attributes:
        return attributes[key][:MAX_EXPANSION]
    return CHARACTERS.get(key, match[0])
