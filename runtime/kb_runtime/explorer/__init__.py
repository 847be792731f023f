"""The explorer: pages that show people what agents see, served on loopback or beside an MCP server.

Imports the public names of `kb_runtime`, and nothing below them. Its libraries are the extra `explorer`.
"""
