"""Reads the object that a configuration in JavaScript or TypeScript exports, without running it.

Literals, names of constants in the same file and calls that pass an object through (`defineConfig({})`)
have values; everything else is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kbc.languages import grammars
from kbc.recognition.site import mapping

_MAX_DEPTH = 60
_WRAPPERS = frozenset(
    {
        "as_expression",
        "non_null_expression",
        "parenthesized_expression",
        "satisfies_expression",
        "type_assertion",
    }
)


def exported(source: str) -> Mapping[str, Any]:
    """The exported configuration of a file; empty when it is none."""
    root = grammars.parser("typescript").parse(source.encode()).root_node
    reader = _ConfigReader(root)
    for node in root.children:
        value = reader.exported(node)
        if isinstance(value, Mapping):
            return value
    # A configuration that a function returns, or whose export cannot be followed: the largest object.
    found = [mapping(reader.value(node)) for node in reader.constants.values()]
    return max(found, key=len, default={})


def exported_value(source: str, grammar: str = "typescript") -> Any:
    """What a file exports, of any type; with the grammar `tsx` elements of JSX have no value."""
    root = grammars.parser(grammar).parse(source.encode()).root_node
    reader = _ConfigReader(root)
    return next((v for node in root.children if (v := reader.exported(node)) is not None), None)


def argument_of(source: str, function: str) -> Any:
    """The first argument that has a value of the call of `function` (`define.doc`) at the top of a file."""
    root = grammars.parser("typescript").parse(source.encode()).root_node
    reader = _ConfigReader(root)
    for node in root.children:
        call = node.children[0] if node.type == "expression_statement" else node
        if (
            call.type == "call_expression"
            and _text(call.child_by_field_name("function")) == function
        ):
            return reader.value(call)
    return None


class _ConfigReader:
    def __init__(self, root: Any) -> None:
        self.constants: dict[str, Any] = {}
        for node in root.children:
            for each in (node, *node.children):
                if each.type in ("lexical_declaration", "variable_declaration"):
                    self._declare(each)
        self._depth = 0

    def _declare(self, node: Any) -> None:
        for each in node.children:
            name = each.child_by_field_name("name") if each.type == "variable_declarator" else None
            value = each.child_by_field_name("value") if name is not None else None
            if name is not None and value is not None:
                self.constants.setdefault(_text(name), value)

    def exported(self, node: Any) -> Any:
        if node.type == "export_statement":
            value = node.child_by_field_name("value")
            return None if value is None else self.value(value)
        if node.type == "expression_statement" and node.children:
            inner = node.children[0]
            if inner.type == "assignment_expression":
                left = _text(inner.child_by_field_name("left"))
                if left in ("module.exports", "exports.default"):
                    return self.value(inner.child_by_field_name("right"))
        return None

    def value(self, node: Any) -> Any:
        self._depth += 1
        try:
            return None if node is None or self._depth > _MAX_DEPTH else self._value(node)
        finally:
            self._depth -= 1

    def _value(self, node: Any) -> Any:
        kind = node.type
        if kind == "string":
            return _string(node)
        if kind == "template_string":
            return self._template(node)
        if kind == "number":
            return _number(_text(node))
        if kind in ("true", "false"):
            return kind == "true"
        if kind == "object":
            return self._object(node)
        if kind == "array":
            return [self.value(each) for each in node.named_children if each.type != "comment"]
        if kind == "identifier":
            return self.value(self.constants.get(_text(node)))
        if kind in _WRAPPERS:
            return next((self.value(each) for each in node.named_children), None)
        if kind == "call_expression":
            return self._call(node)
        if kind in ("arrow_function", "function_expression"):
            return self._returned(node.child_by_field_name("body"))
        if kind == "await_expression":
            return self.value(node.named_children[0])
        if kind == "binary_expression":
            left, right = (self.value(node.child_by_field_name(side)) for side in ("left", "right"))
            if isinstance(left, str) and isinstance(right, str) and "+" in _operators(node):
                return left + right
            if not {"||", "??", "&&"} & _operators(node):
                return None  # a comparison
            return left if left is not None else right  # `process.env.X || "default"`
        if kind == "ternary_expression":
            return self.value(node.child_by_field_name("consequence")) or self.value(
                node.child_by_field_name("alternative")
            )
        return None

    def _template(self, node: Any) -> Any:
        parts = []
        for each in node.named_children:
            if each.type == "template_substitution":
                value = self.value(each.named_children[0]) if each.named_children else None
                if not isinstance(value, (str, int)):
                    return None
                parts.append(str(value))
            else:
                parts.append(_text(each))
        return "".join(parts)

    def _object(self, node: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for each in node.named_children:
            if each.type == "pair":
                key = each.child_by_field_name("key")
                name = _string(key) if key.type == "string" else _text(key)
                found[name] = self.value(each.child_by_field_name("value"))
            elif each.type == "shorthand_property_identifier":
                found[_text(each)] = self.value(self.constants.get(_text(each)))
            elif each.type == "spread_element":
                found.update(mapping(self.value(each.named_children[0])))
        return found

    def _call(self, node: Any) -> Any:
        """The first argument that has a value: of `defineConfig(...)` and other wrappers the object, of
        `require.resolve("./x")` the text."""
        arguments = node.child_by_field_name("arguments")
        name = _text(node.child_by_field_name("function"))
        if arguments is None or name == "require":
            return None
        values = [self.value(each) for each in arguments.named_children]
        return next((each for each in values if each is not None), None)

    def _returned(self, body: Any) -> Any:
        if body is None or body.type != "statement_block":
            return self.value(body)
        for each in body.named_children:
            if each.type in ("lexical_declaration", "variable_declaration"):
                self._declare(each)
        for each in body.named_children:
            if each.type == "return_statement" and each.named_children:
                return self.value(each.named_children[0])
        return None


def _operators(node: Any) -> set[str]:
    return {each.type for each in node.children if not each.is_named}


def _text(node: Any) -> str:
    return "" if node is None else str(node.text.decode("utf-8", "replace"))


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


def _string(node: Any) -> str:
    parts = []
    for each in node.named_children:
        text = _text(each)
        parts.append(_ESCAPES.get(text[1:], text[1:]) if each.type == "escape_sequence" else text)
    return "".join(parts)


def _number(text: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None
