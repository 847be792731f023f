"""Readers of the files of an artifact: manifest, catalog, facets, signatures.

Imports nothing but modules that import nothing: errors, digests, the log, the version of the format.
"""
