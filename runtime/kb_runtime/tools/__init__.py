"""Every tool that the runtime can offer, family by family; which are offered, the artifact decides."""

from __future__ import annotations

from kb_runtime.tools import (
    builtins,
    codebase,
    docs,
    examples,
    health,
    ingestion,
    patterns,
    quiz,
    routing,
    search,
    sources,
    substring,
    templates,
    tests,
    topic_search,
    workshops,
)
from kb_runtime.tools.declaration import Tool

TOOLS: tuple[Tool, ...] = (
    *builtins.TOOLS,
    *docs.TOOLS,
    *examples.TOOLS,
    *templates.TOOLS,
    *patterns.TOOLS,
    *routing.TOOLS,
    *search.TOOLS,
    *substring.TOOLS,
    *tests.TOOLS,
    *health.TOOLS,
    *ingestion.TOOLS,
    *sources.TOOLS,
    *workshops.TOOLS,
    *topic_search.TOOLS,
    *quiz.TOOLS,
    *codebase.TOOLS,
)
