"""The errors of encoding: a model that cannot be used, or vectors that must not be published."""

from __future__ import annotations


class ModelError(Exception):
    """The encoder model cannot be used. `code` is stable; `hint` says what to do.

    Codes: `model-missing` (no package, folder or file), `model-hash-mismatch` (not the pinned
    files), `model-unsupported` (an architecture, pooling or setting the graph writer does not
    know) and `model-invalid` (files that contradict each other or cannot be read).
    """

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint


class EncodingError(Exception):
    """Texts or vectors that must not reach an artifact. `code` is stable; `keys` name the texts.

    Codes: `text-too-long`, `vector-count`, `vector-shape`, `vector-not-finite`,
    `vector-not-normalised` and `vector-duplicate`.
    """

    def __init__(self, code: str, message: str, keys: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.keys = keys
