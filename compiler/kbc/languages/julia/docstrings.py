"""The docstrings in a file of Julia, with the names, kinds and signatures of what they describe."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kbc.cache.phases import remembered
from kbc.languages.julia.names import arguments, name_at
from kbc.languages.julia.script import unescaped
from kbc.languages.julia.tokens import BlockStack, JuliaToken, interpolation_end, tokens

MAX_BLOCKS = 100
"""That are open around a docstring."""

MAX_HEAD = 50
"""Tokens of a macro's arguments before its block."""

MAX_SIGNATURE_CHARS = 600
MAX_VALUE_CHARS = 100
"""Of a constant, beside its name."""

VALUE = re.compile("\x02([^\x02\x03]*)\x03")
"""What stands in the text of a docstring for a value that the program puts there (`$(FIELDS)`)."""

_MODULES = ("module", "baremodule")
_MEANT = {
    **dict.fromkeys(_MODULES, "module"),
    **dict.fromkeys(("abstract", "primitive", "struct"), "type"),
    **dict.fromkeys(("const", "global"), "constant"),
    **{name: name for name in ("function", "macro")},
}
"""Keywords before the name of what they define -> its kind."""

_INTERPOLATED = re.compile(r"\\.|\$(?P<open>\()|\$(?P<name>[^\W\d]\w*)", re.DOTALL)
_TYPE_VALUE = re.compile(r"[A-Z][\w.]*\s*\{")
_NOT_BEFORE = frozenset(["=", ",", "*", "=>", "+", "?", ":", "(", "[", "return", "||", "&&"])


@dataclass(frozen=True, slots=True)
class Docstring:
    """`module` are the modules of the file around it, from the outermost. `name` may begin with another one
    (`Base.show`). `kind` is `module`, `constant`, `type`, `function` or `macro`; `types` are those of the
    positional arguments of a method, of which the last `optional` need not be given, None where it is none.
    `fields` are the declarations in a structure with their own docstrings. In `text` a value that only the
    program knows stands as `VALUE` has it."""

    module: tuple[str, ...]
    name: tuple[str, ...]
    kind: str
    signature: str
    text: str
    types: tuple[str, ...] | None = None
    optional: int = 0
    fields: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class JuliaSource:
    """What a file says: its docstrings; the files that it includes, the names that it exports or calls
    public, and the modules from which it imports names to extend (name, module), each with the modules of the
    file around it; and texts that it gives a name."""

    docs: list[Docstring] = field(default_factory=list)
    modules: list[tuple[str, ...]] = field(default_factory=list)
    includes: list[tuple[tuple[str, ...], str]] = field(default_factory=list)
    exports: list[tuple[tuple[str, ...], str]] = field(default_factory=list)
    imports: list[tuple[tuple[str, ...], str, str]] = field(default_factory=list)
    texts: list[tuple[str, str]] = field(default_factory=list)


@remembered("julia-docstrings")
def read_source(text: str) -> JuliaSource:
    """What a file of Julia says."""
    return _SourceReader(text.replace("\r\n", "\n")).read()


class _SourceReader:
    def __init__(self, source: str) -> None:
        self._source = source
        self._tokens = tokens(source)
        self._modules: list[tuple[int, str]] = []  # how many are open around each, and its name
        self._found = JuliaSource()

    @property
    def _module(self) -> tuple[str, ...]:
        return tuple(name for _, name in self._modules)

    def read(self) -> JuliaSource:
        stack = BlockStack()
        for index, token in enumerate(self._tokens):
            is_outside = len(stack.open) <= MAX_BLOCKS and not any(
                each in "([{" or each in _INSIDE for each in stack.open
            )
            if is_outside and token.kind == "string":
                self._string(index)
            elif is_outside and token.kind in ("name", "keyword"):
                self._statement(index, token)
            opened = stack.take(token)
            name = self._module_name(index, opened) if len(stack.open) <= MAX_BLOCKS else ""
            if opened == "begin" and not name and self._is_declaration(index):
                stack.open[-1] = "macro"
            if name:
                self._modules.append((len(stack.open), name))
                self._found.modules.append(self._module)
            while self._modules and len(stack.open) < self._modules[-1][0]:
                self._modules.pop()
        return self._found

    def _is_declaration(self, end: int) -> bool:
        """Whether the block that begins at `end` belongs to a macro in its line that declares something with
        a name (`@recipe Plot (x,) begin`); others wrap a program (`@muladd begin`, `@stable x = 1 begin`)."""
        index = end
        while index > max(end - MAX_HEAD, 0) and self._tokens[index - 1].kind != "newline":
            index -= 1
        first, second, third = (*self._tokens[index : index + 3], *[self._tokens[end]] * 3)[:3]
        is_named = second.kind == "name" and third.text != "="
        return first.kind == "macro" and first.text != "@eval" and is_named

    def _module_name(self, index: int, opened: str) -> str:
        """The name of the module that begins at `index` with what was `opened` there; "" for other blocks.
        EnumX makes one of an enumeration (`@enumx Size begin`)."""
        if opened in _MODULES:
            return self._tokens.at(index + 1).text
        before = self._tokens[max(index - 2, 0) : index]
        is_enumeration = opened == "begin" and [each.kind for each in before] == ["macro", "name"]
        return before[1].text if is_enumeration and before[0].text.endswith("@enumx") else ""

    def _string(self, index: int) -> None:
        """A docstring: a text in a statement of its own above what it describes, or behind `@doc`."""
        before, token = self._tokens.at(index - 1), self._tokens[index]
        is_doc = before.kind == "macro" and before.text.endswith("@doc")
        if token.prefix not in ("", "raw", "md", "doc") or token.quote.startswith("`"):
            return
        starts = before.kind in ("newline", "keyword") or before.text == ";"
        if not (is_doc or (starts and not token.prefix) or (starts and token.prefix == "raw")):
            return
        if starts and self._goes_on(index - 1):
            return
        start = index + 1
        lines = 0
        while start < len(self._tokens) and self._tokens[start].kind == "newline":
            start, lines = start + 1, lines + 1
        if self._tokens.at(start).text == "->":
            start += 1
        if start >= len(self._tokens) or (lines == 0 and not is_doc):
            return
        if lines and self._source.count("\n", token.end, self._tokens[start].start) > 1:
            return  # a blank line, or a comment, stands between them
        if found := self._described(start, docstring_text(token)):
            self._found.docs.append(found)

    def _goes_on(self, index: int) -> bool:
        """Whether the line before is not complete, so that a text is its last part."""
        while index >= 0 and self._tokens[index].kind == "newline":
            index -= 1
        return index >= 0 and self._tokens[index].text in _NOT_BEFORE

    def _described(self, index: int, text: str) -> Docstring | None:
        """The docstring of the definition that begins at `index`."""
        end = len(self._tokens)
        macro, start, index, keyword = self._head(index)
        path, after = name_at(self._tokens, index, end)
        if not path or not (path[-1][0].isalpha() or not path[-1][0].isalnum()):
            return None
        kind = _MEANT.get(keyword, "")
        if kind == "macro":
            path = (*path[:-1], f"@{path[-1]}")
        is_call = after < end and self._tokens[after].text == "(" and kind not in ("type", "module")
        types, optional = arguments(self._tokens, after) if is_call else (None, 0)
        if not (keyword or is_call):
            start = macro  # `@enum Size small large`
        signature = self._signature(start, after, kind, is_call)
        return Docstring(
            module=self._module,
            name=path,
            kind=self._kind(path, after, is_call, kind) if kind in ("", "constant") else kind,
            signature=f"@{signature}" if kind == "macro" else signature,
            text=text,
            types=types,
            optional=optional,
            fields=tuple(self._fields(after)) if keyword == "struct" else (),
        )

    def _head(self, index: int) -> tuple[int, int, int, str]:
        """Of the definition that begins at `index`: where its signature begins with its macros and without,
        where its name does, and the last keyword before that."""
        macro = start = index
        keyword = ""
        while index + 1 < len(self._tokens):
            index = self._behind_modules(index)
            token, following = self._tokens[index : index + 2]
            if token.kind == "macro" and following.kind != "newline":
                # What a macro with brackets defines is called as its first argument.
                has_brackets = following.text == "(" and following.start == token.end
                index += 1 + has_brackets
                start = macro if has_brackets else index
            elif token.kind == "keyword" and token.text in (*_MEANT, "mutable"):
                is_first = token.text in ("const", "global") and keyword
                keyword = keyword if is_first else token.text
                index += 2 if token.text in ("abstract", "primitive") else 1
                start = index if token.text in ("function", "macro") else start
            else:  # an option of the macro, or the name
                behind = self._tokens.at(index + 3)
                is_defining = behind.kind == "keyword" and behind.text in _MEANT
                if index == macro or following.text != "=" or not is_defining:
                    break
                index = start = index + 3
        return macro, start, index, keyword

    def _behind_modules(self, index: int) -> int:
        """The index of the macro that begins at `index` with the names of its modules (`Base.@kwdef`)."""
        at = index
        while self._tokens[at].kind == "name" and at + 2 < len(self._tokens):
            if self._tokens[at + 1].text != ".":
                break
            at += 2
        return at if self._tokens[at].kind == "macro" else index

    def _kind(self, path: tuple[str, ...], after: int, is_call: bool, stated: str) -> str:
        """What a definition without a keyword of its own is."""
        following = self._tokens.at(after)
        if is_call and not stated:
            return "function"
        if path[-1].startswith("@"):
            return "macro"
        if following.text == "=":
            value = self._source[following.end : following.end + MAX_VALUE_CHARS].lstrip()
            return "type" if _TYPE_VALUE.match(value) and path[-1][:1].isupper() else "constant"
        return stated or ("type" if path[-1][:1].isupper() else "function")

    def _signature(self, start: int, after: int, kind: str, is_call: bool) -> str:
        """The head of a definition on one line, without its body."""
        end = after
        if is_call:
            end = self._tokens.behind(after)
        while end < len(self._tokens):
            token = self._tokens[end]
            is_end = token.kind == "newline" or token.text in ("=", ";", "end", "do")
            is_first = token.kind == "keyword" and token.text != "where" and end > after
            if is_end or is_first or token.kind == "string":
                break
            end = self._tokens.behind(end)
        last = self._tokens[end - 1] if end > start else self._tokens[start]
        text = self._source[self._tokens[start].start : last.end]
        if not is_call and kind != "type" and self._tokens.at(end).text == "=":
            line = self._source[last.end :].partition("\n")[0]
            balance = sum(line.count(each) for each in "([{") - sum(
                line.count(each) for each in ")]}"
            )
            text += line.rstrip() if len(line) <= MAX_VALUE_CHARS and balance == 0 else ""
        text = re.sub(r"#[^\n]*\n", "\n", text) if "\n" in text else text
        return " ".join(text.split())[:MAX_SIGNATURE_CHARS]

    def _fields(self, index: int) -> Iterator[tuple[str, str]]:
        """The fields of a structure whose head goes on at `index`, up to its `end`."""
        doc = ""
        index = self._tokens.until(index, ";", "end")
        stack = BlockStack()
        while index < len(self._tokens):
            token = self._tokens[index]
            before = self._tokens[index - 1]
            starts = before.kind == "newline" or before.text in (";", "const")
            if not stack.open and token.text == "end" and token.kind == "keyword":
                return
            if not stack.open and starts and token.kind == "string":
                doc = docstring_text(token)
            elif not stack.open and starts and token.kind == "name":
                stop = self._tokens.until(index, "=", ";", "end")
                text = self._source[token.start : self._tokens[stop - 1].end]
                if self._tokens.at(index + 1).text != "(":
                    yield " ".join(text.split()), doc
                doc = ""
            stack.take(token)
            index += 1

    def _statement(self, index: int, token: JuliaToken) -> None:
        """Takes what a statement includes, exports, imports or gives a name."""
        before = self._tokens.at(index - 1)
        if before.kind not in ("newline", "keyword", "macro") and before.text != ";":
            return
        following = self._tokens[index + 1 : index + 3]
        if token.text == "include" and [each.text for each in following[:1]] == ["("]:
            group = self._tokens[index + 2 : self._tokens.behind(index + 1) - 1]
            texts = [each.text for each in group if each.kind == "string" and not each.prefix]
            is_literal = all(each.kind in ("string", "newline") for each in group)
            if texts and (is_literal or [each.text for each in group[:1]] == ["joinpath"]):
                self._found.includes.append((self._module, "/".join(texts)))
        elif token.text in ("export", "public"):
            self._found.exports.extend((self._module, name) for name in self._listed(index + 1))
        elif token.text == "import":
            self._import(index + 1)
        elif following and following[0].text == "=" and token.kind == "name":
            rest = (e for e in self._tokens[index + 2 : index + 5] if e.kind != "newline")
            value = next(rest, None)
            if value is not None and value.kind == "string" and not value.quote.startswith("`"):
                self._found.texts.append((token.text, docstring_text(value)))

    def _listed(self, index: int) -> Iterator[str]:
        """The names in a list that goes on behind each comma."""
        last = ","
        while index < len(self._tokens):
            token = self._tokens[index]
            if token.kind == "keyword" or (token.kind == "newline" and last != ","):
                return
            if token.kind in ("name", "macro") and last == ",":
                yield token.text
            last = last if token.kind == "newline" else token.text
            index += 1

    def _import(self, index: int) -> None:
        path, after = name_at(self._tokens, index, len(self._tokens))
        if path and self._tokens.at(after).text == ":":
            module = ".".join(path)
            names = self._listed(after + 1)
            self._found.imports.extend((self._module, name, module) for name in names)
        elif len(path) > 1 and path[-1][:1].islower():
            self._found.imports.append((self._module, path[-1], ".".join(path[:-1])))


_INSIDE = frozenset(["function", "macro", "struct", "type", "for", "while", "do", "try", "quote"])
"""Blocks in which nothing is a docstring of the module."""


def docstring_text(token: JuliaToken) -> str:
    """The text of a string as Markdown without the margin that its lines share, with values as in `VALUE`."""
    text = token.text
    if token.quote == '"""':
        text = _dedented(text.removeprefix("\n"))
    if token.prefix:
        return text.rstrip()
    parts: list[str] = []
    at = 0
    for match in _INTERPOLATED.finditer(text):
        if match.start() < at or match[0].startswith("\\"):
            continue
        end = match.end()
        inner = match["name"]
        if match["open"]:
            end = interpolation_end(text, end)
            inner = text[match.end() : end - 1]
        parts += [unescaped(text[at : match.start()]), f"\x02{inner}\x03"]
        at = end
    return "".join([*parts, unescaped(text[at:])]).rstrip()


def _dedented(text: str) -> str:
    """Without the margin of all lines, of which the last counts even where it has nothing but that."""
    lines: Sequence[str] = text.split("\n")
    counted = [line for line in lines if line.strip()] + ([lines[-1]] if len(lines) > 1 else [])
    margin = min((len(line) - len(line.lstrip(" \t")) for line in counted), default=0)
    return "\n".join(line[margin:] for line in lines)
