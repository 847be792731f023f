"""What Markdown pages pull in and wrap: includes, shortcodes, admonitions, tabs, of any generator.

Imports nothing of the package outside of this folder.
"""

from kbc.languages.includes.expansion import Expansion, expand
from kbc.languages.includes.files import is_complete
from kbc.languages.includes.liquid import Liquid

__all__ = ["Expansion", "Liquid", "expand", "is_complete"]
