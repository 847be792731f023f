"""The ids of a build and of its shards: everything that decides the bytes of an artifact."""

from __future__ import annotations

from typing import Any

from kbc.cache import toolchain
from kbc.encoding.model import Model
from kbc.formats import converters, format_of
from kbc.linking.linker import build_id
from kbc.pipeline.inputs import Inputs
from kbc.pipeline.options import BuildOptions


def identity(
    inputs: Inputs, content: Any, model: Model | None, options: BuildOptions, **others: Any
) -> str:
    """`content` stands for the records of `inputs`. `others` are values that decide about the bytes of this
    artifact and not of every other."""
    return build_id(
        inputs=content,
        settings=[inputs.project.settings(), options.built_at, options.prefix],
        toolchain={
            "libraries": toolchain.library_versions(),
            "converters": converters(filter(None, map(format_of, {*inputs.paths.values()}))),
            "source": toolchain.source_hash(),
            "model": model and model.identity,
            "max_tokens": model and model.max_tokens,
            "variants": options.variants,
            "parsed": options.has_symbols,
            **others,
        },
    )
