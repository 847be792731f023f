"""Texinfo, in which manuals of GNU are written: blocks in `reader`, commands in lines in `inline`.

Imports the rest of `formats`, `languages` and `project`.
"""

from kbc.formats.texinfo.reader import convert

__all__ = ["convert"]
