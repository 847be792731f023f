"""Python modules as an API reference: signatures and docstrings, read from source by griffe.

Nothing is imported or executed.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import griffe

from kbc.formats import commonmark
from kbc.formats.document import Converted, FormatError, Read, decode

MAX_BYTES = 4 << 20
_ITEMS = {
    "parameters": "Parameters",
    "other parameters": "Other parameters",
    "returns": "Returns",
    "yields": "Yields",
    "receives": "Receives",
    "raises": "Raises",
    "warns": "Warns",
    "attributes": "Attributes",
}
_PROMPT = re.compile(r"\s*>>> ")


def convert(path: str, data: bytes, read: Read) -> list[Converted]:
    """The reference of a module; raises `FormatError` with the line of a syntax error."""
    if len(data) > MAX_BYTES:
        raise FormatError(f"the module has {len(data):,} bytes, more than {MAX_BYTES:,}")
    source = decode(data)
    logging.getLogger("griffe").setLevel(logging.CRITICAL)
    name = module_name(path)
    try:
        module = griffe.visit(
            name, filepath=Path(path), code=source, docstring_parser=griffe.Parser.auto
        )
    except SyntaxError as error:
        raise FormatError(
            f"the module is no Python source: {error.msg}", error.lineno or 0
        ) from None
    except (ValueError, MemoryError):
        raise FormatError("the module is no Python source that can be read") from None
    writer = _Writer()
    lines = writer.module(module)
    return [
        Converted(
            text=commonmark.document(lines),
            format="python",
            title=name,
            summary=_first_paragraph(module),
            anchors=tuple(writer.anchors),
        )
    ]


def module_name(path: str) -> str:
    """`pkg.sub.mod` of `src/pkg/sub/mod.py`; a folder's `__init__` is the folder."""
    parts = re.sub(r"\.pyi?\Z", "", path).split("/")
    if "src" in parts[:-1]:
        parts = parts[parts.index("src") + 1 :]
    if parts[-1] == "__init__" and len(parts) > 1:
        parts.pop()
    return ".".join(part for part in parts if part)


class _Writer:
    def __init__(self) -> None:
        self.anchors: list[str] = []

    def module(self, module: Any) -> list[str]:
        self.anchors.append(module.path)
        head = commonmark.heading(1, commonmark.code_span(module.path))
        return commonmark.blocks([head, *_docstring(module), *self._members(module, 2)])

    def _members(self, owner: Any, level: int) -> Iterator[list[str]]:
        exported = {str(name) for name in owner.exports or ()}
        values = []
        for name, member in owner.members.items():
            if member.is_alias or (
                name.startswith("_") and name not in exported and name != "__init__"
            ):
                continue
            if exported and name not in exported:
                continue
            if member.is_attribute and "property" not in member.labels:
                values.append(member)
                continue
            yield from self._entry(member, level)
        rows = [
            _value(each) for each in values if each.has_docstring or each.annotation is not None
        ]
        if rows:
            yield commonmark.table(["Attribute", "Type", "Description"], rows)

    def _entry(self, member: Any, level: int) -> Iterator[list[str]]:
        if member.name == "__init__" and not member.has_docstring:
            return
        self.anchors.append(member.path)
        yield commonmark.heading(level, commonmark.code_span(_signature(member)))
        yield from _docstring(member)
        if member.is_class:
            yield from self._members(member, level + 1)


def _signature(member: Any) -> str:
    """`class Cache(size: int = 10)`, `Cache.get(key: str) -> bytes`."""
    owner = member.parent
    name = f"{owner.name}.{member.name}" if owner is not None and owner.is_class else member.path
    if member.is_class:
        init = member.members.get("__init__")
        inside = (
            _parameters(init) if init is not None and not init.is_alias and init.is_function else ""
        )
        bases = f" of {', '.join(str(base) for base in member.bases)}" if member.bases else ""
        return f"class {member.path}({inside}){bases}"
    if not member.is_function:
        return name if member.annotation is None else f"{name}: {member.annotation}"
    returns = f" -> {member.returns}" if member.returns is not None else ""
    prefix = "async " if "async" in member.labels else ""
    return f"{prefix}{name}({_parameters(member)}){returns}"


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
        text = f"{marks}{parameter.name}"
        if parameter.annotation is not None:
            text += f": {parameter.annotation}"
        if parameter.default is not None and not marks:
            text += (
                f" = {parameter.default}"
                if parameter.annotation is not None
                else f"={parameter.default}"
            )
        parts.append(text)
        before = kind
    if before is kinds.positional_only:
        parts.append("/")
    return ", ".join(parts)


def _docstring(member: Any) -> Iterator[list[str]]:
    if not member.has_docstring:
        return
    for section in member.docstring.parsed:
        kind = section.kind.value
        if kind == "text":
            yield from _prose(section.value)
        elif kind == "examples":
            yield ["**Examples**"]
            for part, text in section.value:
                yield from (
                    [commonmark.fence(text, "pycon")] if part.value == "examples" else _prose(text)
                )
        elif kind in _ITEMS:
            yield [f"**{_ITEMS[kind]}**"]
            yield [line for each in section.value for line in _item(each)]
        else:
            value = section.value
            text = getattr(value, "description", None) or getattr(value, "contents", None) or value
            label = section.title or str(
                getattr(value, "kind", "") or getattr(value, "version", "") or kind
            )
            body = commonmark.blocks(_prose(str(text)))
            yield commonmark.quote(commonmark.blocks([[f"**{label.capitalize()}**"], body]))


def _item(value: Any) -> list[str]:
    name = getattr(value, "name", "") or ""
    annotation = str(value.annotation) if getattr(value, "annotation", None) is not None else ""
    label = " ".join(
        filter(None, [name and commonmark.code_span(name), annotation and f"({annotation})"])
    )
    body = commonmark.blocks(_prose(str(value.description))) or [""]
    return commonmark.indented([f"{label}: {body[0]}" if label else body[0], *body[1:]], "- ")


def _prose(text: str) -> Iterator[list[str]]:
    """A docstring's text: doctests and indented blocks fenced."""
    for part in re.split(r"\n\s*\n", text.strip("\n")):
        lines = [line.rstrip() for line in part.split("\n") if line.strip()]
        if not lines:
            continue
        start = next((i for i, line in enumerate(lines) if _PROMPT.match(line)), None)
        if start is not None:
            yield commonmark.paragraph("\n".join(lines[:start]))
            margin = len(lines[start]) - len(lines[start].lstrip())
            yield commonmark.fence("\n".join(line[margin:] for line in lines[start:]), "pycon")
        elif all(line.startswith("    ") for line in lines):
            margin = min(len(line) - len(line.lstrip()) for line in lines)
            yield commonmark.fence("\n".join(line[margin:] for line in lines))
        else:
            yield commonmark.paragraph("\n".join(lines).replace("``", "`"))


def _value(member: Any) -> list[str]:
    kind = str(member.annotation) if member.annotation is not None else ""
    note = " ".join(member.docstring.value.split()) if member.has_docstring else ""
    return [
        commonmark.code_span(member.name),
        kind and commonmark.code_span(kind),
        commonmark.escaped(note),
    ]


def _first_paragraph(module: Any) -> str:
    text = module.docstring.value if module.has_docstring else ""
    return " ".join(text.strip().split("\n\n", 1)[0].split())
