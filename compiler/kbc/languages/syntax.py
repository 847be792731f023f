"""Finds the definitions of a source file in its tree-sitter syntax tree.

`definitions` has the rules about what the nodes of a grammar define.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from tree_sitter import Node

from kb_runtime.store.symbols import MEMBER_HOLDERS
from kbc.cache.phases import remembered
from kbc.languages import containment, grammars, preprocessed
from kbc.languages.definitions import crystal, first_words
from kbc.languages.definitions.groovy import is_annotation
from kbc.languages.definitions.rules import NOTHING
from kbc.languages.definitions.symbol import MAX_DEPTH, MAX_SIGNATURE_CHARS, Symbol, walk
from kbc.languages.definitions.table import rules_of
from kbc.languages.definitions.tree import NodeNames, at
from kbc.languages.mending import mended, without_item_macros
from kbc.languages.node_types import HEADS, LEADING, NO_CODE, WRAPPERS, is_body, is_nameless
from kbc.languages.suffixes import WITHOUT_GRAMMAR

_AROUND_FUNCTIONS = ("arguments", "member_expression", "parenthesized_expression")
_ELIXIR_LEADING = frozenset({"deprecated", "doc", "impl", "spec", "typedoc"})
_DOC = re.compile(rb"/\*\*(?![*/])")
_INDENTED = frozenset({"fsharp", "groovy", "haskell", "nim", "scala"})
"""Languages whose grammars have the blanks and comments behind an indented block in it."""
_FLAT = frozenset({"c", "cpp", "objc"})
"""Languages in which no function stands in another one."""
_OPENING = frozenset({"hash_bang_line", "php_tag"})
_JULIA_PLACES = frozenset({"block", "source_file"})


@dataclass(frozen=True, slots=True)
class _Visit:
    """A node whose children are to be looked at: the definition around it, the list its definitions
    go into, their depth, the rows of the wrapper that the node is, when it is one, whether there is a
    function without a name between the definition and the node, and the rows of the comments right above
    the node, which belong to the first of its children: grammars have them in front of a body."""

    node: Node
    holder: Symbol | None
    into: list[Symbol]
    depth: int
    outer: tuple[int, int] | None
    local: bool = False
    comments: tuple[int, int] | None = None


@remembered("symbols")
def symbols(text: str, *, language: str) -> list[Symbol]:
    """The top-level definitions with theirs inside, in order; none when there is no grammar for
    `language`. Of a text that does not read as that language throughout, those that do. Raises
    `TooComplexError`."""
    return containment.run(found_symbols, text, language, list[Symbol])


def found_symbols(text: str, language: str) -> list[Symbol]:
    """`symbols`, found in this process."""
    if language == "crystal":
        return crystal.symbols(text)
    if language in WITHOUT_GRAMMAR:
        return first_words.symbols(text)
    source = text.encode("utf-8", "surrogatepass")
    parsed = preprocessed.parsed(source, language)
    root = grammars.tree(parsed, language)
    if root is None:
        return []
    found = _Walk(source, language).run(root)
    parse = partial(_readable, language=language)
    if language == "rust" and (plain := without_item_macros(parsed, root, parse)) != parsed:
        found, parsed = _more(found, source, plain, language), plain
    if root.has_error:
        found = _more(found, source, mended(parsed, parse), language)
    return _apart(found, text.split("\n")) if language in _FLAT else found


def _apart(found: Sequence[Symbol], lines: Sequence[str]) -> list[Symbol]:
    """The definitions, with functions that begin a line behind the one that they were read into: it seems not
    to be closed where several branches of an `#if` open a block that is closed once."""
    apart: list[Symbol] = []
    for symbol in found:
        symbol.children = _apart(symbol.children, lines)
        apart.append(symbol)
        inner = symbol.children if symbol.kind == "function" else []
        first = next((at for at, each in enumerate(inner) if _begins_line(each, lines)), len(inner))
        if first < len(inner):
            symbol.children, behind = inner[:first], inner[first:]
            above = range(behind[0].line - 1, symbol.line, -1)
            symbol.end_line = next((at for at in above if lines[at - 1].strip()), symbol.line)
            apart += behind
    return apart


def _begins_line(symbol: Symbol, lines: Sequence[str]) -> bool:
    return symbol.kind == "function" and not lines[symbol.own_line - 1][:1].isspace()


def _more(found: list[Symbol], source: bytes, parsed: bytes, language: str) -> list[Symbol]:
    """`found`, or what the parser finds in `parsed` unless that is less."""
    root = grammars.tree(parsed, language)
    others = _Walk(source, language).run(root) if root is not None else []
    return others if _worth(others) >= _worth(found) else found


def _worth(found: Sequence[Symbol]) -> tuple[int, int]:
    """How many types and functions there are, then how many definitions: where a function is lost, its values
    are taken for those of the file."""
    kinds = [symbol.kind for symbol in walk(found)]
    return sum(kind not in ("constant", "variable") for kind in kinds), len(kinds)


def _readable(source: bytes, *, language: str) -> Node | None:
    """The root of the tree of what the grammar reads throughout."""
    root = grammars.tree(source, language)
    return None if root is None or root.has_error else root


class _Ending(NamedTuple):
    """Comments that end a node which begins on byte `start`, the last of them on `last_row`. The others are
    by their number from the end: the column of the one that is indented most up to there, its first row, and
    the last row of what is above it."""

    start: int
    last_row: int
    columns: list[int]
    first_rows: list[int]
    rows_above: list[int]


class _Walk:
    def __init__(self, source: bytes, language: str) -> None:
        self._names = NodeNames(source)
        self._language = language
        self._is_indented = language in _INDENTED
        self._rules = rules_of(language)
        self._heads = HEADS.get(language, ())
        self._goes_on = False
        self._endings: dict[int, _Ending | None] = {}  # by the last byte of the node
        self._docs_below: dict[int, int] = {}  # last line of what is documented -> of its comment

    def run(self, root: Node) -> list[Symbol]:
        found: list[Symbol] = []
        waiting = [_Visit(root, None, found, 0, None)]
        while waiting:
            visit = waiting.pop()
            waiting += reversed(list(self._children(visit)))
        _sort(found)
        _lengthen(found, self._docs_below)
        return found

    def _children(self, visit: _Visit) -> Iterator[_Visit]:
        """Takes the definitions among the children of a node; gives the children to visit next."""
        comments = visit.comments  # rows of the comments just seen, without a gap
        code_row = -1  # the last row of the code before them
        nodes = visit.node.named_children
        is_dart = self._language == "dart"
        for node, below in zip(nodes, [*nodes[1:], None], strict=False):
            first, last = node.start_point[0], self._last_row(node)
            if node.type in _OPENING:
                continue
            if self._is_leading(node):
                if first == code_row + 1 and self._is_doc_of_above(node, below):
                    self._docs_below[first] = last + 1
                # What a file begins with is about the file, such as a licence.
                if code_row >= 0 or visit.node.parent:
                    last = self._reach(node, below)
                if comments is not None and first <= comments[1] + 1:
                    comments = comments[0], last
                elif first > code_row:  # not behind code on its line
                    comments = first, last
                continue
            own_line = first + 1
            behind = None
            if self._is_indented:
                last, behind = self._without_comments_behind(node, last)
            above = comments if comments is not None and first <= comments[1] + 1 else None
            if above is not None:
                first = above[0]
            if visit.outer is not None and first <= visit.outer[1]:
                first, last = min(first, visit.outer[0]), max(last, visit.outer[1])
            comments, code_row = behind, last
            if is_dart and node.type == "function_body" and visit.into:  # beside its head
                visit.into[-1].end_line = max(visit.into[-1].end_line, last + 1)
            rule, holder = self._rules.get(node.type), visit.holder
            around = "function" if visit.local else holder.kind if holder else ""
            kind, name = rule(self._names, node, around) if rule else NOTHING
            if kind and name:
                if kind == "function" and holder and holder.kind in MEMBER_HOLDERS:
                    kind = "method"
                symbol = Symbol(name, kind, first + 1, last + 1, own_line, self._signature(node))
                symbol = self._take(symbol, visit.into, node)
                if visit.depth < MAX_DEPTH:
                    yield _Visit(node, symbol, symbol.children, visit.depth + 1, None)
            elif first != last or self._wraps(node) or is_body(node.type) or _has_type(node):
                wraps = self._wraps(node) and self._holds_one(node)
                outer = (first, self._last_wrapped(node, last)) if wraps else None
                local = visit.local or self._is_local(node)
                yield _Visit(node, holder, visit.into, visit.depth, outer, local, above)

    def _take(self, symbol: Symbol, into: list[Symbol], node: Node) -> Symbol:
        """Adds `symbol`, or to the definition that it goes on, and gives what is added to: equations of one
        function in Haskell are one definition, and so are clauses in Erlang and overloads in TypeScript."""
        last = into[-1] if into else None
        is_more = last is not None and (last.name, last.kind) == (symbol.name, symbol.kind)
        if self._language == "haskell":
            is_more = is_more and symbol.kind != "implementation"
            is_more = is_more and last is not None and symbol.line <= last.end_line + 1
        elif self._language == "erlang":
            is_last = self._names.source[node.end_byte - 1 : node.end_byte] != b";"  # of a function
            is_more, self._goes_on = is_more and self._goes_on, not is_last
        elif self._language in ("tsx", "typescript"):
            is_more, self._goes_on = is_more and self._goes_on, node.type == "function_signature"
        else:
            is_more = False
        if is_more and last is not None:
            last.end_line = symbol.end_line
            return last
        into.append(symbol)
        return symbol

    def _is_local(self, node: Node) -> bool:
        """Whether a function has no name, and is no module: those are called where they stand
        (`(function () { ... })()`), given to a function that is, or to `define`."""
        nameless = is_nameless(node.type, self._language)
        if not nameless or self._language == "nix":
            return nameless
        call = node.parent
        while call is not None and call.type in _AROUND_FUNCTIONS:
            call = call.parent
        called = call.child_by_field_name("function") if call is not None else None
        if called is None:
            return True
        is_define = self._names.text(called).rpartition(".")[2] == "define"
        while called.type in _AROUND_FUNCTIONS:
            called = called.named_children[0]
        return not is_define and not is_nameless(called.type, self._language)

    def _is_leading(self, node: Node) -> bool:
        if self._language in ("haskell", "purescript") and node.type == "signature":
            return node.parent is None or not node.parent.type.startswith("class_")
        if self._language == "erlang":  # where an attribute is a statement
            is_doc = self._names.text(at(node, "name/name")) == "doc"
            return is_doc or node.type in ("comment", "spec")
        if self._language == "elixir" and node.type == "unary_operator":
            return self._names.text(at(node, "operand/target")) in _ELIXIR_LEADING
        if self._language == "julia" and node.type == "string_literal":
            return node.parent is not None and node.parent.type in _JULIA_PLACES
        return node.type.endswith(LEADING) or (self._language == "groovy" and is_annotation(node))

    def _reach(self, node: Node, below: Node | None) -> int:
        """The last row of a comment; of documentation (`/** ... */`) the one above what it documents, as it
        may have blank lines below it."""
        last = self._last_row(node)
        if below is None or not _DOC.match(self._names.source, node.start_byte):
            return last
        return last if self._is_leading(below) else max(last, below.start_point[0] - 1)

    def _last_row(self, node: Node) -> int:
        """The row of the node's last character (a node may end at the start of the next row)."""
        if self._is_indented:
            return self._names.last_row(node)
        row, column = node.end_point
        return row - 1 if column == 0 and row > node.start_point[0] else row

    def _without_comments_behind(self, node: Node, last: int) -> tuple[int, tuple[int, int] | None]:
        """The last row of a node without the comments at its end that belong to what follows, and their rows:
        those that are indented no deeper than the line that it begins on."""
        ending = self._ending(node)
        if ending is None or ending.start < node.start_byte:
            return last, None
        count = bisect_right(ending.columns, self._names.indent(node))
        if not count:
            return last, None
        above = max(ending.rows_above[count - 1], node.start_point[0])
        return min(last, above), (ending.first_rows[count - 1], ending.last_row)

    def _ending(self, node: Node) -> _Ending | None:
        """The comments that end a node, which are children of it or of a node at its end. All nodes that end
        on the same byte have them, so that each is gone through once."""
        if node.end_byte not in self._endings:
            found, child = node, _last_child(node)
            while child is not None and not self._is_leading(child):
                found, child = child, _last_child(child)
            self._endings[node.end_byte] = self._read_ending(found) if child is not None else None
        return self._endings[node.end_byte]

    def _read_ending(self, node: Node) -> _Ending:
        children = node.children
        ending = _Ending(node.start_byte, self._last_row(children[-1]), [], [], [])
        for above, comment in zip(
            reversed([None, *children[:-1]]), reversed(children), strict=True
        ):
            first, column = comment.start_point
            is_next = not ending.first_rows or self._last_row(comment) + 1 == ending.first_rows[-1]
            if not (
                self._is_leading(comment) and is_next and column == self._names.indent(comment)
            ):
                break
            ending.columns.append(max([column, *ending.columns[-1:]]))
            ending.first_rows.append(first)
            ending.rows_above.append(first - 1 if above is None else self._last_row(above))
        return ending

    def _is_doc_of_above(self, node: Node, below: Node | None) -> bool:
        """Whether a comment is one that OCaml has below what it documents: nothing else is next to it."""
        is_last = below is None or below.start_point[0] > node.end_point[0] + 1
        is_ocaml = self._language in ("ocaml", "ocaml_interface")
        return is_ocaml and is_last and self._names.source.startswith(b"(**", node.start_byte)

    def _wraps(self, node: Node) -> bool:
        """Whether a definition in the node takes its lines; in Ruby that is `private def fill`, too."""
        if self._language != "ruby" or node.type not in ("argument_list", "call"):
            return node.type in WRAPPERS
        given = at(node, "arguments/^", "^")
        return given is not None and given.type in ("method", "singleton_method")

    def _holds_one(self, node: Node) -> bool:
        """Whether a wrapper is there for a single definition, whose lines are then the wrapper's."""
        types = [child.type for child in node.named_children if not self._is_leading(child)]
        defining = sum(each in self._rules for each in types)
        return len(types) == len(set(types)) and defining <= 1

    def _last_wrapped(self, node: Node, last: int) -> int:
        """The last row of what a wrapper up to row `last` has around its definition. In F#, that of `let f x`
        within a body goes on with all that may call `f`."""
        if node.type != "declaration_expression":
            return last
        defining = next((each for each in node.named_children if each.type in self._rules), None)
        if defining is None:
            return last
        return min(last, self._without_comments_behind(defining, self._last_row(defining))[0])

    def _body(self, node: Node) -> Node | None:
        """What is behind the head of a definition; in Nix that is behind all of the arguments."""
        if self._language == "nix":
            value = found = at(node, "expression")
            while found is not None and found.type == "function_expression":
                found = at(found, "body")
            return None if found is value else found
        return node.child_by_field_name("body") or next(
            (child for child in node.named_children if is_body(child.type)), None
        )

    def _signature(self, node: Node) -> str:
        head = at(node, *self._heads)
        body = None if head is not None else self._body(node)
        is_fsharp = self._language == "fsharp"
        value = at(node, "body", ":method_or_prop_defn/:const") if is_fsharp else None
        if value is not None and preprocessed.is_for_type(value, self._names.source):
            end = value.end_byte
        elif body is not None:
            end = body.start_byte
        else:
            # Attributes and the type may be on lines of their own; a type with a body is no part of it.
            declared = None if at(node, "type/body") else at(node, "declarator")
            named = at(node, "name") or declared or node
            start = named.start_byte if head is None else head.end_byte
            line_end = self._names.source.find(b"\n", start, node.end_byte)
            end = line_end if line_end >= 0 else node.end_byte
        text = " ".join(self._without_comments(node, end).decode("utf-8", "replace").split())
        return text.rstrip(" {:=").strip()[:MAX_SIGNATURE_CHARS]

    def _without_comments(self, node: Node, end: int) -> bytes:
        """The source of the node up to the byte `end`."""
        parts: list[bytes] = []
        start = node.start_byte
        for comment in _comments_before(node, end):
            parts += [self._names.source[start : comment.start_byte], b" "]
            start = comment.end_byte
        return b"".join([*parts, self._names.source[start:end]])


def _comments_before(node: Node, end: int) -> Iterator[Node]:
    """The comments in the node that end before the byte `end`, in order."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if "comment" not in node.type and node.type not in NO_CODE:
            waiting += [each for each in reversed(node.children) if each.start_byte < end]
        elif node.end_byte <= end:
            yield node


def _has_type(node: Node) -> bool:
    """Whether a declaration defines the type that it states: `enum E { A, B } e;`."""
    type_ = node.child_by_field_name("type") if node.type.endswith("declaration") else None
    return type_ is not None and type_.child_by_field_name("body") is not None


def _last_child(node: Node) -> Node | None:
    return node.child(node.child_count - 1) if node.child_count else None


def _sort(found: list[Symbol]) -> None:
    found.sort(key=lambda symbol: (symbol.line, -symbol.end_line))
    for symbol in found:
        _sort(symbol.children)


def _lengthen(found: Sequence[Symbol], docs_below: Mapping[int, int]) -> None:
    for symbol in found if docs_below else ():
        end = symbol.end_line
        symbol.end_line = docs_below.get(end, end)
        _lengthen([each for each in symbol.children if each.end_line < end], docs_below)
