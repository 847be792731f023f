"""HTML pages: which part is content, and what it says as Markdown.

Imports the addresses of `languages`.
"""
