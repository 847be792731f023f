"""Measures how well an artifact answers: labelled questions, measures, comparison of builds.

Imports the runtime, which it measures.
"""
