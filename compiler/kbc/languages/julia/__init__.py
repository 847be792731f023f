"""Julia as text: its tokens, the values that a script states as literals, and the docstrings of source.

Nothing is run, and no grammar is needed: scripts that build documentation are read on every installation.

Imports `cache`.
"""
