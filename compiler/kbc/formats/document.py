"""The result of converting a file: documents in Markdown, with the problems of the file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from kb_runtime.errors import KbcError, exit_codes
from kbc.project.include_tree import Read as Read
from kbc.project.source_file import as_utf8

UNRESOLVED = "unresolved-directive"
"""The code of a `DocumentProblem` about a directive whose content could not be had; its `name` is in it."""

ELSEWHERE = "content-elsewhere"
"""The code of a `DocumentProblem` about a directive whose content no file of the tree has: it is computed
when the site is built, or another repository has it."""

FIGURE = "pdf-figure"
"""The code of a `DocumentProblem` about a PDF that is a figure."""


FIX_HINT = "Fix the file, or exclude it from the collection's paths."


class LabelTarget(NamedTuple):
    """What a name that any page of a project may refer to stands for: the file below the root, the title
    of the section or table there ("": it has none), and its anchor ("": that of the page)."""

    path: str
    title: str
    anchor: str


def label_name(stated: str) -> str:
    """The name of a label as Sphinx compares it: lower case, one blank for white space."""
    return " ".join(stated.lower().split())


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentProblem:
    """A finding about a file. `line` is 1-based in the file, 0 where it is about all of it. With
    `is_error` nothing could be read. `name` is the directive of a problem with the code `UNRESOLVED` or
    `ELSEWHERE`, so that a caller can report all of them as one, counted by name."""

    code: str
    message: str
    line: int = 0
    hint: str = ""
    name: str = ""
    is_error: bool = False


class Problems(list[DocumentProblem]):
    """The findings about a file, in the order in which it is read."""

    def unresolved(self, name: str, message: str, line: int = 0) -> None:
        """Adds a directive whose content could not be had."""
        self.append(DocumentProblem(code=UNRESOLVED, message=message, line=line, name=name))

    def elsewhere(self, name: str, message: str, line: int = 0) -> None:
        """Adds a directive whose content no file of the tree has."""
        self.append(DocumentProblem(code=ELSEWHERE, message=message, line=line, name=name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """A document. `text` is CommonMark with tables; code is fenced, byte for byte, with its language.

    `name` is "" for a whole file, else the part of it that is a document of its own (an operation, a
    schema). `anchors` are those that the format's own tool gives the headings of `text`, in order;
    empty: they are derived as for Markdown. `targets` are further ids that links may
    name. `index_names` are those of what it explains, under which its readers look it up. `created_at` is as
    the file writes it, `spoken` the language that it says its words are in. `parts` are the paths of the
    files of the format that it includes as a whole.
    """

    text: str
    format: str
    title: str = ""
    author: str = ""
    created_at: str = ""
    url: str = ""
    summary: str = ""
    spoken: str = ""
    name: str = ""
    anchors: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    index_names: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    problems: tuple[DocumentProblem, ...] = ()


class FormatError(KbcError):
    """A file is no valid document of its format; `line` as in `DocumentProblem`. An empty `code` means
    that of the format, which the caller knows."""

    exit_code = exit_codes.INPUT

    def __init__(self, message: str, line: int = 0, hint: str = "", code: str = "") -> None:
        super().__init__(code, message, hint)
        self.line = line


def decode(data: bytes) -> str:
    """Text in UTF-8, or in UTF-16 with a byte order mark, with "\\n" line ends and without the mark.

    Raises `FormatError` with the line of the first byte that is no text.
    """
    data = as_utf8(data)
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise FormatError(
            "the file holds NUL bytes: it is binary, or UTF-16 text",
            line,
            "Save it as UTF-8 text, or exclude it from the collection's paths.",
            "file-binary",
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"byte 0x{data[error.start]:02x} is not UTF-8",
            data.count(b"\n", 0, error.start) + 1,
            "Convert the file to UTF-8, for example with `iconv -t UTF-8`.",
            "file-not-utf8",
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")
