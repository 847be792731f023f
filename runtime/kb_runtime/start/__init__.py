"""The fenced fast path of `serve`: options and the composition of a server, in code that imports almost nothing.

Imports `mcp` and `http`, each only when it is needed.
"""
