"""Documenter, whose configuration is a script of Julia and whose pages name docstrings of packages.

Imports `languages`, `project` and the readers of configuration in `recognition`.
"""
