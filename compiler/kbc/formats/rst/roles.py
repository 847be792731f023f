"""The roles of docutils and Sphinx as text, code and links."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from docutils import nodes

from kbc.formats.rst.configuration import declared_types, settings
from kbc.formats.rst.context import Context
from kbc.languages.includes.myst.roles import ICON_ROLE, document_of

_EXPLICIT = re.compile(r"(?s)(?P<title>.+?)\s*(?<!\x00)<(?P<target>[^<>]*)>\Z")
_CODE = frozenset([
    "attr", "class", "data", "envvar", "exc", "func", "keyword", "makevar", "meth", "mod", "obj",
    "option", "program", "token", "type", "var", "member", "macro", "struct", "enum", "enumerator",
    "const", "expr", "setting", "source", "ansopt", "ansval", "ansenvvar", "ansretval", "directive", "dir",
    "confval", "any", "mimetype", "newsgroup", "concept", "namespace", "property", "method",
    "function", "alias", "union",
])  # fmt: skip
_IDENTIFIER = re.compile(r"(?=.*\w[_./(])(?=.*[A-Za-z])\S+")
"""What is no word of prose: `request_started`, `log.level`, `stats/{name}`, `open()`."""

_EMPHASIS = frozenset(["emphasis", "title-reference", "title", "t", "dfn", "i"])
_STRONG = frozenset(["strong", "guilabel", "menuselection", "b"])

RoleResult = tuple[list[nodes.Node], list[nodes.system_message]]


def role_function(context: Context) -> Callable[..., RoleResult]:
    """A function for docutils that gives the nodes of any role; names it does not know keep their text."""

    def role(name: str, rawtext: str, text: str, lineno: int, inliner: Any, *_: Any) -> RoleResult:
        return [_node(name.lower(), rawtext, text, inliner, context)], []

    return role


def _node(name: str, raw: str, text: str, inliner: Any, context: Context) -> nodes.Node:
    plain = text.replace("\x00", "")
    base = name.rsplit(":", 1)[-1]
    match = _EXPLICIT.match(plain)
    title, target = (match["title"].strip(), match["target"].strip()) if match else ("", plain)
    if base in (links := settings(context).extlinks):
        address, caption = links[base]
        shown = caption.replace("%s", target) if "%s" in caption else f"{caption}{target}"
        return nodes.reference(raw, title or shown, refuri=address.replace("%s", target))
    if base in ("sub", "subscript"):
        return nodes.subscript(raw, plain)
    if base in ("sup", "superscript"):
        return nodes.superscript(raw, plain)
    if base in _EMPHASIS:
        return nodes.emphasis(raw, title or plain)
    if base in _STRONG:
        shown = plain.replace("-->", "›") if base == "menuselection" else plain
        return nodes.strong(raw, re.sub(r"&(\S)", r"\1", shown))
    if base in ("math", "eq", "numref") and not title:
        return nodes.literal(raw, plain) if base == "math" else nodes.Text(plain)
    if base == "abbr":
        return nodes.Text(re.sub(r"(?s)\s*\((.*)\)\s*\Z", r" (\1)", plain))
    if found := document_of(base, target):
        name, uri = found
        return nodes.reference(raw, title or name, refuri=uri) if uri else nodes.Text(title or name)
    if base in ("doc", "download"):
        return _document(raw, title, target, context)
    if base == "ref":
        return nodes.inline(raw, title or target, label=target, titled=bool(title))
    if base == "term":
        return nodes.Text(title or target)
    if base in ("samp", "file") and not match:
        return nodes.literal(raw, re.sub(r"(?<!\\)[{}]", "", plain))
    if base in ("code", "literal", "kbd", "command") and not match:
        return nodes.literal(raw, plain)
    if base in _CODE or ":" in name:
        return nodes.literal(raw, title.lstrip("!") or _shortened(target, base))
    if base in ("index", "anchor"):
        return nodes.Text(title if match else plain)
    if base in ("raw-html", "raw") or ICON_ROLE.fullmatch(base):
        return nodes.Text("")
    if re.match(r"https?://", target):
        return nodes.reference(raw, title or target, refuri=target)
    if base in declared_types(context).roles or (name and _IDENTIFIER.fullmatch(title or target)):
        return nodes.literal(raw, title or target)
    if not name:  # the default role: Sphinx has it as emphasis unless conf.py says otherwise
        return nodes.emphasis(raw, plain)
    return nodes.Text(title or target)


def _shortened(target: str, role: str) -> str:
    """What Sphinx shows for a reference: `~a.b` is its last part, functions get parentheses."""
    text = target.removeprefix("!")
    if text.startswith("~"):
        text = re.split(r"[.:]+", text[1:].removesuffix("()"))[-1]
    if re.match(r"\.\w", text) and role in ("class", "meth", "func", "attr", "mod"):
        text = text.lstrip(".")
    if role in ("func", "meth") and not text.endswith(")"):
        text += "()"
    return text


def _document(raw: str, title: str, target: str, context: Context) -> nodes.Node:
    path, found = context.document(target)
    shown = title or found or target.strip("/").rsplit("/", 1)[-1]
    return nodes.reference(raw, shown, refuri=path) if path else nodes.Text(shown)
