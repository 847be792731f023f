"""What the nodes of a syntax tree define: rules by language and type of node, most of them data.

Imports the table of node types.
"""

from kbc.languages.definitions.rules import NOTHING
from kbc.languages.definitions.table import rules_of
from kbc.languages.definitions.tree import NodeNames

__all__ = ["NOTHING", "NodeNames", "rules_of"]
