"""Tools that search every collection, and the compact profile.

Imports the shared parts of `tools`.
"""
