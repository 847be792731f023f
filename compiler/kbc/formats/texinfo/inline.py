"""Text of a paragraph of Texinfo: commands such as `@code{text}` or `@xref{Node}`, as Markdown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from kbc.formats import commonmark

MAX_DEPTH = 40

_COMMAND = re.compile(r"@(?:(?P<name>[A-Za-z]+)(?P<open>\{)?|(?P<mark>[^A-Za-z]))|(?P<close>\})")
_CODE = frozenset(["code", "command", "env", "file", "kbd", "math", "option", "samp", "t", "verb"])
_MARKS = {"emph": "*", "i": "*", "dfn": "*", "slanted": "*", "var": "*", "strong": "**", "b": "**"}
_REFERENCES = {"xref": "See ", "pxref": "see ", "ref": "", "inforef": "see "}
_OTHERS = frozenset(["uref", "url", "email"])
_WITH_ARGUMENTS = _OTHERS.union(_REFERENCES)
_TEXTS = {
    "dots": "...", "enddots": "...", "result": "⇒", "minus": "-", "copyright": "©", "equiv": "≡",
    "expansion": "↦", "print": "⊣", "error": "error→", "point": "⋆", "bullet": "•", "comma": ",",
    "TeX": "TeX", "LaTeX": "LaTeX", "atchar": "@", "lbracechar": "{", "rbracechar": "}",
    "registeredsymbol": "®", "pounds": "£", "euro": "€", "ss": "ß", "ae": "æ", "o": "ø", "oe": "œ",
    "l": "ł", "backslashchar": "\\", "hashchar": "#", "arrow": "→", "geq": "≥", "leq": "≤",
    "tie": " ", "today": "",
}  # fmt: skip
_ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304",
    ",": "\u0327",
}  # fmt: skip
_ESCAPED = re.compile(r"[^A-Za-z0-9 ]")


def markdown(text: str, values: Mapping[str, str], targets: Mapping[str, str]) -> str:
    """The Markdown of a paragraph. `values` are those of `@set`, `targets` the titles of nodes."""
    return _TexinfoText(text, values, targets).read()


def plain(text: str, values: Mapping[str, str]) -> str:
    """The text of a line without commands, as code shows it."""
    return _TexinfoText(text, values, {}, True).read()


def anchor(node: str) -> str:
    """The id that makeinfo gives a node: a hyphen stands for a blank, and its own is escaped."""
    name = " ".join(node.split())
    return _ESCAPED.sub(lambda match: f"_{ord(match[0]):04x}", name).replace(" ", "-")


@dataclass(slots=True)
class _TexinfoText:
    _text: str
    _values: Mapping[str, str]
    _targets: Mapping[str, str]
    _is_code: bool = False
    _at: int = 0

    def read(self) -> str:
        found = self._until_end(self._is_code, 0)
        while self._at < len(self._text):  # a brace that nothing opened
            self._at += 1
            found += "}" + self._until_end(self._is_code, 0)
        return found

    def _until_end(self, is_code: bool, depth: int) -> str:
        """The text up to the brace that closes it, or the end."""
        parts: list[str] = []
        while match := _COMMAND.search(self._text, self._at):
            parts.append(self._prose(self._text[self._at : match.start()], is_code))
            if match["close"]:
                self._at = match.start()
                return "".join(parts)
            self._at = match.end()
            if match["mark"]:
                parts.append(self._marked(match["mark"]))
            elif not match["open"]:
                parts.append(_TEXTS.get(match["name"], ""))
            elif depth < MAX_DEPTH:
                parts.append(self._command(match["name"], is_code, depth + 1))
        parts.append(self._prose(self._text[self._at :], is_code))
        self._at = len(self._text)
        return "".join(parts)

    def _marked(self, mark: str) -> str:
        if mark in "@{}":
            return mark
        if mark in _ACCENTS and (following := self._text[self._at : self._at + 3]):
            length = 3 if following[0] == "{" and following[2:] == "}" else 1
            self._at += length
            return unicodedata.normalize("NFC", following[:length].strip("{}") + _ACCENTS[mark])
        if mark == "*":
            return "\n"
        return mark if mark in ".!?" else (" " if mark.isspace() else "")

    def _prose(self, text: str, is_code: bool) -> str:
        if is_code:
            return text
        text = text.replace("---", "—").replace("``", '"').replace("''", '"')
        return commonmark.escaped(text)

    def _command(self, name: str, is_code: bool, depth: int) -> str:
        inner_code = is_code or name in _CODE or name in _WITH_ARGUMENTS
        inner = self._until_end(inner_code, depth)
        self._at += 1
        if name in ("anchor", "image"):
            return ""
        if name == "value":
            value = self._values.get(inner.strip(), inner.strip())
            return _TexinfoText(value, {}, {}, is_code).read()
        if name == "U":
            number = int(inner, 16) if re.fullmatch(r"[0-9A-Fa-f]{2,6}", inner) else 0
            return chr(number) if 0x20 <= number < 0x110000 else ""
        if name in _TEXTS and not inner.strip():
            return _TEXTS[name]
        if is_code:
            return inner.split(",")[0].strip() if name in _WITH_ARGUMENTS else inner
        if name in _CODE:
            return commonmark.code_span(inner)
        if name in _MARKS and inner.strip():
            return f"{_MARKS[name]}{inner.strip()}{_MARKS[name]}"
        if name in _REFERENCES:
            return self._reference(name, [part.strip() for part in inner.split(",")])
        if name in _OTHERS:
            parts = [" ".join(part.split()) for part in [*inner.split(","), "", ""]]
            shown = parts[2] or parts[1]
            if name == "email":
                return commonmark.escaped(shown or parts[0])
            return commonmark.link(commonmark.escaped(shown), parts[0])
        return f" ({inner.strip()})" if name == "footnote" else inner

    def _reference(self, name: str, parts: list[str]) -> str:
        """A link to a node of this manual, with the title that the reference or the node has."""
        node, _, title, file, manual = [*parts, *[""] * 5][:5]
        node = " ".join(node.split())
        shown = commonmark.escaped(" ".join(title.split()) or self._targets.get(node) or node)
        if file or manual:
            return f"{_REFERENCES[name]}{shown} (*{commonmark.escaped(manual or file)}*)"
        target = f"#{anchor(node)}" if node in self._targets else ""
        return f"{_REFERENCES[name]}{commonmark.link(shown, target)}"
