"""The ids of a build and of its shards: everything that decides the bytes of an artifact."""

from __future__ import annotations

from typing import Any

from kbc.cache import toolchain
from kbc.encoding.model import Model
from kbc.formats import BY_NAME, Format, converters, format_of
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
            "converters": converters(_formats(inputs)),
            "source": toolchain.source_hash(),
            "model": model and model.identity,
            "max_tokens": model and model.max_tokens,
            "variants": options.variants,
            "parsed": options.has_symbols,
            **others,
        },
    )


def _formats(inputs: Inputs) -> list[Format]:
    """The formats of the files: also of Python modules, whose reference pages may show."""
    found = [each for path in {*inputs.paths.values()} if (each := format_of(path)) is not None]
    has_pages = any(each.kind != "code" for each in inputs.collections)
    if has_pages and any(file.path.endswith(".py") for file in inputs.files):
        found.append(BY_NAME["quartodoc"])
    return found
