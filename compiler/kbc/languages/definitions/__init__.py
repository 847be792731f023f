"""Definitions that single languages write in their own way: a function bound to a variable, a macro
that defines, a block with labels.

Imports the table of node types.
"""

from collections.abc import Mapping

from kbc.languages.definitions import functional, others, scientific, values
from kbc.languages.definitions.names import Definition, NodeNames, Rule

__all__ = ["RULES", "Definition", "NodeNames"]

RULES: Mapping[tuple[str, str], Rule] = {
    **functional.RULES,
    **others.RULES,
    **scientific.RULES,
    **values.RULES,
}
"""Language and type of a node -> what it defines."""
