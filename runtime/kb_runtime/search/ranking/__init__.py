"""Ranking of fused candidates: by the structure of what they are part of, and by a re-ranker.

Imports what `search` does; the pipeline in `search.searcher` calls it.
"""
