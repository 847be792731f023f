"""Describes the index of source files: when it was made, which modes it supports, how complete it is."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from kb_runtime.text.globs import PathGlobs
from kb_runtime.text.names import quoted
from kb_runtime.text.tables import some_of
from kb_runtime.tools import lookup
from kb_runtime.tools.answers import present
from kb_runtime.tools.declaration import Tools

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kb_runtime.knowledge.artifact import Artifact
    from kb_runtime.live.living_workspace import LivingWorkspace
    from kb_runtime.records.entries import CodeEntry
    from kb_runtime.search.request import SearchResult
    from kb_runtime.tools.code.answers import IndexStatus, QueryMode
    from kb_runtime.tools.session import Session

FAMILY = "codebase"
KIND: lookup.RecordKind[CodeEntry] = lookup.RecordKind("code")
code_tools = partial(Tools, family=FAMILY, needs=(KIND,))

_MODES: dict[str, QueryMode] = {"lexical": "keyword", "semantic": "semantic", "hybrid": "hybrid"}
_SHOWN_FOLDERS = 5
_LOOKED_FOR = 5
_CUT = 3
"""How many globs that match nothing are looked for elsewhere, and with how few of their first folders cut
off: a client may begin them with the folder that it works in."""

_FIRST_INDEX = (
    "the first index of the source files is being built: ask again in a few seconds, or use grep"
)

_SCANNED = (
    "the first index is being built: the files themselves were searched by words; symbols and vectors come"
    " with the index"
)
_EARLIER_INDEX = (
    "the index is from an earlier run: the source files are being checked for changes since then"
)


def path_globs(arguments: Mapping[str, Any]) -> PathGlobs:
    """The files that `include_paths` and `exclude_paths` leave. Raises BAD_INPUT."""
    return PathGlobs(arguments["include_paths"] or (), arguments["exclude_paths"] or ())


def unmatched(session: Session, globs: PathGlobs) -> str:
    """What is wrong with globs that no indexed file matches, with a folder that was probably meant; ""
    where one does."""
    ids = lookup.ids(session, KIND)
    if not globs.include or any(id in globs for id in ids):
        return ""
    folders = dict.fromkeys(f"/{id.rpartition('/')[0]}/" for id in ids if "/" in id)
    wanted = [pattern.partition("*")[0].strip("/") for pattern in globs.include[:_LOOKED_FOR]]
    endings = ("/".join(one.split("/")[at:]) for one in filter(None, wanted) for at in range(_CUT))
    longer = (path.partition(f"/{one}/") for one in filter(None, endings) for path in folders)
    near = next((before + mark for before, mark, _ in longer if mark), "").strip("/")
    top = list(dict.fromkeys(path.split("/")[1] + "/" for path in folders))
    place = near or (some_of(top, _SHOWN_FOLDERS) if any(wanted) else "")
    return f"no indexed file matches include_paths {', '.join(map(quoted, globs.include))}" + (
        f"; paths begin at the root of the index: {place}" if place else ""
    )


def followed(session: Session) -> LivingWorkspace | None:
    """The workspace whose source trees are followed, if they are."""
    workspace = session.workspace
    return workspace if workspace is not None and workspace.follows_code else None


def last_indexed(session: Session) -> str | None:
    """When the newest index of source files was made; ISO 8601."""
    built = [part.manifest.get("built_at") for part in parts(session)]
    return max(filter(None, built), default=None)


def parts(session: Session) -> list[Artifact]:
    return [
        part
        for part in session.artifact.parts
        if any(info.kind == KIND for info in part.collections)
    ]


def mode(found: SearchResult) -> QueryMode:
    """How results were found, as clients know it. A search that asked for meaning, too, and met only
    files that are not embedded yet, went by words."""
    by_words = all(hit.semantic_rank is None and hit.cosine is None for hit in found.hits)
    if found.mode == "hybrid" and found.hits and by_words:
        return _MODES["lexical"]
    return _MODES[found.mode]


def status(session: Session) -> IndexStatus:
    """`indexStatus`: with a source tree that is followed, `status` is `starting`, `drafting` (the first
    index is being made, and the files themselves are searched), `indexing` (words are found, meaning is not
    yet or not for all), `ready` or `failed`, and `embedding` is whether all files can be found by
    meaning."""
    status: IndexStatus = {
        "status": "ready",
        "fileCount": sum(info.records for info in lookup.collections(session, KIND)),
        "comparedWithDisk": False,
    }
    if (workspace := followed(session)) is not None:
        reported = workspace.code_status()
        state: Any = reported["state"]
        status["status"] = state
        embedded = [part.manifest.get("encoder") is not None for part in parts(session)]
        status["embedding"] = "complete" if embedded and all(embedded) else "pending"
        status |= present(problem=reported.get("problem"), notice=reported.get("notice"))
    return status


def warnings(session: Session, status: IndexStatus) -> list[str]:
    """What a reader of an answer has to know of the index that it was found in."""
    sentences = []
    scanned = [part for part in parts(session) if part.scanned_files]
    if scanned:
        sentences.append(_SCANNED)
        read = sum(info.records for part in scanned for info in part.collections)
        listed = sum(part.scanned_files for part in scanned)
        if read < listed:
            sentences.append(f"{read} of {listed} files were read: the index will have them all")
    elif status["status"] in ("starting", "drafting"):
        sentences.append(_EARLIER_INDEX if status["fileCount"] else _FIRST_INDEX)
    if "problem" in status:
        sentences.append(f"the index is not kept up to date: {status['problem']}")
    return sentences
