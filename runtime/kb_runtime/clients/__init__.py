"""The configurations of MCP clients: a table of programs, edits that keep every other byte, trial starts.

Imports `options` to read the command line of a server, and what lies below it to ask one and to verify
what it serves.
"""
