"""Definitions of Common Lisp, Emacs Lisp, Racket and Scheme, whose grammars have lists alone: what a list
defines is said by its first word."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice

from tree_sitter import Node

from kbc.languages.definitions.rules import NOTHING, Definition, Reader
from kbc.languages.definitions.tree import NodeNames, at
from kbc.languages.node_types import CALLABLE

_COMMON: Mapping[str, str] = {
    "defclass": "class", "defconstant": "constant", "define-compiler-macro": "macro",
    "define-condition": "class", "define-modify-macro": "macro", "define-setf-expander": "macro",
    "define-symbol-macro": "macro", "defpackage": "module", "defparameter": "variable",
    "defsetf": "function", "defstruct": "struct", "defsystem": "module", "deftype": "type",
    "defvar": "variable",
}  # fmt: skip
_EMACS: Mapping[str, str] = {
    "cl-defgeneric": "function", "cl-defmacro": "macro", "cl-defmethod": "method",
    "cl-defstruct": "struct", "cl-defsubst": "function", "cl-deftype": "type", "cl-defun": "function",
    "defalias": "function", "defclass": "class", "defconst": "constant", "defcustom": "variable",
    "defface": "constant", "define-derived-mode": "function",
    "define-inline": "function", "define-global-minor-mode": "function",
    "define-globalized-minor-mode": "function", "define-minor-mode": "function", "defvar": "variable",
    "defvar-keymap": "variable", "defvar-local": "variable", "ert-deftest": "function",
}  # fmt: skip
_SCHEME: Mapping[str, str] = {
    "define-class": "class", "define-library": "module", "define-macro": "macro",
    "define-module": "module", "define-record-type": "struct", "define-signature": "interface",
    "define-simple-macro": "macro", "define-struct": "struct", "define-syntax": "macro",
    "define-syntax-parse-rule": "macro", "define-syntax-rule": "macro", "define-type": "type",
    "define-values": "constant",
    "library": "module", "module": "module", "module*": "module", "module+": "module",
    "struct": "struct", "struct/contract": "struct",
}  # fmt: skip
_DEFINES = re.compile(r"def(?!ault|er\b|late|ined)[^\s/]*")
"""Macros of a library or of the project that define something."""
_PLAIN_DEFINES = re.compile(r"define(?:\*|-public|-inline|/[\w/-]+)?")
_FUNCTIONS = frozenset({"case-lambda", "lambda", "lambda*", "named-lambda", "opt-lambda", "λ"})
_CLASSES = frozenset({"class", "class*", "mixin"})
_LISTS = frozenset({"list", "list_lit"})
_ROOTS = frozenset({"program", "source", "source_file"})
_VALUES = ("constant", "variable")
_MOST_LEVELS = 8
"""Lists in lists that a name may stand in, as in `(define ((fill tank) level) ...)`."""


def common_list(names: NodeNames, node: Node, holder: str) -> Definition:
    """`(defun fill (tank) ...)` and what is alike have a node of their own."""
    head = at(node, ":defun/:defun_header")
    if head is None:
        return _listed(names, node, holder, _COMMON)
    defining = names.text(at(head, "keyword")).rpartition(":")[2]
    kind = {"defmacro": "macro", "defmethod": "method"}.get(defining, "function")
    return kind, names.text(at(head, "function_name"))


def emacs_list(names: NodeNames, node: Node, holder: str) -> Definition:
    """Not `(defvar name)`, which only says that there is one elsewhere."""
    kind, name = _listed(names, node, holder, _EMACS)
    return NOTHING if kind == "variable" and node.named_child_count < 3 else (kind, name)


def emacs_value(names: NodeNames, node: Node, holder: str) -> Definition:
    """`(defvar name value)` and `(defconst name value)`."""
    keyword = names.text(node.child(1))
    kind = _EMACS.get(keyword, "") if keyword in ("defconst", "defvar") else ""
    is_stated = node.named_child_count > 1 and holder not in CALLABLE
    return (kind, names.text(at(node, "^"))) if is_stated else NOTHING


def scheme_list(names: NodeNames, node: Node, holder: str) -> Definition:
    """`(define (fill tank) ...)` and `(define fill (lambda ...))` are functions, `(define tank% (class ...))`
    is a class, and other values have a name outside of functions."""
    defining = names.text(at(node, "^"))
    if not _PLAIN_DEFINES.fullmatch(defining):
        return _listed(names, node, holder, _SCHEME)
    parts = _parts(node)
    if len(parts) < 2:
        return NOTHING
    name = _named(names, parts[1])
    if parts[1].type in _LISTS:
        return "function", name
    made = names.text(at(parts[2], "^")) if len(parts) > 2 and parts[2].type in _LISTS else ""
    if made in _FUNCTIONS:
        return "function", name
    if holder in CALLABLE:
        return NOTHING
    return ("class" if made in _CLASSES else "constant"), name


def _listed(names: NodeNames, node: Node, holder: str, kinds: Mapping[str, str]) -> Definition:
    """By the first word, without the package that it may be of (`asdf:defsystem`). Words that are not among
    `kinds` define at the top of a file alone: a function where arguments follow the name."""
    first = at(node, "^")
    if first is None or first.type not in ("sym_lit", "symbol"):
        return NOTHING
    defining = names.text(first).rpartition(":")[2]
    kind = kinds.get(defining, "")
    if not kind and not _DEFINES.fullmatch(defining):
        return NOTHING
    if not kind and (node.parent is None or node.parent.type not in _ROOTS):
        return NOTHING
    parts = _parts(node)
    if len(parts) < 2 or (kind in _VALUES and holder in CALLABLE):
        return NOTHING
    if not kind:
        behind = parts[2].type if len(parts) > 2 else ""
        kind = "function" if parts[1].type in _LISTS or behind in _LISTS else "constant"
    return kind, _named(names, parts[1], is_module=kind == "module")


def _parts(node: Node) -> list[Node]:
    """The first three that are no comments."""
    parts = (each for each in node.named_children if not each.type.endswith("comment"))
    return list(islice(parts, 3))


def _named(names: NodeNames, node: Node | None, *, is_module: bool = False) -> str:
    """A name, also one with options or arguments (`(tank (:conc-name t-))`), of a keyword, or quoted; a
    module may have one of several parts: `(tanks levels)`."""
    for _ in range(_MOST_LEVELS):
        if node is None or (node.type not in _LISTS and node.type not in ("quote", "quoting_lit")):
            break
        if is_module and node.type in _LISTS:
            return names.text(node).strip("()")
        node = at(node, "^" if node.type in _LISTS else "$")
    return names.text(node).lstrip("#:'").strip('"')


COMMON: Mapping[str, Reader] = {"list_lit": common_list}
EMACS: Mapping[str, Reader] = {"list": emacs_list, "special_form": emacs_value}
SCHEME: Mapping[str, Reader] = {"list": scheme_list}
