"""What Markdown pages pull in and wrap: includes, shortcodes, admonitions, tabs, of any generator.

Imports nothing of the package outside of this folder but the rules of anchors and of front matter, and how
files of a project are named and read.
"""

from kbc.languages.includes.adapted import adapted
from kbc.languages.includes.dialects.gitbook import with_variables
from kbc.languages.includes.dialects.notes import notes_among
from kbc.languages.includes.dialects.zola import with_shown_shortcodes
from kbc.languages.includes.expansion import expand, may_include
from kbc.languages.includes.files import AttributeStyle, Expansion, Surroundings, is_complete
from kbc.languages.includes.myst.docs_builder import Docset
from kbc.languages.includes.templates.erb import expand_ruby
from kbc.languages.includes.templates.liquid import Liquid, first_value
from kbc.languages.includes.templates.values import Lookup
from kbc.languages.includes.templates.velocity import expand_velocity

__all__ = [
    "AttributeStyle",
    "Docset",
    "Expansion",
    "Liquid",
    "Lookup",
    "Surroundings",
    "adapted",
    "expand",
    "expand_ruby",
    "expand_velocity",
    "first_value",
    "is_complete",
    "may_include",
    "notes_among",
    "with_shown_shortcodes",
    "with_variables",
]
