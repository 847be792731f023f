"""reStructuredText with the directives and roles of Sphinx, read by docutils; Sphinx is not needed.

Imports the room's own modules.
"""

from kbc.formats.rst.reader import convert

__all__ = ["convert"]
