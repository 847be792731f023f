"""Several parts read as one, whether they are the shards of an artifact or the artifacts of a federation.

`numbering` says where each record and row of the whole is; the readers of records, chunks and vectors ask it
and then the part. What differs is elsewhere: `sharding` divides one artifact, whose terms are counted and
whose vectors are compared as a whole; `federation` joins artifacts that know nothing of each other.

Imports `search` and `store`.
"""

from kb_runtime.search.encoder import limit_blas_threads

limit_blas_threads()  # before numpy, which most modules here import
