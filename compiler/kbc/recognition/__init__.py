"""Recognises what a folder of documentation is: its generator, and what that one's configuration says.

Imports `sources`, `languages` and `project`. One module a generator gives a `Site`; `detection` finds the
sites of a folder and makes a `Project` of them.
"""
