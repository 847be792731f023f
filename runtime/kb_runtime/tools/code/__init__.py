"""Tools over source trees: retrieval and what indexes it.

Imports the shared parts of `tools`.
"""
