"""The variants in which a model's weights are stored, by name. Imports nothing heavy."""

from __future__ import annotations

from typing import Literal, get_args

Variant = Literal["fp32", "nb8-b32", "int8"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)

# Raised when vectors of the graph can no longer be compared with earlier ones: part of the manifest's
# encoder identity.
RECIPE = 1

# Raised whenever a change in the graph of a variant can change a vector: part of the keys of the caches of
# graphs and of vectors.
REVISIONS: dict[Variant, int] = {"fp32": 1, "nb8-b32": 1, "int8": 2}

# Raised whenever the files of a graph change in another way: part of the key of the cache of graphs alone.
LAYOUT = 2
