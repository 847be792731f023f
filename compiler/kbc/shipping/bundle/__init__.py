"""One module a bundle format for MCP clients and registries.

Imports `shipping`.
"""
