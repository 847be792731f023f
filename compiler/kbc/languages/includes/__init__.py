"""What Markdown pages pull in and wrap: includes, shortcodes, admonitions, tabs, of any generator.

Imports nothing of the package outside of this folder but the rules of anchors.
"""

from kbc.languages.includes.expansion import Expansion, expand, may_include
from kbc.languages.includes.files import AttributeStyle, Surroundings, is_complete
from kbc.languages.includes.liquid import Liquid, value_at
from kbc.languages.includes.myst.docs_builder import Docset
from kbc.languages.includes.values import Lookup

__all__ = [
    "AttributeStyle",
    "Docset",
    "Expansion",
    "Liquid",
    "Lookup",
    "Surroundings",
    "expand",
    "is_complete",
    "may_include",
    "value_at",
]
