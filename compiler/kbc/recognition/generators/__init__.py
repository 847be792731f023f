"""Documentation generators, one module each: what a configuration says about pages, order and addresses.

Imports `formats`, `languages`, `project` and the readers of configuration in `recognition`.
"""
