"""Writes what was recognised as a commented kb.toml, for an author to go on with."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from kbc.project.model import Collection
from kbc.recognition.detection import Recognition

_HEAD = """\
# Written by `kbc init`, from what it recognised: {what}.
# `kbc check` reports mistakes, `kbc build` compiles, docs/kb-authoring.md explains every key.

[kb]
name        = {name}
title       = {title}
version     = {version}
description = {description}      # one sentence; agents read it
license     = {license}      # an SPDX expression, if you give the knowledge base away
"""

_TAIL = """
# [search]                              # the defaults are measured; change them with `kbc eval`
# candidates = 100                      # hits taken from each side before fusion

# [tools]
# families = ["reference", "search"]    # default: every family whose collections are present
"""


def kb_toml(found: Recognition) -> str:
    """The text of a kb.toml that compiles to the same records as `found` does."""
    project = found.project
    head = _HEAD.format(
        what=" ".join(found.what.split()),
        name=_quoted(project.name),
        title=_quoted(project.title),
        version=_quoted(project.version),
        description=_quoted(project.description),
        license=_quoted(project.license),
    )
    notes = "".join(f"# {note}\n" for note in found.notes)
    tables = "".join("\n" + "\n".join(_table(each)) + "\n" for each in project.collections)
    return f"{head}{notes}{tables}{_TAIL}"


def _table(collection: Collection) -> Iterator[str]:
    yield "[[collection]]"
    yield f"name      = {_quoted(collection.name)}"
    yield f"kind      = {_quoted(collection.kind)}"
    yield f"paths     = {_list(collection.paths)}"
    if collection.strip:
        yield f"strip     = {_quoted(collection.strip)}      # not a part of ids and addresses"
    if source := collection.options.get("source"):
        yield f"source    = {_quoted(str(source))}"
    if collection.generator:
        yield f"generator = {_quoted(collection.generator)}"
    if collection.config:
        yield f"config    = {_quoted(collection.config)}      # titles, order, addresses, redirects"
    base = str(collection.generator_options.get("base_url", ""))
    if base and not collection.config:
        yield f"url       = {_quoted(base)}"
    elif not base:
        yield '# url     = "https://example.org/"      # where the pages are published'
    if collection.include:
        yield f"include   = {_list(collection.include)}"
    if collection.exclude:
        yield f"exclude   = {_list(collection.exclude)}"


def _quoted(text: str) -> str:
    """A basic string of TOML, which is written as JSON writes one."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _list(items: Sequence[str]) -> str:
    return f"[{', '.join(map(_quoted, items))}]"
