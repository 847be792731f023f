"""A tree in the shape of the Quint knowledge base's original: without a kb.toml or with collections only,
templates described twice, and no routing table."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import page, read, recognised, write_tree

from kbc.diagnostics import Diagnostics
from kbc.pipeline.reading import read_inputs
from kbc.project.loading import load_project
from kbc.recognition.described import kb_toml
from kbc.records import BuiltinRecord, RoutingRecord

BUILTINS = "# Built-ins\n\n" + "".join(
    f"## {name}\n\nSignature: `pure def {name}: (a) => a`\n\nWhat {name} does.\n\n"
    for name in ("first", "second", "third")
)
TEMPLATES_MD = """# Templates

## plain

**Name:** Plain
**Filename:** plain.qnt
**Framework:** standard

**Use for:**
- Vending machines
- Auction houses

---

## chorus

**Name:** Chorus
**Filename:** chorus.qnt
**Framework:** chorus

**Use for:**
- Consensus of replicas
- Broadcast machines

**Workflow:** Take it for replicas, broadcast, or consensus
"""
TEMPLATES_JSON = """{
  "plain": {"name": "Plain", "filename": "plain.qnt", "framework": "standard",
            "use_for": ["Vending machines", "Auction houses"]},
  "chorus": {"name": "Chorus", "filename": "chorus.qnt", "framework": "chorus",
             "use_for": ["Consensus of replicas", "Broadcast machines"],
             "workflow": "Take it for replicas, broadcast, or consensus"}
}
"""
PATTERN = """---
id: chorus-listeners
name: Listeners of a chorus
category: core
when_to_use:
  - Leader election
examples:
  - ring
---

# Listeners

One for each message.
"""
TREE = {
    "README.md": page("The content"),
    "docs/builtin.md": BUILTINS,
    "docs/lang.md": page("Language"),
    "chorus/other.md": page("Other"),
    "choreo/index.mdx": page("Chorus"),
    "examples/ring/ring.qnt": "module ring {}\n",
    "patterns/listeners.md": PATTERN,
    "posts/first.mdx": page("First"),
    "templates/plain.qnt": "module plain {}\n",
    "templates/chorus.qnt": "module chorus {}\n",
    "templates/templates.json": TEMPLATES_JSON,
    "templates/templates.md": TEMPLATES_MD,
}


def test_the_tree_is_recognised_without_a_kb_toml(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "content", TREE)
    assert recognised(root).what == "knowledge base without a kb.toml"
    inputs, _ = read(root)
    assert {name: len(records) for name, records in inputs.records.items()} == {
        "builtins": 3,
        "docs": 2,
        "choreo": 1,
        "posts": 1,
        "examples": 1,
        "patterns": 1,
        "templates": 2,
        "routing": 2,
    }
    assert all(isinstance(each, BuiltinRecord) for each in inputs.records["builtins"])


def test_a_kb_toml_of_collections_only_is_enough(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "content", TREE)
    (root / "kb.toml").write_text('[[collection]]\nname = "t"\nkind = "templates"\n')
    diagnostics = Diagnostics()
    inputs = read_inputs(root, diagnostics)
    assert not diagnostics.errors
    assert inputs is not None
    assert inputs.project.name == "content"
    assert [record.id for record in inputs.records["t"]] == ["plain", "chorus"]


def test_rules_follow_from_templates_and_patterns(tmp_path: Path) -> None:
    inputs, _ = read(write_tree(tmp_path / "content", TREE))
    plain, chorus = inputs.records["routing"]
    assert isinstance(plain, RoutingRecord)
    assert isinstance(chorus, RoutingRecord)
    # "machines" is said by both, so it votes for none.
    assert plain.keywords == ("standard", "vending", "auction", "houses")
    assert chorus.keywords == ("chorus", "consensus", "replicas", "broadcast", "leader", "election")
    assert (plain.default, chorus.default) == (True, False)
    assert chorus.examples == ("ring",)
    assert "Templates for it: chorus." in chorus.reasoning


def test_a_table_replaces_the_rules(tmp_path: Path) -> None:
    table = '[[label]]\nname = "only"\ndefault = true\n'
    root = write_tree(tmp_path / "content", {**TREE, "routing.toml": table})
    inputs, _ = read(root)
    assert [record.id for record in inputs.records["routing"]] == ["only"]


@pytest.mark.parametrize(
    "files",
    [
        {"docs/a.md": page("A"), "examples/a.py": "x = 1\n", "templates/base.html": "<p>x</p>"},
        {"docs/a.md": "# A\n\nSignature: `x`\n", "patterns/a.md": page("A")},
    ],
)
def test_folders_with_common_names_are_no_sign(tmp_path: Path, files: dict[str, str]) -> None:
    assert recognised(write_tree(tmp_path / "tree", files)).what == "folder of pages"


def test_what_init_writes_keeps_the_group_of_a_folder_by_a_conventional_name(
    tmp_path: Path,
) -> None:
    files = {"pyproject.toml": '[project]\nname = "kites"\n', "docs/a.md": "# A\n\nText.\n"}
    root = write_tree(tmp_path / "tree", files)
    found = recognised(root)
    (root / "kb.toml").write_text(kb_toml(found))
    project = load_project(root, Diagnostics())
    assert project is not None
    groups = {each.name: each.group for each in found.project.collections}
    assert {each.name: each.group for each in project.collections} == groups
