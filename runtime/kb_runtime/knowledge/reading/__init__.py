"""What callers read of open knowledge: searches with hits that stand for themselves, records by any of their
names, and chunks, as values.

Imports `search`, `text` and the modules of `knowledge` around it.
"""
