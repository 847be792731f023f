"""The shapes of records that compiler and runtime share.

Imports nothing else of the package.
"""
