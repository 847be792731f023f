"""The id of a build covers everything that decides its bytes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.store.manifest import load
from kbc.formats import registry
from kbc.pipeline.build import BuildOptions, BuildReport, build, differing_files
from kbc.recognition.detection import recognise

KB_TOML = """\
[kb]
name = "ids"

[[collection]]
name = "docs"
kind = "docs"
paths = ["docs"]
"""
EMPTY = '\n[[collection]]\nname = "none"\nkind = "docs"\npaths = ["none"]\n'


def write_pages(folder: Path) -> None:
    for name in ("docs", "none"):
        (folder / name).mkdir()
    (folder / "docs" / "a.md").write_text("# A\n\nText.\n")


def made(folder: Path, out: str = "out") -> BuildReport:
    return build(folder, BuildOptions(out=folder / out, embed=False))


def test_a_warning_that_moved_to_another_line_makes_another_build(tmp_path: Path) -> None:
    write_pages(tmp_path)
    (tmp_path / "kb.toml").write_text(KB_TOML + EMPTY)
    before = made(tmp_path)
    (tmp_path / "kb.toml").write_text("# One line.\n# And another.\n" + KB_TOML + EMPTY)
    after = made(tmp_path)
    lines = [load(each.path)["warnings"][0]["line"] for each in (before, after)]
    assert lines[1] == lines[0] + 2
    assert differing_files(after.path, made(tmp_path, "clean").path) == []


def test_a_comment_below_the_warnings_makes_no_other_build(tmp_path: Path) -> None:
    write_pages(tmp_path)
    for below in ("", "# A comment.\n"):
        (tmp_path / "kb.toml").write_text(KB_TOML + EMPTY + below)
        report = made(tmp_path)
    assert report.reused


FUNCTION = 'def twice(x: int) -> int:\n    """Doubles pears."""\n    return 2 * x\n'
SITES = {
    "mkdocs": {"mkdocs.yml": "site_name: Fruit\n", "docs/index.md": "# Fruit\n\n::: fruit.twice\n"},
    "sphinx": {
        "docs/conf.py": "project = 'Fruit'\n",
        "docs/index.rst": "Fruit\n=====\n\n.. autofunction:: fruit.twice\n",
    },
}


@pytest.mark.parametrize("generator", SITES)
def test_the_library_that_reads_python_for_pages_decides_about_builds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, generator: str
) -> None:
    pytest.importorskip("griffe")
    for name, text in {**SITES[generator], "src/fruit/__init__.py": FUNCTION}.items():
        (tmp_path / "kb" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "kb" / name).write_text(text)

    def made_with(griffe: str, python: str = "3.11") -> tuple[str, str]:
        """The id of a build with a version of griffe, "" for none, and of Python; its pages' text."""
        monkeypatch.setattr(registry, "_version", lambda _: griffe)
        monkeypatch.setattr(registry, "PYTHON", python)
        if not griffe:
            monkeypatch.setitem(sys.modules, "kbc.formats.python.objects", None)
        options = BuildOptions(out=tmp_path / "out", cache=tmp_path / "cache", embed=False)
        report = build(recognise(tmp_path / "kb").project, options)
        monkeypatch.undo()
        with Artifact.open(report.path) as artifact:
            rows = artifact.collection("docs").rows
            return report.build_id, "\n".join(artifact.chunks[row]["text"] for row in rows)

    versions = (("",), ("2.0",), ("2.1",), ("2.1", "3.99"))
    missing, *others = [made_with(*each) for each in versions]
    assert "Doubles pears." not in missing[1]
    assert all("Doubles pears." in text for _, text in others)
    assert len({build_id for build_id, _ in [missing, *others]}) == 4
