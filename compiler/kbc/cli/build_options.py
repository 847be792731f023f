"""The options that `kbc build` and `kbc watch` share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import click

from kbc.cli.environment import default_cache, default_models, source_date_epoch
from kbc.pipeline import DEFAULT_OUT

if TYPE_CHECKING:
    from kbc.pipeline.build import BuildOptions


class Chosen(TypedDict):
    """The values of these options, as a command gets them."""

    out: Path
    jobs: int | None
    model: Path | None
    rerank_model: Path | None
    offline: bool
    exact: bool
    query_variant: Literal["int8", "nb8-b32", "fp32"]
    lexical_only: bool
    no_draft: bool
    keep: int
    cache: Path | None
    no_cache: bool
    allow_outside: bool
    strict: bool


_OPTIONS = (
    click.option(
        "--out",
        type=click.Path(path_type=Path),
        default=DEFAULT_OUT,
        help=f"Output folder; default: {DEFAULT_OUT}.",
    ),
    click.option(
        "--jobs",
        type=click.IntRange(1, 256),
        help="Number of embedding threads; default: all cores.",
    ),
    click.option(
        "--model", type=click.Path(path_type=Path), help="Folder of a sentence-transformers model."
    ),
    click.option(
        "--rerank-model",
        type=click.Path(path_type=Path),
        help="Folder of a cross-encoder with which searches can re-score their best hits.",
    ),
    click.option(
        "--offline", is_flag=True, help="Download nothing: the model must be on this machine."
    ),
    click.option(
        "--exact",
        is_flag=True,
        help="Embed with full precision: more than twice as slow, and no better on our benchmarks.",
    ),
    click.option(
        "--query-encoder",
        "query_variant",
        type=click.Choice(["int8", "nb8-b32", "fp32"]),
        default="int8",
        show_default=True,
        help="Variant of the query encoder; docs/encoder.md compares them.",
    ),
    click.option(
        "--lexical-only",
        is_flag=True,
        help="Build without vectors and encoder: keyword search only.",
    ),
    click.option(
        "--no-draft",
        is_flag=True,
        help="Do not publish a keyword-only draft while a first build embeds.",
    ),
    click.option(
        "--keep", type=click.IntRange(1), default=3, help="Number of versions to keep; default: 3."
    ),
    click.option("--cache", type=click.Path(path_type=Path), help="The cache folder."),
    click.option("--no-cache", is_flag=True, help="Do not read or write the cache."),
    click.option(
        "--allow-outside", is_flag=True, help="Follow paths and links that leave the folder."
    ),
    click.option(
        "--strict", is_flag=True, help="Fail on warnings, such as a file that cannot be read."
    ),
)


def takes_build_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options to a command, which gets them as `Chosen`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def build_options(chosen: Chosen, executor: str = "threads") -> BuildOptions:
    """The options of a build; the environment supplies what was not chosen."""
    from kbc.pipeline.build import BuildOptions

    return BuildOptions(
        out=chosen["out"],
        jobs=chosen["jobs"] or os.cpu_count() or 1,
        model=chosen["model"],
        rerank_model=chosen["rerank_model"],
        models=default_models(),
        offline=chosen["offline"],
        exact=chosen["exact"],
        query_variant=chosen["query_variant"],
        keep=chosen["keep"],
        cache=None if chosen["no_cache"] else chosen["cache"] or default_cache(),
        allow_outside=chosen["allow_outside"],
        strict=chosen["strict"],
        source_date_epoch=source_date_epoch(),
        embed=not chosen["lexical_only"],
        draft_first=not chosen["no_draft"],
        executor=executor,
    )
