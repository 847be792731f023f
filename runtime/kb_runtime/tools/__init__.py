"""The MCP tools, a folder a family: each is declared once, with its arguments, answer and schema.

Imports `live`, `knowledge`, `search` and `text`; it knows nothing of MCP itself.
"""

from __future__ import annotations

from kb_runtime.tools import health
from kb_runtime.tools.cases import ingestion
from kb_runtime.tools.cases import search as tests
from kb_runtime.tools.code import retrieval
from kb_runtime.tools.declaration import Tool
from kb_runtime.tools.reference import builtins, docs, examples, patterns, routing, templates
from kb_runtime.tools.search import hybrid, substring
from kb_runtime.tools.sources import pages
from kb_runtime.tools.workshops import lessons, quiz, topic_search

TOOLS: tuple[Tool, ...] = (
    *builtins.TOOLS,
    *docs.TOOLS,
    *examples.TOOLS,
    *templates.TOOLS,
    *patterns.TOOLS,
    *routing.TOOLS,
    *hybrid.TOOLS,
    *substring.TOOLS,
    *tests.TOOLS,
    *health.TOOLS,
    *ingestion.TOOLS,
    *pages.TOOLS,
    *lessons.TOOLS,
    *topic_search.TOOLS,
    *quiz.TOOLS,
    *retrieval.TOOLS,
)
