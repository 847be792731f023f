"""Turns mirrors, web archives and dumps of sites into trees of pages with their original addresses.

A source is listed first (`listing`, one module for each sort of source), then each entry becomes a page or
is left out with its reason (`running`). Nothing here opens a network connection.

Imports `pipeline`, `recognition`, `sources`, `formats`, `languages`, `project` and `cache`.
"""
