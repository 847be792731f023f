"""The words of single languages: their stems, what is within them, and where they begin without spaces.

Imports nothing; `search.analysis` uses it.
"""
