"""Files that hold nothing but comments of Doxygen (`mainpage.dox`): their pages, groups and other texts."""

from __future__ import annotations

import posixpath
import re

from kbc.formats import commonmark
from kbc.formats.document import Converted, FormatError, Problems, Read, decode
from kbc.formats.doxygen.comments import ENTITY_KINDS, markdown, plain, structure
from kbc.formats.doxygen.tokens import tokens
from kbc.languages.includes.dialects.doxygen import EXAMPLES, INCLUDE, snippet
from kbc.languages.includes.files import indented, not_included
from kbc.project.source_file import decode_any

_PLACES = tuple(f"{above}{folder}" for above in ("", "../", "../../") for folder in EXAMPLES)


def convert(path: str, data: bytes, read: Read) -> Converted:
    """The document of a file; raises `FormatError` for one without a comment of Doxygen. Examples that are
    not there are problems of it."""
    problems = Problems()

    def included(match: re.Match[str]) -> str:
        name, part = match["file"], match["part"]
        code = _example(path, name, read)
        if code is not None and part and match["name"].startswith("snippet"):
            code = snippet(code, part)
        if code is None:
            shown = f"{name} {part}".strip()
            problems.elsewhere(match["name"], f"{shown!r} is not in a folder of examples")
            return f"{match['indent']}{not_included(shown)}"
        language = name.rpartition(".")[2] if "." in name else ""
        language = "" if match["name"] == "verbinclude" else language
        return indented(match["indent"], "\n".join(commonmark.fence(code, language)))

    found = [plain(each.text) for each in tokens(decode(data)) if each.kind == "comment"]
    if not found:
        raise FormatError("the file has no comment of Doxygen (`/** ... */`)")
    lines = commonmark.blocks(_shown(INCLUDE.sub(included, comment)) for comment in found)
    text = commonmark.document(lines)
    return Converted(text=text, format="doxygen", problems=tuple(problems))


def _shown(comment: str) -> list[str]:
    """The Markdown of a comment below what it describes: a group, or an entity that stands elsewhere."""
    place = structure(comment)
    shown = markdown(comment, {}, str.splitlines)
    if place.group:
        _, name, stated = place.group
        title = stated.strip('"') or name
        return [f"# {title} {{#{name}}}", "", *shown]
    if place.kind in ENTITY_KINDS and place.name:
        return [*commonmark.heading(2, commonmark.code_span(place.name)), "", *shown]
    return shown


def _example(path: str, name: str, read: Read) -> str | None:
    folder = posixpath.dirname(path)
    for place in _PLACES:
        wanted = posixpath.normpath(posixpath.join(folder, place, name))
        if not wanted.startswith("../") and (data := read(wanted)) is not None:
            return decode_any(data)
    return None
