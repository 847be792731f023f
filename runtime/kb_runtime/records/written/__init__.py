"""Tests as people write them: specifications of Gauge, the labels of test cases in many languages.

Imports `records`.
"""
