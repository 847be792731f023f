"""Tools over source trees: retrieval, and the state of the index.

Imports the shared parts of `tools`.
"""
