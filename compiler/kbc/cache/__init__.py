"""The results of earlier builds, keyed by content: the store, results of phases, their encoding as bytes.

Imports nothing of the package but its own source hash.
"""
