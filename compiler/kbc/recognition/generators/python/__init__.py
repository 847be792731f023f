"""What generators of documentation of Python projects share: literals of their configuration, and the
references of packages that their extensions write.

Imports `project` and the readers of configuration in `recognition`.
"""
