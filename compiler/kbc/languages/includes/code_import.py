"""Fences that name the file which they show: `file=` of remark-code-import, `child=` of knitr.

Docusaurus, Nextra, Astro and Next.js have the former as a plugin, Rspress by itself. Only a fence without
text is filled: `file=` on one that has some is a title.
"""

from __future__ import annotations

import re

from kb_runtime.text.rendering import backticks
from kbc.languages.includes.containers import FENCE
from kbc.languages.includes.files import IncludingPage, dedent, language_of, not_included, region

TRIGGER = r"^[^\n`~]*+(?:`{3,}+|~{3,}+)[^`\n]*?(?:\bfile=|\bchild[ \t]*=)"
MARK = r"\bfile=|\bchild[ \t]*="

_FILE = re.compile(
    r"(?<!\S)file=(?:\"(?P<double>[^\"]+)\"|'(?P<single>[^']+)'|(?P<plain>(?:\\.|[^\s}\\])+))"
)
_PART = re.compile(r"#(?:L(?P<first>\d+)(?P<to>-(?:L?(?P<last>\d+))?)?|(?P<region>[\w.-]+))\Z")
_ROOT = "<rootDir>/"
_CHILD = re.compile(r"\{r\b.*\bchild[ \t]*=[ \t]*(?P<files>c\([^)]*\)|\"[^\"]*\"|'[^']*')")
_NAME = re.compile(r"[\"']([^\"']+)[\"']")


def filled(block: str, page: IncludingPage) -> str:
    """The fenced `block` with the file that its first line names, where it has no text of its own."""
    first, *inner = block.split("\n")
    opening = FENCE.match(first)
    if opening and (child := _CHILD.match(opening["info"].strip())):
        names = _NAME.findall(child["files"])
        return "\n\n".join(page.included(name, "child=") for name in names)
    stated = opening and _FILE.search(opening["info"])
    if opening is None or not stated or any(line.strip(" \t>") for line in inner[:-1]):
        return block
    if not inner or not inner[-1].strip(" \t>").startswith(opening["marks"]):
        return block
    target = stated["double"] or stated["single"] or re.sub(r"\\(.)", r"\1", stated["plain"])
    part = _PART.search(target)
    path = (target[: part.start()] if part else target).removeprefix(_ROOT)
    found = page.load(path, "file=")
    code = _chosen(found[1].rstrip("\n"), part) if found else not_included(path)
    info = opening["info"].strip()
    if info.startswith("file=") and found:
        info = f"{language_of(found[0])} {info}"
    before = first[: opening.start("marks")]
    margin = re.sub(r"[^\s>]", " ", before)
    marks = backticks(code, len(opening["marks"]))
    shown = [margin + line if line else margin.rstrip() for line in code.split("\n")]
    return "\n".join([f"{before}{marks}{info}", *shown, margin + marks])


def _chosen(text: str, part: re.Match[str] | None) -> str:
    """The lines or the region that `part` names; of a region that is not there all of the text."""
    if part is None:
        return text
    if part["region"]:
        return region(text, part["region"]) or text
    first = int(part["first"])
    last = int(part["last"]) if part["last"] else None if part["to"] else first
    return dedent("\n".join(text.split("\n")[max(first, 1) - 1 : last]))
