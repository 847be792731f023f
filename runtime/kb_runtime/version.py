"""The version of the distribution, and of the artifact format that it reads and writes."""

__version__ = "0.1.0"

FORMAT_VERSION = 1
"""Goes up with every change that an older reader would misread."""
