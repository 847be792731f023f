"""The fenced fast path of `serve`: options and the composition of a server, with almost no imports.

Imports `mcp` and `http`, each only when it is needed.
"""
