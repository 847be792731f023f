"""What a declaration of C or C++ declares: its kind, its name and its signature, from its tokens.

Macros stand everywhere in headers, and none is expanded: what they hide is told by what stands around them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kbc.formats.doxygen.entities import CLASSES
from kbc.formats.doxygen.tokens import CToken, joined

_NO_FUNCTIONS = frozenset([
    "__attribute__", "__declspec", "alignas", "decltype", "noexcept", "requires", "explicit",
    "throw", "static_assert", "sizeof", "typeof", "__asm__", "asm", "if", "while", "for", "switch",
    "return", "defined", "operator", "__pragma", "_Pragma", "_Static_assert",
])  # fmt: skip
"""Words before parentheses that are no names of functions."""

_AFTER_PARAMETERS = frozenset([
    "const", "volatile", "noexcept", "override", "final", "throw", "requires", "try", "mutable",
    "__attribute__",
])  # fmt: skip
_DROPPED = frozenset(["inline", "extern", "__inline", "__inline__", "friend"])
_OPENING, _CLOSING = "([{", ")]}"


class Declared(NamedTuple):
    """`parameters` are None of what is no function. The name is as written, so that it may be qualified."""

    kind: str
    name: str
    signature: str
    parameters: tuple[str, ...] | None = None


class _Placed(NamedTuple):
    """A token with the number of brackets and of angle brackets around it."""

    token: CToken
    depth: int
    angles: int

    @property
    def is_outer(self) -> bool:
        return not self.depth and not self.angles


def opening(pieces: Sequence[CToken]) -> tuple[str, str]:
    """What a `{` after these tokens begins, `namespace`, `linkage`, `class`, `struct`, `union`, `enum` or ""
    for code, and its name."""
    placed = _placed(pieces)
    words = [each for each in placed if each.is_outer]
    texts = [each.token.text for each in words]
    if "namespace" in texts:
        name = _after_attributes(words, texts.index("namespace"))
        return "namespace", "".join(each for each in name if each != "inline")
    if texts[-2:-1] == ["extern"] and pieces[-1].kind == "string":
        return "linkage", ""
    keyword = next((each for each in texts if each in CLASSES or each == "enum"), "")
    if not keyword or "=" in texts or _parameters_at(placed) is not None:
        return "", ""
    after = _after_attributes(words, texts.index(keyword))
    if keyword == "enum" and after[:1] in (["class"], ["struct"]):
        after = after[1:]
    if ":" in after:
        after = after[: after.index(":")]
    names = [each for each in after if each != "final"]
    name = names[-1:] if names and (names[-1][0].isalpha() or names[-1][0] == "_") else []
    while len(names) > 2 and names[-2] == "::":
        names = names[:-2]
        name = [names[-1], "::", *name]
    return keyword, "".join(name)


def _after_attributes(words: Sequence[_Placed], at: int) -> list[str]:
    """The outer tokens after a keyword, without brackets."""
    texts = (each.token.text for each in words[at + 1 :])
    return [text for text in texts if text not in (*_OPENING, *_CLOSING, "<", ">")]


def class_signature(pieces: Sequence[CToken]) -> str:
    """The head of a class without what it derives from."""
    end = _colon(_placed(pieces))
    return joined([each for each in pieces[:end] if each.text != "typedef"])


def _colon(placed: Sequence[_Placed], start: int = 0) -> int:
    """Where the first colon outside of brackets is, from `start` on; the end without one."""
    colons = (at for at in range(start, len(placed)) if placed[at].token.text == ":")
    return next((at for at in colons if placed[at].is_outer), len(placed))


def declared(pieces: Sequence[CToken]) -> list[Declared]:
    """What a declaration without the `;` or the body declares; nothing where it is no declaration."""
    pieces = [each for each in pieces if each.text not in _DROPPED]
    if not pieces:
        return []
    first = pieces[0].text
    placed = _placed(pieces)
    outer = [each.token.text for each in placed if each.is_outer]
    if "typedef" in outer:  # after macros, too
        return _typedef(placed[[each.token.text for each in placed].index("typedef") :])
    if "using" in outer[:9] and "=" in outer:
        at = outer.index("using")
        return [Declared("typedef", outer[at + 1], joined(pieces))] if len(outer) > at + 2 else []
    if "concept" in outer and "=" in outer:
        return [Declared("concept", outer[outer.index("concept") + 1], joined(pieces))]
    if first in ("using", "namespace", "static_assert"):
        return []
    found = _parameters_at(placed)
    if found is not None:
        return [_function(placed, *found)]
    words = [each for each in outer if each not in ("template", "<", ">")]
    if words[:1] == ["class"] or (words[:1] and words[0] in (*CLASSES, "enum") and len(words) < 3):
        return []  # a declaration of what another place defines
    return list(_variables(placed))


def _placed(pieces: Sequence[CToken]) -> list[_Placed]:
    found: list[_Placed] = []
    depth = angles = 0
    before = ""
    for each in pieces:
        text = each.text
        if text in _CLOSING:
            depth = max(depth - 1, 0)
        elif text == ">" and not depth and before != "operator":
            angles = max(angles - 1, 0)
        found.append(_Placed(each, depth, angles))
        if text in _OPENING:
            depth += 1
        elif text == "<" and not depth and before not in ("operator", "<"):
            angles += 1
        before = "operator" if before == "operator" and text in "<>=" else text
    return found


def _parameters_at(placed: Sequence[_Placed]) -> tuple[int, int] | None:
    """Where the name of a function ends and its parameters do; None of what is no function."""
    candidates: list[tuple[int, int]] = []
    for index, each in enumerate(placed):
        if each.is_outer and each.token.text == "=" and not _in_operator(placed, index):
            break
        if not each.is_outer or each.token.text != "(" or not index:
            continue
        before = placed[index - 1].token
        if before.text == "operator" and placed[index + 1].token.text == ")":
            continue
        is_name = before.kind == "word" and before.text not in _NO_FUNCTIONS
        is_operator = _in_operator(placed, index)
        if (is_name or is_operator or before.text == ">") and before.text not in _AFTER_PARAMETERS:
            end = _closing(placed, index)
            candidates.append((index, end))
            if is_operator:
                return index, end
    for index, end in candidates:
        is_prefix = False
        if end + 1 < len(placed):
            following = placed[end + 1].token
            is_prefix = following.kind == "word" and following.text not in _AFTER_PARAMETERS
        if not is_prefix or ((index, end) == candidates[-1] and index > 1):
            return index, end
    return None


def _in_operator(placed: Sequence[_Placed], index: int) -> bool:
    return any(each.token.text == "operator" for each in placed[max(index - 4, 0) : index])


def _closing(placed: Sequence[_Placed], index: int) -> int:
    depth = placed[index].depth
    for end in range(index + 1, len(placed)):
        if placed[end].depth == depth and placed[end].token.text in _CLOSING:
            return end
    return len(placed) - 1


def _name_before(placed: Sequence[_Placed], end: int) -> str:
    """The qualified name that ends before `end`, without arguments of templates."""
    parts: list[str] = []
    index = end - 1
    before = range(max(end - 4, 0), end)
    operator = next((at for at in before if placed[at].token.text == "operator"), None)
    if operator is not None:
        parts = ["operator" + joined([each.token for each in placed[operator + 1 : end]])]
        word = placed[operator + 1].token.text[:1] if operator + 1 < end else ""
        if word.isalpha() or word == "_":
            parts = [parts[0].replace("operator", "operator ", 1)]
        index = operator - 1
    while index >= 0:
        text = placed[index].token.text
        if text == ">" and placed[index].is_outer:
            index -= 1
            while index >= 0 and not (placed[index].is_outer and placed[index].token.text == "<"):
                index -= 1
            index -= 1
            continue
        if text == "::" or not parts or parts[0] == "::":
            if text != "::" and placed[index].token.kind != "word":
                if text == "~" and parts:
                    parts.insert(0, text)
                break
            parts.insert(0, text)
            index -= 1
            continue
        if text == "~":
            parts[0] = f"~{parts[0]}"
            index -= 1
            continue
        break
    return "".join(parts).removeprefix("::")


def _function(placed: Sequence[_Placed], start: int, end: int) -> Declared:
    inside = [each.token for each in placed[start + 1 : end]]
    parameters = tuple(map(joined, split(inside)))
    signature = joined([each.token for each in placed[: _colon(placed, end + 1)]])
    name = _name_before(placed, start)
    return Declared("function", name, signature, () if parameters == ("void",) else parameters)


def split(pieces: Sequence[CToken]) -> list[list[CToken]]:
    """Tokens between commas that no brackets hold."""
    parts: list[list[CToken]] = [[]]
    for each in _placed(pieces):
        if each.is_outer and each.token.text == ",":
            parts.append([])
        else:
            parts[-1].append(each.token)
    return [part for part in parts if part]


def _typedef(placed: Sequence[_Placed]) -> list[Declared]:
    """`typedef int depth_t` and `typedef int (*callback)(int)`."""
    texts = [each.token.text for each in placed]
    signature = joined([each.token for each in placed])
    for index, each in enumerate(placed[:-2]):
        if each.is_outer and each.token.text == "(":
            inside = placed[index + 1 : _closing(placed, index)]
            names = [item.token.text for item in inside if item.token.kind == "word"]
            if names and any(item.token.text in "*&" for item in inside):
                return [Declared("typedef", names[-1], signature)]
    names = [each.token.text for each in placed if each.is_outer and each.token.kind == "word"]
    return [Declared("typedef", names[-1], signature)] if len(texts) > 2 and names else []


def _variables(placed: Sequence[_Placed]) -> Iterator[Declared]:
    """`int a = 1, b[2]`: both; of one word alone, which is a macro, nothing."""
    signature = joined([each.token for each in placed])
    words = 0
    name, is_named = "", False
    names: list[str] = []
    for index, each in enumerate(placed):
        text = each.token.text
        if not each.is_outer:
            continue
        if text == ",":
            names += [name] if name else []
            name, is_named = "", False
        elif text in ("=", ":", "[", "{"):
            is_named = True
        elif each.token.kind == "word" and not is_named:
            words += 1
            name = _name_before(placed, index + 1)
    names += [name] if name else []
    if words > 1:
        yield from (Declared("variable", each, signature) for each in names)
