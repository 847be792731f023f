"""Finds the definitions of a source file in its tree-sitter syntax tree.

`definitions` has the rules about what the nodes of a grammar define.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from kb_runtime.store.symbols import MEMBER_HOLDERS
from kbc.cache.phases import remembered
from kbc.languages import grammars
from kbc.languages.definitions.rules import NOTHING
from kbc.languages.definitions.table import rules_of
from kbc.languages.definitions.tree import NodeNames, at
from kbc.languages.mending import blank, mended, without_item_macros
from kbc.languages.node_types import LEADING, WRAPPERS, is_body, is_nameless

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_SIGNATURE_CHARS = 300

# Definitions nested deeper are part of the one around them.
MAX_DEPTH = 16

# A macro alone on its line: what it expands to is not known, and a parser takes it for the type of what
# follows, so that the definition behind it gets lost.
# An upper-case type above the name of its function is one, though.
_MACRO_LINE = re.compile(
    rb"^([ \t]*)([A-Z][A-Z0-9_]{3,}(?:\([^()\n;{}]*\))?)(?=[ \t]*\r?$)(?!\s*\n[ \t]*\w+[ \t]*\()",
    re.MULTILINE,
)
# `class API_EXPORT Name : ...`
_CLASS_MACRO = re.compile(
    rb"(\b(?:class|struct|union)[ \t]+)([A-Z][A-Z0-9_]{3,}(?:\([^()\n;{}]*\))?[ \t]+)"
    rb"(?=[A-Za-z_][\w:]*(?:<[^;{}()]*>)?(?:[ \t]+final)?\s*(?::[^:]|\{[ \t]*\r?\n))"
)
# `API_EXPORT Name *find(...)`: a macro before the type of a function, or before a constructor. An upper-case
# type is followed by the name of its function alone.
_LEADING_MACRO = re.compile(
    rb"^([ \t]*(?:(?:static|inline|extern|virtual|constexpr|explicit|friend)[ \t]+){0,3})"
    rb"((?:[A-Z][A-Z0-9_]{3,}(?:\([^()\n;{}]{0,80}\))?[ \t]+){1,3})"
    rb"(?=(?:[A-Za-z_][\w:<>,*& \t]{0,160}[ \t*&](?:[\w:~]+|[\w:]*operator[^\w\s(]{1,3})"
    rb"|(?:\w+::)*(\w+)(?:<[^<>();{}\n]{0,80}>)?::~?\3)[ \t]*\()",
    re.MULTILINE,
)
# `void API_CALL find(...)`: a macro behind the type.
_INNER_MACRO = re.compile(
    rb"^([ \t]*(?:(?:static|inline|extern|virtual|constexpr|friend)[ \t]+){0,3}"
    rb"(?!(?:static|inline|extern|virtual|constexpr|friend|explicit|struct|enum|union|class|typename"
    rb"|unsigned|signed|const|volatile|typedef|using|return|else|new|delete|throw|case|goto)\b)"
    rb"[A-Za-z_][\w:<>, \t]{0,120}?[ \t*&]{1,8})([A-Z][A-Z0-9_]{3,}[ \t]+)(?=[\w:~]+[ \t]*\()",
    re.MULTILINE,
)
# `TANK_PARTS(Lid, "lid", 3);`: a call where definitions stand, or in a function, where it defines nothing.
_MACRO_CALL = re.compile(
    rb"^[ \t]*[A-Z][A-Z0-9_]{3,}\((?:[^;{}()\"]|\"(?:\\.|[^\"\\\n])*\"|\([^;{}()\"]*\)){0,400}\)(?=[ \t]*;)",
    re.MULTILINE,
)
_AROUND_FUNCTIONS = ("arguments", "member_expression", "parenthesized_expression")
# `typedef int (API_CALL *callback)(int)`
_POINTER_MACRO = re.compile(rb"(\()([A-Z][A-Z0-9_]{3,}[ \t]*)(?=\*[ \t]*\w+[ \t]*\)[ \t]*\()")
_APPLE_ENUM = re.compile(
    rb"(?:\btypedef[ \t]+)?\b(?:NS|CF)_(?:CLOSED_|ERROR_)?(?:ENUM|OPTIONS)[ \t]*"
    rb"\([^,()\n]*,[ \t]*(\w+)[ \t]*\)(?=\s*\{)"
)
_FYPP_LINE = re.compile(
    rb"^([ \t]*)(#:(?:include|set|del|(?:end)?(?:def|call|mute))\b.*)$", re.MULTILINE
)
"""Directives of Fortran's preprocessor Fypp around code; those of conditions and loops stay, because
definitions are found better with them."""
# `public readonly ref partial struct Name`, whose modifiers the grammar knows only in another order.
_REF_STRUCT = re.compile(rb"\bref(?=[ \t]+partial[ \t]+struct\b)")
_ELIXIR_LEADING = frozenset({"deprecated", "doc", "impl", "spec", "typedoc"})
_DOC = re.compile(rb"/\*\*(?![*/])")
_OPENING = frozenset({"hash_bang_line", "php_tag"})
_JULIA_PLACES = frozenset({"block", "source_file"})
_WITH_MACROS = frozenset({"c", "cpp", "objc"})


@dataclass(slots=True)
class Symbol:
    """A definition on lines `line` to `end_line` (1-based in the text given, the comments and
    decorators above it included); its own text begins on `own_line`."""

    name: str
    kind: str
    line: int
    end_line: int
    own_line: int
    signature: str = ""
    children: list[Symbol] = field(default_factory=list)


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
    `language`. Of a text that does not read as that language throughout, those that do."""
    source = text.encode("utf-8", "surrogatepass")
    parsed = _parsed(source, language)
    root = grammars.tree(parsed, language)
    if root is None:
        return []
    found = _Walk(source, language).run(root)
    parse = partial(_readable, language=language)
    if language == "rust" and (plain := without_item_macros(parsed, root, parse)) != parsed:
        found, parsed = _more(found, source, plain, language), plain
    if root.has_error:
        found = _more(found, source, mended(parsed, parse), language)
    return found


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


def _parsed(source: bytes, language: str) -> bytes:
    """What the parser gets, of the same length: macros and directives that stand alone as comments, without
    those between `class` and its name or around the type of a function, and Apple's enumerations as those
    of C."""
    if language == "fortran":
        return _FYPP_LINE.sub(lambda found: found[1] + b"!".ljust(len(found[2]), b"-"), source)
    if language == "csharp":
        return _REF_STRUCT.sub(b"   ", source)
    if language not in _WITH_MACROS:
        return source
    text = _MACRO_LINE.sub(lambda found: found[1] + b"//" + b"-" * (len(found[2]) - 2), source)
    for macro in (_LEADING_MACRO, _INNER_MACRO, _CLASS_MACRO, _POINTER_MACRO):
        text = macro.sub(lambda found: found[1] + b" " * len(found[2]), text)
    text = _MACRO_CALL.sub(lambda found: blank(found[0]), text)
    return _APPLE_ENUM.sub(_as_enum, text)


def _as_enum(found: re.Match[bytes]) -> bytes:
    before = found.start(1) - found.start()
    return b"enum".ljust(before) + found[1] + b" " * (found.end() - found.end(1))


class _Walk:
    def __init__(self, source: bytes, language: str) -> None:
        self._names = NodeNames(source)
        self._language = language
        self._rules = rules_of(language)
        self._goes_on = False
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
        for node, below in zip(nodes, [*nodes[1:], None], strict=False):
            first, last = node.start_point[0], _last_row(node)
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
            above = comments if comments is not None and first <= comments[1] + 1 else None
            if above is not None:
                first = above[0]
            if visit.outer is not None:
                first, last = min(first, visit.outer[0]), max(last, visit.outer[1])
            comments, code_row = self._comments_behind(node), last
            if node.type == "function_body" and visit.into:  # in Dart, it stands beside its head
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
                outer = (first, last) if wraps else None
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
        if not is_nameless(node.type, self._language):
            return False
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
        return node.type.endswith(LEADING)

    def _reach(self, node: Node, below: Node | None) -> int:
        """The last row of a comment; of documentation (`/** ... */`) the one above what it documents, as it
        may have blank lines below it."""
        last = _last_row(node)
        if below is None or not _DOC.match(self._names.source, node.start_byte):
            return last
        return last if self._is_leading(below) else max(last, below.start_point[0] - 1)

    def _comments_behind(self, node: Node) -> tuple[int, int] | None:
        """The rows of the comments that the grammar of Haskell has at the end of the header and the imports,
        though they belong to the first declaration."""
        if self._language != "haskell" or node.type not in ("header", "imports"):
            return None
        rows = None
        for last in reversed(node.named_children):
            if not self._is_leading(last) or (rows and _last_row(last) + 1 < rows[0]):
                break
            rows = last.start_point[0], rows[1] if rows else _last_row(last)
        return rows

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
        return len(types) == len(set(types))

    def _signature(self, node: Node) -> str:
        body = node.child_by_field_name("body") or next(
            (child for child in node.named_children if is_body(child.type)), None
        )
        end = body.start_byte if body is not None else node.end_byte
        if body is None:
            # Attributes and the type may be on lines of their own; a type with a body is no part of it.
            declared = None if at(node, "type/body") else at(node, "declarator")
            named = at(node, "name") or declared or node
            line_end = self._names.source.find(b"\n", named.start_byte, end)
            end = line_end if line_end >= 0 else end
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
        if "comment" not in node.type and node.type != "haddock":
            waiting += [each for each in reversed(node.children) if each.start_byte < end]
        elif node.end_byte <= end:
            yield node


def _has_type(node: Node) -> bool:
    """Whether a declaration defines the type that it states: `enum E { A, B } e;`."""
    type_ = node.child_by_field_name("type") if node.type.endswith("declaration") else None
    return type_ is not None and type_.child_by_field_name("body") is not None


def _last_row(node: Node) -> int:
    """The row of the node's last character (a node may end at the start of the next row)."""
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point[0] else row


def _sort(found: list[Symbol]) -> None:
    found.sort(key=lambda symbol: (symbol.line, -symbol.end_line))
    for symbol in found:
        _sort(symbol.children)


def _lengthen(found: Sequence[Symbol], docs_below: Mapping[int, int]) -> None:
    for symbol in found if docs_below else ():
        end = symbol.end_line
        symbol.end_line = docs_below.get(end, end)
        _lengthen([each for each in symbol.children if each.end_line < end], docs_below)


def walk(found: Sequence[Symbol]) -> Iterator[Symbol]:
    """All symbols, each before those inside it."""
    for symbol in found:
        yield symbol
        yield from walk(symbol.children)
