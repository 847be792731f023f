"""`get_file`: a file of the indexed source trees, whole or in part, by its path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kb_runtime.text.names import PATH_SUGGESTIONS, clean_path, quoted, suggest
from kb_runtime.text.rendering import fence
from kb_runtime.text.tables import count_of
from kb_runtime.text.typed_names import TypedName, named_lines, unquoted
from kb_runtime.tools import lookup, parameter
from kb_runtime.tools.answers import present
from kb_runtime.tools.budget import fitting_text
from kb_runtime.tools.code import index as code_index
from kb_runtime.tools.code.freshness import since_indexed
from kb_runtime.tools.code.index import KIND, code_tools
from kb_runtime.tools.declaration import Answer
from kb_runtime.tools.paging import Pager
from kb_runtime.tools.refusal import bad_input, not_found

if TYPE_CHECKING:
    from kb_runtime.records.entries import CodeEntry
    from kb_runtime.tools.code.answers import FileLines
    from kb_runtime.tools.session import Session

    Lines = tuple[int | None, int | None]

FILE = parameter.required(
    "path", "The file as results name it, or an ending of its path that no other file has.", 1000
)
"""Lines may follow, as results show them: `a.py:3-9`."""

TOOLS = code_tools()


@TOOLS.tool(
    "A file of the indexed source trees, or some of its lines, as indexed. Use it to"
    " read on around a result of codebase_retrieval.",
    FILE,
    parameter.integer("start_line", "First line.", 1, out_of_range="reject"),
    parameter.integer("end_line", "Last line.", 1, out_of_range="reject"),
    parameter.cursor(),
)
def get_file(session: Session, arguments: dict[str, Any]) -> Answer[FileLines]:
    record, named = find_file(session, arguments["path"])
    text = record.get("text", "")
    starts = _line_starts(text)
    asked = arguments["start_line"], arguments["end_line"]
    first, last = _line_range(record, asked if any(asked) else named, len(starts))
    own_name = session.name_of("get_file")
    begin = starts[first - 1]
    end = starts[last] if last < len(starts) else len(text)
    pager = Pager(
        session.artifact.build_id, own_name, {"file": record["id"], "lines": [first, last]}
    )
    at = pager.part(arguments["cursor"], text, None, begin, end).start
    limit = fitting_text(text[:end], at, session.max_chars - 2 * len(record["id"]))
    page = pager.part(arguments["cursor"], text, limit, begin, end)
    content = text[page.start : page.stop]
    first_shown = first + text.count("\n", begin, page.start)
    last_shown = first_shown + content.removesuffix("\n").count("\n")
    structured: FileLines = {
        "file": record["id"],
        "content": content,
        "lines": f"{first_shown}-{last_shown}",
        "totalLines": len(starts),
        "lastIndexed": code_index.last_indexed(session),
    }
    structured |= present(language=record.get("language"), workspace=record["workspace"])
    shown = f"{record['id']}, lines {first_shown}-{last_shown} of {len(starts)}"
    shown += f"\n\n{fence(content, record.get('language', ''))}"
    if happened := since_indexed(session, record):
        structured["stale"] = True
        structured["warnings"] = [f"{happened}: this is the text as indexed"]
        shown += f"\n\nNote: {structured['warnings'][0]}"
    if page.next is not None:
        structured["nextCursor"] = page.next
        shown += (
            f"\n\n[{end - page.stop} characters follow: repeat the call with cursor {page.next},"
            " or ask for fewer lines]"
        )
    return Answer(shown, structured)


def find_file(session: Session, given: str) -> tuple[CodeEntry, Lines]:
    """The record of a path, of its unique ending, of a `kb://` address or of a path in a tree on disk, with
    the lines that follow it. Raises NOT_FOUND."""
    literal = TypedName(unquoted(given))
    for name, _, lines in (literal, named_lines(literal.name) or literal):
        on_disk = session.working_tree.id_of(name) if session.working_tree else ""
        path = clean_path(on_disk or lookup.record_id(name), "path")
        record = lookup.find_path(session, KIND, path, on_disk or name) if path else None
        if record is not None:
            return record, lines or (None, None)
    known = lookup.ids(session, KIND)
    search = session.name_of("codebase_retrieval")
    if several := lookup.several_endings(session, KIND, path, given, "file"):
        raise several
    raise not_found(
        f"there is no file {quoted(given)} in the index of {count_of(len(known), 'file')}",
        f"Call {search} with what the file does; its results name files.",
        suggestions=suggest(path, known, PATH_SUGGESTIONS),
    )


def _line_starts(text: str) -> list[int]:
    """Where each line begins. Only a line feed ends a line, as everywhere in the index."""
    starts = [0]
    at = text.find("\n")
    while 0 <= at < len(text) - 1:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts


def _line_range(record: CodeEntry, asked: Lines, total: int) -> tuple[int, int]:
    """The first and the last line asked for; a range may end behind the file's last line."""
    first = asked[0] or 1
    last = min(asked[1] or total, total)
    if first > total:
        raise bad_input(
            f"start_line {first} is past the end: {quoted(record['id'])} has {count_of(total, 'line')}",
            f"Give start_line from 1 to {total}.",
        )
    if last < first:
        raise bad_input(
            f"end_line {asked[1]} comes before start_line {first}",
            "Give the first line of the range as start_line.",
        )
    return first, last
