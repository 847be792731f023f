"""What a configuration in Python assigns, as far as literals, sums and paths from its own place tell."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterable, Mapping
from typing import Any

from kbc.project.well_formed import is_bounded

_SAME = frozenset(
    ["abspath", "expanduser", "fspath", "normpath", "realpath", "relpath", "absolute", "resolve"]
)
"""Functions and methods that give a path in another form."""

_PATHS = frozenset(["Path", "PurePath", "PurePosixPath", "str"])
_MAX_SUM = 100_000
"""Characters or entries of a sum: names before it may have doubled them."""

_EXCLUDED = "exclude_patterns"
"""Not read in branches, which say what one of several builds does without."""

_OWN_NAME = "conf.py"
"""What `__file__` stands for: paths begin at the folder of the configuration."""


def literals(source: str) -> dict[str, Any]:
    """The values of the names that a Python file assigns at its top level, where these are literals,
    sums of literals, paths made of these, or one side of a condition; `+=` extends lists and texts, and so do
    `append` and `extend`. Branches (`if`, `try`, `with`) name what has no value yet, and extend lists. Of a
    file that nests too deeply, or that repeats a value without end, there are none."""
    found: dict[str, Any] = {}
    try:
        _execute(ast.parse(source).body, found)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the last: its stack is full
        return {}
    return found if is_bounded(found) else {}


def _execute(body: Iterable[ast.stmt], found: dict[str, Any]) -> None:
    for node in body:
        if isinstance(node, ast.Assign):
            value = _value(node.value, found)
            for target in node.targets:
                if isinstance(target, ast.Name) and value is not None:
                    found[target.id] = value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            value = _value(node.value, found)
            if value is not None:
                found[node.target.id] = value
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            longer = _sum(found.get(node.target.id), _value(node.value, found))
            if longer is not None:
                found[node.target.id] = longer
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            _extend(node.value, found)
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            handlers = [each.body for each in getattr(node, "handlers", ())]
            for branch in (node.body, *handlers, getattr(node, "orelse", ())):
                _take(branch, found)


def _take(branch: Iterable[ast.stmt], found: dict[str, Any]) -> None:
    """What a branch adds: names without a value, and the ends of lists."""
    after = dict(found)
    _execute(branch, after)
    for name, value in after.items():
        old = found.get(name)
        is_extended = isinstance(old, list) and isinstance(value, list) and value[: len(old)] == old
        if name != _EXCLUDED and (name not in found or is_extended):
            found[name] = value


def _extend(call: ast.Call, found: dict[str, Any]) -> None:
    """`extensions.append("autoapi.extension")`."""
    function = call.func
    if not (isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)):
        return
    old, name = found.get(function.value.id), function.value.id
    more = [_value(each, found) for each in call.args]
    if not isinstance(old, list) or len(more) != 1 or more[0] is None:
        return
    longer = _sum(old, more if function.attr == "append" else more[0])
    if function.attr in ("append", "extend") and longer is not None:
        found[name] = longer


def _sum(left: Any, right: Any) -> str | list[Any] | None:
    """Two texts or two lists as one; None for others, and for what gets too long."""
    if isinstance(left, str) and isinstance(right, str):
        return left + right if len(left) + len(right) <= _MAX_SUM else None
    if isinstance(left, list) and isinstance(right, list):
        return [*left, *right] if len(left) + len(right) <= _MAX_SUM else None
    return None


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return [_value(each, names) for each in node.elts]
    if isinstance(node, ast.Dict):
        return {
            str(name): _value(value, names)
            for key, value in zip(node.keys, node.values, strict=True)
            if key is not None and not isinstance(name := _value(key, names), (list, dict))
        }
    if isinstance(node, ast.Name):
        return _OWN_NAME if node.id == "__file__" else names.get(node.id)
    if isinstance(node, ast.Call):
        return _path_of_call(node, names)
    if isinstance(node, ast.Attribute):
        inner = _value(node.value, names) if node.attr == "parent" else None
        return _parent(inner) if isinstance(inner, str) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Div)):
        left, right = _value(node.left, names), _value(node.right, names)
        if isinstance(node.op, ast.Add):
            return _sum(left, right)
        are_paths = isinstance(left, str) and isinstance(right, str)
        return posixpath.join(left, right) if are_paths else None
    if isinstance(node, ast.IfExp):
        return _value(node.body, names)
    if isinstance(node, ast.JoinedStr):
        parts = [_value(each, names) for each in node.values]
        if any(each is None or isinstance(each, (list, dict)) for each in parts):
            return None
        texts = list(map(str, parts))
        return "".join(texts) if sum(map(len, texts)) <= _MAX_SUM else None
    if isinstance(node, ast.FormattedValue):
        return _value(node.value, names)
    return None


def _path_of_call(call: ast.Call, names: Mapping[str, Any]) -> str | None:
    """`os.path.join(os.path.dirname(__file__), "..")`, `Path(__file__).resolve()` as a path from the folder
    of the configuration; None for other calls."""
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    parts = [_value(each, names) for each in call.args]
    if name in _SAME and not parts and isinstance(function, ast.Attribute):
        parts = [_value(function.value, names)]
    if not parts or not all(isinstance(each, str) for each in parts):
        return None
    if name == "join" and isinstance(function, ast.Attribute):
        is_of_text = isinstance(function.value, ast.Constant)
        return None if is_of_text else posixpath.join(*parts)
    if name == "dirname":
        return _parent(parts[0])
    return parts[0] if name in _SAME or name in _PATHS else None


def _parent(path: str) -> str:
    """The folder that a relative path is in."""
    path = posixpath.normpath(path)
    if path in (".", "..") or path.endswith("/.."):
        return posixpath.join(path, "..")
    return posixpath.dirname(path) or "."
