"""Where kbc keeps what can be made again, for one user of a machine."""

from __future__ import annotations

import os


def user_cache() -> str:
    """Where the cache lives unless told otherwise: $KBC_CACHE, or kbc/ in the user's cache folder."""
    if named := os.environ.get("KBC_CACHE"):
        return named
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "kbc")
