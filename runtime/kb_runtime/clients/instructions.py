"""Edits the marked lines about a server in the file of standing instructions that an agent reads."""

from __future__ import annotations

import re

from kb_runtime.clients.errors import TextError
from kb_runtime.clients.server import Server


def put(text: str, name: str, server: Server) -> str:
    """`text` with the block of `name`, in place of an older one or at the end. Raises TextError.

    A file that does not end its last line gets a block that does not end its last line either, so that
    taking it out gives back what was there.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    block = newline.join([_begin(name), *_lines(name, server), _end(name)])
    found = _find(text, name)
    if found is not None:
        return text[: found[0]] + block + text[found[1] :]
    if text and not text.endswith("\n"):
        return text + newline * 2 + block
    return text + (newline if text else "") + block + newline


def remove(text: str, name: str) -> str:
    """`text` without the block of `name`, and without the lines that `put` made for it."""
    found = _find(text, name)
    if found is None:
        return text
    start, end = found
    line_end = re.compile(r"\r?\n").match(text, end)
    end = line_end.end() if line_end else end
    gap = re.compile(r"\r?\n\r?\n\Z").search(text[:start][-4:])
    if gap is not None:
        ends = len(gap[0])
        kept = 0 if line_end is None else gap[0].index("\n") + 1
        start -= ends - kept
    return text[:start] + text[end:]


def _find(text: str, name: str) -> tuple[int, int] | None:
    """Where the block is. Raises TextError for a marker without its counterpart."""
    start, end = text.find(_begin(name)), text.find(_end(name))
    if start < 0 and end < 0:
        return None
    if not 0 <= start < end or text.count(_begin(name)) > 1 or text.count(_end(name)) > 1:
        raise TextError(f"must hold {_begin(name)} and {_end(name)} once each, in this order")
    return start, end + len(_end(name))


def _begin(name: str) -> str:
    return f"<!-- kbc:{name} begin -->"


def _end(name: str) -> str:
    return f"<!-- kbc:{name} end -->"


def _lines(name: str, server: Server) -> list[str]:
    about = f": {server.description.rstrip('.')}" if server.description else ""
    lines = [
        f"## {server.title}",
        "",
        f"The MCP server `{name}` serves this knowledge base{about}.",
        "Ask it before you answer from memory or write code on its subject.",
    ]
    if server.search:
        lines.append(f"Begin with `{server.search}`; it is offline and answers in milliseconds.")
    return lines
