"""Open knowledge bases: one artifact, or several as one, with verification and inspection.

Imports `search`, `store` and `text`.
"""
