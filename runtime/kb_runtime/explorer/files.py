"""The pages of health and quality as one file each: no script, no address but its own, for CI and mail."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

import kb_runtime as kr
from kb_runtime.explorer import health, quality
from kb_runtime.explorer.visit import HERE, Run, templates


def health_file(kb: kr.KnowledgeBase) -> str:
    facts = health.summary(kb, None)
    return _page("health.html", kb, **facts, texts=health.read_texts(kb))


def quality_file(kb: kr.KnowledgeBase, run: Run, before: Run | None = None) -> str:
    """An evaluation as a page of its own; with `before`, what moved since."""
    moved = quality.difference(before, run)
    return _page("quality.html", kb, run=run, **moved, **quality.facts(run, [("this build", run)]))


def _page(template: str, kb: kr.KnowledgeBase, **values: Any) -> str:
    with open(os.path.join(HERE, "static", "explorer.css"), encoding="utf-8") as file:
        style = file.read()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    manifest: Mapping[str, Any] = kb.manifest
    return (
        templates()
        .get_template(template)
        .render(
            kb=kb,
            manifest=manifest,
            is_file=True,
            style=Markup(style),  # our own, without a closing tag
            style_hash=f"sha256-{digest}",
            **values,
        )
    )
