"""The configurations of MCP clients: a table of programs, edits that keep every other byte, trial starts.

Imports `start` for the options of `serve`, and nothing of knowledge bases but how to start a server.
"""
