"""MyST, the Markdown of Sphinx, and the dialect of it that Elastic's docs-builder reads.

Imports the readers of files and containers beside this folder.
"""
