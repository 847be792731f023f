"""OpenAPI 3.x (and 2.0) in JSON or YAML: a document for the API, each operation and each schema.

Imports the rest of `formats`, and `project`.
"""

from kbc.formats.openapi.reader import convert

__all__ = ["convert"]
