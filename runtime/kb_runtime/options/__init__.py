"""The options of `kbc serve`, and the settings that they make: read by the server, its help and `install`.

Imports `errors` and nothing else: a server parses its command line before its first answer.
"""
