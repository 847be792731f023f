"""Tools over entries that are looked up: builtins, pages, examples, patterns, templates, routing rules.

Imports the shared parts of `tools`.
"""
