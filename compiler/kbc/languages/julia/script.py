"""Reads what a script of Julia states as literals: constants, and the arguments of calls that are asked for.

Literals are texts, numbers, symbols, pairs, lists, named tuples, calls of `joinpath`, `string` and `vcat`
with these, and names that the script, or one that it includes, gives them. Everything else is passed over.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kbc.languages.julia.tokens import JuliaToken, JuliaTokens, parts, tokens

MAX_DEPTH = 60
"""Of expressions within expressions."""

MAX_SCRIPTS = 20
"""Scripts that include each other."""

HERE = "."
"""What `@__DIR__` stands for: the folder of the script that is read."""

Read = Callable[[str], str | None]
"""The text of a script by its path below the folder of the first one; None where there is none."""

_CONTINUES = frozenset([",", "=", "=>", "*", "+", "||", "&&", "?", ":", "->"])
"""Operators behind which a statement goes on in the next line."""

_ESCAPE = re.compile(r"\\(?:([\"'\\$`])|([ntr])|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_INTERPOLATED = re.compile(r"(?<!\\)\$(?:\((\w+)\)|(\w+)|(\())")


@dataclass(frozen=True, slots=True)
class Name:
    """A name that the script does not say the value of, such as that of a module."""

    text: str


@dataclass(frozen=True, slots=True)
class Pair:
    """`left => right`."""

    left: Any
    right: Any


@dataclass(frozen=True, slots=True)
class Call:
    """A call by the last part of its function's name, with the values of its arguments, None for those that
    are no literals."""

    name: str
    arguments: tuple[Any, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class JuliaScript:
    """The calls of a script in order, and the paths of the scripts that it includes."""

    calls: list[Call]
    included: list[str]

    def call(self, name: str) -> Call | None:
        """The first call of a function; None without one."""
        return next((each for each in self.calls if each.name == name), None)


def read_script(source: str, wanted: Sequence[str], read: Read) -> JuliaScript:
    """The calls of the functions `wanted` in a script, in the branches of its conditions as well."""
    script = JuliaScript([], [])
    _Reader(tokens(source), "", {}, frozenset(wanted), read, script).run()
    return script


def stated(source: str) -> dict[str, Any]:
    """The values of the names that a text assigns; names without a value stand for themselves."""
    values: dict[str, Any] = {}
    _Reader(tokens(source), "", values, frozenset(), lambda path: None, JuliaScript([], [])).run()
    return values


@dataclass(slots=True)
class _Reader:
    """Reads one script. Its values are those of names so far, shared with the scripts that it includes."""

    _tokens: JuliaTokens
    _folder: str
    _values: dict[str, Any]
    _wanted: frozenset[str]
    _read: Read
    _script: JuliaScript

    def run(self) -> None:
        depth = 0
        end = 0  # of the statement that was read last
        for index, token in enumerate(self._tokens):
            depth += (token.kind == "open") - (token.kind == "close")
            following = self._tokens[index + 1 : index + 2]
            if token.kind != "name" or not following:
                continue
            before = self._tokens.at(index - 1)
            begins = before.kind in ("newline", "keyword") or before.text == ";"
            is_statement = depth == 0 and index >= end and begins
            if following[0].text == "=" and is_statement:
                end = self._statement_end(index + 2)
                value = self._value(index + 2, end)
                is_computed = isinstance(value, Call) and token.text in self._values
                if value is not None and not is_computed:
                    self._values[token.text] = value
            elif following[0].text == "(" and before.text not in ("function", "macro"):
                self._call(token.text, index + 1)

    def _statement_end(self, index: int) -> int:
        end = index
        last = ""
        while end < len(self._tokens):
            token = self._tokens[end]
            if token.text == ";" or (
                token.kind == "newline" and last not in _CONTINUES and end > index
            ):
                return end
            last = last if token.kind == "newline" else token.text
            end = self._tokens.behind(end)
        return end

    def _call(self, name: str, opening: int) -> None:
        """What a call does to the values, or what it states where it is asked for."""
        if name in self._wanted:
            call = self._made(name, opening, 0)
            if call is not None:
                self._script.calls.append(call)
        elif name == "include":
            self._include(self._arguments(opening, 0)[0])
        elif name in ("push!", "append!"):
            self._extend(name, opening)

    def _include(self, given: Sequence[Any]) -> None:
        target = given[0] if len(given) == 1 and isinstance(given[0], str) else ""
        path = posixpath.normpath(posixpath.join(self._folder, target))
        is_known = not target or path in self._script.included
        text = None if is_known or len(self._script.included) >= MAX_SCRIPTS else self._read(path)
        if text is None:
            return
        self._script.included.append(path)
        folder = posixpath.dirname(path)
        inner = tokens(text)
        _Reader(inner, folder, self._values, self._wanted, self._read, self._script).run()

    def _extend(self, name: str, opening: int) -> None:
        given, _ = self._arguments(opening, 0)
        first = self._tokens.at(opening + 1).text
        known = self._values.get(first)
        if isinstance(known, list) and len(given) > 1:
            more = given[1:] if name == "push!" else given[1]
            if isinstance(more, list):
                self._values[first] = [*known, *more]

    def _value(self, start: int, end: int, depth: int = 0) -> Any:
        """The value of the tokens from `start` to `end`; None where they are no literal."""
        ((start, end),) = parts(self._tokens, start, end, "") or [(start, start)]
        if start >= end or depth > MAX_DEPTH:
            return None
        arrow = self._tokens.operator("=>", start, end)
        if arrow < end:
            left = self._value(start, arrow, depth + 1)
            return Pair(left, self._value(arrow + 1, end, depth + 1))
        star = self._tokens.operator("*", start, end)
        if star < end:
            sides = [self._value(start, star, depth + 1), self._value(star + 1, end, depth + 1)]
            return "".join(sides) if all(isinstance(each, str) for each in sides) else None
        return self._single(start, end, depth)

    def _single(self, start: int, end: int, depth: int) -> Any:
        first = self._tokens[start]
        if end - start == 1:
            return self._atom(first)
        if first.kind == "open" and self._tokens.behind(start) == end:
            return self._group(start, depth)
        if first.kind != "name":
            return None
        index = start + 1
        while index + 1 < end and self._tokens[index].text == ".":
            index += 2
        if index >= end:
            return Name("".join(each.text for each in self._tokens[start:end]))
        if self._tokens[index].text == "{":
            index = self._tokens.behind(index)
        if index >= end or self._tokens.behind(index) != end:
            return None
        if self._tokens[index].text == "[":
            return self._group(index, depth)
        is_call = self._tokens[index].text == "("
        return self._made(self._tokens[index - 1].text, index, depth) if is_call else None

    def _atom(self, token: JuliaToken) -> Any:
        if token.kind == "string":
            return self._text(token)
        if token.kind == "symbol":
            return token.text
        if token.kind == "macro":
            return HERE if token.text == "@__DIR__" else None
        if token.kind == "number":
            return int(token.text) if token.text.isdecimal() and len(token.text) < 10 else None
        if token.kind != "name":
            return None
        constants = {"true": True, "false": False, "nothing": None}
        if token.text in constants:
            return constants[token.text]
        return self._values.get(token.text, Name(token.text))

    def _text(self, token: JuliaToken) -> str | None:
        if token.prefix or token.quote == "`":
            return token.text if token.prefix == "raw" else None
        is_known = True

        def value(match: re.Match[str]) -> str:
            nonlocal is_known
            found = self._values.get(match[1] or match[2] or "")
            is_known &= isinstance(found, str)
            return str(found)

        shown = _INTERPOLATED.sub(value, token.text)
        return unescaped(shown) if is_known else None

    def _group(self, opening: int, depth: int) -> Any:
        """A list or a tuple as a list, a named tuple as a mapping, and what stands in brackets alone."""
        end = self._tokens.behind(opening)
        is_tuple = self._tokens[opening].text == "("
        inner = parts(self._tokens, opening + 1, end - 1, ",;" if is_tuple else ",;\n")
        if is_tuple:
            values, options = self._arguments(opening, depth)
            is_alone = len(inner) == 1 and self._tokens[inner[0][1]].text != ","
            return options or (values[0] if is_alone and values else values)
        return list(self._items(inner, depth))

    def _items(self, stretches: Sequence[tuple[int, int]], depth: int) -> Iterator[Any]:
        for start, end in stretches:
            if self._tokens[end - 1].text == "...":
                spread = self._value(start, end - 1, depth + 1)
                yield from spread if isinstance(spread, list) else ()
            else:
                yield self._value(start, end, depth + 1)

    def _arguments(self, opening: int, depth: int) -> tuple[list[Any], dict[str, Any]]:
        """The values in brackets, and those with a name; `name` behind a semicolon is `name = name`."""
        end = self._tokens.behind(opening)
        semicolon = self._tokens.operator(";", opening + 1, end - 1)
        values: list[Any] = []
        options: dict[str, Any] = {}
        for start, stop in parts(self._tokens, opening + 1, end - 1):
            first, second = self._tokens[start], self._tokens[min(start + 1, stop - 1)]
            if first.kind == "name" and stop - start > 1 and second.text == "=":
                options[first.text] = self._value(start + 2, stop, depth + 1)
            elif start < semicolon:
                values += self._items([(start, stop)], depth)
            elif self._tokens[stop - 1].text == "...":
                options |= _spread(self._value(start, stop - 1, depth + 1))
            elif stop - start == 1:
                options[first.text] = self._value(start, stop, depth + 1)
        return values, options

    def _made(self, name: str, opening: int, depth: int) -> Any:
        """What a call gives: a text or a list where its function makes these, else the call."""
        if depth > MAX_DEPTH:
            return None
        values, options = self._arguments(opening, depth)
        are_texts = bool(values) and all(isinstance(each, str) for each in values)
        if name in ("joinpath", "string"):
            joint = posixpath.join if name == "joinpath" else (lambda *all_: "".join(all_))
            return joint(*values) if are_texts else None
        if name in ("abspath", "normpath", "realpath", "String"):
            return values[0] if are_texts and len(values) == 1 else None
        if name == "dirname":
            place = values[0] if are_texts else None
            return place and (".." if place == HERE else posixpath.dirname(place))
        if name == "vcat":
            lists = [each for each in values if isinstance(each, list)]
            return [item for each in lists for item in each]
        return Call(name, tuple(values), options)


def _spread(value: Any) -> dict[str, Any]:
    """The options that `value...` gives: those of a named tuple, or of a dictionary with symbols."""
    if isinstance(value, Mapping):
        return dict(value)
    pairs = value.arguments if isinstance(value, Call) else ()
    known = [each for each in pairs if isinstance(each, Pair) and isinstance(each.left, str)]
    return {each.left: each.right for each in known}


def unescaped(text: str) -> str:
    """The characters that a text between quotes stands for; escapes that are none stay."""
    return _ESCAPE.sub(lambda match: match[1] or _ESCAPED.get(match[2] or "", "") or match[0], text)
