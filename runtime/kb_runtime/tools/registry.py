"""Every tool but the compact ones, in the order in which servers list them."""

from __future__ import annotations

from kb_runtime.tools.cases import health, ingestion
from kb_runtime.tools.cases import search as tests
from kb_runtime.tools.code import family as code
from kb_runtime.tools.declaration import Tool
from kb_runtime.tools.reference import builtins, docs, examples, patterns, routing, templates
from kb_runtime.tools.search import hybrid, substring
from kb_runtime.tools.sources import pages
from kb_runtime.tools.sources import search as source_search
from kb_runtime.tools.workshops import context, diffs, overview, quiz, topic_search

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
    *source_search.TOOLS,
    *pages.TOOLS,
    *overview.TOOLS,
    *context.TOOLS,
    *diffs.TOOLS,
    *topic_search.TOOLS,
    *quiz.TOOLS,
    *code.TOOLS,
)
