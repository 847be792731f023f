"""Pages of Maven sites in XML: xdoc, also as Anakia and Ant's style sheets have it, and questions (FML).

Imports the rest of `formats`, `languages` and `project`.
"""

from kbc.formats.maven.xdoc import convert

__all__ = ["convert"]
