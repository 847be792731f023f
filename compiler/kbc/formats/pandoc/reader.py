"""Runs pandoc, which reads the file from its standard input and may open no other, and reads its answer."""

from __future__ import annotations

import io
import json
import re
import sys
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from html import unescape
from pathlib import Path
from typing import Any

from kbc.formats.document import Converted, DocumentProblem, FormatError, Problems, Read, decode
from kbc.formats.pandoc import docbook, docbook_pages, man, mediawiki, org, org_includes
from kbc.formats.pandoc.org import BACKSLASH, TAB
from kbc.formats.pandoc.writer import PandocWriter
from kbc.formats.program import run
from kbc.formats.registry import format_of
from kbc.languages.suffixes import is_in_org

HEAP = "900M"
_OFFICE = {"docx": "docProps/core.xml", "pptx": "docProps/core.xml", "odt": "meta.xml"}
"""Formats of office programs, and where in their files these store what they are about."""
_BINARY = frozenset([*_OFFICE, "epub"])
_TITLED = frozenset(["docbook", "docx", "epub", "man"])
"""Formats in which the title is no heading, and chapters or sections have headings of the first level."""

_PREPARED = {"man": man.prepared, "org": org.prepared, "mediawiki": mediawiki.prepared}
_AS_WRITTEN = {"man": man.as_written, "mediawiki": mediawiki.as_written}
"""Of formats that pandoc gives up on: a page's text counts more than its markup."""

_RTS_MESSAGE = re.compile(r"heap|stack overflow", re.IGNORECASE)
_PARTS_OF_NAME = re.compile(r"[-_]")
_MDOC = re.compile(rb"^\.D[dt]\b", re.MULTILINE)
_NO_MAN_PAGE = DocumentProblem(
    code="man-page-none",
    message="the name ends like a man page's, but the file has no `.TH` and was left out",
    hint="Rename the file, or exclude it from the collection's paths.",
)
MAX_PROPERTIES_BYTES = 1 << 20
_DAMAGED = (OSError, KeyError, ValueError, RuntimeError, EOFError, zlib.error, zipfile.BadZipFile)
_PROPERTY = re.compile(r"<(?:dc|dcterms):(title|creator|created)\b[^>]*>([^<]*)<")
_LINE = re.compile(r"line (\d+)|\b(\d+):\d+ \(\d+\)")
"""Where pandoc stopped; of XML as `line:column (character)`."""
_XML_NAME = re.compile(r'Name \{nameLocalName = "([^"]*)"[^{}]*\}')


def convert(path: str, data: bytes, read: Read, around: Sequence[str] = ()) -> list[Converted]:
    """The document of a file; raises `FormatError` for what pandoc cannot read. `around` are the files that
    may declare the entities of a DocBook document."""
    found = format_of(path)
    name = found.name if found else "dokuwiki"  # pandoc calls these formats as we do
    if name == "man":
        data = man.unpacked(data)
        name = "org" if is_in_org(data) else name
    if name not in _BINARY:
        data = decode(data).encode()
    elif not data.startswith(b"PK"):
        raise FormatError(f"the file is not {name.upper()}: it is not a ZIP archive")
    problems = Problems()
    if name in _PREPARED:
        source = data.decode()
        if name == "org":
            source, problems = org_includes.with_includes(path, source, read)
        data = _PREPARED[name](source).encode()
    if name == "man" and man.is_other_name(data):
        return []
    if name == "man" and not man.is_man_page(data):
        return [Converted(text="", format=name, problems=(_NO_MAN_PAGE,))]
    is_mdoc = name == "man" and _MDOC.search(data[:20_000])
    is_docbook = name == "docbook"
    own = "mdoc" if is_mdoc else name
    try:
        tree = _docbook(path, data.decode(), read, around) if is_docbook else _tree(own, data)
    except FormatError as error:
        if name not in _AS_WRITTEN:
            raise
        return [_as_written(name, _AS_WRITTEN[name](data.decode()), error)]
    title = _man_title(path, tree) if name == "man" else ""
    writer = PandocWriter(tree, is_org=name == "org", is_titled=name in _TITLED, title=title)
    text = writer.write()
    known = _properties(data, _OFFICE[name]) if name in _OFFICE else {}
    result = Converted(
        text=text,
        format=name,
        title=writer.title or known.get("title", ""),
        author=writer.author or known.get("creator", ""),
        created_at=writer.created_at or known.get("created", ""),
        summary=writer.summary,
        anchors=tuple(writer.anchors),
        problems=tuple(problems),
    )
    return [result]


def _man_title(path: str, tree: dict[str, Any]) -> str:
    """`accept(2)`: a man page's header often has the name in capitals, that of its file is as it is typed.
    Of pages about parts of a program (`wharf-load.8`) many headers name only one of both, or are phrases:
    `man` finds a page by the name of its file."""
    named = ({"title": tree["meta"].get(name)} for name in ("title", "section"))
    title, section = (PandocWriter({"meta": each}).title for each in named)
    stem = Path(path.removesuffix(".in").removesuffix(".gz")).stem
    words, own = (set(_PARTS_OF_NAME.split(name.lower())) for name in (title, stem))
    if words <= own or (section and len(title.split()) > 1):
        name = stem
    else:
        name = title.lower() if title.isupper() else title
    return f"{name}({section})" if name and section else name


def _docbook(path: str, text: str, read: Read, files: Iterable[str]) -> dict[str, Any]:
    """The tree of a document with the values of its entities, or with their names, where a value is not
    well formed."""
    text = docbook.with_abstracts(docbook.with_named_references(text))
    prepared = docbook_pages.with_sections(docbook.prepared(path, text, read, files))
    try:
        return _tree("docbook", prepared.encode())
    except FormatError:
        plain = docbook.without_declarations(text)[0]
        with_names = docbook_pages.with_sections(docbook.with_names(plain))
        if with_names == prepared:
            raise
        return _tree("docbook", with_names.encode())


def _as_written(name: str, text: str, error: FormatError) -> Converted:
    """A page of MediaWiki or a man page that pandoc cannot read: its text counts more than its markup."""
    message = f"{error.message}; its text is kept as it is written"
    hint = "Fix the markup at this line."
    problem = DocumentProblem(code=f"{name}-invalid", message=message, line=error.line, hint=hint)
    return Converted(text=text, format=name, problems=(problem,))


def _properties(data: bytes, place: str) -> dict[str, str]:
    """Title, creator and time of creation, as office programs store them at `place` in a file."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open(place) as file:
            source = file.read(MAX_PROPERTIES_BYTES).decode("utf-8", "replace")
    except _DAMAGED:
        return {}
    return {name: " ".join(unescape(value).split()) for name, value in _PROPERTY.findall(source)}


def program() -> Path:
    """The program that `pypandoc-binary` carries; raises `ModuleNotFoundError` without it."""
    import pypandoc

    name = "pandoc.exe" if sys.platform == "win32" else "pandoc"
    found = Path(pypandoc.__file__).parent / "files" / name
    if not found.is_file():
        raise ModuleNotFoundError("No module named 'pypandoc'", name="pypandoc")
    return found


def _tree(name: str, data: bytes) -> dict[str, Any]:
    """The document as pandoc's JSON has it."""
    command = [str(program()), "+RTS", f"-M{HEAP}", "-RTS", "--sandbox", "--preserve-tabs"]
    command += ["-f", name, "-t", "json"]
    done = run("pandoc", command, data, {"LC_ALL": "C.UTF-8"})
    if done.returncode != 0:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())
        if _RTS_MESSAGE.search(said):
            raise FormatError("pandoc needs more memory for the file than is allowed")
        match = _LINE.search(said)
        said = _XML_NAME.sub(r"\1", said)
        raise FormatError(
            f"pandoc cannot read the file: {said[:200] or f'exit code {done.returncode}'}",
            int(match[1] or match[2]) if match else 0,
        )
    try:
        answer = done.stdout.decode()
        if name == "org":
            answer = answer.replace(TAB, "\\t").replace(BACKSLASH, "\\\\")
        tree = json.loads(answer)
    except (ValueError, RecursionError):
        raise FormatError("the file nests too deeply to be read") from None
    assert isinstance(tree, dict)
    return tree
