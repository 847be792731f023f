"""Blocks of GitBook and Markdoc in a page: tabs, hints, steps, cards and titled code, with their labels.

Both write `{% name attribute="value" %}` around Markdown; GitBook closes with `{% endname %}`, Markdoc with
`{% /name %}`. Only pages that close a block so are read: other templates use the same brackets.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Any, Literal

from kbc.languages.includes.components import attributes
from kbc.languages.includes.containers import label
from kbc.languages.includes.fenced import Kept
from kbc.languages.includes.files import IncludingPage
from kbc.languages.includes.templates.values import value_at

_BLOCKS = (
    "tabs|tab|hint|callout|code|content-ref|embed|file|stepper|step|columns|column|swagger-response"
    "|swagger-parameter|swagger-description|swagger|api-method[\\w-]*|openapi[\\w-]*|page-ref|accordion|card|cards"
    "|details|updates|update|tasks|quote|reveal|prompt|if|elseif|else"
)
TRIGGER = (
    r"(?<!\{)\{%-?[ \t]*(?:(?:end|/)[ \t]*(?:tabs|hint|callout|code|content-ref|embed|file|stepper|columns"
    r"|swagger|api-method|openapi|page-ref|accordion|updates?)\b"
    r"|if[ \t]+!?visitor\.|(?:embed[ \t]+url|file[ \t]+src|hint[ \t]+style|partial[ \t]+file)=)"
    r"|(?<!\{)\{%[ \t]*(?:/[ \t]*[a-z][\w-]*|#[\w-]+)[ \t]*%\}"
)
"""A pattern that pages with such blocks match."""

_TAG = re.compile(
    rf"(?P<margin>^[ \t]*)?(?<!\{{)\{{%-?[ \t]*+(?:(?P<end>end|/)[ \t]*+)?"
    rf"(?P<name>include|partial|{_BLOCKS})(?![\w-])"
    r"(?P<rest>(?>\"[^\"]*\"|'[^']*'|(?!%\}).)*?)/?-?%\}(?P<alone>[ \t]*$)?",
    re.MULTILINE | re.DOTALL,
)
_CLOSED = re.compile(r"(?<!\{)\{%[ \t]*/[ \t]*(?P<name>[a-z][\w-]*)[ \t]*%\}")
_OWN_TAG = re.compile(
    r"(?P<margin>^[ \t]*)?(?<!\{)\{%[ \t]*+(?:(?P<end>/)[ \t]*+)?(?P<name>[a-z][\w-]*)"
    r"(?P<rest>(?>\"[^\"]*\"|(?!/?%\}).){0,500}?)(?P<closed>/)?%\}(?P<alone>[ \t]*$)?",
    re.MULTILINE | re.DOTALL,
)
"""A tag that a site with Markdoc has made itself."""

_ANNOTATION = re.compile(
    r"[ \t]?(?<!\{)\{%[ \t]*+(?P<stated>[#.][\w-]+(?:[ \t]+[#.][\w-]+)*)[ \t]*%\}"
)
"""Ids and classes of a heading."""

_VARIABLE = re.compile(
    r"\{%-?[ \t]*raw[ \t]*-?%\}(?:(?!\{%).)*|\{\{-?[ \t]*book\.(?P<name>\w+(?:\.\w+)*)[ \t]*-?\}\}",
    re.DOTALL,
)
_ONLY_TAGS = re.compile(r"\s*(?:<[^<>]*>\s*)+")

_PARTIALS = ("markdoc/partials/", "")
_CALLED = ("tab", "step", "code", "accordion", "card", "details", "update", "api-method", "swagger")
_NOTICES = ("hint", "callout")


def replace(text: str, page: IncludingPage) -> str:
    """Prose of a page with labels in the place of its blocks, which keep their text."""
    if not page.has_blocks:
        return text
    kept = Kept()
    text = kept.hide_spans(text)

    def replaced(match: re.Match[str]) -> str:
        margin = match["margin"] or ""
        is_line = match["margin"] is not None and match["alone"] is not None
        shown = "" if match["end"] else _shown(match["name"], match["rest"], page)
        if not is_line:
            return margin + shown + (match["alone"] or "")
        return f"\n{margin}{shown}\n" if shown else ""

    closed = {match["name"] for match in _CLOSED.finditer(text)}
    text = _OWN_TAG.sub(
        lambda match: replaced(match) if match["closed"] or match["name"] in closed else match[0],
        _TAG.sub(replaced, text),
    )
    return kept.restored(_ANNOTATION.sub(r" {\g<stated>}", text))


def with_variables(text: str, variables: Mapping[str, Any]) -> str:
    """A page of a book, also its code, with the values of `{{ book.name }}`; of values that are only tags
    nothing. What `variables` does not have stays, and so does what is in `{% raw %}`."""
    if "book." not in text:
        return text

    def value(match: re.Match[str]) -> str:
        shown = value_at(variables, match["name"] or "")
        return match[0] if shown is None else "" if _ONLY_TAGS.fullmatch(shown) else shown

    return _VARIABLE.sub(value, text)


def _shown(name: str, rest: str, page: IncludingPage) -> str:
    stated = attributes(rest)
    title = stated.get("title") or stated.get("label") or stated.get("summary") or ""
    if name == "include":
        return page.included(rest.strip().strip("\"'"), "{% include %}")
    if name == "partial":
        return page.included(stated.get("file", ""), "{% partial %}", _PARTIALS)
    if name in _NOTICES:
        kind = next(
            (stated[each] for each in ("style", "type", "kind") if stated.get(each)), "note"
        )
        return label("warning" if kind == "warn" else kind, title)
    if name in ("embed", "file"):
        target = stated.get("url") or stated.get("src") or ""
        return _link(
            target, stated.get("caption") or (name == "file" and posixpath.basename(target))
        )
    if name in ("openapi", "openapi-operation", "swagger", "api-method"):
        method, path = stated.get("method", ""), stated.get("path", "")
        if name.startswith("openapi"):
            page.external[f"{{% {name} %}}"] += 1
        return label("", " ".join(filter(None, (title, method.upper(), path))))
    is_known = re.fullmatch(_BLOCKS, name) is not None
    title = title or stated.get("heading") or ""
    return label("", title) if title and (name in _CALLED or not is_known) else ""


def _link(target: str, text: str | Literal[False]) -> str:
    if not target:
        return ""
    return f"[{text}](<{target}>)" if text else f"<{target}>" if ":" in target else target
