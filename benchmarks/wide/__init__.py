"""A benchmark over many labelled sets of different kinds, to choose constants by; see README.md."""

from kb_runtime.search.encoder import limit_blas_threads

# As in a server. With its pool of threads numpy takes seven times as long for the small products here.
limit_blas_threads()
