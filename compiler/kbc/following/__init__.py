"""Builds that follow edits: watching, workspaces, source trees, ingestion of test cases.

Imports `pipeline` and what lies below it.
"""
