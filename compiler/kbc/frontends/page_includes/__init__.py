"""What pages of Markdown include: files, values, references, and what of it is not there.

`PageIncludes` expands the pages of one collection.

Imports `cache`, `formats`, `languages` and `project`.
"""

from kbc.frontends.page_includes.expansion import PageIncludes, without_text

__all__ = ["PageIncludes", "without_text"]
