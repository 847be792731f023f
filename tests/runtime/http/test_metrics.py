"""What workers share of their metrics, and what becomes of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from kb_runtime.http.metrics import forget_gauges


def test_a_worker_that_has_ended_leaves_its_counters_only(tmp_path: Path) -> None:
    for name in ("gauge_livesum_1.db", "gauge_livesum_2.db", "counter_1.db"):
        (tmp_path / name).touch()
    forget_gauges(str(tmp_path), 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "counter_1.db",
        "gauge_livesum_2.db",
    ]


def test_a_folder_that_has_gone_neither_ends_the_server_nor_keeps_a_worker_from_starting(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "gone"
    forget_gauges(str(folder), 1)
    counted = "from kb_runtime.http.metrics import Metrics; import sys; Metrics(1, sys.argv[1])"
    subprocess.run([sys.executable, "-c", counted, str(folder)], check=True)
    assert any(folder.iterdir())
