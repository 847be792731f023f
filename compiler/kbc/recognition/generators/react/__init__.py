"""Docusaurus, Nextra and Rspress, whose configurations are programs and whose pages are MDX.

Imports `languages`, `project` and the readers of configuration in `recognition`.
"""
