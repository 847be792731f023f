"""ExDoc, whose configuration is part of a project's mix.exs, a program in Elixir.

Imports `languages`, `project` and the readers of configuration in `recognition`.
"""
