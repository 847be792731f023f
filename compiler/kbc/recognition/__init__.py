"""Recognises what a folder of documentation is: its generator, and what that one's configuration says.

One module a generator gives a `Site`; `detection` finds the sites of a folder and makes a `Project` of them.

Imports `formats`, `sources`, `languages`, `project`, and the languages of pages in `backends`.
"""
