"""reStructuredText with the directives and roles of Sphinx, read by docutils; Sphinx is not needed.

Imports the rest of `formats`, `languages` and `project`.
"""

from kbc.formats.rst.context import Context
from kbc.formats.rst.reader import convert, embedded

__all__ = ["Context", "convert", "embedded"]
