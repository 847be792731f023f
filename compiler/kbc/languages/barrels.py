"""Recognises files that only re-export: an `index.ts` of exports, an `__init__.py`, a `mod.rs`.

Such a file has the words of everything that it names and says nothing about any of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from kbc.cache.phases import remembered
from kbc.languages.grammars import text_of, tree

# Of the lines of code of such a file, the share that names or passes on what lies elsewhere. On the labelled
# repositories of docs/ranking.md 0.5 to 0.9 make no difference above 0.0004.
SHARE = 0.7
# What a file may define and still be one: the modules that it gathers, its version, `__all__`.
DEFINED = frozenset({"constant", "module", "variable"})

# Without one of these words a file has no such line and need not be parsed.
_HINT = re.compile(
    r"\b(?:alias|autoload|export|import|include|mod|package|require|require_relative|use|using)\b"
)
# Grammars name the statements alike: `import_statement`, `use_declaration`, `preproc_include`.
_STATEMENT = re.compile(
    r"(?:^|_)(?:extern_crate|imports?|include|package|require|use|using)(?:_|$)"
)
# Where such a statement is an ordinary call: Ruby, Elixir.
_CALLS = frozenset({"alias", "autoload", "import", "include", "require", "require_relative", "use"})
# Nodes this far down are parts of statements. Bounds the work for files of data.
_DEPTH = 5


@remembered("barrels")
def passes_on(text: str, *, language: str, kinds: Iterable[str]) -> bool:
    """Whether a file with definitions of these `kinds` does little but pass on what others define."""
    if not DEFINED.issuperset(kinds) or not _HINT.search(text):
        return False
    root = tree(text.encode("utf-8", "surrogatepass"), language)
    passing: set[int] = set()
    other: set[int] = set()
    for node, is_passing in _parts(root) if root is not None else ():
        end = node.end_point[0] + (node.end_point[1] > 0)
        (passing if is_passing else other).update(range(node.start_point[0], end))
    return bool(passing) and len(passing) >= SHARE * len(passing | other)


def _parts(root: Node) -> Iterator[tuple[Node, bool]]:
    """The statements that pass something on, and the smallest nodes besides them, comments aside."""
    waiting = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        if "comment" in node.type:
            continue
        inner = node.named_children
        if _is_passing(node):
            yield node, True
        elif inner and depth < _DEPTH:
            waiting += [(child, depth + 1) for child in inner]
        elif node is not root:
            yield node, False


def _is_passing(node: Node) -> bool:
    match node.type:
        case "export_statement":
            return node.child_by_field_name("source") is not None
        case "mod_item":
            return node.child_by_field_name("body") is None
        case "assignment" | "augmented_assignment":
            left = node.child_by_field_name("left")
            return left is not None and left.text == b"__all__"
        case "call" | "call_expression":
            called = node.child_by_field_name("method") or node.child_by_field_name("target")
            return text_of(called) in _CALLS
        case kind:
            return _STATEMENT.search(kind) is not None
