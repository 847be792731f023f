"""Checks across records: ids and names in `records`, links of pages in `links`.

Imports the orphans beside this folder, `languages` and `project`.
"""

from kbc.frontends.references.records import check

__all__ = ["check"]
