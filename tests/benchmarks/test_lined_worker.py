"""What a benchmark measures of its worker processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GROWN = """\
import subprocess, sys
grown = bytearray(300 << 20)
grown[::4096] = b"1" * len(grown[::4096])
del grown
worker = "from benchmarks.lined_worker import peak_bytes; print(peak_bytes() >> 20)"
subprocess.run([sys.executable, "-c", worker], check=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system has no such figure")
def test_the_memory_of_a_worker_is_its_own() -> None:
    done = subprocess.run(
        [sys.executable, "-c", GROWN], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert 0 < int(done.stdout) < 150
