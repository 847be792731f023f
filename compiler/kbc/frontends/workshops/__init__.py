"""The front end for workshops: repositories in the numbered layout and exported JSON.

Imports `languages`, `project` and `sources`, and what front ends share.
"""

from kbc.frontends.workshops.collection import read

__all__ = ["read"]
