"""Parses JSON, with or without comments, into a tree that knows the position of every value in the text.

Edits splice text between these positions, so everything else stays byte for byte the same. The grammar
is RFC 8259; `comments=True` adds `//` and `/* */` comments and trailing commas, as editors allow in
their settings.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, NoReturn

from kb_runtime.clients.errors import TextError

MAX_DEPTH = 200
"""Nesting that is read; configurations have about five levels."""

_SPACE = re.compile(r"[ \t\n\r]*+")
# A group itself is never possessive: before Python 3.11.5 such a group matched what its parts do not.
_TRIVIA = re.compile(r"(?:[ \t\n\r]++|//[^\n\r]*+|/\*(?s:.*?)\*/)*")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*"')
_WORD = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null")


@dataclass(slots=True)
class Value:
    """A value at `text[start:end]`. `members` is None for what is no object, `items` for no array."""

    start: int
    end: int = -1
    members: list[Member] | None = None
    items: list[Value] | None = None


@dataclass(slots=True)
class Member:
    """A member of an object: its key begins at `start`; `comma` is where the comma after it is, or -1."""

    start: int
    key: str
    value: Value = field(default_factory=lambda: Value(-1))
    comma: int = -1


def read(text: str, *, comments: bool) -> Value:
    """The tree of a whole text. Raises TextError, with line and column."""
    reader = _TreeReader(text, comments)
    root = reader.value(reader.skip(0), 0)
    end = reader.skip(root.end)
    if end != len(text):
        reader.fail(end, "nothing may follow the value")
    return root


def decode(text: str, value: Value) -> Any:
    """The Python value; of members with one key the last counts, as clients read them. Raises
    TextError for a number that Python does not read."""
    if value.members is not None:
        return {member.key: decode(text, member.value) for member in value.members}
    if value.items is not None:
        return [decode(text, item) for item in value.items]
    try:
        return json.loads(text[value.start : value.end])
    except ValueError:  # Python converts whole numbers of up to 4,300 digits
        line, _ = position(text, value.start)
        raise TextError(f"has a number on line {line} that is too long") from None


def find(text: str, value: Value, key: str) -> Member | None:
    """The member of that key. Raises TextError when there are two: which one counts is guesswork."""
    found = [member for member in value.members or () if member.key == key]
    if len(found) > 1:
        lines = " and ".join(str(position(text, member.start)[0]) for member in found)
        raise TextError(f"has {key!r} twice, on lines {lines}")
    return found[0] if found else None


def position(text: str, offset: int) -> tuple[int, int]:
    """Line and column, from 1."""
    start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, start) + 1, offset - start + 1


class _TreeReader:
    def __init__(self, text: str, comments: bool) -> None:
        self.text = text
        self.comments = comments
        self.trivia = _TRIVIA if comments else _SPACE

    def fail(self, offset: int, reason: str) -> NoReturn:
        line, column = position(self.text, offset)
        raise TextError(f"is not valid JSON: line {line}, column {column}: {reason}")

    def skip(self, offset: int) -> int:
        """Where the next token begins."""
        match = self.trivia.match(self.text, offset)
        assert match is not None  # it matches the empty string
        end = match.end()
        if self.text.startswith("/", end):
            if not self.comments:
                self.fail(end, "comments are not allowed here")
            self.fail(end, "a comment that does not end")
        return end

    def value(self, start: int, depth: int) -> Value:
        """The value that begins at `start`."""
        if depth > MAX_DEPTH:
            self.fail(start, f"nested deeper than {MAX_DEPTH} levels")
        opening = self.text[start : start + 1]
        if opening == "{":
            return self._object(start, depth)
        if opening == "[":
            return self._array(start, depth)
        match = (_STRING if opening == '"' else _WORD).match(self.text, start)
        if match is None:
            self.fail(start, _expected(opening, "a value"))
        return Value(start, match.end())

    def _object(self, start: int, depth: int) -> Value:
        members: list[Member] = []
        at = self.skip(start + 1)
        while not self._closes(at, "}", after_comma=bool(members)):
            match = _STRING.match(self.text, at)
            if match is None:
                self.fail(at, _expected(self.text[at : at + 1], "a key in double quotes"))
            member = Member(at, json.loads(match[0]))
            colon = self.skip(match.end())
            if not self.text.startswith(":", colon):
                self.fail(colon, "a colon is missing after the key")
            member.value = self.value(self.skip(colon + 1), depth + 1)
            members.append(member)
            at, member.comma = self._separator(member.value.end, "}")
            if member.comma < 0:
                break
        return Value(start, at + 1, members=members)

    def _array(self, start: int, depth: int) -> Value:
        items: list[Value] = []
        at = self.skip(start + 1)
        while not self._closes(at, "]", after_comma=bool(items)):
            items.append(self.value(at, depth + 1))
            at, comma = self._separator(items[-1].end, "]")
            if comma < 0:
                break
        return Value(start, at + 1, items=items)

    def _closes(self, at: int, bracket: str, after_comma: bool) -> bool:
        if not self.text.startswith(bracket, at):
            return False
        if after_comma and not self.comments:
            self.fail(at, "a comma before the closing bracket")
        return True

    def _separator(self, end: int, bracket: str) -> tuple[int, int]:
        """Where reading goes on after an element, and where its comma is (-1: the bracket came)."""
        at = self.skip(end)
        if self.text.startswith(",", at):
            return self.skip(at + 1), at
        if not self.text.startswith(bracket, at):
            self.fail(at, _expected(self.text[at : at + 1], f"a comma or {bracket}"))
        return at, -1


def _expected(found: str, what: str) -> str:
    if not found:
        return f"the file ends where {what} is expected"
    if found == '"':
        return "a string that does not end, or with a bad escape"
    return f"{what} is expected, not {found!r}"
