"""What is said about an artifact as a whole: whether it is sound, what it holds, and how two of them differ.

Imports `search`, `store`, `text` and the modules of `knowledge` around it.
"""
