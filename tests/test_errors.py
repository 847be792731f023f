"""The error family: every expected error is a `KbcError`, and its class says how a command ends."""

from __future__ import annotations

import ast
import builtins
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from kb_runtime.errors import ArtifactError, KbcError, SingleCodeError, ToolError, exit_codes

ROOT = Path(__file__).parents[1]
SOURCES = (ROOT / "runtime", ROOT / "compiler")
OUTSIDE = {
    "CaseFileError",  # half a sentence: its catcher adds the file
    "CodecError",  # a value that is not cached
    "GraphError",  # half a sentence: the encoder adds the file
    "OnnxFileError",  # half a sentence: its catcher adds the file
    "OutOfTimeError",  # becomes a finding about the file
    "SpreadsheetError",  # becomes a CaseFileError
    "TextError",  # half a sentence: its catcher adds the file
    "WrittenTestsError",  # becomes a CaseFileError
    "_NoEncoderError",
    "_StoppedError",  # ends a thread whose vectors nobody wants any more
    "_UnknownValueError",  # of a template: its catcher shows nothing of it
}
"""Exceptions that the same room catches: nobody reads them."""


def classes() -> Iterator[tuple[str, ast.ClassDef]]:
    """Every class of both packages whose base is an exception of Python's or has a name like one."""
    for root in SOURCES:
        for path in sorted(root.rglob("*.py")):
            module = ".".join(path.relative_to(root).with_suffix("").parts)
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ClassDef) and any(map(is_error, node.bases)):
                    yield module.removesuffix(".__init__"), node


def is_error(base: ast.expr) -> bool:
    name = getattr(base, "id", "")
    known = getattr(builtins, name, None)
    return name.endswith("Error") or (isinstance(known, type) and issubclass(known, BaseException))


def test_every_expected_error_is_of_the_family() -> None:
    outside = {
        node.name
        for _, node in classes()
        if any(hasattr(builtins, getattr(base, "id", "")) for base in node.bases)
    }
    assert outside == {"KbcError", *OUTSIDE}


def test_every_class_says_how_a_command_ends() -> None:
    known = {value for name, value in vars(exit_codes).items() if name.isupper()}
    for module, node in classes():
        error = getattr(importlib.import_module(module), node.name)
        if not OUTSIDE.isdisjoint(each.__name__ for each in error.__mro__):
            continue
        assert error.exit_code in known, node.name
        if issubclass(error, SingleCodeError) and error is not SingleCodeError:
            assert error.code != KbcError.code, node.name


def test_an_error_has_a_sentence_a_hint_and_an_exit_code() -> None:
    error = KbcError("below", "It is 3.", "Make it 4.", exit_codes.BELOW)
    assert (error.code, str(error), error.hint) == ("below", "It is 3.", "Make it 4.")
    assert error.exit_code == exit_codes.BELOW
    assert ArtifactError("missing", "There is none.").exit_code == exit_codes.ARTIFACT


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("NOT_FOUND", exit_codes.NOT_FOUND),
        ("UNAVAILABLE", exit_codes.ARTIFACT),
        ("BAD_INPUT", exit_codes.USAGE),
    ],
)
def test_a_tool_error_ends_a_command_by_its_kind(kind: str, code: int) -> None:
    error = ToolError(kind, "no record 'setTo'", suggestions=["setToMap", "toSet"])
    assert (error.code, error.exit_code) == (kind, code)
    assert error.hint == "Close names: setToMap, toSet."
