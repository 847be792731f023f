from __future__ import annotations

from pathlib import Path

from kbc.backends.licences import write_licences
from kbc.diagnostics import Diagnostics
from kbc.pipeline.reading import read_inputs
from kbc.project.source_file import SourceFile


def write_kb(root: Path) -> None:
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "a.md").write_text("# A\n\nText.\n")
    (root / "kb.toml").write_text('[kb]\nname = "demo"\n')


def test_each_part_has_its_texts_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "NOTICE").write_text("made by us")
    out = tmp_path / "out"
    write_licences(out, [SourceFile("NOTICE", b"ours")], {"encoder": [tmp_path / "NOTICE"]})
    assert (out / "licenses/knowledge-base/NOTICE").read_bytes() == b"ours"
    assert (out / "licenses/encoder/NOTICE").read_text() == "made by us"


def test_without_texts_there_is_no_folder(tmp_path: Path) -> None:
    write_licences(tmp_path, [], {})
    assert list(tmp_path.iterdir()) == []


def test_licence_texts_beside_kb_toml_are_inputs(tmp_path: Path) -> None:
    write_kb(tmp_path)
    (tmp_path / "LICENSE").write_text("MIT")
    inputs = read_inputs(tmp_path, Diagnostics())
    assert inputs is not None
    assert [file.path for file in inputs.licences] == ["LICENSE"]
    assert [file.path for file in inputs.files] == ["LICENSE", "docs/a.md"]


def test_a_licence_text_outside_of_the_folder_is_left_there(tmp_path: Path) -> None:
    write_kb(tmp_path / "kb")
    (tmp_path / "LICENSE").write_text("somebody's")
    (tmp_path / "kb" / "LICENSE").symlink_to(tmp_path / "LICENSE")
    inputs = read_inputs(tmp_path / "kb", Diagnostics())
    assert inputs is not None
    assert inputs.licences == ()
