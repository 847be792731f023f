"""Fences that name the file which they show: `file=` of remark-code-import, `child=` of knitr, `reference` of
docusaurus-theme-github-codeblock, `{.include}` and `include=` of pandoc's filters.

Docusaurus, Nextra, Astro and Next.js have the first as a plugin, Rspress by itself. Only a fence without
text is filled: `file=` on one that has some is a title. A `reference` holds the address of a file on GitHub,
which stays where the file is not one of this repository, or was another one at a commit or tag of its own.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from textwrap import dedent
from urllib.parse import unquote

from kb_runtime.text.rendering import backticks
from kbc.languages.includes.components import options
from kbc.languages.includes.fenced import FENCE, shifted_headings
from kbc.languages.includes.files import (
    IncludingPage,
    excerpt,
    fence,
    indented,
    language_of,
    lines_in,
    not_included,
    region,
)

TRIGGER = (
    r"^[^\n`~]*+(?:`{3,}+|~{3,}+)[^`\n]*?"
    r"(?:\bfile=|\bchild[ \t]*=|[ \t]reference\b[^\n]*\n[ \t>]*https://|\binclude=|\{[ \t]*\.include\b"
    r"|(?<=[`~])[ \t]*include[ \t]*\n)"
)

_FILE = re.compile(
    r"(?<!\S)file=(?:\"(?P<double>[^\"]+)\"|'(?P<single>[^']+)'|(?P<plain>(?:\\.|[^\s}\\])+))"
)
_PART = re.compile(
    r"#(?:L(?P<first>\d+)(?:C\d+)?(?P<to>-(?:L?(?P<last>\d+)(?:C\d+)?)?)?|(?P<region>[\w.-]+))\Z"
)
_NAMED = re.compile(r"(?<!\S)(?:anchor|region)=[\"']?(?P<region>[\w.-]+)")
"""A part that plugins of single sites name beside the file."""
_ROOT = "<rootDir>/"
_CHILD = re.compile(r"\{r\b.*\bchild[ \t]*=[ \t]*(?P<files>c\([^)]*\)|\"[^\"]*\"|'[^']*')")
_NAME = re.compile(r"[\"']([^\"']+)[\"']")
_PANDOC = re.compile(r"(?:\{[ \t]*)?(?P<class>\.?)include(?![\w=-])(?P<options>[^}]*)\}?")
_MARKDOWN = ("markdown", "md", "gfm", "commonmark", "")
_REFERENCE = re.compile(r"(?<=\s)reference(?!\S)")
_ADDRESS = re.compile(
    r"https://(?:github\.com/(?P<repository>[\w.-]+/[\w.-]+)/(?:blob|raw)"
    r"|raw\.githubusercontent\.com/(?P<raw>[\w.-]+/[\w.-]+))/(?:refs/heads/)?(?P<place>[^\s?#]+)"
    r"(?:\?[^\s#]*)?(?P<part>#\S+)?"
)
_PINNED = re.compile(r"[0-9a-f]{7,40}|v?\d+(?:\.\d+)+(?:[-+.]\w+)*|refs/tags/.*")
"""A commit or tag: its lines are not those of the tree that is read."""

_MOST_IN_BRANCH = 4
"""Parts of a branch's name, which may have slashes."""


def filled(block: str, page: IncludingPage) -> str:
    """The fenced `block` with the file that its first line names, where it has no text of its own."""
    first, *inner = block.split("\n")
    opening = FENCE.match(first)
    if opening and (child := _CHILD.match(opening["info"].strip())):
        names = _NAME.findall(child["files"])
        return "\n\n".join(page.included(name, "child=") for name in names)
    if not opening or not inner or not inner[-1].strip(" \t>").startswith(opening["marks"]):
        return block
    own = [text for line in inner[:-1] if (text := line.strip(" \t>"))]
    info = opening["info"].strip()
    if pandoc := _PANDOC.fullmatch(info):
        parts = _parts(own, options(pandoc["options"]), page, is_sure=bool(pandoc["class"]))
        margin = re.sub(r"[^\s>]", " ", first[: opening.start("marks")])
        return indented(margin, parts) if parts else block
    if len(own) == 1 and _REFERENCE.search(opening["info"]):
        code = _referenced(own[0], page)
        return block if code is None else _shown(first, opening, info, code)
    stated = _FILE.search(opening["info"])
    if own:
        return block
    if not stated:
        given = options(info) if info.startswith("{") else {}
        if not (name := given.get("include")):
            return block
        found = page.load(name, "include=")
        code = _of_lines(found[1].rstrip("\n"), given) if found else not_included(name)
        return _shown(first, opening, info, code)
    target = stated["double"] or stated["single"] or re.sub(r"\\(.)", r"\1", stated["plain"])
    part = _PART.search(target)
    path = (target[: part.start()] if part else target).removeprefix(_ROOT)
    found = page.load(path, "file=")
    part = part or _NAMED.search(info)
    if info.startswith("file=") and found:
        info = f"{language_of(found[0])} {info}"
    code = _chosen(found[1].rstrip("\n"), part) if found else not_included(path)
    return _shown(first, opening, info, code)


def _parts(
    names: list[str], stated: Mapping[str, str], page: IncludingPage, *, is_sure: bool
) -> str:
    """The files that a block of pandoc's filter names, one a line; "" where it is code that has the name of
    the filter, as it `is_sure` not to be where that is a class."""
    named = [name for name in names if not name.startswith("//")]
    if not named or not (is_sure or all(page.find(name) for name in named)):
        return ""
    shift = stated.get("shift-heading-level-by", "0")
    levels = int(shift) if re.fullmatch(r"-?\d", shift) else 0
    texts = []
    for name in named:
        found = page.load(name, "{.include}")
        if found and stated.get("format", "") not in _MARKDOWN:
            texts.append(fence(found[1].rstrip("\n"), stated["format"]))
            continue
        text = page.expanded(*found).strip("\n") if found else not_included(name)
        texts.append(shifted_headings(text, levels))
    return "\n\n".join(texts)


def _of_lines(text: str, stated: Mapping[str, str]) -> str:
    """The lines from `startLine` to `endLine`, without their margin."""
    found = (stated.get(name, "") for name in ("startLine", "endLine"))
    first, last = (each if each.isdecimal() else "" for each in found)
    return dedent(lines_in(text, f"{first}-{last}")) if first or last else text


def _shown(first: str, opening: re.Match[str], info: str, code: str) -> str:
    """A block with this code, in the place of the one whose first line is `first`."""
    before = first[: opening.start("marks")]
    margin = re.sub(r"[^\s>]", " ", before)
    marks = backticks(code, len(opening["marks"]))
    shown = [margin + line if line else margin.rstrip() for line in code.split("\n")]
    return "\n".join([f"{before}{marks}{info}", *shown, margin + marks])


def _referenced(address: str, page: IncludingPage) -> str | None:
    """The lines of the file of this repository that an address leads to; None, counted, for others."""
    match = _ADDRESS.fullmatch(address)
    if match is None:
        return None
    repository = (match["repository"] or match["raw"]).lower()
    branch, _, path = match["place"].partition("/")
    if repository in page.around.repositories and not _PINNED.fullmatch(branch):
        parts = path.split("/")
        for start in range(min(len(parts), _MOST_IN_BRANCH)):
            place = posixpath.join(page.around.repository_folder, *map(unquote, parts[start:]))
            if (text := page.text_at(posixpath.normpath(place))) is not None:
                part = _PART.search(match["part"] or "")
                return _chosen(text.rstrip("\n"), part)
    page.external["reference"] += 1
    return None


def _chosen(text: str, part: re.Match[str] | None) -> str:
    """The lines or the region that `part` names; of a region that is not there all of the text."""
    if part is None:
        return text
    if name := part["region"]:
        return region(text, name) or dedent(excerpt(text, name) or text)
    first = int(part["first"])
    last = int(part["last"]) if part["last"] else None if part["to"] else first
    return dedent("\n".join(text.split("\n")[max(first, 1) - 1 : last]))
