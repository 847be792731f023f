"""Readers of the files of an artifact: manifest, catalog, facets, signatures.

Imports only the errors and the version of the format.
"""
