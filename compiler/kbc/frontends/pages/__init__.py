"""The front end for documentation sets: sources, each with its pages.

Imports `formats`, `sources`, `languages`, `project` and `cache`, and what front ends share.
"""

from kbc.frontends.pages.collection import is_metadata, not_a_page, read

__all__ = ["is_metadata", "not_a_page", "read"]
