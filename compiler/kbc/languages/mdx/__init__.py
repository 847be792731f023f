"""MDX: where its syntax is (`syntax`), what is exported (`exports`), what expressions show (`rendered`), what
of it is text (`text`).

Imports `languages.includes`.
"""

from kbc.languages.mdx.cleaning import clean
from kbc.languages.mdx.exports import exported_texts, with_exported_texts
from kbc.languages.mdx.rendered import with_rendered_texts
from kbc.languages.mdx.syntax import comments, mask

__all__ = [
    "clean",
    "comments",
    "exported_texts",
    "mask",
    "with_exported_texts",
    "with_rendered_texts",
]
