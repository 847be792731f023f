"""Python modules as an API reference: signatures and docstrings, read from source by griffe.

Nothing is imported or executed.
"""

from __future__ import annotations

import ast
import inspect
import logging
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import Any

import griffe

from kbc.cache.toolchain import PYTHON
from kbc.formats import commonmark
from kbc.formats.document import FormatError
from kbc.formats.python.newer_syntax import rewritten

Prose = Callable[[str], Sequence[str]]
"""The lines of Markdown of a docstring's text."""

MAX_BYTES = 4 << 20
_LISTS = frozenset([
    "parameters", "other parameters", "returns", "yields", "receives", "raises", "warns",
    "attributes", "functions", "classes", "modules", "type aliases", "type parameters",
])  # fmt: skip
"""Kinds of sections of docstrings that are lists."""

_STYLES = [griffe.Parser.sphinx, griffe.Parser.numpy, griffe.Parser.google]

_CONSTRUCTORS = griffe.DataclassesExtension()
"""Gives data classes the constructors that Python makes from their fields."""

_MAX_TITLE = 100  # characters; a longer signature is a code block below the object's name
_MAX_VALUE = 200  # characters; a longer value, such as a table of a program, is left out
_ENUMERATIONS = ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag")
_DEEPEST = 6
_MAX_CELL = 300  # characters
_BLOCK = re.compile(r"```|~~~|\||[-*+] |\d+[.)] ")
"""How a line of code, a table or a list begins."""
_OUTSIDE_OF_METHODS = frozenset({"class-attribute", "module-attribute"})

_CONTINUED = re.compile(r"\A(?P<first>.*\n)(?P<rest>(?:[ \t]+\S.*(?:\n|\Z)|[ \t]*\n)+)")
_UNDERLINE = re.compile(r"^[ \t]*([=\-~^\"'*#+`])\1{2,}[ \t]*$", re.MULTILINE)
_NAME_IN_ROLE = r"`[!.]?(?P<short>~)?(?P<name>[^`<]+?)(?P<target>\s*<[^>`]*>)?`"
_ROLE = re.compile(rf":[a-z][\w:+.-]*:{_NAME_IN_ROLE}")
_REFERENCE = re.compile(
    r":(?:\w+:)?(?:any|attr|class|const|data|doc|exc|func|meth|mod|obj|paramref|ref|term|type):"
    rf"{_NAME_IN_ROLE}"
)
"""The roles of Sphinx that lead to something; others say how a text looks, or are none of its."""


def visited(name: str, path: Path, source: str, parent: Any) -> Any:
    """The module as griffe reads it; raises `FormatError` with the line of a syntax error."""
    logging.getLogger("griffe").setLevel(logging.CRITICAL)
    try:
        return _visited(name, path, source, parent)
    except SyntaxError as error:
        with suppress(SyntaxError, ValueError, MemoryError):
            return _visited(name, path, rewritten(source), parent)
        raise FormatError(
            f"the module is not Python {PYTHON} source: {error.msg}", error.lineno or 0
        ) from None
    except (ValueError, MemoryError):
        raise FormatError("the module is not Python source that can be read") from None


def _visited(name: str, path: Path, source: str, parent: Any) -> Any:
    module = griffe.visit(
        name,
        filepath=path,
        code=source,
        parent=parent,
        docstring_parser=griffe.Parser.auto,
        # Its heuristics overlook a field in the last line; without fields all of it is text. Underlines
        # tell numpy's style, while a line such as `Example:` is in docstrings of every style.
        docstring_options={"default": griffe.Parser.sphinx, "style_order": _STYLES},
    )
    _CONSTRUCTORS.on_package(pkg=module)
    return module


@dataclass(slots=True)
class ApiWriter:
    """Writes objects as Markdown. `prose` reads their docstrings. `anchors` are those of the headings, which
    state them with `states_anchors`. An object with a `public_name` is called so wherever it is defined.
    `members` are the names of members that are described, or whether any are, and with `has_private` those
    are whose names begin with an underscore."""

    prose: Prose
    public_name: str = ""
    members: Collection[str] | bool = True
    states_anchors: bool = False
    has_private: bool = False
    anchors: list[str] = field(default_factory=list)
    _defined_as: str = ""

    def module(self, module: Any) -> list[str]:
        self.anchors.append(module.path)
        head = commonmark.heading(1, commonmark.code_span(module.path))
        return commonmark.blocks([head, *_docstring(module, self.prose), *self._members(module, 2)])

    def _members(self, owner: Any, level: int) -> Iterator[Sequence[str]]:
        wanted = self.members
        if wanted is False:
            return
        exported = {str(name) for name in owner.exports or ()}
        bases = (str(base).rpartition(".")[2] for base in owner.bases) if owner.is_class else ()
        is_enumeration = any(base in _ENUMERATIONS for base in bases)
        values = []
        for name, member in owner.members.items():
            is_wanted = name in wanted if not isinstance(wanted, bool) else None
            if member.is_alias or is_wanted is False:
                continue
            if not is_wanted and self._is_hidden(name, exported):
                continue
            if not member.is_attribute or "property" in member.labels:
                yield from self.entry(member, level)
            elif member.has_docstring:
                note = _in_a_line(self.prose(member.docstring.value))
                if note is None:
                    yield from self.entry(member, level)
                else:
                    values.append((member, note))
            elif member.annotation is not None or is_enumeration:
                values.append((member, ""))
        if values:
            yield commonmark.table(*_attributes(values))

    def _is_hidden(self, name: str, exported: Collection[str]) -> bool:
        if exported and name not in exported:
            return True
        is_private = name.startswith("_") and not (self.has_private and not name.endswith("__"))
        return is_private and name not in exported and name != "__init__"

    def entry(self, member: Any, level: int) -> Iterator[Sequence[str]]:
        """The heading of an object, its description, and those of its members."""
        if member.name == "__init__" and not member.has_docstring:
            return
        self._defined_as = self._defined_as or member.path
        path = self._public(member.path)
        self.anchors.append(path)
        signature = self._public(_signature(member) if not member.is_module else member.path)
        is_long = len(signature) > _MAX_TITLE
        is_apart = is_long or (level == 1 and not member.is_module)  # a page is called by the name
        title = commonmark.code_span(self._public(_name(member)) if is_apart else signature)
        stated = f" {{#{path}}}" if self.states_anchors else ""
        yield commonmark.heading(min(level, _DEEPEST), title + stated)
        if is_apart:
            yield commonmark.fence(_broken(signature) if is_long else signature, "python")
        yield from _docstring(member, self.prose)
        yield from _documented_parameters(member, self.prose)
        if member.is_class or member.is_module:
            yield from self._members(member, level + 1)

    def _public(self, text: str) -> str:
        if not self.public_name:
            return text
        text = text.replace(self._defined_as, self.public_name, 1)
        # A method is called by its class, which may have it from another.
        names = (self.public_name, self._defined_as)
        own, defined = (".".join(name.split(".")[-2:]) for name in names)
        start = "async " if text.startswith("async ") else ""
        rest = text.removeprefix(start)
        return f"{start}{own}{rest.removeprefix(defined)}" if rest.startswith(defined) else text


def _name(member: Any) -> str:
    """`pkg.Cache`, `Cache.get`."""
    owner = member.parent
    is_method = owner is not None and owner.is_class and not member.is_class
    return f"{owner.name}.{member.name}" if is_method else str(member.path)


def _broken(signature: str) -> str:
    """A signature with each parameter on a line of its own."""
    depth = 0
    parts: list[str] = []
    for index, char in enumerate(signature):
        depth += (char in "([{") - (char in ")]}")
        parts.append(char)
        if depth == 1 and char in "(,":
            parts.append("\n   " if char == "," else "\n    ")
        elif depth == 0 and char == ")":
            return "".join([*parts[:-1], "\n", signature[index:]])
    return "".join(parts)


def _signature(member: Any) -> str:
    """`class Cache(size: int = 10)`, `Cache.get(key: str) -> bytes`."""
    name = _name(member)
    if member.is_class:
        init = _constructor(member)
        inside = "" if init is None else _parameters(init)
        bases = f" of {', '.join(str(base) for base in member.bases)}" if member.bases else ""
        return f"class {member.path}({inside}){bases}"
    if not member.is_function:
        kind, value = _type(member), "" if "property" in member.labels else _value(member)
        return f"{name}{kind and f': {kind}'}{value and f' = {value}'}"
    returns = f" -> {member.returns}" if member.returns is not None else ""
    prefix = "async " if "async" in member.labels else ""
    return f"{prefix}{name}({_parameters(member)}){returns}"


def _constructor(owner: Any) -> Any:
    """That of a class; None where it has none of its own."""
    init = owner.members.get("__init__")
    return None if init is None or init.is_alias or not init.is_function else init


def _parameters(function: Any) -> str:
    parts: list[str] = []
    kinds = griffe.ParameterKind
    before = None
    named = False
    for index, parameter in enumerate(function.parameters):
        if index == 0 and parameter.name in ("self", "cls") and function.parent.is_class:
            continue
        kind = parameter.kind
        if before is kinds.positional_only and kind is not kinds.positional_only:
            parts.append("/")
        if kind is kinds.keyword_only and not named:
            parts.append("*")
            named = True
        marks = {kinds.var_positional: "*", kinds.var_keyword: "**"}.get(kind, "")
        named = named or marks == "*"
        text, equals = f"{marks}{parameter.name}", "="
        if parameter.annotation is not None:
            text, equals = f"{text}: {_documented(parameter.annotation)[0]}", " = "
        if parameter.default is not None and not marks:
            text += f"{equals}{parameter.default}"
        parts.append(text)
        before = kind
    if before is kinds.positional_only:
        parts.append("/")
    return ", ".join(parts)


def _documented(annotation: Any) -> tuple[str, str]:
    """A type without its metadata, and what `Annotated[type, Doc("text")]` says about it."""
    if not isinstance(annotation, griffe.ExprSubscript):
        return str(annotation), ""
    inner = annotation.slice
    if annotation.canonical_name != "Annotated" or not isinstance(inner, griffe.ExprTuple):
        return str(annotation), ""
    for each in inner.elements[1:]:
        if isinstance(each, griffe.ExprCall) and each.canonical_path.endswith("Doc"):
            text = next((part for part in each.arguments if isinstance(part, str)), "")
            try:
                return str(inner.elements[0]), inspect.cleandoc(str(ast.literal_eval(text)))
            except (ValueError, SyntaxError):
                break
    return str(inner.elements[0]), ""


def _documented_parameters(member: Any, prose: Prose) -> Iterator[Sequence[str]]:
    function = _constructor(member) if member.is_class else member
    if function is None or function.is_alias or not function.is_function:
        return
    items = []
    for parameter in function.parameters:
        kind, text = _documented(parameter.annotation)
        if text:
            label = f"{commonmark.code_span(parameter.name)} ({kind})"
            items += commonmark.indented(commonmark.labelled(label, prose(text)), "- ")
    if items:
        yield ["**Parameters**"]
        yield items


def _docstring(member: Any, prose: Prose) -> Iterator[Sequence[str]]:
    if not member.has_docstring:
        return
    for section in _sections(member.docstring):
        kind = section.kind.value
        if kind == "text":
            yield prose(section.value)
        elif kind == "examples":
            yield ["**Examples**"]
            for part, text in section.value:
                yield commonmark.fence(text, "pycon") if part.value == "examples" else prose(text)
        elif kind in _LISTS:
            yield [f"**{kind.capitalize()}**"]
            yield [line for each in section.value for line in _item(each, prose)]
        else:
            value = section.value
            text = getattr(value, "description", None) or getattr(value, "contents", None) or value
            stated = getattr(value, "kind", "") or getattr(value, "version", "")
            label = section.title or str(stated or kind)
            said = prose(_without_margin(str(text)))
            yield commonmark.quote(commonmark.blocks([[f"**{label.capitalize()}**"], said]))


def _sections(docstring: Any) -> Sequence[Any]:
    """The sections of a docstring; one of all its text where griffe fails at it."""
    try:
        found: Sequence[Any] = docstring.parsed
    except Exception:  # griffe takes an attribute without a name for a key
        return [griffe.DocstringSectionText(docstring.value)]
    return found


def _item(value: Any, prose: Prose) -> list[str]:
    name = getattr(value, "name", "") or ""
    stated = getattr(value, "annotation", None)
    # In Sphinx's style, what follows the last field is taken for a part of it.
    kind, _, rest = str("" if stated is None else stated).partition("\n\n")
    annotation = _plain_type(kind)
    if name and annotation.startswith(f"{name}("):  # of a function, its signature
        name, annotation = annotation, ""
    labels = (name and commonmark.code_span(name), annotation and f"({annotation})")
    label = " ".join(filter(None, labels))
    said = "\n\n".join(filter(None, [str(value.description), rest]))
    body = prose(_without_margin(said)) or [""]
    return commonmark.indented(commonmark.labelled(label, body), "- ")


def _without_margin(text: str) -> str:
    """The text of a field, whose lines stand further right than its first, up to what follows the field."""
    return _CONTINUED.sub(lambda match: match["first"] + dedent(match["rest"]), text)


def _plain_type(text: str) -> str:
    """A type as a docstring states it, with names in place of roles: `:py:class:`~pkg.Gate`` is `Gate`."""

    return _ROLE.sub(_named, text)


def _named(role: re.Match[str]) -> str:
    name = role["name"].strip()
    return name.rpartition(".")[2] if role["short"] else name


def with_names(text: str) -> str:
    """A text in Markdown with names in place of the references of Sphinx, which many docstrings still have:
    ``:func:`~pkg.open` `` is `open`, and one with a text of its own is that."""
    return _REFERENCE.sub(
        lambda role: role["name"] if role["target"] else commonmark.code_span(_named(role)), text
    )


def markdown_prose(text: str) -> list[str]:
    """The lines of a docstring in Markdown, without headings and references of Sphinx."""
    return commonmark.without_headings(with_names(text))


def _attributes(described: Sequence[tuple[Any, str]]) -> tuple[list[str], list[list[str]]]:
    """The head and the rows of a table of attributes and what is said of each; without a column that would
    be empty."""
    texts = (((member.name, _type(member), _value(member)), note) for member, note in described)
    rows = [[*map(commonmark.code_span, own), note] for own, note in texts]
    head = ["Attribute", "Type", "Value", "Description"]
    kept = [at for at in range(len(head)) if any(row[at] for row in rows)]
    return [head[at] for at in kept], [[row[at] for at in kept] for row in rows]


def _type(member: Any) -> str:
    return "" if member.annotation is None else str(member.annotation)


def _value(member: Any) -> str:
    """What the source assigns, in one line; "" for what a method assigns or what is long."""
    is_stated = member.value is not None and not _OUTSIDE_OF_METHODS.isdisjoint(member.labels)
    value = " ".join(str(member.value).split()) if is_stated else ""
    return value if len(value) <= _MAX_VALUE else ""


def _in_a_line(lines: Sequence[str]) -> str | None:
    """A text as a cell of a table; None for what a cell cannot have: code, lists, tables, long texts."""
    kept = [line.strip().removeprefix("> ") for line in lines]
    text = " ".join(filter(None, kept))
    return None if len(text) > _MAX_CELL or any(map(_BLOCK.match, kept)) else text


def first_paragraph(member: Any) -> str:
    """That of the docstring in one line, which may be a title; "" without one."""
    text = member.docstring.value if member.has_docstring else ""
    return " ".join(_UNDERLINE.sub("", text.strip().split("\n\n", 1)[0]).split())
