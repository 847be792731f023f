"""AsciiDoc, in projects of Antora too: attributes, includes with tags, tables, admonitions, callouts.

Imports the room's own modules.
"""

from kbc.formats.asciidoc.reader import convert

__all__ = ["convert"]
