"""What the nodes of a syntax tree define: rules by language and type of node, most of them data.

Imports the table of node types.
"""
