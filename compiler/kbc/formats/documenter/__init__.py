"""Documenter, with which packages of Julia are documented: Markdown with blocks that name docstrings or hold
code to run, and links that name headings and docstrings.

`DocumenterSite.expand_page` gives a page as its site shows it, without the results of the code. `is_literate`
tells scripts that are pages as well.

Imports the rest of `formats`, `languages` and `project`.
"""

from kbc.formats.documenter.literate import is_literate
from kbc.formats.documenter.pages import DocumenterSite

__all__ = ["DocumenterSite", "is_literate"]
