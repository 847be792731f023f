"""The protocol: dispatch, one connection, stdio, revisions, resources, prompts and notifications.

Imports `tools` and what lies below it, and never the SDK.
"""
