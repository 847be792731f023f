"""Finds input files: discovery, source trees with their ignore files, the layout of workshops.

Imports `project` and `languages`.
"""
