"""The errors of packaging an artifact."""

from __future__ import annotations


class ShippingError(Exception):
    """An artifact that cannot be shipped as asked: one sentence, and what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
