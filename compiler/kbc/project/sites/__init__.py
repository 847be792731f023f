"""Sites of documentation: what is particular to each generator, and what the configuration of a site says.

Imports `project`.
"""
