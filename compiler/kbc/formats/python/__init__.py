"""References of Python packages from their source, which is read and never run: signatures and docstrings.

Imports `formats` and `project`.
"""
