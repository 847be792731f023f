"""What cannot be read of a folder that nobody wrote for a knowledge base, and must not stop its build."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.fresh_python import printed_by

from kbc.diagnostics import BuildError, Diagnostics
from kbc.pipeline.reading import read_inputs


def test_a_file_nobody_wrote_for_us_stops_no_build(tmp_path: Path) -> None:
    for name, data in {"a.md": b"# A\n\nText.\n", "b.md": b"# B\xff\n", "c.md": b"# C\0\n"}.items():
        (tmp_path / name).write_bytes(data)
    diagnostics = Diagnostics()
    found = read_inputs(tmp_path, diagnostics)
    assert found is not None
    assert [(each.severity.label, each.code) for each in diagnostics] == [
        ("warning", "file-not-utf8"),
        ("warning", "file-binary"),
    ]
    assert found.accounting.counts() == {"read": 1, "included": 0, "left out": 0, "not readable": 2}
    with pytest.raises(BuildError, match="2 warnings in the knowledge base; nothing was published"):
        diagnostics.raise_if_errors(strict=True)


@pytest.mark.skipif(os.mkdir not in os.supports_dir_fd, reason="paths cannot be too long here")
def test_a_folder_that_cannot_be_read_stops_no_build(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nText.\n")
    name, above = "y" * 200, os.open(tmp_path, os.O_RDONLY)
    for _ in range(25):  # further than a path may reach
        os.mkdir(name, dir_fd=above)
        below = os.open(name, os.O_RDONLY, dir_fd=above)
        os.close(above)
        above = below
    os.close(above)
    diagnostics = Diagnostics()
    found = read_inputs(tmp_path, diagnostics)
    assert found is not None
    assert [(each.severity.label, each.code) for each in diagnostics] == [
        ("warning", "folder-unreadable")
    ]
    assert found.accounting.counts()["not readable"] == 1


def test_to_read_pages_without_html_no_parser_of_it_is_loaded() -> None:
    code = "import sys, kbc.pipeline.build, kbc.pipeline.reading, kbc.recognition.detection as _"
    loaded = printed_by(f"{code}; print(*sys.modules)").split()
    assert "kbc.pipeline.reading" in loaded
    assert {"bs4", "markdownify"}.isdisjoint(loaded)
