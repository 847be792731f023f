"""Pages of POD as documents: headings, lists, code, with what NAME says as title and summary."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from textwrap import dedent

from kbc.formats import commonmark
from kbc.formats.document import Converted, FormatError, Read, decode
from kbc.formats.pod.inline import markdown, plain

MAX_DEPTH = 20
"""Lists in lists; deeper ones are read as part of the one around them."""

_LATIN = re.compile(rb"^=encoding[ \t]+(?:latin-?1|iso-?8859-1)\b", re.MULTILINE | re.IGNORECASE)
_COMMAND = re.compile(r"=([a-zA-Z]\w*)\s*(.*)", re.DOTALL)
_BULLET = re.compile(r"\*\s*|\Z")
_NUMBER = re.compile(r"(\d{1,9})[.)]?(?:\s+|\Z)")
_PACKAGE = re.compile(r"^package\s+([\w:]+)(?:\s+v?[\d._]+)?\s*[;{]", re.MULTILINE)
_PODNAME = re.compile(r"^#+[ \t]*PODNAME:[ \t]*(\S+)", re.MULTILINE)
_ABSTRACT = re.compile(r"^#+[ \t]*ABSTRACT:(.+)", re.MULTILINE)
_DESCRIBED = frozenset({"attr", "func", "method"})
"""Commands of Pod::Weaver: sections with the name of what they describe."""

_UNSHOWN = re.compile(r"=(?:encoding|for|pod)\b")
_NAME = re.compile(r"\s*(?P<name>\S.*?)\s+-{1,2}\s+(?P<summary>.+)", re.DOTALL)


@dataclass(slots=True)
class _List:
    """`marker` is that of the item whose blocks are collected; "" before the first."""

    marker: str = ""
    blocks: list[list[str]] = field(default_factory=list)


def convert(path: str, data: bytes, read: Read) -> Converted:
    """The document of a page; raises `FormatError` for a file without POD."""
    text = data.decode("latin-1").replace("\r\n", "\n") if _LATIN.search(data) else decode(data)
    paragraphs = list(_paragraphs(text))
    if not paragraphs:
        raise FormatError("no line begins with a command of POD, such as '=head1'")
    title, summary = _named(paragraphs) or _declared(text, is_module=path.endswith(".pm"))
    writer = _PodWriter(level=2 if title else 1)
    if title:
        writer.write(commonmark.heading(1, commonmark.escaped(title)))
    for paragraph in paragraphs:
        writer.paragraph(paragraph)
    text = commonmark.document(commonmark.blocks(writer.finished()))
    return Converted(text=text, format="pod", title=title, summary=summary)


def _paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of POD; Perl before the first command and behind `=cut` is left out."""
    is_pod = False
    for paragraph in re.split(r"\n(?:[ \t]*\n)+", text.strip("\n")):
        if not is_pod and (begin := re.search(r"^=[a-zA-Z]", paragraph, re.MULTILINE)):
            is_pod, paragraph = True, paragraph[begin.start() :]
        if is_pod and re.match(r"=cut\b", paragraph):
            is_pod = False
        elif is_pod and paragraph.strip():
            yield paragraph


def _named(paragraphs: list[str]) -> tuple[str, str] | None:
    """What the section NAME at the beginning says, which is taken out: "Module - what it does"."""
    start = next((at for at, each in enumerate(paragraphs) if not _UNSHOWN.match(each)), 0)
    heading = _COMMAND.fullmatch(paragraphs[start]) if len(paragraphs) > start + 1 else None
    is_name = heading and heading[1] == "head1" and plain(heading[2]).upper() == "NAME"
    if not is_name or paragraphs[start + 1].startswith("="):
        return None
    stated = plain(paragraphs[start + 1])
    del paragraphs[start : start + 2]
    named = _NAME.fullmatch(stated)
    return stated, named["summary"] if named else ""


def _declared(text: str, *, is_module: bool) -> tuple[str, str]:
    """What a file says from which the section NAME is written when it is released: `# PODNAME:` or `package`,
    `# ABSTRACT:`. The package of a module is its name without the latter, too."""
    name, abstract = _PODNAME.search(text) or _PACKAGE.search(text), _ABSTRACT.search(text)
    if name is None or abstract is None:
        return (name[1] if name and is_module else ""), ""
    summary = plain(abstract[1])
    return f"{name[1]} - {summary}", summary


class _PodWriter:
    """Collects blocks of Markdown; `level` is that of `=head1`."""

    def __init__(self, level: int) -> None:
        self._level = level
        self._lists = [_List()]
        self._skipped = ""
        self._code: list[str] = []

    def write(self, lines: list[str]) -> None:
        self._lists[-1].blocks.append(lines)

    def finished(self) -> list[list[str]]:
        self._flush()
        while len(self._lists) > 1:
            self._end_list()
        return self._lists[0].blocks

    def paragraph(self, text: str) -> None:
        command = _COMMAND.fullmatch(text) if text.startswith("=") else None
        if self._skipped:
            if command and command[1] == "end" and command[2].strip() == self._skipped:
                self._skipped = ""
        elif command:
            self._flush()
            self._command(command[1], command[2].strip())
        elif text[:1] in " \t":
            self._code.append(text.rstrip())
        else:
            self._flush()
            self.write(commonmark.paragraph(markdown(text)))

    def _flush(self) -> None:
        """Writes the code that was collected: paragraphs of it are one block."""
        if self._code:
            code, self._code = "\n\n".join(self._code), []
            self.write(commonmark.fence(dedent(code.expandtabs()).strip("\n")))

    def _command(self, name: str, text: str) -> None:
        if name.startswith("head") or name in _DESCRIBED:
            while len(self._lists) > 1:
                self._end_list()
            level = int(name[4:]) if name[4:].isdigit() else 1
            self.write(commonmark.heading(self._level + level - 1, markdown(text)))
        elif name == "over" and len(self._lists) <= MAX_DEPTH:
            self._lists.append(_List())
        elif name == "back" and len(self._lists) > 1:
            self._end_list()
        elif name == "item":
            self._item(text)
        elif name == "begin" and not text.startswith(":"):
            self._skipped = text.split()[0] if text else ""
        elif name not in ("over", "back", "begin", "end", "for", "encoding", "pod", "cut"):
            self.write(commonmark.paragraph(commonmark.escaped(f"={name} {text}")))

    def _item(self, text: str) -> None:
        if len(self._lists) == 1:
            self._lists.append(_List())
        self._end_item()
        if bullet := _BULLET.match(text):
            self._lists[-1].marker = "- "
            text = text[bullet.end() :]
        elif number := _NUMBER.match(text):
            self._lists[-1].marker = f"{number[1]}. "
            text = text[number.end() :]
        else:
            self._lists[-1].marker = "- "
            shown = markdown(" ".join(text.split()))
            self.write([shown if "**" in shown else f"**{shown}**"])
            return
        if text:
            self.write(commonmark.paragraph(markdown(text)))

    def _end_item(self) -> None:
        """Puts the blocks of an item behind its marker, into the list as one block."""
        current = self._lists[-1]
        lines = commonmark.blocks(current.blocks)
        current.blocks = []
        if current.marker and lines:
            lines = commonmark.indented(lines, current.marker)
        elif lines:
            lines = commonmark.quote(lines)
        if lines:
            self._lists[-2].blocks.append(lines)
        current.marker = ""

    def _end_list(self) -> None:
        self._end_item()
        self._lists.pop()
