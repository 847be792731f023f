"""From a query to ranked hits: analysis, the lexical and the vector searcher, fusion, ranking and snippets.

Imports `store` and `text`; what it searches reaches it through the protocols of `ports`.
"""
