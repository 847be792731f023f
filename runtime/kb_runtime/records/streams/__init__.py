"""What programs say while they run tests: lines of TAP, messages of Cucumber.

Imports `records`.
"""
