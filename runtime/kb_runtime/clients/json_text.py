"""Adds an entry to a JSON configuration or removes it, and leaves every other byte alone.

A library for JSON with comments was evaluated and rejected: it refused valid files (a bare U+2028) and
accepted what no client accepts (single quotes).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from kb_runtime.clients import json_tree
from kb_runtime.clients.errors import TextError
from kb_runtime.clients.json_tree import Member, Value

DEFAULT_UNIT = "  "
_BLANK = re.compile(r"[ \t]*\Z")
_COMMENT = re.compile(r"//[^\n\r]*|/\*(?s:.*?)\*/")


class JsonText:
    """The servers of a client are the members of the object `container` in the root object."""

    title = "JSON"

    def __init__(self, container: str, *, comments: bool) -> None:
        self.container = container
        self.comments = comments

    def entries(self, text: str) -> dict[str, Any]:
        """The servers by name. Raises TextError."""
        if not text.strip():
            return {}
        servers = self._servers(text, self._root(text))
        if servers is None:
            return {}
        for member in servers.members or ():
            json_tree.find(text, servers, member.key)  # raises for a name that is there twice
        decoded: dict[str, Any] = json_tree.decode(text, servers)
        return decoded

    def put(self, text: str, name: str, fields: Mapping[str, Any], *, replace: bool = False) -> str:
        """`text` with the server `name`; of a server that is there only differing fields change,
        unless it is to be replaced as a whole. Raises TextError."""
        if not text.strip():
            newline = _newline(text)
            whole = {self.container: {name: dict(fields)}}
            return _render(whole, "", DEFAULT_UNIT, newline) + newline
        root = self._root(text)
        servers = self._servers(text, root)
        if servers is None:
            return _insert(text, root, self.container, {name: dict(fields)}, _unit(text, root))
        entry = json_tree.find(text, servers, name)
        if entry is None:
            return _insert(text, servers, name, dict(fields), _unit(text, root))
        if replace or entry.value.members is None:
            return _assign(text, entry, dict(fields), _unit(text, root))
        for key, value in fields.items():
            text = self._put_field(text, name, key, value)
        return text

    def remove(self, text: str, name: str) -> list[str]:
        """What `text` may have been before the server was added, the likeliest first: without the
        object of all servers when it held no other, and with it. Raises TextError."""
        root = self._root(text)
        servers = self._servers(text, root)
        entry = None if servers is None else json_tree.find(text, servers, name)
        if servers is None or entry is None:
            return [text]
        kept = _cut(text, servers, entry)
        if len(servers.members or ()) > 1:
            return [kept]
        smaller = self._root(kept)
        holder = json_tree.find(kept, smaller, self.container)
        assert holder is not None
        if _COMMENT.search(kept, holder.start, holder.value.end):  # somebody's words
            return [kept]
        return [_cut(kept, smaller, holder), kept]

    def render(self, name: str, fields: Mapping[str, Any]) -> str:
        return self.put("", name, fields)

    def _put_field(self, text: str, name: str, key: str, value: Any) -> str:
        root = self._root(text)
        servers = self._servers(text, root)
        entry = None if servers is None else json_tree.find(text, servers, name)
        assert entry is not None
        member = json_tree.find(text, entry.value, key)
        if member is None:
            return _insert(text, entry.value, key, value, _unit(text, root))
        if json_tree.decode(text, member.value) == value:
            return text
        return _assign(text, member, value, _unit(text, root))

    def _root(self, text: str) -> Value:
        root = json_tree.read(text, comments=self.comments)
        if root.members is None:
            raise TextError("does not hold a JSON object")
        return root

    def _servers(self, text: str, root: Value) -> Value | None:
        holder = json_tree.find(text, root, self.container)
        if holder is None:
            return None
        if holder.value.members is None:
            line, _ = json_tree.position(text, holder.start)
            raise TextError(f"has {self.container!r} on line {line}, which is not an object")
        return holder.value


def _insert(text: str, node: Value, key: str, value: Any, unit: str) -> str:
    """`text` with a last member more in the object `node`."""
    members = node.members or []
    last = members[-1] if members else None
    trailing = last is not None and last.comma >= 0
    after = node.start + 1 if last is None else (last.comma + 1 if trailing else last.value.end)
    closing = node.end - 1
    at = after + max((match.end() for match in _COMMENT.finditer(text[after:closing])), default=0)
    inner = text[node.start : node.end]
    if "\n" in inner or (last is None and ("\n" in text.strip() or _is_bare(text, node))):
        added = _on_lines(text, node, last, f"{_quote(key)}: ", value, unit)
        if trailing:
            added += ","
        if "\n" not in text[at:closing]:
            added += _newline(text) + _line_indent(text, node.start)
    else:
        added = _on_one_line(text, last, _quote(key), value) + ("," if trailing else "")
    comma = "," if last is not None and not trailing else ""
    return text[:after] + comma + text[after:at] + added + text[at:]


def _on_lines(text: str, node: Value, last: Member | None, key: str, value: Any, unit: str) -> str:
    """A member on lines of its own, indented as the one before it."""
    newline = _newline(text)
    indent = None if last is None else _own_indent(text, last)
    if indent is None:
        indent = _line_indent(text, node.start) + unit
    return newline + indent + key + _render(value, indent, unit, newline)


def _on_one_line(text: str, last: Member | None, key: str, value: Any) -> str:
    """A member for an object of one line, with spaces when the one before it has some."""
    airy = last is None or text[last.value.start - 1] in " \t"
    gap = " " if airy and last is not None else ""
    return gap + key + (": " if airy else ":") + _compact(value, airy)


def _cut(text: str, node: Value, member: Member) -> str:
    """`text` without a member: what `_insert` added, and nothing of its neighbours."""
    members = node.members or []
    index = next(place for place, each in enumerate(members) if each is member)
    end = member.value.end
    rest = text[end:]
    if member.comma >= 0:  # a comment between the value and its comma stays
        rest = text[end : member.comma] + text[member.comma + 1 :]
    start = member.start
    before = members[index - 1].value.end if index else node.start + 1
    if rest.lstrip(" \t").startswith(("\r", "\n")) or not _ends_in_line_comment(
        text, before, start
    ):
        start = len(text[:start].rstrip(" \t\r\n"))
    head = text[:start]
    if member.comma < 0 and index > 0:
        comma = members[index - 1].comma
        head = text[:comma] + text[comma + 1 : start]
    if len(members) == 1:
        gap = len(rest) - len(rest.lstrip(" \t\r\n"))
        if len(head) == node.start + 1 and rest[gap] == "}":  # no comment that happens to end so
            rest = rest[gap:]
    return head + rest


def _ends_in_line_comment(text: str, start: int, end: int) -> bool:
    """Whether the last comment of a gap between two tokens is one that the end of its line ends: what
    comes to stand behind it would become part of it."""
    comments = _COMMENT.findall(text, start, end)
    return bool(comments) and comments[-1].startswith("//")


def _assign(text: str, member: Member, value: Any, unit: str) -> str:
    old = text[member.value.start : member.value.end]
    if isinstance(value, dict) and ("\n" in old or "\n" in text.strip()):
        new = _render(value, _line_indent(text, member.start), unit, _newline(text))
    else:
        new = _compact(value, airy=text[member.value.start - 1] in " \t")
    return text[: member.value.start] + new + text[member.value.end :]


def _render(value: Any, indent: str, unit: str, newline: str) -> str:
    """Objects over lines, each member on its own; everything else on one line."""
    if not isinstance(value, dict) or not value:
        return _compact(value, airy=True)
    inner = indent + unit
    lines = [
        f"{inner}{_quote(key)}: {_render(each, inner, unit, newline)}"
        for key, each in value.items()
    ]
    return "{" + newline + f",{newline}".join(lines) + newline + indent + "}"


def _compact(value: Any, airy: bool) -> str:
    separators = (", ", ": ") if airy else (",", ":")
    return json.dumps(value, ensure_ascii=False, separators=separators)


def _quote(key: str) -> str:
    return json.dumps(key, ensure_ascii=False)


def _unit(text: str, root: Value) -> str:
    """One level of indentation: that of the first member that has its own line."""
    for member in root.members or ():
        indent = _own_indent(text, member)
        if indent is not None:
            return indent.removeprefix(_line_indent(text, root.start))
    return DEFAULT_UNIT


def _own_indent(text: str, member: Member) -> str | None:
    """The white space before a member that begins a line; None for one that does not."""
    line = text[text.rfind("\n", 0, member.start) + 1 : member.start]
    begins = _BLANK.match(line) is not None and "\n" in text[: member.start]
    return line if begins else None


def _line_indent(text: str, offset: int) -> str:
    """The white space that begins the line of `offset`."""
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _newline(text: str) -> str:
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def _is_bare(text: str, node: Value) -> bool:
    """Whether the text is nothing but `{}`, which has no style to keep."""
    return text.strip() == text[node.start : node.end]
