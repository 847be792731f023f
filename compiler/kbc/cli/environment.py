"""Reads the environment variables of the command line; nothing below it reads any."""

from __future__ import annotations

import os
from pathlib import Path

from kb_runtime.errors import UsageError
from kb_runtime.user_cache import user_cache


def default_cache() -> Path:
    """Where the cache lives unless told otherwise: $KBC_CACHE, or kbc/ in the user's cache folder."""
    return Path(user_cache())


def default_models() -> Path:
    """Where downloaded models are kept: beside the cache, which can be emptied without them."""
    return default_cache() / "models"


_LATEST_EPOCH = 4_354_819_198
"""The last moment that a zip file, and so a wheel, can name."""


def source_date_epoch() -> int | None:
    """Seconds since 1970 from $SOURCE_DATE_EPOCH, None without it. Raises `UsageError`."""
    value = os.environ.get("SOURCE_DATE_EPOCH")
    if not value:
        return None
    if not value.isdecimal() or len(value) > 20 or int(value) > _LATEST_EPOCH:
        raise UsageError(
            f"SOURCE_DATE_EPOCH is {value!r}; it must be a number of seconds since 1970, at most"
            f" {_LATEST_EPOCH} (the end of 2107)"
        )
    return int(value)


def signing_passphrase() -> bytes | None:
    """The passphrase of the secret key; None where the variable is not set or empty."""
    from kbc.shipping.signing import PASSPHRASE_VARIABLE

    return os.environ.get(PASSPHRASE_VARIABLE, "").encode() or None
