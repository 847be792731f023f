"""API entries of what a project has without listing them: headers, descriptions in JSON, tables of functions.

Imports `project` and records.
"""

from kbc.frontends.entries.derivation import derive_entries

__all__ = ["derive_entries"]
