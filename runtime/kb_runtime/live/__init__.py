"""What changes while a server runs: new versions, workspaces, edited source trees, the compiler process.

Imports `knowledge` and what lies below it.
"""
