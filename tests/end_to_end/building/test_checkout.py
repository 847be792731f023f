"""What `make` says in a checkout that it cannot set up."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from shutil import which

from tests.end_to_end.installed import ROOT
from tests.required import needs


@needs(which("make"), "no make here")
def test_a_python_that_is_too_old_is_named_before_anything_is_written(tmp_path: Path) -> None:
    old = tmp_path / "python3.10"
    as_old = "import sys; sys.version_info = (3, 10, 13); exec(sys.argv[1])"
    old.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{as_old}" "$2"\n')
    old.chmod(0o755)
    environment = tmp_path / "environment"
    done = subprocess.run(
        ["make", "-C", ROOT, f"PYTHON={old}", f"VENV={environment}", "setup"],
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    said = "kbc needs Python 3.11 or newer, and {} is 3.10: name another one, as in make PYTHON="
    assert said.format(old) in done.stderr
    assert not environment.exists()
