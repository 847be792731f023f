"""The front end for documentation sets: sources, each with its pages.

Imports `languages` and `project`, and what front ends share.
"""

from kbc.frontends.pages.collection import read

__all__ = ["read"]
