"""Parses the arguments of `install` that are no options of its own: artifacts, and options of `serve`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb_runtime.options.serve import BY_FLAG, STDIO_OPTIONS, parse

if TYPE_CHECKING:
    from kb_runtime.clients.server import Server

PATHS = tuple(option.flag for option in STDIO_OPTIONS if option.is_path)
"""Options of `serve` over stdio whose value is a path."""


def serve_arguments(metavar: str = "[ARTIFACT]... [-- SERVE_OPTION...]") -> click.Argument:
    """The parameter `arguments` of a command, for `server_with`."""
    return click.Argument(["arguments"], nargs=-1, type=click.Path(), metavar=metavar)


def server_with(
    command: Sequence[str], arguments: Sequence[str], own: Sequence[str] = ()
) -> Server:
    """The server that `command` starts with arguments of `serve`; the artifacts `own` it serves
    without being told. Raises ArtifactError, and click.UsageError for what `serve` would refuse."""
    from kb_runtime.clients.server import server_of
    from kb_runtime.errors import UsageError

    absolute = with_absolute_paths(arguments)
    try:
        given = parse([*own, *absolute])
        if given.http:
            raise click.UsageError("clients start servers over stdio: --http cannot be installed")
        return server_of(given.artifacts, [*command, *absolute], given.tools)
    except UsageError as error:
        raise click.UsageError(str(error)) from None


def with_absolute_paths(arguments: Sequence[str]) -> list[str]:
    """The arguments of `serve` for any folder: clients start servers in folders of their own."""
    absolute: list[str] = []
    option = ""  # the one whose value is next
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if option:
            absolute.append(_absolute(argument) if option in PATHS else argument)
            option = ""
        elif not argument.startswith("-"):
            absolute.append(_absolute(argument))
        elif equals:
            absolute.append(f"{name}={_absolute(value)}" if name in PATHS else argument)
        else:
            absolute.append(argument)
            option = "" if name in BY_FLAG and not BY_FLAG[name].metavar else name
    return absolute


def _absolute(path: str) -> str:
    """Links are kept: a link may be how a knowledge base is replaced. Only `..` needs to know them.
    An empty path stays: to `serve` it is an option that was not given."""
    given = Path(path)
    return str(given.resolve() if ".." in given.parts else given.absolute()) if path else ""
