"""`get_doc`, `list_docs` and `doc_outline`: documentation pages, whole or in part."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from kb_runtime.errors import ToolError
from kb_runtime.text.names import PATH_SUGGESTIONS, SUGGESTIONS, clean_path, quoted, suggest
from kb_runtime.text.tables import some_of
from kb_runtime.text.typed_names import TypedName, named_lines, section_called
from kb_runtime.tools import lookup, parameter
from kb_runtime.tools.answers import json_answer, present
from kb_runtime.tools.budget import OUTLINE_SHARE, content_part, shown_levels
from kb_runtime.tools.declaration import Answer, Tools
from kb_runtime.tools.paging import LIST_ARGUMENTS, Pager, json_chars
from kb_runtime.tools.refusal import bad_input, not_found

if TYPE_CHECKING:
    from kb_runtime.records.entries import DocEntry, SectionEntry
    from kb_runtime.tools.reference.answers import (
        Doc,
        DocList,
        DocOutline,
        DocPart,
        DocSummary,
        OutlinedSection,
        OutlineEntry,
    )
    from kb_runtime.tools.session import Session

KIND: lookup.RecordKind[DocEntry] = lookup.RecordKind("docs")
GROUPS = ("core", "choreo", "lessons", "guidelines", "posts")
"""Groups that a listing always names; a knowledge base may have others."""
EXTRA_GROUP = "posts"
DEEPEST_LEVEL = 6
_LINE_ONLY = re.compile(r"\A:\d+\Z")
"""What follows the `#` in the id of a hit before the first heading of a page."""
_READERS = {
    "builtins": "get_builtin",
    "patterns": "get_pattern",
    "templates": "get_template",
    "examples": "get_example",
}
"""The tools for records whose files are no pages, by kind."""
_LISTED_DOCS = 10
"""The most paths that the text of an error lists; its structure has all."""


TOOLS = Tools("{prefix}_", family="reference", needs=(KIND,))


@TOOLS.tool(
    "A documentation page in full, or one section or line range of it."
    " Takes a path, a bare file name, a title or a search hit's source.",
    parameter.required(
        "filename", "Path such as docs/lang.md, or a bare name such as lang.md.", 1000
    ),
    parameter.text("section", "Only this section: title or anchor.", 500),
    parameter.integer("startLine", "First line of a range, 1-based.", 1),
    parameter.integer("endLine", "Last line of the range.", 1),
    parameter.flag("raw", "The file as stored, with front matter and MDX.", False),
    parameter.MAX_CHARS,
    parameter.cursor("nextCursor"),
)
def get_doc(session: Session, arguments: dict[str, Any]) -> Answer[Doc]:
    record, meant, warnings = _page(session, "filename", arguments["filename"])
    wanted: str | None = arguments["section"] or meant.section or None
    first: int | None = arguments["startLine"]
    last: int | None = arguments["endLine"]
    if arguments["section"] and (first is not None or last is not None):
        raise bad_input(
            "section and startLine or endLine were given together",
            "Give either section, or startLine and endLine.",
        )
    if meant.lines is not None and first is None and last is None and wanted is None:
        first, last = meant.lines
    if first is not None or last is not None:
        part = _lines(record.get("text", ""), first, last)
    elif wanted is not None:
        section = _section(session, record, wanted)
        lines = _lines(record.get("text", ""), section["line"], section["end_line"])
        part = {"section": _outline_entry(section), **lines}
    elif arguments["raw"]:
        part = {"content": record.get("stored") or record.get("text", "")}
    else:
        part = {"content": record.get("content", "")}
    is_whole = part.keys() == {"content"} and not arguments["raw"]
    content = part["content"]
    structured: Doc = {
        "filename": _filename(record["path"]),
        "path": lookup.shown_path(record),
        "title": record["title"],
        "type": record["format"],
        **part,  # type: ignore[typeddict-item]  # what may be left out comes later
        "size": len(content),
        "processed": is_whole and record["processed"],
    }
    structured |= present(frontmatter=record.get("frontmatter"), warnings=warnings)
    cursor = arguments["cursor"]
    if cursor is None and is_whole and json_chars(structured) > session.max_chars:
        structured["outline"] = _outline(session, record)
    own_name = lookup.tool_name(session, "get_doc")
    part_of = {"path": lookup.shown_path(record), "of": [wanted, first, last, arguments["raw"]]}
    return json_answer(content_part(session, structured, cursor, own_name, part_of))


def _outline(session: Session, record: DocEntry) -> list[OutlinedSection]:
    headings: list[OutlinedSection] = [
        {"title": one["title"], "level": one["level"], "line": one["line"]}
        for one in record.get("sections", ())
    ]
    return shown_levels(headings, session.max_chars // OUTLINE_SHARE)


def _lines(text: str, first: int | None, last: int | None) -> DocPart:
    """Lines `first` to `last` of a file as stored, with the file's number of lines.

    Raises BAD_INPUT for a range that holds no line; a `last` behind the end means the end.
    """
    lines = lookup.stored_lines(text)
    start = first or 1
    end = min(last or len(lines), len(lines))
    if start > len(lines):
        raise bad_input(
            f"startLine {start} is after the last line, {len(lines)}",
            f"Give startLine from 1 to {len(lines)}.",
        )
    if start > end:
        raise bad_input(
            f"startLine {start} is after endLine {end}",
            "Give an endLine that is not before startLine.",
        )
    return {
        "content": "".join(lines[start - 1 : end]),
        "startLine": start,
        "endLine": end,
        "totalLines": len(lines),
    }


def _section(session: Session, record: DocEntry, wanted: str) -> SectionEntry:
    """The section with this anchor or title. Raises NOT_FOUND with the sections that exist."""
    sections = record.get("sections", [])
    if section := section_called(sections, wanted):
        return section
    anchors = [section["anchor"] for section in sections]
    titles = dict.fromkeys(section["title"] for section in sections)
    near = [
        section["anchor"]
        for title in suggest(wanted, titles)
        for section in sections
        if section["title"] == title
    ]
    close = near[:PATH_SUGGESTIONS] or anchors[:PATH_SUGGESTIONS]
    outline = lookup.tool_name(session, "doc_outline")
    raise not_found(
        f"{record['path']} has no section {quoted(wanted)}",
        f"Call {outline} with path {quoted(record['path'])} to see its sections.",
        suggestions=close,
        details={"availableSections": anchors},
    )


def _page(
    session: Session, argument: str, name: str
) -> tuple[DocEntry, TypedName, list[str] | None]:
    """The page that a path, a bare file name, a title, a hit's id or an address means.

    Also the reading with the section or the lines of it that are meant, if any, and a warning where several
    pages have the title. Raises BAD_INPUT and NOT_FOUND.
    """
    path = clean_path(lookup.record_id(name), argument)
    # The path itself may have a `#`: `docs/C#.md`.
    page, _, anchor = path.rpartition("#") if "#" in path else (path, "", "")
    anchor = _LINE_ONLY.sub("", anchor)
    candidates = (TypedName(path), named_lines(path), TypedName(page.rstrip("/"), anchor))
    for meant in filter(None, candidates):
        record = lookup.find_path(session, KIND, meant.name, name)
        if record is not None:
            return record, meant, None
        if titled := _titled(session, meant.name):
            first, *others = titled
            if address := lookup.own_address(session, first, lookup.shown_path(first)):
                session.notes.append(
                    f"another knowledge base also has this path: this is {address}"
                )
            paths = some_of([lookup.shown_path(each) for each in others], PATH_SUGGESTIONS)
            sharing = f"other pages also have this title: {paths}; give the path for one of them"
            return first, meant, [sharing] if others else None
    bare = page.rstrip("/")
    raise lookup.several_endings(session, KIND, bare, name, "document") or _no_page(
        session, argument, name, bare
    )


def _titled(session: Session, title: str) -> list[DocEntry]:
    """The pages with a title, the one nearest to the root first. Where no page is called that, those whose
    front matter says so: their first headings say something else."""
    folded = title.casefold()
    found = list(lookup.matching(session, KIND, lambda page: page["title"].casefold() == folded))
    if not found:

        def is_stated(page: DocEntry) -> bool:
            return str(page.get("frontmatter", {}).get("title", "")).casefold() == folded

        found = list(lookup.matching(session, KIND, is_stated))
    return sorted(found, key=lambda record: record["path"].count("/"))


def _no_page(session: Session, argument: str, name: str, path: str) -> ToolError:
    known = sorted(lookup.ids(session, KIND))
    folder = path.casefold() + "/"
    inside = [each for each in known if each.casefold().startswith(folder)] if path else known
    step = f"Give {argument} as {lookup.tool_name(session, 'list_docs')} shows it."
    if inside:
        message = f"{quoted(name)} is a folder, not a document. Its files: {some_of(inside, _LISTED_DOCS)}"
        suggestions = inside[:PATH_SUGGESTIONS]
    elif entries := _entries_in(session, path):
        reader, ids = entries
        message = f"{quoted(name)} is no document: it holds {some_of(ids, _LISTED_DOCS)}"
        suggestions, step = ids[:PATH_SUGGESTIONS], f"Call {reader} to read that."
    else:
        shown = some_of(known, _LISTED_DOCS)
        message = f"no document matches {quoted(name)}. Available documents: {shown}"
        suggestions = suggest(path, known, PATH_SUGGESTIONS)
        suggestions = suggestions or lookup.searched(session, KIND, path, SUGGESTIONS)
        suggestions = suggestions or known[:PATH_SUGGESTIONS]
    return not_found(
        message,
        step,
        suggestions=suggestions,
        details={"availableDocs": known, "total": len(known)},
    )


def _entries_in(session: Session, path: str) -> tuple[str, list[str]] | None:
    """What reads the records of a file that is no page, and their ids: entries, patterns, templates or an
    example."""
    for kind, reader in _READERS.items():
        ids = [
            record["id"]
            for catalog in lookup.catalogs(session, kind)
            for record in map(catalog.head, range(len(catalog)))
            if record["path"] == path
        ]
        if ids and "{prefix}_" + reader in session.tool_names:
            return lookup.tool_name(session, reader), ids
    return None


@TOOLS.tool("All documentation pages by group, with path, title and size.", *LIST_ARGUMENTS)
def list_docs(session: Session, arguments: dict[str, Any]) -> Answer[DocList]:
    """Every page once: the files directly in a group's folder under the group's name, those in a
    folder below it under that folder's path."""
    pages = list(lookup.records(session, KIND))
    depths: dict[str, int] = {}
    for record in pages:
        depth = record["path"].count("/")
        depths[record["group"]] = min(depth, depths.get(record["group"], depth))
    listed: dict[str, list[DocSummary]] = {group: [] for group in GROUPS}
    for record in pages:
        group, folder = record["group"], record["path"].rpartition("/")[0]
        is_direct = record["path"].count("/") == depths[group]
        listed.setdefault(group if is_direct else folder, []).append(_summary(session, record))
    entries = [
        (group, entry)
        for group in listed
        for entry in sorted(listed[group], key=lambda one: (one["filename"], one["path"]))
    ]
    pager = Pager(session.artifact.build_id, lookup.tool_name(session, "list_docs"), {})
    page = pager.fitting(arguments["cursor"], entries, arguments["limit"], session.max_chars)
    groups: dict[str, list[DocSummary]] = {group: [] for group in GROUPS}
    for group, entry in entries[page.start : page.stop]:
        groups.setdefault(group, []).append(entry)
    structured: Any = {"total": len(pages), **groups}
    structured |= present(nextCursor=page.next)
    return json_answer(structured)


def _summary(session: Session, record: DocEntry) -> DocSummary:
    path = lookup.shown_path(record)
    summary: DocSummary = {
        "filename": _filename(record["path"]),
        "path": path,
        "size": len(record.get("content", "")),
        "title": record["title"],
        "sections": len(record.get("sections", ())),
    }
    summary |= present(address=lookup.own_address(session, record, path))
    return summary


@TOOLS.tool(
    "The headings of a documentation page with level, line and anchor, without text."
    " Then read one section with {prefix}_get_doc.",
    parameter.required("path", "Path, bare name or title.", 1000),
    parameter.integer(
        "maxLevel", "Deepest heading level.", 1, DEEPEST_LEVEL, default=DEEPEST_LEVEL
    ),
)
def doc_outline(session: Session, arguments: dict[str, Any]) -> Answer[DocOutline]:
    record, _, warnings = _page(session, "path", arguments["path"])
    sections = record.get("sections", [])
    deepest: int = arguments["maxLevel"]
    shown = [section for section in sections if section["level"] <= deepest]
    # A shortened outline can leave out a first heading that equals `title`.
    is_short = 1 < deepest < DEEPEST_LEVEL and bool(shown)
    if is_short and (shown[0]["level"], shown[0]["title"]) == (1, record["title"]):
        shown = shown[1:]
    structured: DocOutline = {
        "path": lookup.shown_path(record),
        "title": record["title"],
        "type": "extra" if record.get("group") == EXTRA_GROUP else "docs",
        "topics": record.get("topics", []),
        "totalSections": len(sections),
        "maxLevel": deepest,
        "sections": [_outline_entry(section) for section in shown],
    }
    structured |= present(warnings=warnings)
    return json_answer(structured)


def _outline_entry(section: SectionEntry) -> OutlineEntry:
    return {
        "title": section["title"],
        "level": section["level"],
        "line": section["line"],
        "anchor": section["anchor"],
        "endLine": section["end_line"],
        "chars": section["chars"],
    }


def _filename(path: str) -> str:
    return path.rsplit("/", 1)[-1]
