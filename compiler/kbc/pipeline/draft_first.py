"""Decides whether a build publishes a draft before it embeds: words only, within seconds."""

from __future__ import annotations

from collections.abc import Mapping

from kb_runtime.store.manifest import CURRENT
from kbc.encoding.processor import processor
from kbc.encoding.variants import Variant
from kbc.pipeline.inputs import Inputs
from kbc.pipeline.options import BuildOptions
from kbc.project.kinds import KINDS

LEAST_SECONDS = 10.0
"""A shorter wait is not worth a version that finds less."""

# Of one thread, on texts of 4 characters a token (`python -m benchmarks.encoders.embedding`), with VNNI and
# on a slow CPU without it (Zen 2): a draft too many costs a second, one too few a minute of waiting.
_WITH_VNNI: Mapping[Variant, float] = {"int8": 15e-6, "nb8-b32": 28e-6, "fp32": 36e-6}
_WITHOUT_VNNI: Mapping[Variant, float] = {"int8": 75e-6, "nb8-b32": 155e-6, "fp32": 76e-6}


def publishes_draft(inputs: Inputs, options: BuildOptions, new_characters: int) -> bool:
    """Whether embedding `new_characters` takes so long that a draft should go live first.

    Never where a version is live already, which knows more than a draft of the new one, and never for
    collections whose facets a draft does not have: filters would find nothing.
    """
    if not options.draft_first or not options.has_vectors:
        return False
    if (options.out_folder / inputs.project.name / CURRENT).exists():
        return False
    if any(KINDS[collection.kind].has_facets for collection in inputs.collections):
        return False
    per_character = _WITH_VNNI if "vnni" in processor() else _WITHOUT_VNNI
    seconds = new_characters * per_character[options.document_variant] / options.jobs
    return seconds > LEAST_SECONDS
