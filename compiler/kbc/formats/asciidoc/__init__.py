"""AsciiDoc, in projects of Antora too: attributes, includes with tags, tables, admonitions, callouts.

Imports the rest of `formats`, `languages` and `project`.
"""

from kbc.formats.asciidoc.reader import convert

__all__ = ["convert"]
