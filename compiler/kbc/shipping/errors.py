"""The errors of packaging an artifact."""

from __future__ import annotations

from kb_runtime.errors import SingleCodeError, exit_codes


class ShippingError(SingleCodeError):
    """An artifact that cannot be shipped as asked."""

    code = "shipping"
    exit_code = exit_codes.USAGE
