"""The errors of encoding: a model that cannot be used, or vectors that must not be published."""

from __future__ import annotations

from pathlib import Path

from kb_runtime.errors import KbcError, exit_codes


class ModelError(KbcError):
    """The encoder model cannot be used.

    Codes: `model-missing` (no package, folder or file), `model-download` (the hub cannot be reached or
    the download ended early), `model-hash-mismatch` (not the pinned files), `model-unsupported` (an
    architecture, pooling or setting the graph writer does not know) and `model-invalid` (files that
    contradict each other or cannot be read).
    """

    exit_code = exit_codes.MODEL

    @classmethod
    def unreadable(cls, path: Path, error: Exception) -> ModelError:
        """Of the file of a model that is there and cannot be read."""
        hint = "Copy the model again, or name another folder with --model."
        return cls("model-invalid", f"{path} cannot be read: {error}", hint)


class EncodingError(KbcError):
    """Texts or vectors that must not reach an artifact. `keys` name the texts.

    Codes: `text-too-long`, `vector-count`, `vector-shape`, `vector-not-finite`,
    `vector-not-normalised` and `vector-duplicate`.
    """

    exit_code = exit_codes.MODEL

    def __init__(self, code: str, message: str, keys: tuple[str, ...] = ()) -> None:
        super().__init__(code, message)
        self.keys = keys
