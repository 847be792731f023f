"""The variants in which a model's weights are stored, by name. Imports nothing heavy."""

from __future__ import annotations

from typing import Literal, get_args

Variant = Literal["fp32", "nb8-b32", "int8"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)

# Raised whenever a change in the graph can change a vector: part of the embedding cache's key and
# of the manifest's encoder identity.
RECIPE = 1
