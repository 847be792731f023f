"""How long tests wait for another process or thread: one limit, which a machine of two cores with twenty
busy processes does not reach. A test never passes because something took long, and never says how fast
something is."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import pytest

PATIENCE_S = 600.0
"""After that, what is waited for will not happen."""
FETCH_S = 1_800.0
"""For fixtures that fetch packages and install them: a slow index is no failure."""
PAUSE_S = 0.02

Found = TypeVar("Found")


def until(
    condition: Callable[[], Found], what: str | Callable[[], str], pause_s: float = PAUSE_S
) -> Found:
    """Asks `condition` again and again, and returns its first answer that is true. The test fails with
    `what`, which says what was waited for, when there is none within `PATIENCE_S`."""
    end = time.monotonic() + PATIENCE_S
    while not (found := condition()):
        if time.monotonic() > end:
            pytest.fail(f"waited {PATIENCE_S:g} s: {what if isinstance(what, str) else what()}")
        time.sleep(pause_s)
    return found
