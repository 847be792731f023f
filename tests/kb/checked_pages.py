"""Pages to be checked, and answers of the tool."""

from __future__ import annotations

from typing import Any


def page(*blocks: str) -> str:
    return "# A page\n\n" + "\n\n".join(blocks) + "\n"


def answer(**fields: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {"errors": [], "modules": [], "unused": [], "tests": [], "probes": []}
    return empty | {"simulations": [], "executions": []} | fields
