"""Reads the object that a configuration in JavaScript or TypeScript exports, without running it.

Imports the grammars of languages, and how recognition names paths and mappings.
"""
