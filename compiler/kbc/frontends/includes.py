"""Expands what the Markdown pages of a collection include, and reports once what could not be."""

from __future__ import annotations

from collections import Counter

from kbc.diagnostics import Diagnostics
from kbc.languages.anchors import AnchorRules, rules_of
from kbc.languages.includes import expand
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile

_MOST_NAMED = 6


class PageIncludes:
    """The includes of one collection's pages."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._unresolved: Counter[str] = Counter()
        self._pages: list[str] = []

    @property
    def rules(self) -> AnchorRules:
        """How the collection's generator makes anchors."""
        return rules_of(self._collection.generator, self._collection.generator_options)

    def expand(self, file: SourceFile, text: str) -> str:
        """`text`, that of `file`, with the files that it includes and without its directives."""

        def read(path: str) -> bytes | None:
            return file.include(path, relative_to="")

        expansion = expand(text, file.path, read)
        if expansion.unresolved:
            self._unresolved.update(expansion.unresolved)
            self._pages.append(file.path)
        return expansion.text

    def report(self, diagnostics: Diagnostics) -> None:
        """One warning for the collection, with counts by directive."""
        if not self._unresolved:
            return
        counts = self._unresolved.most_common()
        named = ", ".join(f"{name} {count}" for name, count in counts[:_MOST_NAMED])
        more = f" and {len(counts) - _MOST_NAMED} more kinds" if len(counts) > _MOST_NAMED else ""
        pages = f"{len(self._pages)} page{'s' * (len(self._pages) != 1)}"
        diagnostics.warning(
            "include-unresolved",
            f"{self._unresolved.total()} directives on {pages} of {self._collection.name!r}"
            f" could not be resolved: {named}{more}",
            self._pages[0],
            hint="What they show is not in the knowledge base. Files must lie in the tree that is built;"
            " what a site computes when it is built cannot be read.",
        )
