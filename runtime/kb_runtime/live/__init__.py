"""State that changes after a build: versions, workspaces, edited source trees, and the compiler process.

Imports `knowledge` and what lies below it.
"""
