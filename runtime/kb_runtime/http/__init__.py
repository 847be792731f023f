"""The streamable HTTP front end: the application over the SDK, sockets, workers, metrics.

Imports `mcp` and what lies below it.
"""
