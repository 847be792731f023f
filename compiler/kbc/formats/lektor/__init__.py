"""Pages of Lektor sites: the fields of `contents.lr`, of which the long ones are Markdown.

Imports the rest of `formats`.
"""

from kbc.formats.lektor.contents import convert

__all__ = ["convert"]
