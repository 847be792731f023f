from __future__ import annotations

import os
from pathlib import Path

import pytest

from kbc.sources.listing import least_deep


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_what_would_keep_a_reader_waiting_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "also.md").symlink_to("pipe.md")
    (tmp_path / "page.md").write_text("# Page\n")
    (tmp_path / "gone.md").symlink_to("nothing.md")
    assert least_deep(tmp_path, 10) == ["gone.md", "page.md"]
