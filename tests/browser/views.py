"""What a page shows, asked while it may still be on its way from one view to the next."""

from __future__ import annotations

from typing import Any

from playwright import sync_api as playwright
from tests.waiting import until


def shows(page: Any, expression: str) -> None:
    """Waits until a page is as an expression says. The policy of our pages forbids Playwright's own
    way, which evaluates strings in them. Between two views an element is missing for a moment, or the
    page that was asked is gone: then it is not so yet."""
    last = ""

    def holds() -> bool:
        nonlocal last
        try:
            return bool(page.evaluate(expression))
        except playwright.Error as error:
            last = str(error)
            return False

    until(holds, lambda: f"the page never was: {expression} {last}".strip())
