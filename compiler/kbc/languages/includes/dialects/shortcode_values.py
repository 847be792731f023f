"""Shortcodes of Hugo whose templates only hold a text, such as a version: Hugo fills these in before Markdown
is read, also in code."""

from __future__ import annotations

import re

from kbc.languages.includes.files import IncludingPage
from kbc.languages.includes.templates.values import Lookup

_SHORTCODE = re.compile(
    r"\{\{(?:<[ \t]*(?P<name>\w[\w.-]*(?:/[\w.-]+)*)[ \t]*/?>"
    r"|%[ \t]*(?P<other>\w[\w.-]*(?:/[\w.-]+)*)[ \t]*/?%)\}\}"
)
_PARAM = re.compile(r"\{\{[<%]\s*param\s+\"?(?P<name>[\w.-]+)\"?\s*[>%]\}\}")
_SHOWN = re.compile(r"(\{\{[<%])/\*([^{}]*)\*/([>%]\}\})")
_TEMPLATE_COMMENT = re.compile(r"\{\{-?\s*/\*.*?\*/\s*-?\}\}", re.DOTALL)
_ACTION = re.compile(
    r"\{\{\s*(?:(?P<quote>[\"`])(?P<text>[^\"`\\{}]*)(?P=quote)"
    r"|\$\w+\s*:=\s*(?:\"[^\"\\]*\"|`[^`]*`)"
    r"|\$?(?:\.Site|site)\.Params\.(?P<param>\w+(?:\.\w+)*))\s*\}\}"
)
"""A text in quotes, one that is given a name (Hugo's own `$_hugo_config`), a parameter of the site."""

_UNKNOWN = "\0"


def with_params(text: str, values: Lookup) -> str:
    """The text with what `param` names, where that is known."""
    return _PARAM.sub(lambda match: values(match["name"]) or match[0], text)


def with_values(text: str, page: IncludingPage, values: Lookup | None) -> str:
    """The text, also in code, with shortcodes whose template in the tree is a line of text."""
    known: dict[str, str | None] = {}

    def shown(match: re.Match[str]) -> str:
        name = match["name"] or match["other"]
        if name not in known:
            found = shown_text(template(name, page), values)
            known[name] = found if found and not re.search(r"[\n<]", found) else None
        value = known[name]
        return match[0] if value is None else value

    return _SHORTCODE.sub(shown, text)


def with_shown(text: str) -> str:
    """The text with shortcodes that a page shows as such, which it writes as comments: `{{</* x */>}}`."""
    return _SHOWN.sub(r"\1\2\3", text)


def template(name: str, page: IncludingPage) -> str:
    """The template of a shortcode, without comments; "" for one of Hugo's own or a theme's."""
    for folder in page.around.templates:
        for each in dict.fromkeys((name, name.lower())):
            for ending in (".html", ".md"):
                data = page.read(f"{folder}/{each}{ending}")
                if data is not None:
                    return _TEMPLATE_COMMENT.sub("", data.decode("utf-8", "replace")).strip()
    return ""


def shown_text(written: str, values: Lookup | None) -> str | None:
    """What a template shows that only holds text, texts in quotes and parameters; None for any other."""

    def filled(match: re.Match[str]) -> str:
        if match["param"]:
            return (values(match["param"]) if values else None) or _UNKNOWN
        return match["text"] or ""

    shown = _ACTION.sub(filled, _trimmed(written)).strip()
    return None if "{{" in shown or _UNKNOWN in shown else shown


def _trimmed(written: str) -> str:
    """A template without the blanks that `{{-` and `-}}` take away."""
    *before, last = written.split("{{-")
    first, *after = "{{".join([*(each.rstrip() for each in before), last]).split("-}}")
    return "}}".join([first, *(each.lstrip() for each in after)])
