"""MDX: where its syntax is (`syntax`), what is exported (`exports`), what expressions show (`rendered`), what
of it is text (`text`).

Imports `languages.includes`.
"""
