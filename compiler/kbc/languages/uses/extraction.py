"""Finds the uses of names in one source file, without looking at any other.

Names that a scope of the file binds (parameters, local variables) are left out, because they refer to no
definition; so are the names of definitions where they are defined.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from tree_sitter import Node, Query, QueryCursor

from kb_runtime.store.symbols import CALL, IMPORTED, TYPE, USE
from kbc.cache.phases import remembered
from kbc.languages import grammars
from kbc.languages.spans import TextSpan, is_within, merged
from kbc.languages.uses.imports import ImportedName, package_of, read_import
from kbc.languages.uses.queries import QUERIES

MAX_USES = 50_000
"""Uses kept of one file, the first ones: a file with more is generated."""

IMPORT = "="
"""Stands before a name in an import statement."""

UNKNOWN = "?"
"""Stands for an expression whose value only a run would tell."""

_RANKS: Mapping[str, int] = {"use": USE, "type": TYPE, "call": CALL, "bind": 3, "skip": 4}
_OWN = frozenset({"self", "this", "cls", "super", "Self", "base", "static", "parent", "$this"})
_PATH = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|\\|->)[A-Za-z_$][\w$]*){0,5}")
_MAX_RECEIVER = 100


@dataclass(frozen=True, slots=True)
class FileUses:
    """The uses of a file, as columns in the order of the text: the name, the line (from 1), the column
    (code units of UTF-8, from 1), how it is used, and what stands before it: "" for a name alone, `self`
    for the object of the method, a path such as `os.path`, `IMPORT`, or `UNKNOWN`."""

    names: list[str]
    lines: list[int]
    columns: list[int]
    ways: list[int]
    receivers: list[str]
    imports: list[ImportedName]
    package: str


@cache
def _query(language: str) -> Query:
    return Query(grammars.grammar(language), QUERIES[language])


def has_uses(language: str) -> bool:
    """Whether uses are found in this language; definitions are found in many more."""
    return language in QUERIES


@remembered("uses")
def uses(text: str, *, language: str) -> FileUses:
    """The uses in a file of a language that `has_uses`, those of its own definitions' names included."""
    source = text.encode("utf-8", "surrogatepass")
    root = grammars.tree(source, language)
    found = _Found(source, language)
    cursor = QueryCursor(_query(language), match_limit=65_536)
    for _, captures in cursor.matches(root) if root is not None else ():
        found.take(captures)
    return found.result()


class _Found:
    def __init__(self, source: bytes, language: str) -> None:
        self._source = source
        self._language = language
        self._names: dict[int, tuple[int, Node]] = {}  # by start: how it is used, its node
        self._receivers: dict[int, Node] = {}
        self._scopes: list[tuple[int, int, bool]] = []
        self._imports: list[ImportedName] = []
        self._imported: list[tuple[int, int]] = []
        self._package = ""

    def take(self, captures: Mapping[str, list[Node]]) -> None:
        for name, nodes in captures.items():
            rank = _RANKS.get(name)
            if rank is not None:
                for node in nodes:
                    start = node.start_byte
                    known = self._names.get(start)
                    if known is None or rank > known[0]:
                        self._names[start] = rank, node
                    if before := captures.get("of"):
                        self._receivers[start] = before[0]
            elif name.startswith("scope"):
                self._scopes += ((one.start_byte, one.end_byte, name == "scope") for one in nodes)
            elif name == "import":
                for node in nodes:
                    self._take_import(node)

    def _take_import(self, node: Node) -> None:
        text = self._source[node.start_byte : node.end_byte].decode("utf-8", "replace")
        package = package_of(self._language, text)
        if package:
            self._package = self._package or package
            if self._language != "csharp":  # where the node contains what is in the namespace
                self._imported.append((node.start_byte, node.start_byte + len(text)))
            return
        self._imports += read_import(self._language, text)
        self._imported.append((node.start_byte, node.end_byte))

    def result(self) -> FileUses:
        bound = self._bound()
        out = FileUses([], [], [], [], [], self._imports, self._package)
        imported = iter(sorted(self._imported))
        span = next(imported, None)
        for start in sorted(self._names):
            rank, node = self._names[start]
            while span is not None and span[1] <= start:
                span = next(imported, None)
            if rank > CALL:
                continue
            name = self._text(start, node.end_byte)
            before = self._receivers.get(start)
            if span is not None and span[0] <= start:
                receiver = IMPORT
            elif before is None:
                if is_within(bound.get(name, ()), start):
                    continue
                receiver = ""
            else:
                receiver = self._receiver(before, bound)
            row, column = node.start_point
            out.names.append(name)
            out.lines.append(row + 1)
            out.columns.append(column + 1)
            out.ways.append(IMPORTED if receiver == IMPORT else rank)
            out.receivers.append(receiver)
            if len(out.names) == MAX_USES:
                break
        return out

    def _bound(self) -> dict[str, list[TextSpan]]:
        """For each name that a scope binds, where it does: spans in order, apart from each other. What the
        file itself binds is no local."""
        bound: dict[str, set[tuple[int, int]]] = {}
        binds = sorted(start for start, (rank, _) in self._names.items() if rank == _RANKS["bind"])
        scopes = sorted(set(self._scopes), key=lambda scope: (scope[0], -scope[1]))
        around: list[tuple[int, int, bool]] = []
        at = 0
        for start in binds:
            while at < len(scopes) and scopes[at][0] <= start:
                around.append(scopes[at])
                at += 1
            while around and around[-1][1] <= start:
                around.pop()
            if around and around[-1][2]:
                name = self._text(start, self._names[start][1].end_byte)
                bound.setdefault(name, set()).add(around[-1][:2])
        return {name: merged(spans) for name, spans in bound.items()}

    def _receiver(self, node: Node, bound: Mapping[str, list[TextSpan]]) -> str:
        if node.end_byte - node.start_byte > _MAX_RECEIVER:
            return UNKNOWN
        text = self._text(node.start_byte, node.end_byte).lstrip("&*(").rstrip("?!)")
        if text in _OWN or text == "super(":
            return "self"
        if not _PATH.fullmatch(text):
            return UNKNOWN
        path = re.sub(r"::|\\|->", ".", text)
        first = path.partition(".")[0]
        if (
            first in _OWN
            or first.startswith("$")
            or is_within(bound.get(first, ()), node.start_byte)
        ):
            return UNKNOWN
        return path

    def _text(self, start: int, end: int) -> str:
        return self._source[start:end].decode("utf-8", "replace")
