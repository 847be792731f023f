"""The fenced fast path of `serve`: options and the composition of a server, with almost no imports.

Imports `mcp`, `http`, `explorer` and what lies below them, each only when it is needed.
"""
