"""Texinfo, in which manuals of GNU are written: blocks in `reader`, commands in lines in `inline`.

Imports `formats`.
"""

from kbc.formats.texinfo.reader import convert

__all__ = ["convert"]
