"""Tools over workshops: lessons, topics, quizzes.

Imports the shared parts of `tools`.
"""
