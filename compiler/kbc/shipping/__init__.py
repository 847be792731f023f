"""Packages artifacts: wheels, bundles, bills of materials, licences, signatures, exports.

Imports `project`, `backends` and `evaluation`, and never starts a build.
"""
