"""Marks of Markdown in reStructuredText, which some sites translate before docutils reads a page, and others
have by mistake: docutils takes them for text, and joins the lines of such code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

_FENCE = re.compile(r"(?P<indent> *)(?P<marks>`{3,})(?P<language>[A-Za-z][\w+#.-]*)[ \t]*")
_OPTION = re.compile(r" *:[a-z][a-z-]*:(?: .*)?")
_HEADING = re.compile(r"(?P<marks>#{1,6}) +(?P<title>\S.*)")
_UNDERLINES = "=-~^\"'"
_ADORNMENT = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,} *")
_EXPLICIT = re.compile(r"\.\.(?: (?!\[|_)(?P<directive>\|[^|]*\| )?(?:(?P<name>[\w:+.-]+?)::)?.*)?")
_LITERAL = frozenset([
    "code", "code-block", "sourcecode", "parsed-literal", "raw", "math", "prompt", "console",
])  # fmt: skip
"""Directives whose content is no text; that of others may have such marks."""

# Between characters that docutils wants around a reference: an image in Markdown stays text.
_LINK = re.compile(
    r"(?P<code>``.*?``)|(?<![^\s'\"(\[{</:-])(?P<role>(?::[A-Za-z][\w:.+-]{0,80}:)?)"
    r"\[(?P<text>[^\[\]`<>]+)\]\((?P<target>[^\s()<>]+)\)(?!\w)"
)


def without_markdown_marks(text: str) -> str:
    """The text with fenced code as directives. In a page whose first text is a heading of Markdown, and that
    has no headings of its own, also with headings and links of reStructuredText."""
    if "```" not in text and not text.lstrip().startswith(("#", "..")):
        return text
    lines = text.split("\n")
    is_text, fences = _scanned(lines)
    has_headings = _has_headings_of_markdown(lines, is_text)
    if not fences and not has_headings:
        return text
    return "\n".join(_translated(lines, is_text, fences, has_headings=has_headings))


def _translated(
    lines: Sequence[str], is_text: Sequence[bool], fences: Mapping[int, int], *, has_headings: bool
) -> Iterator[str]:
    position = 0
    before = ""
    while position < len(lines):
        line = lines[position]
        is_plain = has_headings and is_text[position]
        heading = _HEADING.fullmatch(line) if is_plain else None
        if (position in fences or heading) and before.strip():
            yield ""
        if end := fences.get(position):
            yield from _directive(line, lines[position + 1 : end])
            before = "" if lines[end + 1 : end + 2] == [""] else "```"
            position = end
        elif heading:
            title = heading["title"].rstrip(" #") or heading["title"][0]
            yield title
            before = _UNDERLINES[len(heading["marks"]) - 1] * max(len(title), 4)
            yield before
        else:
            if before == "```":
                yield ""
            before = line
            yield _with_links(line) if is_plain else line
        position += 1


def _directive(opening: str, code: Sequence[str]) -> Iterator[str]:
    indent, _, language = opening.rstrip().rpartition("`")
    indent = indent.rstrip("`")
    yield f"{indent}.. code-block:: {language}"
    options = next((at for at, each in enumerate(code) if not _OPTION.fullmatch(each)), len(code))
    yield from (f"{indent}   {each.strip()}" for each in code[:options])
    yield ""
    yield from (f"   {each}" if each.strip() else "" for each in code[options:])


def _scanned(lines: Sequence[str]) -> tuple[list[bool], dict[int, int]]:
    """Of each line whether it is text, and not code, a comment or content of a directive for code; and where
    fenced code begins, with the line that closes it."""
    found: list[bool] = []
    fences: dict[int, int] = {}
    margin = -1  # what is indented more is no text
    opening, start = None, 0
    for at, line in enumerate(lines):
        if opening and line.strip() and not line.startswith(opening["indent"]):
            opening = None
        if opening:
            if line.rstrip() == opening["indent"] + opening["marks"]:
                fences[start] = at
                found[start + 1 :] = [False] * (at - start - 1)
                opening = None
            found.append(opening is not None)
            continue
        stripped = line.strip()
        indent = len(line) - len(line.lstrip(" "))
        margin = -1 if stripped and indent <= margin else margin
        found.append(margin < 0)
        if margin >= 0 or not stripped:
            continue
        if opening := _FENCE.fullmatch(line):
            start = at
        elif explicit := _EXPLICIT.fullmatch(stripped):
            name = (explicit["name"] or "").rpartition(":")[2]
            margin = indent if not name or name in _LITERAL else -1
        elif stripped.endswith("::"):
            margin = indent
    return found, fences


def _has_headings_of_markdown(lines: Sequence[str], is_text: Sequence[bool]) -> bool:
    """Whether the first text is such a heading, and no line has a heading of reStructuredText."""
    first = next(
        (
            line
            for line, is_own in zip(lines, is_text, strict=True)
            if is_own and line.strip() and not line.startswith((" ", ".."))
        ),
        "",
    )
    if not _HEADING.fullmatch(first):
        return False
    above = ""
    for line, is_own in zip(lines, is_text, strict=True):
        if is_own and above.strip() and not above.startswith(" ") and _ADORNMENT.fullmatch(line):
            return False
        above = line
    return True


def _with_links(line: str) -> str:
    def shown(found: re.Match[str]) -> str:
        if found["code"]:
            return found[0]
        role = found["role"]
        return f"{role}`{found['text']} <{found['target']}>`{'' if role else '__'}"

    return _LINK.sub(shown, line) if "](" in line else line
