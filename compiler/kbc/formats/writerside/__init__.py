"""Topics of Writerside: semantic XML (`.topic`), and Markdown with elements of it in between.

`convert` reads a `.topic` file; `expand_page` gives a Markdown topic as its site shows it, with code from
files, parts of files, parts of other topics and values of variables.

Imports the rest of `formats`, `languages` and `project`.
"""

from kbc.formats.writerside.markdown import expand_page
from kbc.formats.writerside.reader import convert

__all__ = ["convert", "expand_page"]
