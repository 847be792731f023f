"""Errors about the configuration files of clients."""

from __future__ import annotations


class ConfigError(Exception):
    """A configuration that is left as it is. `message` is one sentence, `hint` says what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ChangedError(ConfigError):
    """The file changed between reading and writing; reading it again may help."""


class TextError(ValueError):
    """A text that cannot be edited; the message completes `<file> ...`, as in `is not valid JSON`."""
