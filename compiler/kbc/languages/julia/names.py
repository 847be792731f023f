"""Names of Julia objects and the types in their signatures, as definitions, docs blocks and references have
them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kbc.languages.julia.tokens import JuliaToken, JuliaTokens, parts, tokens

ANY = "Any"
_BOUND = re.compile(r"(\w+)(?:<:([^,<>]+))?")
_QUALIFIER = re.compile(r"(?:[^\W\d]\w*\.)+(?=[^\W\d])")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a block or a reference names: the parts of a name (`("Base", "show")`), and of a method the types
    of its arguments, None where all methods are meant."""

    path: tuple[str, ...]
    types: tuple[str, ...] | None = None


def wanted(text: str) -> list[Wanted]:
    """What the expressions in a text name, in order; those that begin with no name are left out."""
    found = tokens(text)
    named: list[Wanted] = []
    for start, end in parts(found, 0, len(found), "\n;"):
        path, after = name_at(found, start, end)
        if path:
            is_method = after < end and found[after].text == "("
            types = arguments(found, after)[0] if is_method else None
            named.append(Wanted(path, types))
    return named


def name_at(found: JuliaTokens, start: int, end: int) -> tuple[tuple[str, ...], int]:
    """The parts of the name that begins at `start`, and the index behind it and its type parameters; no
    parts where none begins. A call of an object of a type (`(layer::Dense)(x)`) has the name of the type."""
    path: list[str] = []
    index = start
    while index < end:
        part, index = _part(found, index, end)
        if not part:
            break
        path += part
        if index + 1 >= end or found[index].text != ".":
            break
        index += 1
    if index < end and path and found[index].text == "{":
        index = found.behind(index)
    return tuple(path), index


def _part(found: JuliaTokens, index: int, end: int) -> tuple[list[str], int]:
    token = found[index]
    if token.kind in ("name", "keyword", "symbol"):
        return [token.text], index + 1
    if token.kind == "macro":
        *modules, name = token.text[1:].split(".") if token.text != "@." else ["."]
        return [*modules, f"@{name}"], index + 1
    if token.kind == "string" and token.prefix == "var":
        return [token.text], index + 1
    if token.text == ":" and index + 1 < end:  # Base.:(==), :(Heron.fly), Base.:+
        return _part(found, index + 1, end)
    if token.text == "(":
        close = min(found.behind(index), end)
        inner = found[index + 1 : close - 1]
        if inner and all(each.kind == "op" for each in inner) and inner[-1].text != "::":
            return ["".join(each.text for each in inner)], close
        typed = next((at for at, each in enumerate(inner) if each.text == "::"), None)
        begin = index + 1 if typed is None else index + typed + 2
        if typed is not None and found[begin].text == "Type" and found[begin + 1].text == "{":
            begin += 2
        path, _ = name_at(found, begin, close - 1)
        return list(path), close
    stop = index
    while stop < end and found[stop].kind == "op" and found[stop].text not in (".", ",", "::"):
        stop += 1
    return ["".join(each.text for each in found[index:stop])] if stop > index else [], stop


def arguments(found: JuliaTokens, opening: int) -> tuple[tuple[str, ...], int]:
    """The types of the positional arguments in the brackets at `opening`, with what `where` behind them says
    of their parameters, and how many of these need not be given."""
    end = found.behind(opening)
    bounds = _bounds(found, end)
    semicolon = found.operator(";", opening + 1, end - 1)
    types: list[str] = []
    optional = 0
    for start, stop in parts(found, opening + 1, semicolon, ","):
        defaults = (at for at in range(start + 1, stop) if found[at].text == "=")
        given = next((at for at in defaults if found[at].kind == "op"), stop)
        optional += given < stop or found[stop - 1].text == "..."
        typed = next((at for at in range(start, given) if found[at].text == "::"), None)
        type_ = _joined(found[typed + 1 : given]).removesuffix("...") if typed is not None else ANY
        types.append(bounds.get(type_, type_))
    return tuple(types), optional


def _bounds(found: JuliaTokens, index: int) -> Mapping[str, str]:
    """What the parameters stand for that a `where` at `index`, or behind a type there, names."""
    index = found.until(index, "where")
    if found.at(index).text != "where":
        return {}
    text = _joined(found[index + 1 : found.until(index + 1, "=")]).strip("{}")
    return {match[1]: match[2] or ANY for match in _BOUND.finditer(text)}


def _joined(found: Sequence[JuliaToken]) -> str:
    return _QUALIFIER.sub("", "".join(each.text for each in found if each.kind != "newline"))


def fit(asked: Sequence[str], types: Sequence[str], optional: int) -> int:
    """How well a method with these types answers to the types asked for: 3 for the same, 2 where only their
    parameters differ, 1 for the same number, 0 where it does not."""
    if not len(types) - optional <= len(asked) <= len(types):
        return 0
    pairs = list(zip(asked, types, strict=False))
    if all(left == right for left, right in pairs):
        return 3
    return 2 if all(_bare(left) == _bare(right) for left, right in pairs) else 1


def _bare(type_: str) -> str:
    return type_.removeprefix("<:").partition("{")[0]
