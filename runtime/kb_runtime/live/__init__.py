"""What changes after a build: new versions, workspaces, edited source trees, and the compiler as a process.

Imports `knowledge` and what lies below it.
"""
