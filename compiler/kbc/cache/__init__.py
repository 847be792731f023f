"""What earlier builds computed, kept by content: the store, results of phases, their encoding as bytes.

Imports nothing of the package but its own source hash.
"""
