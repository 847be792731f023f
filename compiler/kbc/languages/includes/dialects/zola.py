"""Shortcodes of Zola around text: `{% name(key="value") %}` ... `{% end %}`."""

from __future__ import annotations

import re

from kbc.languages.includes.components import attributes
from kbc.languages.includes.containers import label
from kbc.languages.includes.fenced import CODE
from kbc.languages.includes.files import IncludingPage

TRIGGER = r"\{%-?[ \t]*(?:\w+\(|end[ \t]*-?%\})"
"""A pattern that pages with such shortcodes match."""

_USED = re.compile(TRIGGER)
_TAG = re.compile(
    rf"(?P<span>{CODE})"
    r"|\{%-?[ \t]*(?:(?P<end>end)|(?P<name>\w+)\((?P<rest>(?>\"[^\"]*\"|'[^']*'|[^)\"'])*)\))[ \t]*-?%\}"
)
_SHOWN = re.compile(r"\{(?P<mark>[%{])/\*(?P<shown>(?:(?!\{[%{]/\*)[^\n])*?)\*/(?P<close>[%}]\})")
_NOTICES = frozenset(
    ["alert", "caution", "danger", "important", "info", "note", "tip", "warn", "warning"]
)


def replace(text: str, page: IncludingPage) -> str:
    """Prose with labels in the place of shortcodes, which keep the text between them."""

    def replaced(match: re.Match[str]) -> str:
        if match["span"]:
            return match[0]
        if match["end"]:
            return ""
        stated = attributes(match["rest"])
        title = stated.get("title") or stated.get("header") or ""
        if match["name"].lower() in _NOTICES:
            return label(stated.get("type") or stated.get("kind") or match["name"], title)
        page.external[f"{{% {match['name']} %}}"] += 1
        return label("", title)

    return _TAG.sub(replaced, text) if _USED.search(text) else text


def with_shown_shortcodes(text: str) -> str:
    """A page, also its code, with shortcodes that it shows as such (`{{/* name() */}}`) without the marks."""
    return _SHOWN.sub(r"{\g<mark>\g<shown>\g<close>", text) if "/*" in text else text
