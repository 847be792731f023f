"""The text of docstrings of Python, in reStructuredText or Markdown, as blocks of Markdown."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from kbc.formats import commonmark
from kbc.formats.selection import dedented

Prose = Callable[[str], Iterator[list[str]]]
"""The blocks of a docstring's text."""

_ROLE = re.compile(r"(?<![\w`]):[a-z][\w:+.-]*:`[!~]?([^`<]+?)(?:\s*<[^>`]*>)?`")
_DIRECTIVE = re.compile(
    r"(?P<indent>[ \t]*)\.\. (?:(?P<label>_(?P<target>`[^`\n]+`|[^`:\n]+):(?:[ \t]+(?P<address>\S+))?)"
    r"|\[(?P<note>[#*\w.-]+)\][ \t]+(?P<said>.*)"
    r"|(?P<name>[A-Za-z][\w:.+-]*?) ?::(?:[ \t]+(?P<rest>.*))?)[ \t]*\Z"
)
_LINK = re.compile(
    r"``.+?``|`(?P<text>[^`<]+?)\s*<(?P<address>[^`<>\s]+)>`__?(?!\w)|`(?P<phrase>[^`]+)`__?(?!\w)"
    r"|\[(?P<note>[#*\w.-]+)\]_(?!\w)|(?<![\w`])(?P<word>[A-Za-z][\w.-]*?)__?(?![\w`(])",
    re.DOTALL,
)
"""References of reStructuredText: ``code`` aside, an embedded address, a name, a footnote, a word."""

_ITEM = re.compile(r"(?P<indent>[ \t]*)(?P<mark>[-*+\u2022]|\d{1,9}[.)]|#\.)[ \t]+\S")
_MARK = re.compile(r"^(\s*)(?:#\.|\u2022)")
"""Marks of items that Markdown does not have."""

_RULE = re.compile(r"[ \t]*={2,}(?:[ \t]+={2,})+")
"""Above, in and below a simple table."""

_OPTIONS = re.compile(r"\A(?::[\w-]+:[^\n]*(?:\n|\Z))+")
_CODE_DIRECTIVES = ("code", "code-block", "sourcecode", "ipython", "math", "parsed-literal")
_UNLABELLED = ("only", "container", "class", "rst-class", "highlight", "index", "currentmodule")
_NO_LINKS: Mapping[str, str] = MappingProxyType({})
_NOTE = "footnote"
_VERSIONS = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
    "deprecated": "Deprecated since version",
}
_PROMPT = re.compile(r"\s*>>> ")
_CODE_MARGIN = 4
"""Spaces before code that no `::` announces."""

_UNDERLINE = re.compile(r"([=\-~^\"'*+#.])\1{2,}")


def plain_type(text: str) -> str:
    """A type as a docstring states it, with names in place of roles: `:py:class:`~pkg.Gate`` is `Gate`."""

    def named(role: re.Match[str]) -> str:
        name = role[1].strip()
        return name.rpartition(".")[2] if f"`~{name}" in role[0] else name.lstrip(".")

    return _ROLE.sub(named, text) if ":`" in text else text


def prose(text: str) -> Iterator[list[str]]:
    """A docstring's text: doctests, tables and indented blocks fenced, directives of reStructuredText as what
    they label, references to addresses as links, and footnotes with their numbers."""
    links = {
        _name(match["target"].strip("`")): match["address"]
        for match in map(_DIRECTIVE.match, text.split("\n"))
        if match and match["address"]
    }
    for kind, head, block in _directives(text):
        if kind == _NOTE:
            yield from _paragraphs(f"[{head}] {block}", links)
        else:
            yield from _directive(kind, head, block) if kind else _paragraphs(block, links)


def _directives(text: str) -> Iterator[tuple[str, str, str]]:
    """(name, arguments, content) of each directive and footnote, and ("", "", text) of what stands between
    them."""
    waiting: list[str] = []
    lines = text.split("\n")
    index = 0
    while index < len(lines):
        match = _DIRECTIVE.match(lines[index])
        index += 1
        if match is None:
            waiting.append(lines[index - 1])
            continue
        yield "", "", "\n".join(waiting)
        waiting = []
        start = index
        width = len(match["indent"])
        while index < len(lines) and (not lines[index].strip() or _margin(lines[index]) > width):
            index += 1
        block = inspect.cleandoc("\n" + "\n".join(lines[start:index]))
        if start < index and not lines[start].strip():
            block = f"\n{block}"  # a paragraph of its own, which does not go on with the arguments
        if match["note"] is not None:
            yield _NOTE, match["note"], f"{match['said']}\n{block}"
        elif match["label"] is None:
            yield match["name"].lower(), (match["rest"] or "").strip(), block
    yield "", "", "\n".join(waiting)


def _directive(kind: str, head: str, block: str) -> Iterator[list[str]]:
    body = _OPTIONS.sub("", block)
    if kind in _CODE_DIRECTIVES:
        yield commonmark.fence(body.strip("\n"), head.split(" ")[0])
        return
    label = _VERSIONS.get(kind)
    if label is not None:
        version, _, note = head.partition(" ")
        shown = f"*{label} {commonmark.escaped(version)}{':' if note or body.strip() else '.'}*"
        noted = prose(f"{note}\n{body}")
        yield [" ".join([shown, *(next(noted, []) if note else [])])]
        yield from noted
        return
    own = head if kind in ("admonition", "rubric", "topic") else ""
    if kind not in _UNLABELLED:
        name = kind.rpartition(":")[2].replace("-", " ").capitalize()
        yield [f"**{commonmark.escaped(own) or name}**"]
    yield from prose(body if own else f"{head}\n{body}")


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


def _name(text: str) -> str:
    """A name as references compare it."""
    return " ".join(text.split()).casefold()


def _linked(text: str, links: Mapping[str, str]) -> str:
    """Text with its references as links and numbers; those to elsewhere are their names."""

    def shown(match: re.Match[str]) -> str:
        name = match["text"] or match["phrase"] or match["word"]
        if match["note"] or not name:
            return f"[{match['note']}]" if match["note"] else match[0]
        address = match["address"] or links.get(_name(name))
        if address is None:
            return match[0] if match["word"] else name
        return f"[{name}](<{address}>)"

    return _LINK.sub(shown, text) if "_" in text else text


def _paragraphs(text: str, links: Mapping[str, str] = _NO_LINKS) -> Iterator[list[str]]:
    text = re.sub(r"`\\(?=\S)", "`", _ROLE.sub(r"`\1`", text))
    split = (part.split("\n") for part in re.split(r"\n\s*\n", text.strip("\n")))
    parts = [lines for part in split if (lines := [line.rstrip() for line in part if line.strip()])]
    code: list[str] = []
    margin = _CODE_MARGIN
    for index, lines in enumerate(parts):
        if _is_indented(lines, margin):
            code += [*([""] if code else []), *lines]
            continue
        if code:
            yield commonmark.fence("\n".join(dedented(code, "")))
        code, margin = [], _CODE_MARGIN
        following = parts[index + 1] if index + 1 < len(parts) else []
        if following and lines[-1].endswith("::") and _is_indented(following, 1):
            margin = 1
            lines[-1] = lines[-1].removesuffix("::").rstrip()
            lines[-1] += ":" if lines[-1] else ""
        yield from _paragraph(lines, links)
    if code:
        yield commonmark.fence("\n".join(dedented(code, "")))


def _is_indented(lines: list[str], margin: int) -> bool:
    """Whether all lines are, as code is that has no prompts."""
    return all(_margin(line) >= margin and not _PROMPT.match(line) for line in lines)


def _paragraph(lines: list[str], links: Mapping[str, str]) -> Iterator[list[str]]:
    """A paragraph, a list, a table or a session, below the heading that it may begin with."""
    if len(lines) > 2 and _RULE.fullmatch(lines[0]) and _RULE.fullmatch(lines[-1]):
        yield commonmark.fence("\n".join(dedented(lines, "")))
        return
    if len(lines) > 2 and lines[0] == lines[2] and _UNDERLINE.fullmatch(lines[0].strip()):
        del lines[0]
    if len(lines) > 1 and _is_underlined(*lines[:2]):
        yield [f"**{commonmark.escaped(lines[0].strip())}**"]
        lines = lines[2:]
    start = next((i for i, line in enumerate(lines) if _PROMPT.match(line)), None)
    if start is not None:
        yield commonmark.paragraph("\n".join(lines[:start]))
        margin = _margin(lines[start])
        yield commonmark.fence("\n".join(line[margin:] for line in lines[start:]), "pycon")
    elif _is_list(lines):
        text = _linked("\n".join(dedented(lines, "")), links).replace("``", "`")
        yield [_MARK.sub(r"\g<1>1." if "#" in line else r"\1-", line) for line in text.split("\n")]
    elif any(lines):
        yield commonmark.paragraph(_linked("\n".join(lines), links).replace("``", "`"))


def _is_list(lines: list[str]) -> bool:
    """Whether the lines are items, and what goes on further right."""
    return bool(lines and _ITEM.match(lines[0])) and all(
        _margin(line) > _margin(lines[0]) or _ITEM.match(line) for line in lines[1:]
    )


def markdown(text: str) -> Iterator[list[str]]:
    """A docstring in Markdown; its headings are labels, because what it describes has a heading itself."""
    lines = text.strip("\n").split("\n")
    found = []
    is_code = False
    for line in lines:
        is_code ^= line.lstrip().startswith("```")
        match = None if is_code else re.fullmatch(r"#{1,6}\s+(.*?)\s*#*", line)
        found.append(f"**{match[1]}**" if match else line)
    yield found


def _is_underlined(title: str, below: str) -> bool:
    """Whether the line `below` makes a title of the one above, as docutils sees it: a shorter one of three
    marks is text, and so is the output of an example, `...`."""
    line = below.strip()
    is_long = len(line) >= min(4, len(title.strip()))
    return is_long and not _PROMPT.match(title) and _UNDERLINE.fullmatch(line) is not None
