"""DOCX, PPTX, EPUB, Org, man pages, DocBook and MediaWiki, read by pandoc as a program of its own.

Imports the room's own modules.
"""

from kbc.formats.pandoc.reader import convert

__all__ = ["convert"]
