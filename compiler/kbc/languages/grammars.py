"""Tree-sitter grammars: those of common languages from a package each, all others from the language pack.

The language pack has 160 grammars and takes 184 MB, so it comes with the extra `languages` only. A language
always has the grammar of the same package, so that an artifact does not depend on what else is installed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from tree_sitter import Language, Node, Parser

from kb_runtime.version import install_hint
from kbc.cache.toolchain import GRAMMARS
from kbc.languages.containment import is_bounded
from kbc.languages.suffixes import LANGUAGES

INSTALL_HINT = f"Install more grammars: {install_hint('languages')}."

# The module, and the function in it that gives the grammar.
_MODULES: Mapping[str, tuple[str, str]] = {
    **{
        name.removeprefix("tree-sitter-"): (name.replace("-", "_"), "language") for name in GRAMMARS
    },
    "csharp": ("tree_sitter_c_sharp", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
}


_DEEP = re.compile(
    rb"^(?:[ \t]{0,9}(?:>|[-+*?:](?=[ \t])|\d{1,9}[.)](?=[ \t]))){100}|^[ \t>]{200}", re.MULTILINE
)
"""Blocks in blocks, on one line or by indentation: the parsers of `_BLOCKS` write beyond the room that they
have for them, which ends the process."""
_BLOCKS = frozenset({"markdown", "yaml"})


_STALLING = frozenset({"fsharp"})
"""Languages whose parser may go on for ever at one place, and take more memory with each step: behind a long
run of blanks, such as a loop whose body is hidden in front of `}`."""
_LONG_BLANKS = re.compile(rb"\s{200}")
_MOST_STEPS, _BYTES_A_STEP = 1_000, 50
"""A parser that is still at the same place after this many steps, and one more for each so many bytes, has
stalled: source takes a quarter of them at most."""
_READ_BYTES = 128
"""What a parser that is watched reads is never freed, each time anew."""


@cache
def grammar(language: str) -> Language:
    """The grammar of `language`. Raises LookupError when there is none, or when the language pack, which
    might have it, is not installed."""
    if language in _MODULES:
        module, function = _MODULES[language]
        return Language(getattr(import_module(module), function)())
    try:
        from tree_sitter_language_pack import get_language
    except ModuleNotFoundError:
        raise LookupError(language) from None
    return get_language(language)  # type: ignore[arg-type]


def parser(language: str) -> Parser:
    """A new parser of `language`. Raises as `grammar` does."""
    return Parser(grammar(language))


def tree(source: bytes, language: str) -> Node | None:
    """The root of the syntax tree of a text in UTF-8; None when there is no grammar of its language, and
    where its blocks nest too deeply for the parser, it stalls, or takes too much time or memory."""
    if language in _BLOCKS and _DEEP.search(source):
        return None
    try:
        found = parser(language)
    except LookupError:
        return None
    if not is_bounded(source, language, parses):
        return None
    if language in _STALLING and _LONG_BLANKS.search(source):
        return _watched(found, source)
    return found.parse(source).root_node


def parses(text: str, language: str) -> bool:
    """Whether there is a tree of a text."""
    return tree(text.encode("utf-8", "surrogatepass"), language) is not None


def _watched(parser: Parser, source: bytes) -> Node | None:
    most = _MOST_STEPS + len(source) // _BYTES_A_STEP
    place, steps = -1, 0

    def read(offset: int, _point: object) -> bytes:
        return source[offset : offset + _READ_BYTES]

    def has_stalled(offset: int, _has_error: bool) -> bool:
        nonlocal place, steps
        place, steps = offset, steps + 1 if offset == place else 0
        return steps > most

    try:
        found = parser.parse(read, progress_callback=has_stalled)
    except ValueError:  # as it was told to stop
        return None
    return found.root_node


def text_of(node: Node | None) -> str:
    """The source of a node; "" for None."""
    return "" if node is None else (node.text or b"").decode("utf-8", "replace")


def missing(languages: Iterable[str]) -> list[str]:
    """Those languages, sorted, whose grammars come with the language pack, when that is not installed."""
    if find_spec("tree_sitter_language_pack") is not None:
        return []
    known = {*LANGUAGES.values(), "dockerfile", "matlab"} - {"crystal", "quint", *_MODULES}
    return sorted(known.intersection(languages))
