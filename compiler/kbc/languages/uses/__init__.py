"""Uses of definitions in source code: where names occur, what they are bound to, and which file defines it.

Imports the shared parts of `languages`, and how files of a project are named and read.
"""
