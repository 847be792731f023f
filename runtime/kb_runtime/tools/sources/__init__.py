"""Tools over documentation sets: sources, pages and their search.

Imports the shared parts of `tools`.
"""
