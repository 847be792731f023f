"""MkDocs: `site` reads mkdocs.yml, `navigation` the order that it or files of plugins give to the pages.

Imports the readers of configuration in `recognition`, `languages` and `project`.
"""

from kbc.recognition.generators.mkdocs.site import CONFIGS, GENERATOR, recognise

__all__ = ["CONFIGS", "GENERATOR", "recognise"]
