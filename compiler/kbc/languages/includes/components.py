"""Components in Markdown that a site's program mounts: their tags, imports, scripts and styles are no text.

MDX is read as such elsewhere; Docusaurus, VitePress and others have components in plain Markdown, too.
"""

from __future__ import annotations

import html
import json
import re
from textwrap import dedent

from kbc.languages.includes.files import fence

SCRIPTS = r"^<(?:script|style)\b"
"""A pattern that pages with blocks of scripts and styles match."""

_SCRIPT = re.compile(
    r"^<(?P<name>script|style)\b[^>]*>(?:.*?)</(?P=name)>[ \t]*(?:\n|\Z)",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_TAG = re.compile(r"<(?P<end>/)?(?P<name>[A-Z]\w*)(?P<rest>\s(?:\"[^\"]*\"|'[^']*'|[^<>\"'])*|/)?>")
_ATTRIBUTE = re.compile(
    r"(?<![\w-])(?P<name>[\w-]+)\s*=\s*\{?\s*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|`(?P<template>(?:[^`\\]|\\.)*+)`)",
    re.DOTALL,
)
_OPTION = re.compile(r"([\w.-]+)[ \t]*=[ \t]*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'}]+))")
_IMPORT = re.compile(
    r"^import\s+(?P<names>[\w$*{][^'\"\n]*?)\s+from\s+(?:'[^'\n]+'|\"[^\"\n]+\");?[ \t]*(?:\n|\Z)",
    re.MULTILINE,
)
_STATED_HTML = re.compile(
    r"<(?P<tag>[A-Za-z][\w.]*)\s+(?:set:html=\{|dangerouslySetInnerHTML=\{\{\s*__html:)\s*"
    r"(?:(?P<quoted>\"(?:[^\"\\\n]|\\.)*\")|`(?P<plain>[^`\\]*)`)\s*\}{1,2}\s*(?:/>|>\s*</(?P=tag)>)"
)
_BOUND = re.compile(
    r"\s(?::|v-bind:)(?P<name>[\w-]+)\s*=\s*(?:\"(?P<double>[\[{][^\"]*)\"|'(?P<single>[\[{][^']*)')"
)
_STYLES = frozenset(["class", "style"])
_PRE = re.compile(r"\s*<pre\b.*</pre>\s*", re.DOTALL)
_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)


def attributes(tag: str) -> dict[str, str]:
    """The attributes of a tag, or of a template's block, that are stated as text: `a="x"`, `a='x'`, `a={"x"}`
    and ``a={`x`}``."""
    return {
        found["name"]: found["double"] or found["single"] or unescaped(found["template"] or "")
        for found in _ATTRIBUTE.finditer(tag)
    }


def options(stated: str) -> dict[str, str]:
    """The values of `name=value`, with quotes or without."""
    return {name: a or b or c for name, a, b, c in _OPTION.findall(stated)}


def unescaped(literal: str) -> str:
    """What a template literal shows of the marks that end it or a value in it."""
    return re.sub(r"\\([`$\\])", r"\1", literal)


def without_scripts(prose: str) -> str:
    """Prose without blocks of scripts and styles, as they stand at the beginning of a line."""
    return _SCRIPT.sub("", prose)


def with_stated_html(prose: str) -> str:
    """Prose with the HTML that an attribute states as text (`<Fragment set:html={"..."} />` of Astro, React's
    `dangerouslySetInnerHTML`) in place of the tag; what is preformatted is code."""

    def shown(match: re.Match[str]) -> str:
        try:
            text = json.loads(match["quoted"]) if match["quoted"] else match["plain"]
        except ValueError:
            return match[0]
        if not _PRE.fullmatch(text):
            return text
        plain = re.sub(r"<[^<>]*>", "", re.sub(r"<br\s*/?>", "\n", text))
        code = fence(html.unescape(plain).strip("\n"), "")
        return f"\n{code}\n"

    return _STATED_HTML.sub(shown, prose)


def without_imports(prose: str) -> str:
    """Prose without its statements of imports."""
    return _IMPORT.sub("", prose)


def mounted_names(body: str) -> frozenset[str]:
    """Components that a page both opens and closes, or mounts with an empty tag."""
    opened: set[str] = set()
    closed: set[str] = set()
    for match in _TAG.finditer(body):
        is_empty = (match["rest"] or "").endswith("/")
        opened.update([] if match["end"] else [match["name"]])
        closed.update([match["name"]] if match["end"] or is_empty else [])
    return frozenset(opened & closed)


def without_tags(prose: str, names: frozenset[str]) -> str:
    """Prose without the tags of the components `names` and without their imports; what stands between tags
    stays, and so do code spans. Data that Vue's tags on lines of their own are given are shown as code."""

    def imported(match: re.Match[str]) -> str:
        return "" if not names.isdisjoint(re.findall(r"\w+", match["names"])) else match[0]

    prose = _IMPORT.sub(imported, prose)
    hidden = _SPAN.sub(lambda span: " " * len(span[0]), prose)
    parts: list[str] = []
    position = 0
    for match in _TAG.finditer(hidden):
        if match["name"] in names:
            parts.append(prose[position : match.start()])
            position = match.end()
            if not prose[prose.rfind("\n", 0, match.start()) + 1 : match.start()].strip():
                parts += _bound(match["rest"] or "")
    return "".join([*parts, prose[position:]])


def _bound(stated: str) -> list[str]:
    """The lists of texts, and what else has several lines, that attributes bind (`:names="['a', 'b']"`)."""
    found = []
    for match in _BOUND.finditer(stated):
        value = (match["double"] or match["single"]).strip()
        is_data = "'" in value or '"' in value or "`" in value
        if match["name"] not in _STYLES and is_data and (value[0] == "[" or "\n" in value):
            first, _, rest = value.partition("\n")
            code = "\n".join([first, *dedent(rest).split("\n")]) if rest else first
            found.append(f"\n{fence(code, 'js')}\n")
    return found
