"""The MCP tools, a folder a family: each is declared once, with its arguments, answer and schema.

Imports `live`, `knowledge`, `search`, `store` and `text`; it knows nothing of MCP itself.
"""
