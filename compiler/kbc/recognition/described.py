"""Writes what was recognised as a commented kb.toml, for an author to go on with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kb_runtime.text.toml_statements import basic_string
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

_SEARCH = """
# [search]                              # the defaults are measured; change them with `kbc eval`
# candidates = 100                      # hits taken from each side before fusion
"""
_WEIGHTED = """
[search]
weights = {{ {weights} }}      # passages that are in other pages as well come behind those
"""

_TAIL = """
# [tools]
# families = ["reference", "search"]    # default: every family whose collections are present
"""


def kb_toml(found: Recognition) -> str:
    """The text of a kb.toml that compiles to the same records as `found` does."""
    project = found.project
    head = _HEAD.format(
        what=" ".join(found.what.split()),
        name=basic_string(project.name),
        title=basic_string(project.title),
        version=basic_string(project.version),
        description=basic_string(project.description),
        license=basic_string(project.license),
    )
    notes = "".join(f"# {note}\n" for note in found.notes)
    tables = "".join("\n" + "\n".join(_table(each)) + "\n" for each in project.collections)
    weights = ", ".join(
        f"{basic_string(name)} = {weight}" for name, weight in project.search.weights.items()
    )
    search = _WEIGHTED.format(weights=weights) if weights else _SEARCH
    return f"{head}{notes}{tables}{search}{_TAIL}"


def _table(collection: Collection) -> Iterator[str]:
    yield "[[collection]]"
    yield f"name      = {basic_string(collection.name)}"
    yield f"kind      = {basic_string(collection.kind)}"
    yield f"paths     = {_list(collection.paths)}"
    if collection.group:
        yield f"group     = {basic_string(collection.group)}"
    if collection.strip:
        yield f"strip     = {basic_string(collection.strip)}      # dropped from ids and URLs"
    if source := collection.options.get("source"):
        yield f"source    = {basic_string(str(source))}"
    if collection.generator:
        yield f"generator = {basic_string(collection.generator)}"
    if collection.config:
        yield f"config    = {basic_string(collection.config)}      # titles, order, URLs, redirects"
    base = collection.site.base_url
    if base and not collection.config:
        yield f"url       = {basic_string(base)}"
    elif not base:
        yield '# url     = "https://example.org/"      # where the pages are published'
    if collection.include:
        yield f"include   = {_list(collection.include)}"
    if collection.exclude:
        yield f"exclude   = {_list(collection.exclude)}"


def _list(items: Sequence[str]) -> str:
    return f"[{', '.join(map(basic_string, items))}]"
