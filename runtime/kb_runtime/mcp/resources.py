"""Every record as a resource: `kb://<knowledge base>/<collection>/<id>`."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from kb_runtime.digests import sha256
from kb_runtime.errors import ArtifactError, ProtocolError, ToolError
from kb_runtime.mcp import revisions
from kb_runtime.text.addresses import parse_address
from kb_runtime.tools.paging import Pager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kb_runtime.knowledge.interface import Knowledge
    from kb_runtime.mcp.answers import Answers

PAGE = 100
LIST = "resources/list"
MARKDOWN = "text/markdown"
PLAIN = "text/plain"
MIME_TYPES = {
    "builtins": MARKDOWN,
    "docs": MARKDOWN,
    "pages": MARKDOWN,
    "patterns": MARKDOWN,
    "tests": MARKDOWN,
}
"""By collection kind; source code and rules are plain text."""


def mime_type(kind: str, record: dict[str, Any] | None = None) -> str:
    if record is not None and record.get("format") == "text":
        return PLAIN
    return MIME_TYPES.get(kind, PLAIN)


def list_resources(
    _: Answers, artifact: Knowledge, params: dict[str, Any], __: str
) -> dict[str, Any]:
    """One page of all records, in the order of the collections. Raises ProtocolError."""
    ends = list(accumulate(info.records for info in artifact.collections))
    total = ends[-1] if ends else 0
    try:
        page = Pager(artifact.build_id, LIST, {}).items(params.get("cursor"), total, PAGE)
    except ToolError as error:
        raise ProtocolError(revisions.INVALID_PARAMS, f"Invalid cursor: {error.message}") from error
    resources = []
    for position in range(page.start, page.stop):
        number = bisect_right(ends, position)
        info = artifact.collections[number]
        record = artifact.catalog(info.name)[position - (ends[number] - info.records)]
        resources.append(_entry(artifact, info.name, info.kind, record))
    result: dict[str, Any] = {"resources": resources}
    if page.next is not None:
        result["nextCursor"] = page.next
    return result


def _entry(
    artifact: Knowledge, collection: str, kind: str, record: dict[str, Any]
) -> dict[str, Any]:
    entry = {
        "uri": artifact.address(collection, record["id"]),
        "name": record["id"],
        "title": record.get("title", ""),
        "description": record.get("summary", ""),
        "mimeType": mime_type(kind, record),
        "size": len(_text(record).encode("utf-8", "replace")),
    }
    return {name: value for name, value in entry.items() if value != ""}


def read_resource(
    _: Answers, artifact: Knowledge, params: dict[str, Any], revision: str
) -> dict[str, Any]:
    """The record's text. Raises ProtocolError, with the address in its data, for an unknown one."""
    uri = params["uri"]
    kind, record = _known(artifact, uri, revision)
    return {"contents": [{"uri": uri, "mimeType": mime_type(kind, record), "text": _text(record)}]}


def digest(artifact: Knowledge, uri: str) -> bytes | None:
    """The SHA-256 of what `read_resource` gives; None where there is no such record, or none that can
    be read."""
    try:
        found = _found(artifact, uri)
    except ArtifactError:
        return None
    if found is None:
        return None
    kind, record = found
    text = _text(record).encode("utf-8", "surrogatepass")
    return sha256(mime_type(kind, record).encode() + b"\0" + text)


def subscribe(
    _: Answers, artifact: Knowledge, params: dict[str, Any], revision: str
) -> dict[str, Any]:
    """Whether there is something to subscribe to; whoever sends the updates remembers for whom. Raises
    ProtocolError as `read_resource` does."""
    _known(artifact, params["uri"], revision)
    return {}


def _known(artifact: Knowledge, uri: str, revision: str) -> tuple[str, dict[str, Any]]:
    found = _found(artifact, uri)
    if found is None:
        is_stateless = revisions.is_stateless(revision)
        code = revisions.INVALID_PARAMS if is_stateless else revisions.RESOURCE_NOT_FOUND
        raise ProtocolError(code, f"Resource not found: {uri}", {"uri": uri})
    return found


def _found(artifact: Knowledge, uri: str) -> tuple[str, dict[str, Any]] | None:
    """The record of an address and the kind of its collection; None where there is none."""
    address = parse_address(uri)
    if address is None:
        return None
    kb, collection, record_id = address
    for name in artifact.addressed(kb, collection):
        catalog = artifact.catalog(name)
        position = catalog.find(record_id)
        if position is not None:
            return artifact.collection(name).kind, catalog[position]
    return None


def _text(record: dict[str, Any]) -> str:
    """A page's content without front matter and MDX syntax; other records as stored."""
    text: str = record.get("content") or record.get("text", "")
    return text
