"""Services that publish the pages of a repository: GitBook, Fern and Mintlify.

Imports `languages`, `project` and the readers of configuration in `recognition`.
"""
