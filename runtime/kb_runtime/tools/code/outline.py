"""`code_outline`: the definitions of a source file with their lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kb_runtime.text.tables import count_of
from kb_runtime.tools import parameter
from kb_runtime.tools.answers import present
from kb_runtime.tools.code.files import FILE, find_file
from kb_runtime.tools.code.freshness import since_indexed
from kb_runtime.tools.code.index import code_tools
from kb_runtime.tools.code.symbols import notes
from kb_runtime.tools.declaration import Answer
from kb_runtime.tools.paging import Pager

if TYPE_CHECKING:
    from kb_runtime.records.entries import CodeEntry
    from kb_runtime.tools.code.answers import CodeOutline, OutlinedDefinition
    from kb_runtime.tools.session import Session


TOOLS = code_tools()


@TOOLS.tool(
    "The functions, classes and other definitions of a source file with their line"
    " ranges: what to look at before you read or edit a long file.",
    FILE,
    parameter.integer(
        "depth", "Levels of definitions: 1 for the outermost only.", 1, out_of_range="reject"
    ),
    parameter.cursor(),
)
def code_outline(session: Session, arguments: dict[str, Any]) -> Answer[CodeOutline]:
    record, _ = find_file(session, arguments["path"])
    depth = arguments["depth"]
    entries = [each for each in _entries(record) if depth is None or each["depth"] < depth]
    pager = Pager(
        session.artifact.build_id, "code_outline", {"file": record["id"], "depth": depth or 0}
    )
    page = pager.fitting(arguments["cursor"], entries, None, session.max_chars)
    structured: CodeOutline = {
        "file": record["id"],
        "totalLines": record["lines"],
        "symbols": entries[page.start : page.stop],
        "totalSymbols": len(entries),
    }
    structured |= present(language=record.get("language"), nextCursor=page.next)
    warnings = []
    if happened := since_indexed(session, record):
        structured["stale"] = True
        warnings.append(f"{happened}: these are the lines as indexed")
    is_parsed = "definitions" in record or (
        session.artifact.symbols(record["collection"]) is not None
    )
    if not entries and is_parsed:
        warnings.append("the file has no definitions that are known")
    elif not entries:
        warnings.append("the files are still being parsed: ask again in a few seconds")
    structured |= present(warnings=warnings)
    return Answer(_text(structured), structured)


def _entries(record: CodeEntry) -> list[OutlinedDefinition]:
    around: list[int] = []  # last lines of the definitions around
    entries: list[OutlinedDefinition] = []
    for each in record.get("definitions") or ():
        while around and around[-1] < each["line"]:
            around.pop()
        entry: OutlinedDefinition = {
            "name": each["name"],
            "kind": each["kind"],
            "lines": f"{each['line']}-{each['end_line']}",
            "depth": len(around),
        }
        entry |= present(signature=each["signature"])
        entries.append(entry)
        around.append(each["end_line"])
    return entries


def _text(structured: CodeOutline) -> str:
    lines = [
        f"{structured['file']}: {count_of(structured['totalLines'], 'line')},"
        f" {count_of(structured['totalSymbols'], 'definition')}"
    ]
    for each in structured["symbols"]:
        signature = each.get("signature") or f"{each['kind']} {each['name']}"
        lines.append(f"{'  ' * each['depth']}{each['lines']}: {signature}")
    return "\n".join([*lines, *notes(structured)])
