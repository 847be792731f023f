"""The exit codes of `kbc`, documented in docs/cli.md; scripts may rely on them."""

from __future__ import annotations

from kb_runtime.exit_codes import (
    ARTIFACT,
    BROKEN,
    EXTRA,
    INTERNAL,
    INTERRUPTED,
    NOT_FOUND,
    OK,
    OUTPUT,
    USAGE,
)

__all__ = [
    "ARTIFACT",
    "BELOW",
    "BROKEN",
    "EXTRA",
    "INPUT",
    "INTERNAL",
    "INTERRUPTED",
    "MODEL",
    "NOT_FOUND",
    "OK",
    "OUTPUT",
    "USAGE",
]

INPUT = 3  # the knowledge base has errors; nothing was published
MODEL = 6  # the encoder's model is missing or not the pinned one
BELOW = 9  # `eval`: a measure is below its --fail-under
