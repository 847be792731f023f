"""The phases of a build in order, with inputs, progress and what stays in memory between builds.

Imports every room of the phases.
"""
