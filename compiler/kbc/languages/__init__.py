"""The structure of languages: Markdown, MDX, HTML, Quint, Julia, and source code by its syntax tree.

Imports `project`, `cache`, records and diagnostics.
"""
