"""Sections that a sharded artifact has once for each shard, read as one: `docs/format.md` has the layout.

Imports `search` and `store`.
"""

from kb_runtime.search.encoder import limit_blas_threads

limit_blas_threads()  # before numpy, which modules here import
