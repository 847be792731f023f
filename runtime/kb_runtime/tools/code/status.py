"""`index_status` and `reindex_workspace`: the state of the index of source trees."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Literal

from kb_runtime.text.tables import count_of
from kb_runtime.tools import lookup
from kb_runtime.tools.answers import present
from kb_runtime.tools.code import index as code_index
from kb_runtime.tools.code.freshness import reachable_tree
from kb_runtime.tools.code.index import KIND, code_tools
from kb_runtime.tools.declaration import Answer

if TYPE_CHECKING:
    from kb_runtime.tools.code.answers import CodeIndexStatus, Reindexing, TreeStatus
    from kb_runtime.tools.session import Session

MAX_NAMED = 20


TOOLS = code_tools()


@TOOLS.tool(
    "The state of the index of the source trees: files, languages, whether meaning and"
    " symbols are complete, which files were changed or deleted since."
)
def index_status(session: Session, _: dict[str, Any]) -> Answer[CodeIndexStatus]:
    languages: Counter[str] = Counter()
    states: dict[str, str] = {}
    symbols = 0
    tree = reachable_tree(session)
    by_tree: Counter[str] = Counter()
    for info in lookup.collections(session, KIND):
        compiled = session.artifact.symbols(info.name)
        catalog = session.artifact.catalog(info.name)
        if compiled is not None:
            shown = (file for file in range(compiled.files) if catalog.place(file) is not None)
            symbols += sum(len(compiled.definitions_in(file)) for file in shown)
        for record in map(catalog.head, range(len(catalog))):
            languages[record.get("language") or "text"] += 1
            by_tree[record.get("workspace", "")] += 1
            if tree is not None:
                file = lookup.told_name(session, info.name, record["id"])
                states[file] = tree.state(record)
    changed = sorted(file for file, state in states.items() if state == "changed")
    deleted = sorted(file for file, state in states.items() if state == "missing")
    structured: CodeIndexStatus = {
        "trees": _trees(session, by_tree),
        "lastIndexed": code_index.last_indexed(session),
        "fileCount": sum(languages.values()),
        "symbolCount": symbols,
        "languages": dict(languages.most_common()),
        "meaning": _meaning(session),
        "symbols": _symbols(session),
        "isFollowed": code_index.followed(session) is not None,
        "changed": changed[:MAX_NAMED],
        "deleted": deleted[:MAX_NAMED],
    }
    if tree is not None:
        structured["isStale"] = bool(changed or deleted)
    return Answer(_text(structured, len(changed), len(deleted)), structured)


def _trees(session: Session, by_tree: Counter[str]) -> list[TreeStatus]:
    workspace = code_index.followed(session)
    if workspace is None:
        return [
            {"workspace": folder, "state": "ready", "fileCount": count}
            for folder, count in sorted(by_tree.items())
        ]
    trees: list[TreeStatus] = []
    for folder, status in workspace.code_statuses().items():
        state: Any = status["state"]
        entry: TreeStatus = {
            "workspace": folder,
            "state": state,
            "fileCount": by_tree.get(folder, 0),
        }
        entry |= present(problem=status.get("problem"), notice=status.get("notice"))
        trees.append(entry)
    return trees


def _meaning(session: Session) -> Literal["complete", "pending", "absent"]:
    status = code_index.status(session)
    if "embedding" in status:
        return status["embedding"]
    parts = code_index.parts(session)
    return "complete" if parts and all(part.manifest.get("encoder") for part in parts) else "absent"


def _symbols(session: Session) -> Literal["complete", "pending", "absent"]:
    known = [
        session.artifact.symbols(info.name) is not None
        for info in lookup.collections(session, KIND)
    ]
    if known and all(known):
        return "complete"
    return "absent" if code_index.followed(session) is None else "pending"


def _text(structured: CodeIndexStatus, changed: int, deleted: int) -> str:
    lines = [
        f"{count_of(structured['fileCount'], 'file')},"
        f" {count_of(structured['symbolCount'], 'definition')}; indexed"
        f" {structured['lastIndexed'] or 'never'}",
        f"By meaning: {structured['meaning']}; symbols: {structured['symbols']}",
    ]
    for each in structured["trees"]:
        problem = f": {each['problem']}" if "problem" in each else ""
        indexed = count_of(each["fileCount"], "file")
        lines.append(f"- {each['workspace']}: {each['state']}, {indexed}{problem}")
    counts = (
        ("changed", changed, structured["changed"]),
        ("deleted", deleted, structured["deleted"]),
    )
    for what, count, files in counts:
        if count:
            more = ", ..." if count > len(files) else ""
            since = "it was" if count == 1 else "they were"
            lines.append(f"{count} {what} since {since} indexed: {', '.join(files)}{more}")
    return "\n".join(lines)


@TOOLS.tool(
    "Compares all source files with the index again. Edits are followed anyway: needed"
    " only where a file system reports none."
)
def reindex_workspace(session: Session, _: dict[str, Any]) -> Answer[Reindexing]:
    workspace = code_index.followed(session)
    message = (
        "this server serves an index that was built before and does not change it: run `kbc build`, and"
        " a running server switches to the new build; `kbc serve --code DIR` indexes a folder itself"
    )
    if workspace is not None:
        workspace.rescan()
        message = (
            "every file is compared with the index again, and what differs is indexed: index_status"
            " says when the state is ready"
        )
    return Answer(message, {"accepted": workspace is not None, "message": message})
