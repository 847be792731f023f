"""The values of what a program of one or more files says.

Literals, names of constants and functions, what is imported from files of the tree (scripts and JSON), and
calls that pass an object through (`defineConfig({})`) have values; everything else is None.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from kbc.languages.grammars import parser, text_of
from kbc.project.well_formed import json_value
from kbc.recognition.javascript.nodes import (
    number_of,
    operators,
    required,
    specifiers,
    string_of,
    string_or_empty,
)
from kbc.recognition.javascript.scopes import NameScope, parameters
from kbc.recognition.site import joined, mapping

Read = Callable[[str], str | None]
"""Gives the text of a file below the root; None where it is not there."""

_MAX_DEPTH = 60
_MAX_MODULES = 64
_MAX_STEPS = 200_000
"""Values that are looked at in all: a few names can stand for more than any machine holds."""
_SIZE_OF_STEP = 16
"""Characters or entries of a value that count as much as a step."""

_WRAPPERS = frozenset([
    "as_expression", "non_null_expression", "parenthesized_expression", "satisfies_expression",
    "type_assertion",
])  # fmt: skip
_FUNCTIONS = frozenset({"arrow_function", "function_declaration", "function_expression"})
_ENDINGS = (".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json")
_EVERYTHING = "*"
DEFAULT = "default"


class _Imported(NamedTuple):
    """What a module has from another: a name there, `default` or `*`."""

    module: str
    name: str


class Scripts:
    """The files that a configuration consists of, each read once, and how much has been looked at."""

    def __init__(self, read: Read | None) -> None:
        self._read = read
        self._known: dict[str, Script | JsonFile] = {}
        self.steps = 0

    def module(self, path: str, source: str, grammar: str = "typescript") -> Script:
        root = parser(grammar).parse(source.encode()).root_node
        found = self._known[path] = Script(self, path, root)
        return found

    def imported(self, name: str, by: str) -> Script | JsonFile | None:
        """The module that `by` calls `name`; None for one of a package, and where it is not there."""
        if self._read is None or not name.startswith("."):
            return None
        base = joined(posixpath.dirname(by), name)
        stem = posixpath.splitext(base)[0]
        beside = (stem + ending for ending in _ENDINGS if base.endswith((".js", ".mjs", ".cjs")))
        index = (f"{base}/index{ending}" for ending in _ENDINGS)
        for path in (base, *(base + ending for ending in _ENDINGS), *beside, *index):
            if path in self._known:
                return self._known[path]
            if len(self._known) < _MAX_MODULES and path.endswith(_ENDINGS):
                text = self._read(path)
                if text is None:
                    continue
                if not path.endswith(".json"):
                    return self.module(path, text)
                found = self._known[path] = JsonFile(json_value(text))
                return found
        return None


class JsonFile:
    """A file of JSON."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def named(self, name: str) -> Any:
        return self._value if name in (DEFAULT, _EVERYTHING) else mapping(self._value).get(name)

    def called(self, name: str, arguments: list[Any]) -> Any:
        return self.named(name)


class Script:
    def __init__(self, modules: Scripts, path: str, root: Any) -> None:
        self._modules = modules
        self._path = path
        self.scope = NameScope()
        self._imports: dict[str, _Imported] = {}
        self._exports: dict[str, Any] = {}  # a node, or what another module has
        self._defaults: list[Any] = []  # all values that are exported as the whole
        self._all_of: list[str] = []
        self._depth = 0
        for node in root.children:
            self._note(node)

    def _note(self, node: Any) -> None:
        """What a statement at the top of a module brings into it or out of it."""
        if node.type == "import_statement":
            self._note_import(node)
            return
        if node.type == "export_statement":
            self._note_export(node)
        elif node.type == "expression_statement":
            self._note_assignment(node.children[0] if node.children else None)
        for each in (node, *node.children):
            self._declare(each, self.scope)

    def _note_import(self, node: Any) -> None:
        module = string_or_empty(node.child_by_field_name("source"))
        for clause in (each for each in node.children if each.type == "import_clause"):
            for each in clause.named_children:
                if each.type == "identifier":
                    self._imports[text_of(each)] = _Imported(module, DEFAULT)
                elif each.type == "namespace_import":
                    self._imports[text_of(each.named_children[0])] = _Imported(module, _EVERYTHING)
                elif each.type == "named_imports":
                    for name, alias in specifiers(each):
                        self._imports[alias] = _Imported(module, name)

    def _note_export(self, node: Any) -> None:
        source = node.child_by_field_name("source")
        module = string_or_empty(source)
        value, declared = (node.child_by_field_name(each) for each in ("value", "declaration"))
        if value is not None:
            self._export_default(value)
        elif declared is not None:
            is_default = any(each.type == "default" for each in node.children)
            for each in (declared, *declared.children):
                if (name := each.child_by_field_name("name")) is not None:
                    self._exports[DEFAULT if is_default else text_of(name)] = name
        clauses = [each for each in node.children if each.type == "export_clause"]
        for clause in clauses:
            for name, alias in specifiers(clause):
                local = _Imported(module, name) if source is not None else name
                self._exports[alias] = local
        if source is not None and not clauses:
            self._all_of.append(module)

    def _note_assignment(self, node: Any) -> None:
        if node is None or node.type != "assignment_expression":
            return
        left, right = text_of(node.child_by_field_name("left")), node.child_by_field_name("right")
        if left in ("module.exports", "exports.default"):
            self._export_default(right)
        elif left.startswith(("exports.", "module.exports.")):
            self._exports[left.rpartition(".")[2]] = right

    def named(self, name: str) -> Any:
        """The value that is exported under a name; of `*` all by their names."""
        if name == _EVERYTHING:
            own = mapping(self.named(DEFAULT))
            return {**own, **{each: self.named(each) for each in self._exports if each != DEFAULT}}
        found = self._exports.get(name)
        if isinstance(found, str):
            return self._local(found, self.scope)
        if isinstance(found, _Imported):
            return self._of_module(found)
        if found is not None:
            return self.value(found)
        if name != DEFAULT and DEFAULT in self._exports:  # CommonJS has its names in an object
            inner = mapping(self.named(DEFAULT)).get(name)
            if inner is not None:
                return inner
        others = (self._of_module(_Imported(each, name)) for each in self._all_of)
        return next((each for each in others if each is not None), None)

    def called(self, name: str, arguments: list[Any]) -> Any:
        """What the function that is exported under a name returns for `arguments`."""
        found = self._exports.get(name)
        if isinstance(found, _Imported):
            return self._called_of(found, arguments)
        if found is None and name != DEFAULT:
            others = (self._called_of(_Imported(each, name), arguments) for each in self._all_of)
            return next(filter(None, others), None)
        named = found if isinstance(found, str) else text_of(found)
        return self._result_of(named, arguments, self.scope, found)

    def _called_of(self, wanted: _Imported, arguments: list[Any]) -> Any:
        module = self._modules.imported(wanted.module, self._path)
        if module is None:
            return None
        return self._guarded(lambda: module.called(wanted.name, arguments))

    def _of_module(self, wanted: _Imported) -> Any:
        module = self._modules.imported(wanted.module, self._path)
        return self._guarded(lambda: module.named(wanted.name)) if module is not None else None

    def _local(self, name: str, scope: NameScope) -> Any:
        """The value of a name, which is computed once; None while it is, and of a function."""
        holder = scope.holding(name)
        if holder is None and name in self._imports:
            self.scope.values[name] = None
            self.scope.values[name] = self._of_module(self._imports[name])
            holder = self.scope
        elif holder is not None and name not in holder.values:
            node, holder.values[name] = holder.nodes[name], None
            if node.type != "function_declaration":
                holder.values[name] = self.value(node, holder)
        return holder.values[name] if holder is not None else None

    def _declare(self, node: Any, scope: NameScope) -> None:
        """Adds what a statement gives a name, if it is a declaration."""
        if node.type == "function_declaration":
            scope.nodes.setdefault(text_of(node.child_by_field_name("name")), node)
        if node.type not in ("lexical_declaration", "variable_declaration"):
            return
        for each in node.children:
            name = each.child_by_field_name("name") if each.type == "variable_declarator" else None
            value = each.child_by_field_name("value") if name is not None else None
            if name is None or value is None:
                continue
            if name.type == "object_pattern":
                self._take_apart(name, value)
            else:
                scope.nodes.setdefault(text_of(name), value)

    def _take_apart(self, pattern: Any, value: Any) -> None:
        """`const {a, b: c} = require("./x")`."""
        module = required(value)
        for each in pattern.named_children if module else ():
            if each.type == "shorthand_property_identifier_pattern":
                self._imports[text_of(each)] = _Imported(module, text_of(each))
            elif each.type == "pair_pattern":
                name = text_of(each.child_by_field_name("key"))
                self._imports[text_of(each.child_by_field_name("value"))] = _Imported(module, name)

    def _export_default(self, value: Any) -> None:
        self._exports[DEFAULT] = value
        self._defaults.append(value)

    def defaults(self) -> Iterator[Any]:
        """The values that are exported as the whole, in order."""
        yield from map(self.value, self._defaults)

    def value(self, node: Any, scope: NameScope | None = None) -> Any:
        """The value of a node among the names of `scope`, else those of the module."""
        visible = self.scope if scope is None else scope
        return None if node is None else self._guarded(lambda: self._value(node, visible))

    def _guarded(self, value: Callable[[], Any]) -> Any:
        self._depth += 1
        self._modules.steps += 1
        try:
            too_much = self._depth > _MAX_DEPTH or self._modules.steps > _MAX_STEPS
            found = None if too_much else value()
            if isinstance(found, (str, list)):  # which may have doubled what another name has
                self._modules.steps += len(found) // _SIZE_OF_STEP
            return found
        finally:
            self._depth -= 1

    def _value(self, node: Any, scope: NameScope) -> Any:
        kind = node.type
        if kind == "string":
            return string_of(node)
        if kind == "template_string":
            return self._template(node, scope)
        if kind == "number":
            return number_of(text_of(node))
        if kind in ("true", "false"):
            return kind == "true"
        if kind == "object":
            return self._object(node, scope)
        if kind == "array":
            return self._array(node, scope)
        if kind == "identifier":
            return self._local(text_of(node), scope)
        if kind == "member_expression":
            return self._member(node, text_of(node.child_by_field_name("property")), scope)
        if kind == "subscript_expression":
            key = self.value(node.child_by_field_name("index"), scope)
            return self._member(node, key, scope) if isinstance(key, str) else None
        if kind in _WRAPPERS:
            return next((self.value(each, scope) for each in node.named_children), None)
        if kind == "call_expression":
            return self._call(node, scope)
        if kind in _FUNCTIONS:
            return self._applied(node, [], scope)
        if kind == "await_expression":
            return self.value(node.named_children[0], scope)
        if kind == "binary_expression":
            left, right = (
                self.value(node.child_by_field_name(side), scope) for side in ("left", "right")
            )
            if isinstance(left, str) and isinstance(right, str) and "+" in operators(node):
                return left + right
            if not {"||", "??", "&&"} & operators(node):
                return None  # a comparison
            return left if left is not None else right  # `process.env.X || "default"`
        if kind == "ternary_expression":
            return self.value(node.child_by_field_name("consequence"), scope) or self.value(
                node.child_by_field_name("alternative"), scope
            )
        return None

    def _template(self, node: Any, scope: NameScope) -> Any:
        parts = []
        for each in node.named_children:
            if each.type == "template_substitution":
                value = self.value(each.named_children[0], scope) if each.named_children else None
                if not isinstance(value, (str, int)):
                    return None
                parts.append(str(value))
            else:
                parts.append(text_of(each))
        return "".join(parts)

    def _array(self, node: Any, scope: NameScope) -> list[Any]:
        found: list[Any] = []
        for each in node.named_children:
            if each.type == "spread_element":
                value = self.value(each.named_children[0], scope)
                found += value if isinstance(value, list) else []
            elif each.type != "comment":
                found.append(self.value(each, scope))
        return found

    def _object(self, node: Any, scope: NameScope) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for each in node.named_children:
            if each.type == "pair":
                key = each.child_by_field_name("key")
                name = string_of(key) if key.type == "string" else text_of(key)
                found[name] = self.value(each.child_by_field_name("value"), scope)
            elif each.type == "shorthand_property_identifier":
                found[text_of(each)] = self._local(text_of(each), scope)
            elif each.type == "spread_element":
                found.update(mapping(self.value(each.named_children[0], scope)))
        return found

    def _member(self, node: Any, name: str, scope: NameScope) -> Any:
        owner = node.child_by_field_name("object")
        wanted = self._imports.get(text_of(owner))
        if wanted is not None and wanted.name == _EVERYTHING:
            return self._of_module(_Imported(wanted.module, name))
        return mapping(self.value(owner, scope)).get(name)

    def _call(self, node: Any, scope: NameScope) -> Any:
        """What a function of these modules returns; else the first argument that has a value: of
        `defineConfig(...)` and other wrappers the object, of `require.resolve("./x")` the text."""
        arguments = node.child_by_field_name("arguments")
        name = text_of(node.child_by_field_name("function"))
        if arguments is None:
            return None
        if module := required(node):
            return self._of_module(_Imported(module, _EVERYTHING)) or self._of_module(
                _Imported(module, DEFAULT)
            )
        if name == "require":
            return None
        if (items := self._list_of(node, arguments, scope)) is not None:
            return items
        values = self._array(arguments, scope)
        result = self._result_of(name, values, scope)
        if result is not None:
            return result
        return next((each for each in values if each is not None), None)

    def _list_of(self, node: Any, arguments: Any, scope: NameScope) -> list[Any] | None:
        """What methods of lists give: `list.map(each => ...)`, `flatMap`, `filter` (all that have a value),
        `flat` and `concat`; None for other calls."""
        function = node.child_by_field_name("function")
        method = text_of(function.child_by_field_name("property"))
        if method not in ("map", "flatMap", "filter", "flat", "concat"):
            return None
        items = self.value(function.child_by_field_name("object"), scope)
        if not isinstance(items, list):
            return None
        if method == "filter":
            return [each for each in items if each not in (None, False)]
        if method == "concat":
            items = [*items, *self._array(arguments, scope)]
        callback = next(iter(arguments.named_children), None)
        if "ap" in method:
            if callback is None or callback.type not in _FUNCTIONS:
                return None
            items = [
                self._guarded(partial(self._applied, callback, [each, place], scope))
                for place, each in enumerate(items)
            ]
        if method == "map":
            return items
        return [one for each in items for one in (each if isinstance(each, list) else [each])]

    def _result_of(
        self, name: str, arguments: list[Any], scope: NameScope, node: Any = None
    ) -> Any:
        """What a function returns for `arguments`: one with a name, or `node` itself."""
        holder = scope.holding(name)
        if name in self._imports and (holder is None or holder is self.scope):
            return self._called_of(self._imports[name], arguments)
        function = holder.nodes.get(name) if holder is not None else node
        if function is None or isinstance(function, str) or function.type not in _FUNCTIONS:
            return None
        around = holder or self.scope
        return self._guarded(lambda: self._applied(function, arguments, around))

    def _applied(self, function: Any, arguments: list[Any], around: NameScope) -> Any:
        """What a function returns that sees the names `around` it."""
        scope = NameScope(around)
        parameters(function, arguments, scope)
        body = function.child_by_field_name("body")
        if body is None or body.type != "statement_block":
            return self.value(body, scope)
        for each in body.named_children:
            self._declare(each, scope)
        found = (each for each in body.named_children if each.type == "return_statement")
        stated = next((each for each in found if each.named_children), None)
        return self.value(stated.named_children[0], scope) if stated is not None else None
