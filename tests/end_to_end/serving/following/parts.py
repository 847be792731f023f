"""Answers in parts: what a part has of a list or text, and how to get small parts, tool by tool."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.end_to_end.serving.following.walk import Reply, Server, pages

_WHOLE = 1_000_000
_CURSOR = re.compile(r"\n\n\[\d+ characters follow: call \w+ with cursor (\S+)\]\Z")


class Parts(NamedTuple):
    """How a tool answers in parts: arguments for small ones and for everything, and what a part has."""

    small: dict[str, Any]
    whole: dict[str, Any]
    held: Callable[[Reply], Any]


def _of(field: str) -> Callable[[Reply], Any]:
    return lambda reply: reply.facts.get(field, [])


def _listed(reply: Reply) -> list[Any]:
    """The items of all lists that an answer has."""
    return [each for items in reply.facts.values() if isinstance(items, list) for each in items]


def _body(reply: Reply) -> str:
    """What the general tool shows of a record: below its title and lines, above the cursor."""
    return _CURSOR.sub("", _without_notes(reply.text)).partition("\n\n")[2]


def _without_notes(text: str) -> str:
    return re.sub(r"\n\nNote: .*\Z", "", text)


def _file_or_folder(reply: Reply) -> Any:
    return reply.facts["files"] if reply.facts["type"] == "directory" else reply.facts["content"]


def _sections(field: str) -> Callable[[Reply], str]:
    return lambda reply: "".join(each["content"] for each in reply.facts[field])


_TEXT = {"max_chars": 1_000}, {"max_chars": _WHOLE}
_LIST = {"limit": 2}, {"max_chars": _WHOLE}
PARTS = {
    "_list_builtins": Parts(*_LIST, _of("builtins")),
    "_get_doc": Parts(*_TEXT, _of("content")),
    "_list_docs": Parts(*_LIST, _listed),
    "_get_example": Parts(*_TEXT, _file_or_folder),
    "_list_examples": Parts(*_LIST, _of("examples")),
    "_get_template": Parts(*_TEXT, _of("content")),
    "_search_docs": Parts({"limit": 3}, {"limit": 200, "max_chars": _WHOLE}, _of("matches")),
    "qurio_list_pages": Parts(*_LIST, _of("pages")),
    "qurio_read_page": Parts({"maxChars": 500}, {"maxChars": _WHOLE}, _of("content")),
    "list_workshops": Parts({"limit": 1, "all": False}, {"limit": 100}, _of("workshops")),
    "retrieve_learning_context": Parts({"maxChars": 30}, {}, _sections("sections")),
    "retrieve_diff_context": Parts({"maxChars": 30}, {}, _sections("diffSections")),
    "get_file": Parts(*_TEXT, _of("content")),
    "symbol_search": Parts({"top_k": 1}, {"top_k": 50}, _of("results")),
    "symbol_references": Parts({"top_k": 2}, {"top_k": 50}, _of("references")),
    "code_outline": Parts(*_TEXT, _of("symbols")),
    "_get": Parts(*_TEXT, _body),
    "_list": Parts({"limit": 7}, {"limit": 200, "max_chars": _WHOLE}, _of("records")),
}
"""By the end of the tool's name: every tool that takes a cursor."""


def cursor_of(reply: Reply) -> str | None:
    if found := _CURSOR.search(_without_notes(reply.text)):
        return found[1]
    cursor: str | None = reply.facts.get("nextCursor")
    return cursor


def check_parts(server: Server, tool: str, own: Parts, arguments: dict[str, Any]) -> int:
    """How many parts an answer has. Raises AssertionError unless they make up the whole one."""
    whole = server.call(tool, **{**arguments, **own.whole})
    assert not whole.error, (tool, arguments, whole.error)
    assert cursor_of(whole) is None, (tool, arguments)
    expected = own.held(whole)
    found = [own.held(part) for part in pages(server, tool, {**arguments, **own.small}, cursor_of)]
    assert all(found) or not expected, (tool, arguments)
    joined = found[0]
    for part in found[1:]:
        joined = joined + part
    assert joined == expected, (tool, arguments)
    return len(found)
