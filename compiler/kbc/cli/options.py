"""Short forms of options, and the options that several commands share."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from kbc.cli.environment import default_cache, default_models, source_date_epoch
from kbc.pipeline import DEFAULT_OUT

Option = Callable[[Any], Any]
"""Adds an option to a command."""

PATH = click.Path(path_type=Path)


def path_option(*names: str, help: str, **more: Any) -> Option:
    return click.option(*names, type=PATH, help=help, **more)


def flag(*names: str, help: str) -> Option:
    return click.option(*names, is_flag=True, help=help)


def with_options(command: Callable[..., Any], options: Iterable[Option]) -> Callable[..., Any]:
    """`command` with the options, which `--help` lists in this order."""
    return functools.reduce(lambda made, option: option(made), reversed([*options]), command)


NAME = click.option(
    "--name", default="", help="Name if there is no kb.toml; default: the site's title."
)
SCOPE = click.option(
    "--scope",
    default="",
    help="Ask questions that name no scope of this one, or of `everything`; default: all.",
)
JOBS = click.option(
    "--jobs", type=click.IntRange(1, 256), help="Number of embedding threads; default: all cores."
)
ALLOW_OUTSIDE = flag("--allow-outside", help="Follow paths and links that leave the folder.")


_OPTIONS = (
    path_option("--out", help=f"Output folder; default: {DEFAULT_OUT}.", default=DEFAULT_OUT),
    JOBS,
    path_option("--model", help="Folder of a sentence-transformers model."),
    path_option(
        "--rerank-model",
        help="Folder of a cross-encoder with which searches can re-score their best hits.",
    ),
    flag("--offline", help="Download nothing: the model must be on this machine."),
    flag(
        "--exact",
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
    flag("--lexical-only", help="Build without vectors and encoder: keyword search only."),
    flag("--no-draft", help="Do not publish a keyword-only draft while a first build embeds."),
    click.option(
        "--keep", type=click.IntRange(1), default=3, help="Number of versions to keep; default: 3."
    ),
    path_option("--cache", help="The cache folder."),
    flag("--no-cache", help="Do not read or write the cache."),
    ALLOW_OUTSIDE,
    flag("--strict", help="Fail on warnings, such as a file that cannot be read."),
)


_AS_THEY_ARE = (
    *("out", "model", "rerank_model", "offline", "exact", "query_variant", "keep"),
    *("allow_outside", "strict", "executor"),
)
"""Options that `BuildOptions` calls the same; not every command has all of them."""


def takes_build_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of builds to a command, which gets them as `options`, the `BuildOptions`; the
    environment supplies what was not chosen."""

    @functools.wraps(command)
    def with_build_options(**given: Any) -> Any:
        from kbc.pipeline.build import BuildOptions

        cache = given.pop("cache") or default_cache()
        options = BuildOptions(
            jobs=given.pop("jobs") or os.cpu_count() or 1,
            models=default_models(),
            cache=None if given.pop("no_cache") else cache,
            source_date_epoch=source_date_epoch(),
            embed=not given.pop("lexical_only"),
            draft_first=not given.pop("no_draft", True),
            **{name: given.pop(name) for name in _AS_THEY_ARE if name in given},
        )
        return command(options=options, **given)

    return with_options(with_build_options, _OPTIONS)
