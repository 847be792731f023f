"""Blocks of GitBook, Markdoc and Diplodoc in a page: tabs, hints, steps, cards and titled code, with their
labels.

All write `{% name ... %}` around Markdown, the first two with `attribute="value"`; Markdoc closes with
`{% /name %}`, the others with `{% endname %}`. Only pages that close a block so, or include a file in the
way of Diplodoc, are read: other templates use the same brackets.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Any, Literal

from kbc.languages.includes.components import attributes
from kbc.languages.includes.containers import label
from kbc.languages.includes.fenced import Kept, section
from kbc.languages.includes.files import IncludingPage, indented, not_included
from kbc.languages.includes.templates.values import value_at

_BLOCKS = (
    "tabs|tab|hint|callout|code|content-ref|embed|file|stepper|step|columns|column|swagger-response"
    "|swagger-parameter|swagger-description|swagger|api-method[\\w-]*|openapi[\\w-]*|page-ref|accordion|card|cards"
    "|details|updates|update|tasks|quote|reveal|prompt|if|elseif|else|note|cut|list"
)
TRIGGER = (
    r"(?<!\{)\{%-?[ \t]*(?:(?:end|/)[ \t]*(?:tabs|hint|callout|code|content-ref|embed|file|stepper|columns"
    r"|swagger|api-method|openapi|page-ref|accordion|updates?|note|cut|list)\b"
    r"|include[ \t]+(?:notitle[ \t]+)?\["
    r"|if[ \t]+!?visitor\.|(?:embed[ \t]+url|file[ \t]+src|hint[ \t]+style|partial[ \t]+file)=)"
    r"|(?<!\{)\{%[ \t]*(?:/[ \t]*[a-z][\w-]*|#[\w-]+)[ \t]*%\}"
)
"""A pattern that pages with such blocks match."""

_TAG = re.compile(
    rf"(?P<margin>^[ \t]*)?(?<!\{{)\{{%-?[ \t]*+(?:(?P<end>end|/)[ \t]*+)?"
    rf"(?P<name>include|partial|{_BLOCKS})(?![\w-])"
    r"(?P<rest>(?>\"[^\"]*\"|'[^']*'|(?!%\}).){0,1000}?)/?-?%\}(?P<alone>[ \t]*$)?",
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

_LINKED = re.compile(
    r"\s*(?:notitle\s+)?\[[^\]]*\]\((?P<target>[^()\s#]+)(?:#(?P<part>[^()\s]+))?\)\s*"
)
"""What Diplodoc includes."""
_STATED = re.compile(r"\s*+(?P<kind>[\w-]*)\s*+(?:\"(?P<title>[^\"]*)\")?\s*")
"""The kind of a note of Diplodoc and the title of one or of a cut."""

_PARTIALS = ("markdoc/partials/", "")
_CALLED = ("tab", "step", "code", "accordion", "card", "details", "update", "api-method", "swagger")
_NOTICES = ("hint", "callout")
_OF_DIPLODOC = ("note", "cut", "list")


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
        return f"\n{indented(margin, shown)}\n" if shown else ""

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
        if linked := _LINKED.fullmatch(rest):
            found = page.load(linked["target"], "{% include %}")
            path, text = found or ("", not_included(linked["target"]))
            return page.expanded(path, _part(text, linked["part"])).strip("\n") if found else text
        return page.included(rest.strip().strip("\"'"), "{% include %}")
    if name == "partial":
        return page.included(stated.get("file", ""), "{% partial %}", _PARTIALS)
    if name in _OF_DIPLODOC and (own := _STATED.fullmatch(rest)):
        kind = own["kind"] if name == "note" else ""
        return label(kind, own["title"] or "")
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
    is_known = name not in _OF_DIPLODOC and re.fullmatch(_BLOCKS, name) is not None
    title = title or stated.get("heading") or ""
    return label("", title) if title and (name in _CALLED or not is_known) else ""


def _part(text: str, name: str | None) -> str:
    """The section whose heading has the id `name`; all of a text that has none."""
    found = section(text, lambda title: title.endswith(f"{{#{name}}}")) if name else None
    return text if found is None else found


def _link(target: str, text: str | Literal[False]) -> str:
    if not target:
        return ""
    return f"[{text}](<{target}>)" if text else f"<{target}>" if ":" in target else target
