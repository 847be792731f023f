"""Runs the tasks of a build on other processes or machines: worker pools, Dask, proof of equal encoders,
processes that convert files.

Imports `backends`, `cache`, `chunking`, `encoding`, `formats`, `languages` and records.
"""
