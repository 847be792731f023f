"""The documentation tree of the tests: Quint's operators, pages, posts, guidelines and patterns.

It was written for them, with what documentation trees have: one page that holds many operators, MDX with
components, CRLF line ends, patterns with anti-patterns.
"""

from __future__ import annotations

from pathlib import Path

QUINT_DOCS = Path(__file__).parent / "data" / "quint-docs"
"""A knowledge base that can be compiled. Tests must not change it."""
