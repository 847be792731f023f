"""The files through which workers share their metrics; see `metrics`, which needs prometheus-client."""

from __future__ import annotations

import os

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""Where prometheus-client looks for the folder, when it is imported and later."""


def forget_gauges(folder: str, place: int) -> None:
    """Removes the gauges of the worker at `place`, which has ended. Its counters stay."""
    for name in os.listdir(folder):
        if name.startswith("gauge_") and name.endswith(f"_{place}.db"):
            os.remove(os.path.join(folder, name))
