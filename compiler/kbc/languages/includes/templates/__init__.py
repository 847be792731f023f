"""Templates that pages are before a site's program reads them as Markdown: Liquid, Ruby, values in braces.

Imports the readers of files and containers beside this folder.
"""
