"""What is searched: one open artifact, or several as one, with verification and inspection.

Imports `search`, `store` and `text`.
"""
