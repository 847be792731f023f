"""Documentation generators, one module each: what a configuration says about pages, order and addresses.

Imports `languages`, `project` and the readers of configuration in `recognition`.
"""
