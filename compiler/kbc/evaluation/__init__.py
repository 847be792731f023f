"""Measures how well an artifact answers: labelled questions, measures, comparison of builds.

Imports `project` and the runtime, which it measures.
"""
