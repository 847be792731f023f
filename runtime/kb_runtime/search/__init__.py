"""Search, from a query to ranked hits: analysis, lexical and vector searcher, fusion, ranking, snippets.

Imports `store` and `text`; what it searches reaches it through the protocols of `ports`.
"""
