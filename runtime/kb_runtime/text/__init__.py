"""Text as values: names and suggestions, cursors, addresses, globs, tables and rendering.

Imports the errors, and the hash function of `store`.
"""
