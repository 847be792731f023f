"""Text in lines of Rd as Markdown, and as plain text."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import chain

from kbc.formats import commonmark
from kbc.formats.rd.markup import Nodes, RdMacro

_CODE = frozenset([
    "code", "verb", "preformatted", "samp", "kbd", "command", "option", "env", "file", "eqn",
    "deqn",
])  # fmt: skip
_MARKS = {"emph": "*", "dfn": "*", "cite": "*", "var": "*", "strong": "**", "bold": "**"}
_QUOTES = {"sQuote": "'", "dQuote": '"'}
_CHARACTERS = {"dots": "...", "ldots": "...", "R": "R", "cr": "\n", "tab": " ", "sspace": " "}
_CHARACTERS |= {"TeX": "TeX", "LaTeX": "LaTeX"}
_DROPPED = frozenset(
    {"Sexpr", "out", "figure", "newcommand", "renewcommand", "dontshow", "testonly", "RdOpts"}
)
_SHOWN = frozenset({"text", "TRUE"})
"""The outputs whose variants of a text are read (`\\if{text}{...}`)."""

_DASHES = re.compile(r"---?")
_DOUBLE_QUOTES = re.compile(r"``|''")


def plain(nodes: Nodes) -> str:
    """The text of nodes as code has it, without any marks."""
    return "".join(node if isinstance(node, str) else _quoted(node, plain) for node in nodes)


def _quoted(macro: RdMacro, text_of: Callable[[Nodes], str]) -> str:
    """The character that a macro stands for, or its text, within the quotes that it means."""
    if macro.name in _CHARACTERS:
        return _CHARACTERS[macro.name]
    quote = _QUOTES.get(macro.name, "")
    return f"{quote}{''.join(map(text_of, _read(macro)))}{quote}"


def typeset(nodes: Nodes) -> str:
    """The text of nodes on one line, without marks, with the dashes that text has."""
    return " ".join("".join(map(_typeset, nodes)).split())


def _typeset(node: str | RdMacro) -> str:
    if isinstance(node, str):
        return _set(node)
    if node.name in _CODE or node.name in _CHARACTERS:
        return plain((node,))
    return "".join(map(typeset, _read(node)))


def inline(nodes: Nodes) -> str:
    """The Markdown of nodes; blank lines between paragraphs are kept."""
    return "".join(map(_written, nodes))


def _set(text: str) -> str:
    text = _DASHES.sub(lambda match: "—" if len(match[0]) == 3 else "–", text)
    return _DOUBLE_QUOTES.sub('"', text)


def _read(macro: RdMacro) -> tuple[Nodes, ...]:
    """The arguments of a macro that a reader sees."""
    if macro.name in _DROPPED:
        return ()
    if macro.name == "if":
        return macro.arguments[1:] if _is_shown(macro) else ()
    if macro.name == "ifelse":
        return macro.arguments[1:2] if _is_shown(macro) else macro.arguments[2:]
    if macro.name in ("eqn", "deqn"):
        return macro.arguments[-1:]
    if macro.name in ("href", "section", "subsection", "tabular"):
        return macro.arguments[1:]
    if macro.name == "enc":
        return macro.arguments[:1]
    return macro.arguments


def _is_shown(macro: RdMacro) -> bool:
    outputs = plain(macro.arguments[0]) if macro.arguments else ""
    return not _SHOWN.isdisjoint(map(str.strip, outputs.split(",")))


def selected(macro: RdMacro) -> Nodes | None:
    """What a condition (`\\if`, `\\ifelse`) leaves, or what braces hold; None for other macros."""
    is_open = macro.name in ("", "if", "ifelse")
    return tuple(chain(*_read(macro))) if is_open else None


def _marked(macro: RdMacro) -> str:
    inner = " ".join("".join(map(inline, macro.arguments)).split())
    mark = _MARKS[macro.name]
    return f"{mark}{inner}{mark}" if inner.strip("*") else ""


def _href(macro: RdMacro) -> str:
    address = "".join(plain(macro.arguments[0]).split()) if macro.arguments else ""
    return commonmark.link(" ".join("".join(map(inline, _read(macro))).split()), address)


def _address(prefix: str) -> Callable[[RdMacro], str]:
    def written(macro: RdMacro) -> str:
        address = "".join(plain((macro,)).split())
        text = commonmark.escaped(address) if prefix and prefix != "mailto:" else ""
        return commonmark.link(text, f"{prefix}{address}") if address else ""

    return written


_WRITERS: dict[str, Callable[[RdMacro], str]] = {
    **dict.fromkeys(_CODE, lambda macro: commonmark.code_span(plain((macro,)))),
    **dict.fromkeys(_MARKS, _marked),
    "href": _href,
    "url": _address(""),
    "doi": _address("https://doi.org/"),
    "CRANpkg": _address("https://CRAN.R-project.org/package="),
}


def _written(node: str | RdMacro) -> str:
    if isinstance(node, str):
        return commonmark.escaped(_set(node))
    writer = _WRITERS.get(node.name)
    return writer(node) if writer else _quoted(node, inline)
