"""What the parser gets of a source file instead of macros and directives that grammars do not know.

It is as long as the source, so that places in the tree are places in the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

from tree_sitter import Node

from kbc.languages.mending import blank

# A macro alone on its line: what it expands to is not known, and a parser takes it for the type of what
# follows, so that the definition behind it gets lost.
# An upper-case type above the name of its function is one, though, but not one above `int (fill)`.
_MACRO_LINE = re.compile(
    rb"^([ \t]*)([A-Z][A-Z0-9_]{3,}(?:\([^()\n;{}]*\))?)(?=[ \t]*\r?$)"
    rb"(?!\s*\n[ \t]*(?!int\b)\w+[ \t]*\()",
    re.MULTILINE,
)
# `} END_TEST`: a macro behind the end of a function.
_MACRO_AT_END = re.compile(
    rb"^(\}[ \t]*)([A-Z][A-Z0-9_]{3,})(?=[ \t]*\r?$)(?!\s*[;,=\[(])", re.MULTILINE
)
_MACRO_ALONE = re.compile(rb"[A-Z][A-Z0-9_]{3,}")
# `class API_EXPORT Name : ...`, also with several macros
_CLASS_MACRO = re.compile(
    rb"(\b(?:class|struct|union)[ \t]+)((?:[A-Z][A-Z0-9_]{3,}(?:\([^()\n;{}]{0,80}\))?[ \t]+){1,3})"
    rb"(?=[A-Za-z_][\w:]*(?:<[^;{}()]{0,200}>)?(?:[ \t]+final)?\s*(?::[^:]|\{[ \t]*\r?\n))"
)
# `API_EXPORT Name *find(...)`: a macro before the type of a function, or before a constructor. An upper-case
# type is followed by the name of its function alone.
_LEADING_MACRO = re.compile(
    rb"^([ \t]*(?:(?:static|inline|extern|virtual|constexpr|explicit|friend)[ \t]+){0,3})"
    rb"((?:[A-Z][A-Z0-9_]{3,}(?:\([^()\n;{}]{0,80}\))?[ \t]+){1,3})"
    rb"(?=(?:[A-Za-z_][\w:<>,*& \t]{0,160}[ \t*&](?:[\w:~]+|[\w:]*operator[^\w\s(]{1,3})"
    rb"|(?:\w+::)*(\w+)(?:<[^<>();{}\n]{0,80}>)?::~?\3)[ \t]*\()",
    re.MULTILINE,
)
# `void API_CALL find(...)`: a macro behind the type.
_INNER_MACRO = re.compile(
    rb"^([ \t]*(?:(?:static|inline|extern|virtual|constexpr|friend)[ \t]+){0,3}"
    rb"(?!(?:static|inline|extern|virtual|constexpr|friend|explicit|struct|enum|union|class|typename"
    rb"|unsigned|signed|const|volatile|typedef|using|return|else|new|delete|throw|case|goto)\b)"
    rb"[A-Za-z_][\w:<>, \t]{0,120}?[ \t*&]{1,8})([A-Z][A-Z0-9_]{3,}[ \t]+)(?=[\w:~]+[ \t]*\()",
    re.MULTILINE,
)
# `int size() const API_NOEXCEPT {`: a macro behind the parameters of a function.
_MACRO_BEHIND = re.compile(
    rb"(\)[ \t]*(?:(?:const|volatile|override|final|noexcept|&{1,2})[ \t]*){0,3})"
    rb"(\b[A-Z][A-Z0-9_]{3,}(?:\([^()\n;{}]{0,80}\))?)"
    rb"(?=[ \t]*(?:(?:const|override|final|noexcept)[ \t]*){0,2}"
    rb"(?:[{;]|:[^:]|->|=[ \t]*(?:0|default|delete)\b|\r?\n\s*[{:]))"
)
_PARAMETERS = re.compile(
    rb"\b(?!(?:case|else|return|sizeof|throw)\b)\w+[ \t]?\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\Z"
)
_MOST_OF_PARAMETERS = 500
# `API_TRY {`: a macro in front of a block, which otherwise reads as a value of that type.
_BLOCK_MACRO = re.compile(rb"([;{}][ \t]*\r?\n[ \t]*)([A-Z][A-Z0-9_]{3,})(?=[ \t]*\{)")
# `TANK_PARTS(Lid, "lid", 3);`: a call where definitions stand, or in a function, where it defines nothing.
_MACRO_CALL = re.compile(
    rb"^[ \t]*[A-Z][A-Z0-9_]{3,}\((?:[^;{}()\"]|\"(?:\\.|[^\"\\\n])*\"|\([^;{}()\"]*\)){0,400}\)(?=[ \t]*;)",
    re.MULTILINE,
)
# `TANK_HANDLER(fill) {` where a definition stands: a macro heads a function, and names it by an argument.
_MACRO_HEAD = re.compile(
    rb"^((?:(?:static|inline|extern)[ \t]+){0,2})([A-Z][A-Z0-9_]{3,}[ \t]?)"
    rb"\(((?:[^;{}()\"#]|\"(?:\\.|[^\"\\\n]){0,200}\"|\([^;{}()\"#]{0,200}\)){1,400}+)\)"
    rb"(?=(?:\s*\([^;{}()\"#]{0,400}\))?\s*\{)",
    re.MULTILINE,
)
_NO_ARGUMENTS = re.compile(rb"\"(?:\\.|[^\"\\])*\"|\([^()]*\)")
_NAME = re.compile(rb"(?:\A|,)\s*([A-Za-z_]\w*)(?=\s*(?:,|\Z))")
_TYPE = re.compile(rb"\b(?:class|struct|union)[ \t]+(\w+)")
_RESERVED = frozenset(
    b"auto bool break case catch char class const continue default delete do double else enum "
    b"explicit export extern false float for friend goto if inline int int16_t int32_t int64_t "
    b"int8_t long namespace new null nullptr operator private protected public register return "
    b"short signed size_t sizeof ssize_t static struct switch template this throw true try typedef "
    b"typename uint16_t uint32_t uint64_t uint8_t union unsigned using virtual void volatile "
    b"wchar_t while".split()
)
"""What an argument of a macro may be that names no function."""
# `- (void)fill:(int)level API_AVAILABLE(ios(10));`, also behind a property or what a `typedef` defines
_TRAILING_MACRO = re.compile(
    rb"^([ \t]*(?:[-+][ \t]*\(|@property\b|typedef\b)"
    rb"(?:[^;{}@#\n]|\n(?![ \t]*(?:[-+]|typedef\b))){1,2000}?[\w)]\s+)"
    rb"([A-Z][A-Z0-9_]{3,}(?:\((?:[^()]|\((?:[^()]|\([^()]{0,99}\)){0,199}\)){0,399}\))?)(?=\s*[;{])",
    re.MULTILINE,
)
# `typedef int (API_CALL *callback)(int)`
_POINTER_MACRO = re.compile(rb"(\()([A-Z][A-Z0-9_]{3,}[ \t]*)(?=\*[ \t]*\w+[ \t]*\)[ \t]*\()")
_APPLE_ENUM = re.compile(
    rb"(?:\btypedef[ \t]+)?\b(?:NS|CF)_(?:CLOSED_|ERROR_)?(?:ENUM|OPTIONS)[ \t]*"
    rb"\([^,()\n]*,[ \t]*(\w+)[ \t]*\)(?=\s*\{)"
)
_FYPP_LINE = re.compile(
    rb"^([ \t]*)(#:(?:include|set|del|(?:end)?(?:def|call|mute))\b.*)$", re.MULTILINE
)
"""Directives of Fortran's preprocessor Fypp around code; those of conditions and loops stay, because
definitions are found better with them."""
# The grammar of F# has conditions between whole definitions alone, and loses what follows others.
_FSHARP_CONDITION = re.compile(rb"^[ \t]*#(?:if|else|endif)\b[^\r\n]*", re.MULTILINE)
# `module internal Sea.Tanks`, whose modifier the grammar knows only in front of `=`
_FSHARP_MODULE = re.compile(
    rb"^(module[ \t]+(?:rec[ \t]+)?)((?:internal|private|public)[ \t]+)(?=[\w.`]+[ \t]*\r?$)",
    re.MULTILINE,
)
_FSHARP_LET = re.compile(rb"^[ \t]*let\b", re.MULTILINE)
# `val fill: level: int -> Tank` and `member Level: int`, which the grammar does not know
_FSHARP_STATED = re.compile(
    rb"^([ \t]*)(?:new|(?:val|(?:static[ \t]+)?member)[ \t]+"
    rb"(?:(?:inline|internal|mutable|private|public)[ \t]+)*(?:``[^`\n]+``|\([^)\n]+\)|[\w']+))"
    rb"((?:<[^\n]*?>)?[ \t]*:(?!:)[^\n]*(?:\n\1[ \t]+[^\s][^\n]*)*)",
    re.MULTILINE,
)
_FSHARP_INTERFACE = re.compile(
    rb"^([ \t]+)interface(?=[ \t]+(?!end\b)[^\s=<]+(?:<[^\n]*>)?[ \t]*\r?$)", re.MULTILINE
)
_VALUE = b"0"
"""What stands for the types of a signature file of F#."""
# `public readonly ref partial struct Name`, whose modifiers the grammar knows only in another order.
_REF_STRUCT = re.compile(rb"\bref(?=[ \t]+partial[ \t]+struct\b)")
# `parameter WIDTH = $clog2(DEPTH)`, which the grammar of Verilog does not know in a constant
_VERILOG_FUNCTION = re.compile(
    rb"\$(?=(?:bits|ceil|clog2|floor|itor|ln|log10|pow|rtoi|signed|sqrt|unsigned)\b)"
)
# `function void Tank::fill(int by);`, a method outside of its class
_VERILOG_METHOD = re.compile(
    rb"^([ \t]*(?:function|task)\b[^;(\n]{0,200}?\w)::(?=\w+[ \t]*[(;])", re.MULTILINE
)
_WITH_MACROS = frozenset({"c", "cpp", "objc"})


def parsed(source: bytes, language: str) -> bytes:
    """What the parser gets: macros and directives that stand alone as comments, without
    those between `class` and its name, around the type of a function, behind its parameters or in front of a
    block; those that head a function as its head, and Apple's enumerations as those of C."""
    if language == "fortran":
        return _FYPP_LINE.sub(lambda found: found[1] + b"!".ljust(len(found[2]), b"-"), source)
    if language == "fsharp":
        text = _FSHARP_CONDITION.sub(lambda found: blank(found[0]), source)
        text = _FSHARP_MODULE.sub(_hidden, text)
        return text if _FSHARP_LET.search(text) else _without_types(text)
    if language == "csharp":
        return _REF_STRUCT.sub(b"   ", source)
    if language == "verilog":
        return _VERILOG_METHOD.sub(rb"\1__", _VERILOG_FUNCTION.sub(b"_", source))
    if language not in _WITH_MACROS:
        return source
    text = _with_heads(_MACRO_AT_END.sub(_hidden, source))
    text = _MACRO_LINE.sub(lambda found: found[1] + b"//" + b"-" * (len(found[2]) - 2), text)
    for macro in (_LEADING_MACRO, _INNER_MACRO, _CLASS_MACRO, _POINTER_MACRO, _BLOCK_MACRO):
        text = macro.sub(_hidden, text)
    text = _MACRO_BEHIND.sub(_without_macro_behind, text)
    if language == "objc":
        text = _TRAILING_MACRO.sub(lambda found: found[1] + blank(found[2]), text)
    text = _MACRO_CALL.sub(lambda found: blank(found[0]), text)
    return _APPLE_ENUM.sub(_as_enum, text)


def _without_macro_behind(found: re.Match[bytes]) -> bytes:
    """Without the macro, unless what is in front of it is a cast: `(int) LIMIT;`."""
    before = found.string[max(0, found.start() - _MOST_OF_PARAMETERS) : found.start()]
    return _hidden(found) if _PARAMETERS.search(before) else found[0]


def _hidden(found: re.Match[bytes]) -> bytes:
    """What was found with blanks in the place of its second part."""
    return found[1] + b" " * len(found[2])


def _with_heads(text: bytes) -> bytes:
    """`int (fill)` where a macro heads a function: the first argument that is no type names it."""
    heads = [each for each in _MACRO_HEAD.finditer(text) if not _goes_on(text, each.start())]
    if not heads:
        return text
    arguments = [_names(each[3]) for each in heads]
    types = frozenset(_TYPE.findall(text))
    seconds = _named_by_second(heads, arguments, types)
    parts, done = [], 0
    for head, names in zip(heads, arguments, strict=True):
        is_pair = len(names) == 2 and head[3].count(b",") == 1
        if not is_pair:
            names = [each for each in names if each[0] not in types]
        if names:
            name, start = names[1 if is_pair and head[2] in seconds else 0]
            end = start + len(name)
            inside = blank(head[3][:start]) + name + blank(head[3][end:])
            parts += [text[done : head.start()], head[1], b"int".ljust(len(head[2]))]
            parts.append(b"(" + inside + b")")
            done = head.end()
    return b"".join([*parts, text[done:]])


def _without_types(signatures: bytes) -> bytes:
    """A signature file of F# as a program: values in place of their types, no constructors, and interfaces
    as what a type inherits, as nothing implements them here."""
    text = _FSHARP_INTERFACE.sub(lambda found: found[1] + b"inherit  ", signatures)
    return _FSHARP_STATED.sub(_with_value, text)


def _with_value(found: re.Match[bytes]) -> bytes:
    """`let` with a value for what is stated with a type, and an argument for that of a function."""
    head, type_ = found[0][: found.start(2) - found.start()], found[2].rstrip()
    if head.lstrip() == b"new":
        return blank(found[0])
    is_value = head.lstrip().startswith(b"val")
    if not is_value and b"=" in type_:  # in a program
        return found[0]
    value = b" _=" if is_value and b"->" in type_ and len(type_) > len(b" _=0") else b"="
    hidden = blank(type_)
    end = found[2][len(type_) :]
    head = head.replace(b"val", b"let", 1) if is_value else head
    return head + value + hidden[len(value) : -1] + _VALUE + end


def is_for_type(value: Node, source: bytes) -> bool:
    """Whether the parser got the value in place of a type that `source` states."""
    return value.text == _VALUE and source[value.start_byte : value.end_byte] != _VALUE


def _names(arguments: bytes) -> list[tuple[bytes, int]]:
    """The arguments of a macro that are names, each with where it begins. A single letter is a parameter
    (`MODULE(tank, m)`, or that of a template), unless it is the only argument."""
    plain = _NO_ARGUMENTS.sub(lambda each: b"-" * len(each[0]), arguments)
    found = [(each[1], each.start(1)) for each in _NAME.finditer(plain)]
    found = [each for each in found if each[0] not in _RESERVED]
    return [each for each in found if len(each[0]) > 1] if b"," in plain else found


def _named_by_second(
    heads: Iterable[re.Match[bytes]],
    arguments: Iterable[list[tuple[bytes, int]]],
    types: Set[bytes],
) -> set[bytes]:
    """Which macros name functions by the second of two arguments (`TEST(Tank, fills)`) and not by the first
    (`FIXTURE_TEST(fills, Tank)`), as the second is the same everywhere, or always a type."""
    found: dict[bytes, tuple[set[bytes], set[bytes]]] = {}
    for head, names in zip(heads, arguments, strict=True):
        if len(names) == 2:
            for seen, (name, _) in zip(
                found.setdefault(head[2], (set(), set())), names, strict=True
            ):
                seen.add(name)
    return {
        macro
        for macro, (first, second) in found.items()
        if first & types or not (second <= types or len(second) == 1 < len(first))
    }


def _goes_on(text: bytes, start: int) -> bool:
    """Whether the line above goes on in that which begins at `start`: `int fill(int level)`, say, in front of
    a macro that says something about its arguments. Macros that are alone on lines between do not tell."""
    above, start = _above(text, start)
    while _MACRO_ALONE.fullmatch(above):
        above, start = _above(text, start)
    is_apart = above.startswith((b"//", b"#")) and not above.endswith(b"\\")
    return bool(above) and not is_apart and not above.endswith((b";", b"{", b"}", b"*/"))


def _above(text: bytes, start: int) -> tuple[bytes, int]:
    """The line above the one that begins at `start`, without blanks around it, and where it begins."""
    begin = text.rfind(b"\n", 0, max(0, start - 1)) + 1
    return text[begin:start].strip(), begin


def _as_enum(found: re.Match[bytes]) -> bytes:
    before = found.start(1) - found.start()
    return b"enum".ljust(before) + found[1] + b" " * (found.end() - found.end(1))
