"""DOCX, PPTX, EPUB, Org, man pages, DocBook and MediaWiki, read by pandoc as a program of its own.

Imports the rest of `formats`, `languages` and `project`.
"""

from kbc.formats.pandoc.reader import convert

__all__ = ["convert"]
