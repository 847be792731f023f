"""Doxygen: the API of a library of C or C++ as the comments of its headers document it.

Headers are read without a compiler and without Doxygen. `DoxygenProjects` finds what a page names in them;
`read_header` gives the entities of one file.

Imports the rest of `formats`, `languages` and `project`.
"""

from kbc.formats.doxygen.projects import DoxygenProjects, HeaderSets
from kbc.formats.doxygen.scanner import read_header

__all__ = ["DoxygenProjects", "HeaderSets", "read_header"]
