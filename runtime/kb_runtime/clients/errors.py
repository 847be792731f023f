"""Errors about the configuration files of clients."""

from __future__ import annotations

from kb_runtime.errors import SingleCodeError, exit_codes


class ConfigError(SingleCodeError):
    """A configuration that is left as it is."""

    code = "client-config"
    exit_code = exit_codes.OUTPUT


class ChangedError(ConfigError):
    """The file changed between reading and writing; reading it again may help."""

    code = "client-config-changed"


class TextError(ValueError):
    """A text that cannot be edited; the message completes `<file> ...`, as in `is not valid JSON`."""
