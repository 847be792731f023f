"""What Markdown pages pull in and wrap: includes, shortcodes, admonitions, tabs, of any generator.

Imports nothing of the package outside of this folder but the rules of anchors and of front matter, and how
files of a project are named and read.
"""
