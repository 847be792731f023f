"""Sphinx's `glossary`: definitions, each of which several terms may have."""

from __future__ import annotations

from collections.abc import Iterable

from docutils import nodes
from docutils.statemachine import StringList

from kbc.formats.rst.sphinx_directive import SphinxDirective


class Glossary(SphinxDirective):
    optional_arguments = 0

    def run(self) -> list[nodes.Node]:
        source = self.content.source(0) if self.content else None
        self.content = StringList(with_shared_definitions(self.content), source)
        return self.children()


def with_shared_definitions(lines: Iterable[str]) -> list[str]:
    """The lines of a glossary, in which the terms of a definition, a line each, stand in one line."""
    found: list[str] = []
    terms: list[str] = []
    for line in lines:
        is_term = bool(line.strip()) and not line[:1].isspace() and not line.startswith("..")
        if is_term:
            terms.append(line.strip())
            continue
        if terms:
            found.append(", ".join(terms))
            terms = []
        found.append(line)
    return [*found, *([", ".join(terms)] if terms else [])]
