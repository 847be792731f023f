"""Programs in an interpreter of their own, which has imported nothing."""

from __future__ import annotations

import os
import subprocess
import sys


def printed_by(program: str) -> str:
    """What `program` writes to stdout, without white space at its ends. It must succeed."""
    run = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()
