"""Katacoda and Killercoda: code that a reader runs with a click ends in an action (```` ```{{exec}} ````)."""

from __future__ import annotations

import re

_ACTIONS = r"(?:\{\{(?:exec|execute|copy)\b[^{}\n]*\}\})+"
_BEHIND = re.compile(
    rf"^([ \t>]*(?:`{{3,}}|~{{3,}})){_ACTIONS}[ \t]*(\r?)$|(?<=`){_ACTIONS}", re.MULTILINE
)
"""Behind the marks that close a block, which CommonMark would not let close it, or behind code in a line."""


def without_actions(text: str) -> str:
    """`text` without the actions of its code, in the same lines."""
    if "`{{" not in text and "~{{" not in text:
        return text
    return _BEHIND.sub(lambda match: f"{match[1]}{match[2]}" if match[1] else "", text)
