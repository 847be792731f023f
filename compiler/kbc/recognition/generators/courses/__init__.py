"""Courses, whose settings name the steps or lessons of which they consist.

Imports `project` and the readers of configuration in `recognition`.
"""
