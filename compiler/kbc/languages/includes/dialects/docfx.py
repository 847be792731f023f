"""DocFX and Microsoft Learn: included pages and code, pictures, tabs, columns, references by uid."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import dedent
from urllib.parse import unquote

from kbc.languages.includes.components import attributes
from kbc.languages.includes.containers import label
from kbc.languages.includes.fenced import CODE
from kbc.languages.includes.files import (
    IncludingPage,
    fence,
    language_of,
    lines_in,
    not_included,
    region,
)
from kbc.project.source_file import relative_path

TRIGGER = (
    r"\[!(?i:include|code|div|video)|\]\(#tab/|\]\(xref:|<xref:"
    r"|^[ \t>]*:::[ \t]*(?:code|image|row|column|zone|moniker)\b"
)

_INCLUDE = re.compile(
    r"\[!include\s*\[[^\]]{0,1000}+\]\s*\(\s*<?(?P<target>[^)>\s]{1,1000}+)>?[^)]{0,1000}+\)\s*\]",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"\[!code(?:-(?P<language>[\w+#-]+))?\s*\[[^\]]{0,1000}+\]\s*\(\s*<?(?P<target>[^)>?#\s]{1,1000}+)"
    r"(?P<part>[?#][^)>\s]{0,1000}+)?>?[^)]{0,1000}+\)\s*\]",
    re.IGNORECASE,
)
_DIV = re.compile(r"^[ \t>]*\[!div\b[^\]\n]*\][ \t]*\n?", re.IGNORECASE | re.MULTILINE)
_VIDEO = re.compile(r"\[!video[ \t]+(?P<target>[^\]\s]+)[ \t]*\]", re.IGNORECASE)
_BLOCK = re.compile(r"^(?P<indent>[ \t>]*):::[ \t]*(?P<name>[a-z-]+)(?P<rest>[^\n]*)$")
_TAB = re.compile(r"^#{1,6}[ \t]+\[(?P<title>.+)\]\(#tab/[^)\s]+\)[ \t]*$")
_REFERENCE = re.compile(
    rf"(?P<code>{CODE})"
    r"|<xref:(?P<uid>[^<>\s?#]++)(?:[?#][^<>\s]*+)?>"
    r"|\]\(xref:(?P<target>[^()\s?#]*+(?:\([^()\s]*+\)[^()\s?#]*+)*+)"
    r"(?:[?#][^()\s\"]*+)?(?:[ \t]+\"[^\"\n]*\")?\)"
)
_SHORT_REFERENCE = re.compile(
    rf"(?P<code>{CODE})|(?<![\w@/.<\[])(?<!\]\()@(?P<uid>[A-Za-z_]\w*(?:\.\w+)*|\"[^\"\s]+\")"
)
_MEMBER = re.compile(r"[A-Z]\w*(?:\.[A-Z]\w*)+")
_ARITY = re.compile(r"``?\d+|\*$")
"""Of a generic type its number of parameters, and the mark of all overloads."""

_LAYOUT = frozenset(["row", "row-end", "column", "column-end", "zone-end", "moniker-end"])


def replace(text: str, page: IncludingPage) -> str:
    """Prose with its directives replaced."""
    text = _INCLUDE.sub(lambda match: page.included(match["target"], "[!INCLUDE]"), text)
    text = _CODE.sub(lambda match: f"\n{_linked_code(match, page)}\n", text)
    text = _VIDEO.sub(r"[Video](<\g<target>>)", _DIV.sub("", text))
    if "xref:" in text:
        text = _REFERENCE.sub(lambda match: _referred(match, page), text)
    if page.around.uids and "@" in text:
        text = _SHORT_REFERENCE.sub(lambda match: _shortly_referred(match, page), text)
    return "\n".join(each for line in text.split("\n") for each in _line(line, page))


def _referred(match: re.Match[str], page: IncludingPage) -> str:
    """The page with the uid; of a member of an API, whose address is not known, its name as code, and a link
    with a text of its own stays."""
    uid = unquote(match["uid"] or match["target"] or "")
    found = page.around.uids.get(uid) if uid else None
    if match["code"] or (match["target"] is not None and found is None):
        return match[0]
    if found is None:
        return f"`{_ARITY.sub('', uid)}`"
    place = relative_path(found.path, page.path)
    return f"[{found.title}]({place})" if match["uid"] else f"]({place})"


def _shortly_referred(match: re.Match[str], page: IncludingPage) -> str:
    """The page with the uid behind `@`, or a member of an API as code; people (`@ada`) stay."""
    uid = (match["uid"] or "").strip('"')
    if found := page.around.uids.get(uid):
        return f"[{found.title}]({relative_path(found.path, page.path)})"
    return f"`{uid}`" if _MEMBER.fullmatch(uid) else match[0]


def _line(line: str, page: IncludingPage) -> Iterator[str]:
    if tab := _TAB.match(line):
        yield from ("", label("", tab["title"]), "")
        return
    found = _BLOCK.match(line) if ":::" in line else None
    stated = attributes(found["rest"].rstrip(" \t").rstrip(":")) if found else {}
    if found is None:
        yield line
    elif found["name"] == "image" and "source" in stated:
        yield f"{found['indent']}![{stated.get('alt-text', '')}]({stated['source']})"
    elif found["name"] == "code" and "source" in stated:
        code = _code(stated["source"], stated.get("language", ""), stated, page).split("\n")
        yield from ("", *(found["indent"] + each for each in code), "")
    elif found["name"] == "zone" and "pivot" in stated:
        yield from ("", found["indent"] + label("", stated["pivot"]), "")
    elif found["name"] == "moniker" and "range" in stated:
        yield from ("", found["indent"] + label("version", stated["range"]), "")
    elif found["name"] in _LAYOUT:
        yield ""
    else:
        yield line


def _linked_code(match: re.Match[str], page: IncludingPage) -> str:
    part = match["part"] or ""
    stated = dict(each.partition("=")[::2] for each in part.lstrip("?#").split("&"))
    if lines := re.fullmatch(r"#L(\d+)(?:-L?(\d+))?", part):
        stated = {"range": f"{lines[1]}-{lines[2] or lines[1]}"}
    elif part.startswith("#"):
        stated = {"id": part[1:]}
    return _code(match["target"], match["language"] or "", stated, page)


def _code(target: str, language: str, stated: dict[str, str], page: IncludingPage) -> str:
    if target.startswith("~/../"):  # another repository, which is fetched for the site
        page.external["code of DocFX"] += 1
        return not_included(target)
    found = page.load(target, "code of DocFX")
    if found is None:
        return not_included(target)
    path, text = found
    chosen: str | None = text.rstrip("\n")
    if name := stated.get("id") or stated.get("name"):
        chosen = _snippet(text, name)
    elif stated.get("range"):
        chosen = lines_in(text, stated["range"].replace(" ", ""))
    if chosen is None:
        page.unresolved["code of DocFX"] += 1
        return not_included(target)
    return fence(dedent(chosen), language.removesuffix("-interactive").lower() or language_of(path))


def _snippet(text: str, name: str) -> str | None:
    """The lines between `// <name>` and `// </name>`, else a region."""
    quoted = re.escape(name)
    start = re.search(rf"^[^\n]*<{quoted}>[^\n]*\n", text, re.MULTILINE | re.IGNORECASE)
    end = re.search(rf"^[^\n]*</{quoted}>", text, re.MULTILINE | re.IGNORECASE)
    if start and end and start.end() <= end.start():
        return text[start.end() : end.start()].rstrip("\n")
    return region(text, name)
