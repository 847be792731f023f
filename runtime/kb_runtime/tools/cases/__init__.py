"""Tools over catalogues of test cases: search, lookup, ingestion.

Imports the shared parts of `tools`.
"""
