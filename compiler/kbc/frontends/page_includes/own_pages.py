"""Pages that one program alone understands: of bookdown, Documenter, Writerside and DocC."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from kbc.formats import docc
from kbc.languages.includes.dialects import bookdown
from kbc.project.include_tree import Read
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile

if TYPE_CHECKING:
    from kbc.formats.document import DocumentProblem
    from kbc.formats.documenter import DocumenterSite

_Expanded = tuple[str, Sequence["DocumentProblem"]]


class OwnPages:
    """Makes Markdown of the pages of a collection, whose `files` they are."""

    def __init__(self, collection: Collection, files: Sequence[SourceFile]) -> None:
        self._stated = collection.site.includes
        self._files = files
        self._catalogues: dict[str, Mapping[str, str]] = {}
        by_generator: Mapping[str, Callable[[SourceFile, str, Read], _Expanded]] = {
            "bookdown": self._of_bookdown,
            "documenter": self._of_documenter,
            "writerside": self._of_writerside,
        }
        self._expand = by_generator.get(collection.generator)

    def expand(self, file: SourceFile, text: str, read: Read) -> _Expanded:
        """The `text` of a page as Markdown, and what of it could not be had."""
        if self._expand is not None:
            return self._expand(file, text, read)
        if docc.catalogue_of(file.path):
            return docc.expand_page(text, file.path, read, self.named_files(file) or {})
        return text, ()

    def named_files(self, file: SourceFile) -> Mapping[str, str] | None:
        """The paths of files that a page names without their folders, as its generator or DocC has it; None
        where neither does."""
        catalogue = docc.catalogue_of(file.path)
        if not catalogue or file.tree is None:
            return self._stated.named_files
        if catalogue not in self._catalogues:
            self._catalogues[catalogue] = docc.named_files(catalogue, file.tree.names)
        return self._catalogues[catalogue]

    def _of_bookdown(self, file: SourceFile, text: str, _: Read) -> _Expanded:
        return bookdown.expand_page(text, file.path, self._headings), ()

    def _of_documenter(self, file: SourceFile, text: str, read: Read) -> _Expanded:
        return self._documenter.expand_page(text, file.path, read)

    def _of_writerside(self, file: SourceFile, text: str, read: Read) -> _Expanded:
        from kbc.formats.writerside import expand_page

        return expand_page(text, file.path, read, self.named_files(file) or {})

    @cached_property
    def _headings(self) -> bookdown.Headings:
        """Where the headings of a book are, by their anchors."""
        found: dict[str, tuple[str, str]] = {}
        for file in self._files:
            for _, anchor, title in bookdown.headings(file.data.decode("utf-8", "replace")):
                found.setdefault(anchor, (file.path, title))
        return found

    @cached_property
    def _documenter(self) -> DocumenterSite:
        from kbc.formats.documenter import DocumenterSite

        return DocumenterSite(self._files, self._stated.julia_packages)
