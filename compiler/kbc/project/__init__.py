"""A knowledge base as its author declares it: kb.toml, kinds of collections, scopes, the starter.

Imports diagnostics and, for shared defaults, the runtime.
"""
