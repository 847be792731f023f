"""Text as values: names and suggestions, cursors, addresses, globs, grapheme clusters, tables and rendering.

Imports `errors` and `digests`.
"""
