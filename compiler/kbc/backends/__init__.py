"""One module a section of the artifact: catalog, facets, lexical index, vectors, tools, bills.

Imports records, `project` and `cache`; it never opens an input file.
"""
