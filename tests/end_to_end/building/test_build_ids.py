"""The id of a build covers everything that decides its bytes."""

from __future__ import annotations

from pathlib import Path

from kb_runtime.store.manifest import load
from kbc.pipeline.build import BuildOptions, BuildReport, build, differing_files

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
