"""Comments in code that tell a highlighter which lines to stress or to cut: those of Docusaurus
(`// highlight-next-line`), of Shiki (`// [!code focus]`) and of its twoslash (`// ---cut---`). Sites show the
code without them."""

from __future__ import annotations

import re

_MARKS = ("highlight-", "[!code ", "---cut")
_MARK = (
    r"(?:highlight-(?:next-line|start|end)|---cut(?:-(?:before|after|start|end))?---"
    r"|\[!code[ ](?:highlight|hl|focus|error|warning|word:[^\]\n]{1,200})(?::\d+)?\])"
)
TRIGGER = rf"(?://|#|--|;|%|\{{?/\*|<!--)[ \t]*+{_MARK}[ \t]*+(?:(?:\*/\}}?|-->)[ \t]*+)?$"
_LINE = re.compile(rf"^[ \t>]*{TRIGGER}\n?", re.MULTILINE)
_END = re.compile(rf"(?<=\S)[ \t]+{TRIGGER}", re.MULTILINE)


def without_marks(code: str) -> str:
    """A fenced block without such comments. `[!code ++]` and `[!code --]` stay: they say what changes."""
    if not any(mark in code for mark in _MARKS):
        return code
    return _END.sub("", _LINE.sub("", code))
