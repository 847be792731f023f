"""Julia as text: its tokens, the values that a script states as literals, and the docstrings of source.

Nothing is run, and no grammar is needed: scripts that build documentation are read on every installation.

Imports `cache`.
"""

from kbc.languages.julia.docstrings import VALUE, Docstring, JuliaSource, read_source
from kbc.languages.julia.names import Wanted, fit, wanted
from kbc.languages.julia.script import Call, JuliaScript, Name, Pair, read_script, stated

__all__ = [
    "VALUE",
    "Call",
    "Docstring",
    "JuliaScript",
    "JuliaSource",
    "Name",
    "Pair",
    "Wanted",
    "fit",
    "read_script",
    "read_source",
    "stated",
    "wanted",
]
