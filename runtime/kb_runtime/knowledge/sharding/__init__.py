"""Sections that a sharded artifact has once for each shard, read as one: `docs/format.md` has the layout.

Imports `search` and `store`.
"""
