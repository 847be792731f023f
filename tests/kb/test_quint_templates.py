"""The substitutions that templates document: how they are read, performed and refused."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest
from tests.kb.scripts import load

SOURCE = """// TODO: what is it?
//   quint test box.qnt
module box {
  var item: int
  action takeItem = item' = item - 1
}
"""
MODULE = (
    "Replace `box` by your module, such as `crate`, and `box.qnt` by its file, such as `crate.qnt`."
)
QUESTION = "Replace `TODO: what is it?` by the answer, such as `A crate of apples.`."
NAMES = "Replace `item` by your variable, such as `apples`; the rest may stay."


@pytest.fixture(scope="module")
def templates() -> ModuleType:
    return load("quint_templates")


def kb_with(tmp_path: Path, *instructions: str) -> Path:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "box.qnt").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "templates" / "templates.toml").write_text(
        f'[[template]]\nid = "box"\nfile = "box.qnt"\ninstructions = {json.dumps(instructions)}\n',
        encoding="utf-8",
    )
    return tmp_path


def test_documented_substitutions_are_performed_on_whole_words(
    templates: ModuleType, tmp_path: Path
) -> None:
    (done,), wrong = templates.filled_templates(kb_with(tmp_path, MODULE, QUESTION, NAMES))

    assert wrong == []
    assert (done.template, done.name) == ("templates/box.qnt", "crate.qnt")
    assert done.source == (
        "// A crate of apples.\n//   quint test crate.qnt\nmodule crate {\n  var apples: int\n"
        "  action takeItem = apples' = apples - 1\n}\n"
    )


def test_substitutions_happen_at_once(templates: ModuleType) -> None:
    assert templates.filled("a b a1", {"a": "b", "b": "a"}) == "b a a1"
    assert templates.filled("a", {}) == "a"


def test_instructions_without_a_substitution_are_advice(templates: ModuleType) -> None:
    advice = ["Write the invariants first.", "Replace `Item` by the concepts of the system."]

    assert templates.substitutions(advice) == {}


def test_what_is_left_undone_is_told_with_its_place(templates: ModuleType, tmp_path: Path) -> None:
    kb = kb_with(tmp_path, "Replace `lid` by the cover, such as `roof`.", NAMES)

    done, wrong = templates.filled_templates(kb)

    assert done == []
    assert [(path, line, message.partition(":")[0]) for path, line, message in wrong] == [
        (
            "templates/templates.toml",
            1,
            "the instructions for templates/box.qnt do not say which name replaces the file's",
        ),
        (
            "templates/templates.toml",
            1,
            "the instructions for templates/box.qnt do not replace the module 'box'",
        ),
        (
            "templates/templates.toml",
            1,
            "'lid' is to be replaced in templates/box.qnt, but does not occur there",
        ),
        ("templates/box.qnt", 1, "TODO is left after the documented substitutions"),
    ]
