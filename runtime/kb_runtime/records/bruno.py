"""Reads requests of Bruno (`.bru`): a file has one request in named blocks, with what is expected of it."""

from __future__ import annotations

import re
from typing import Any

from kb_runtime.records.credentials import without_credentials
from kb_runtime.records.runs import QUOTED

_BLOCK = re.compile(r"([a-z][\w:-]*)[ \t]*([{[])[ \t]*")
_PAIR = re.compile(r"[ \t]+(~?[^\s:][^:]*):(?:[ \t](.*))?")
_METHODS = frozenset(
    ["connect", "delete", "get", "head", "options", "patch", "post", "put", "trace"]
)
_CALLS = _METHODS | {"graphql", "grpc", "http", "ws"}
"""Blocks that say what is called; requests of other methods state it in `http`."""
_OWN_METHODS = frozenset(["graphql", "grpc", "ws"])
"""Protocols; the method of gRPC is what is called on the server."""
_TEST = re.compile(rf"\b(?:test|it)\(\s*{QUOTED}")


def records(text: str, name: str) -> list[dict[str, Any]]:
    """A record for the request in the file `name`, which may have folders; none of a file with settings or
    variables. Headers, credentials, variables and recorded examples are not read: they may hold secrets, and
    those in its URL and body are masked."""
    blocks = _blocks(text)
    call = next((block for block in blocks if block in _CALLS), None)
    if call is None:
        return []
    path = name.replace("\\", "/").removesuffix(".bru")
    folder, _, stem = path.rpartition("/")
    meta, request = dict(_pairs(blocks.get("meta", []))), dict(_pairs(blocks[call]))
    method = call if call in _OWN_METHODS else request.get("method") or call
    url = " ".join(
        filter(None, [request.get("url"), request.get("method") if call == "grpc" else ""])
    )
    title = meta.get("name") or stem
    listed = meta.get("tags", "").strip("[]").split(",")
    tags = [*listed, *(line for line in blocks.get("meta:tags", []))]
    checks = [f"{what}: {value}" for what, value in _pairs(blocks.get("assert", []))]
    names = (
        next(filter(None, found)) for found in _TEST.findall("\n".join(blocks.get("tests", [])))
    )
    bodies = [lines for block, lines in blocks.items() if block.startswith("body:")]
    return [
        {
            "uid": f"{folder}/{title}" if folder else title,
            "title": title,
            "description": _dedented(blocks.get("docs", [])),
            "testType": "API",
            "folderStructure": folder,
            "tags": [tag.strip() for tag in tags if tag.strip()],
            "steps": [
                {
                    "action": without_credentials(f"{method.upper()} {url}".strip()),
                    "data": without_credentials("\n".join(map(_dedented, bodies))),
                    "expected": [*checks, *names],
                }
            ],
            "testPath": name,
        }
    ]


def _blocks(text: str) -> dict[str, list[str]]:
    """The lines of each block at the margin; a list within `meta` is a block of its own, `meta:tags`."""
    found: dict[str, list[str]] = {}
    into: list[str] | None = None
    inner: list[str] | None = None
    end = ""
    for line in text.splitlines():
        if into is None:
            if block := _BLOCK.fullmatch(line):
                into = found.setdefault(block[1], [])
                end = "}" if block[2] == "{" else "]"
        elif line.rstrip() == end:
            into = inner = None
        elif inner is not None:
            inner = None if line.strip() == "]" else inner
            if inner is not None:
                inner.append(line)
        elif into is found.get("meta") and line.strip() == "tags: [":
            inner = found.setdefault("meta:tags", [])
        else:
            into.append(line)
    return found


def _pairs(lines: list[str]) -> list[tuple[str, str]]:
    """The names and values of a block, without those that are switched off."""
    pairs = (_PAIR.fullmatch(line) for line in lines)
    return [
        (pair[1].strip(), (pair[2] or "").strip())
        for pair in pairs
        if pair and not pair[1].startswith("~")
    ]


def _dedented(lines: list[str]) -> str:
    return "\n".join(line.removeprefix("  ").rstrip() for line in lines).strip()
