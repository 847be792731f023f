"""The front end for workshops: repositories in the numbered and other layouts, and exported JSON.

Imports `formats`, `languages`, `project` and `sources`, and what front ends share.
"""

from kbc.frontends.workshops.collection import read

__all__ = ["read"]
