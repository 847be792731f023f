"""Several artifacts as one: `federation` has the interface of one artifact, the others its sections.

Collections keep their records; `layout` gives them the names, ordinals and rows that they have here. Terms
are counted over all parts and cosines are compared as they are. What a later part replaces is hidden.

Imports `search`, `store` and the modules of `knowledge` around it.
"""

from kb_runtime.search.encoder import limit_blas_threads

limit_blas_threads()  # before numpy, which modules here import
