"""What a server of source trees alone serves before their first index.

Imports `search`, `store` and the modules of `knowledge` around it.
"""
