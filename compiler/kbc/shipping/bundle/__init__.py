"""The bundle formats for MCP clients and registries, one module each.

Imports `shipping`.
"""
