"""What the template of a site's own shortcode of Hugo shows: a text in HTML with what the shortcode states,
between which variables, conditions and the usual functions on texts may choose."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

_MAX_CHARS = 20_000
"""Of a template and what it shows; a longer one is a program."""

_MAX_VALUE = 2_000
"""Characters of an action and of a value."""

_MAX_TAGS = 200
_MAX_DEPTH = 20
"""Of conditions in each other, and of the calls of an action."""

_NESTING = frozenset({"(", "|"})
_TOKEN = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|`([^`]*)`|(\(|\)|\||:?=|[^\s()|\"`]+)")
_GIVEN_UP = re.compile(r"\b(?:range|define|block|template|return|break|continue)\b")
_DRAWN = re.compile(r"<(svg|style)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
_PROGRAM = re.compile(r"<(?:script|pre|table|iframe|video|form)\b", re.IGNORECASE)
_LAYOUT = re.compile(
    r"</?(?:div|span|p|section|aside|article|header|footer|blockquote|small|figure|li|ul)\b[^<>]*>",
    re.IGNORECASE,
)
_BLOCK = re.compile(r"\s*<(?:div|p|section|aside|article|header|blockquote)\b", re.IGNORECASE)
_ITEM = re.compile(r"\s*<li\b", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_LINK = re.compile(
    r"<a\b(?P<stated>[^<>]*)>(?P<text>(?:[^<]|<(?!/?a\b))*+)</a\s*>", re.DOTALL | re.IGNORECASE
)
_ADDRESS = re.compile(r"\bhref=(?P<quote>[\"'])(?P<address>[^\"'\s]+)(?P=quote)", re.IGNORECASE)
_SHOWS = re.compile(r"\w")
_OF_PARTIAL = frozenset({"content", "text", "title", "label"})
"""What a partial is given that it shows, whatever else it does with that."""

Value = str | bool | int | tuple[str, ...]


class _TemplateCall(NamedTuple):
    name: str
    arguments: list[Any]  # of `_Node`


_Node = str | bool | int | _TemplateCall
"""Strings are words; those that began in quotes have a quote before them."""


class _UnknownValueError(Exception):
    """Something in the template that only Hugo can tell."""


def shown_by(written: str, plain: Sequence[str], named: Mapping[str, str]) -> str:
    """What the template `written` shows for a shortcode with these arguments, in one line, with its links and
    emphasis in HTML, between blank lines if it is a paragraph, with its mark if it is an item of a list; ""
    where that is no text, or more than a text with values."""
    if not written or len(written) > _MAX_CHARS or written.count("<") > _MAX_TAGS:
        return ""
    if _PROGRAM.search(written):
        return ""
    try:
        html = _ShortcodeTemplate(plain, named).filled(written)
    except _UnknownValueError:
        return ""
    html = _LINK.sub(_link, _DRAWN.sub("", html).strip())
    text = " ".join(_LAYOUT.sub(" ", html).split())
    if not _SHOWS.search(_TAG.sub("", text)):
        return ""
    if _ITEM.match(html):
        return f"\n- {text}"
    return f"\n\n{text}\n\n" if _BLOCK.match(html) else text


def _link(match: re.Match[str]) -> str:
    address = _ADDRESS.search(match["stated"])
    target, text = address["address"] if address else "#", match["text"].strip()
    return text if target == "#" else f'<a href="{target}">{text}</a>'


class _TemplateBranch(NamedTuple):
    is_shown: bool
    was_any: bool
    """Whether this branch or one before it was shown."""
    has_dot: bool


def _split(written: str) -> Iterator[tuple[str, str]]:
    """Each action of a template, without the marks around it, with the text before it; at last the rest."""
    position = 0
    while (start := written.find("{{", position)) >= 0:
        end = written.find("}}", start)
        if not 0 <= end - start <= _MAX_VALUE:
            raise _UnknownValueError
        inner = written[start + 2 : end].removeprefix("-").removesuffix("-")
        yield written[position:start], " ".join(inner.split())
        position = end + 2
    yield written[position:], ""


class _ShortcodeTemplate:
    def __init__(self, plain: Sequence[str], named: Mapping[str, str]) -> None:
        self._plain = plain
        self._named = named
        self._variables: dict[str, Value | None] = {}  # None: of an unknown value
        self._dots: list[Value] = []

    def filled(self, written: str) -> str:
        parts: list[str] = []
        size = 0
        open_: list[_TemplateBranch] = []
        for text, action in _split(written):
            is_shown = all(each.is_shown for each in open_)
            word, _, rest = action.partition(" ")
            shown = [text] if is_shown else []
            if word in ("if", "with"):
                value = self._condition(rest) if is_shown else ""
                open_.append(_TemplateBranch(bool(value), bool(value), word == "with"))
                self._dots += [value] if word == "with" else []
            elif word == "else" and open_:
                _, was_any, has_dot = open_.pop()
                is_shown = not was_any and all(each.is_shown for each in open_)
                if is_shown and rest:
                    is_shown = bool(self._condition(rest.partition(" ")[2]))
                open_.append(_TemplateBranch(is_shown, was_any or is_shown, has_dot))
            elif word == "end" and open_:
                if open_.pop().has_dot:
                    self._dots.pop()
            elif _GIVEN_UP.match(word):
                raise _UnknownValueError
            elif is_shown:
                shown.append(self._statement(action))
            parts += shown
            size += sum(map(len, shown))
            if size > _MAX_CHARS or len(open_) > _MAX_DEPTH:
                raise _UnknownValueError
        if open_:
            raise _UnknownValueError
        return "".join(parts)

    def _condition(self, stated: str) -> Value:
        return self._value(self._parsed(re.sub(r"\A\$\w+\s*:=\s*", "", stated)))

    def _statement(self, stated: str) -> str:
        """The text of an action; of an assignment "", after which the variable has the value."""
        if not stated or stated.startswith("/*"):
            return ""
        if assigned := re.match(r"\$(\w+)\s*:?=\s*(.*)\Z", stated, re.DOTALL):
            try:
                self._variables[assigned[1]] = self._value(self._parsed(assigned[2]))
            except _UnknownValueError:
                self._variables[assigned[1]] = None
            return ""
        value = self._value(self._parsed(stated))
        return value if isinstance(value, str) else str(value).lower()

    def _parsed(self, stated: str) -> _Node:
        tokens = [
            re.sub(r"\A\$(?=\.)", "", each[3])
            if each[3]
            else f'"{each[2] if each[1] is None else each[1]}'
            for each in _TOKEN.finditer(stated)
        ]
        if sum(map(_NESTING.__contains__, tokens)) > _MAX_DEPTH:
            raise _UnknownValueError
        node = _pipeline(stream := iter([*tokens, ")"]))
        if next(stream, None) is not None:
            raise _UnknownValueError
        return node

    def _value(self, node: _Node) -> Value:
        if not isinstance(node, _TemplateCall):
            return self._named_value(node) if isinstance(node, str) else node
        name, arguments = node
        if name in ("partial", "partialCached"):
            return self._of_partial(arguments)
        if name in ("and", "or"):
            values = map(self._value, arguments)
            stops = (each for each in values if bool(each) is (name == "or"))
            return next(stops, name == "and")
        found = [self._value(each) for each in arguments]
        if name == ".Get" and len(found) == 1:
            return self._stated(found[0])
        function = _FUNCTIONS.get(name.rpartition(".")[2].lower())
        if function is None:
            raise _UnknownValueError
        try:
            value = function(*found)
        except (TypeError, ValueError, AttributeError) as error:
            raise _UnknownValueError from error
        if isinstance(value, str) and len(value) > _MAX_VALUE:
            raise _UnknownValueError
        return value

    def _named_value(self, word: str) -> Value:
        if word.startswith('"'):
            return word[1:].replace('\\"', '"').replace("\\n", "\n")
        if word == "." and self._dots:
            return self._dots[-1]
        if word in (".Inner", ".InnerDeindent"):
            return ""
        value = self._variables.get(word.removeprefix("$")) if word.startswith("$") else None
        if value is None:
            raise _UnknownValueError
        return value

    def _stated(self, key: Value) -> str:
        if isinstance(key, int) or (isinstance(key, str) and key.isdecimal()):
            place = int(key)
            return self._plain[place] if place < len(self._plain) else ""
        return self._named.get(str(key).lower(), "")

    def _of_partial(self, arguments: Sequence[_Node]) -> Value:
        given = arguments[1] if len(arguments) > 1 else ""
        if not isinstance(given, _TemplateCall) or given.name != "dict":
            return ""
        keys = given.arguments
        pairs = zip(keys[::2], keys[1::2], strict=False)
        shown = (each for key, each in pairs if str(key).removeprefix('"') in _OF_PARTIAL)
        return " ".join(str(self._value(each)) for each in shown)


def _pipeline(tokens: Iterator[str]) -> _Node:
    """The expression up to the parenthesis that closes it, which is taken."""
    piped: list[_Node] = []
    call: list[_Node] = []
    for token in tokens:
        if token in ("|", ")"):
            piped = [_call(call, piped)]
            call = []
            if token == ")":
                return piped[0]
        elif token == "(":
            call.append(_pipeline(tokens))
        else:
            is_number = re.fullmatch(r"\d{1,6}", token) is not None
            is_truth = token in ("true", "false")
            call.append(int(token) if is_number else token == "true" if is_truth else token)
    raise _UnknownValueError


def _call(call: list[_Node], piped: list[_Node]) -> _Node:
    if not call:
        raise _UnknownValueError
    first, *arguments = [*call, *piped]
    if (
        not isinstance(first, str)
        or first[:1] in ('"', "$")
        or (first[:1] == "." and first != ".Get")
    ):
        if arguments:
            raise _UnknownValueError
        return first
    return _TemplateCall(first, arguments)


def _replaced(text: str, old: str, new: str) -> str:
    return text.replace(old, new) if old and len(text) * len(new) <= _MAX_VALUE**2 else text


def _printf(form: str, *values: Value) -> str:
    if re.search(r"%(?![sdvq%])", form.replace("%%", "")):
        raise ValueError(form)
    return re.sub(r"%[dvq]", "%s", form) % values


_FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    **dict.fromkeys(
        ("safehtml", "safeurl", "safehtmlattr", "safecss", "markdownify", "plainify", "string", "emojify",
         "htmlescape", "htmlunescape", "relurl", "absurl", "rellangurl", "abslangurl", "renderstring"),
        lambda value: value,
    ),
    "default": lambda fallback, value="": value or fallback,
    "cond": lambda test, a, b: a if test else b,
    "eq": lambda first, *others: first in others,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "not": lambda value: not value,
    "len": len,
    "split": lambda text, mark: tuple(text.split(mark)),
    "first": lambda count, values: values[:count],
    "delimit": lambda values, mark: mark.join(values),
    "print": lambda *values: "".join(map(str, values)),
    "printf": _printf,
    "lower": str.lower,
    "upper": str.upper,
    "title": str.title,
    "trim": lambda text, marks=" ": text.strip(marks),
    "trimprefix": lambda prefix, text: text.removeprefix(prefix),
    "trimsuffix": lambda suffix, text: text.removesuffix(suffix),
    "hasprefix": str.startswith,
    "hassuffix": str.endswith,
    "replace": _replaced,
}  # fmt: skip
