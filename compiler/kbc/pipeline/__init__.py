"""The phases of a build in order, with inputs, progress and what stays in memory between builds.

Imports every room of the phases.
"""

from __future__ import annotations

DEFAULT_OUT = "dist-index"
"""Where a build goes that was not told where."""
