"""Rd, in which the reference manuals of R packages are written: macros in `markup`, text in lines in
`inline`, lists and tables in `blocks`, pages in `reader`.

Imports `formats`.
"""

from kbc.formats.rd.reader import convert

__all__ = ["convert"]
