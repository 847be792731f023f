"""What courses in the usual public layouts consist of: exercises, their steps, both sides of each step.

Imports `languages` and `project`.
"""
