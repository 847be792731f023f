"""Runs the tasks of a build on other processes or machines: worker pools, Dask, proof of equal encoders.

Imports `backends`, `cache`, `chunking`, `encoding` and records.
"""
