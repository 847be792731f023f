"""The writers of an artifact's sections: catalog, facets, lexical index, vectors, tools, bill of materials.

Imports records, `project` and `cache`; it never opens an input file.
"""
