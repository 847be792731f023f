"""POD, in which Perl's documentation is written: paragraphs in `reader`, codes in lines in `inline`.

Imports `formats`.
"""

from kbc.formats.pod.reader import convert

__all__ = ["convert"]
