"""The commands on one artifact, for `kbc` and for an installed knowledge base.

Imports everything below; nothing imports it.
"""
