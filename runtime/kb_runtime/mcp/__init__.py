"""The protocol: dispatch, one connection, stdio, revisions, resources, prompts and what clients are told of changes.

Imports `tools` and what lies below it, and never the SDK.
"""
