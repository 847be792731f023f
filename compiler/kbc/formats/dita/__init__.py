"""DITA: topics in XML, with the keys that the maps around them define, and what they reuse of other topics.

`convert` reads a topic.

Imports the rest of `formats`, `languages` and `project`.
"""

from kbc.formats.dita.reader import convert

__all__ = ["convert"]
