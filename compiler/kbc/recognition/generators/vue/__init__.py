"""VitePress and VuePress, whose configurations are programs that name languages and sidebars alike.

Imports `languages`, `project` and the readers of configuration in `recognition`.
"""
