"""DocC, in which Swift packages are documented: catalogues (`*.docc`) of Markdown pages with block
directives, and of tutorials that consist of directives alone.

`convert` reads a tutorial; `expand_page` gives a Markdown page as its site shows it, `catalogue_of` the
catalogue of a page and `named_files` what that page may name. `CATALOGUE` and `TUTORIAL` are the endings of
a catalogue and of a tutorial.

Imports the rest of `formats`, `languages`, `project` and `cache`.
"""

from kbc.formats.docc.catalogue import CATALOGUE, TUTORIAL, catalogue_of, named_files
from kbc.formats.docc.reader import convert, expand_page

__all__ = ["CATALOGUE", "TUTORIAL", "catalogue_of", "convert", "expand_page", "named_files"]
