"""`kbc install` and `kbc doctor`: artifacts in the clients of this machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from kb_runtime.clients.commands import doctor_command, install_command
from kb_runtime.clients.server import Server, installed_command, server_of

_PATHS = ("--code", "--data", "--key", "--model", "--workspace")
"""Options of `serve` whose value is a path."""


def _server(arguments: Sequence[str]) -> Server:
    """Raises ArtifactError, and click.UsageError for what `serve` would refuse."""
    from kb_runtime.__main__ import parse
    from kb_runtime.errors import UsageError
    from kb_runtime.mcp.answers import ProfileError

    try:
        given = parse(arguments)
        if given.http:
            raise click.UsageError("clients start servers over stdio: --http cannot be installed")
        absolute = _with_absolute_paths(arguments, given.artifacts)
        argv = [*installed_command("kbc", "kbc"), "serve", *absolute]
        return server_of(parse(absolute).artifacts, argv, given.tools)
    except (UsageError, ProfileError) as error:
        raise click.UsageError(str(error)) from None


def _with_absolute_paths(arguments: Sequence[str], artifacts: Sequence[str]) -> list[str]:
    """The arguments of `serve` for any folder: clients start servers in folders of their own."""
    absolute: list[str] = []
    for argument in arguments:
        name, equals, value = argument.partition("=")
        before = absolute[-1] if absolute else ""
        if name in _PATHS and equals:
            argument = f"{name}={_absolute(value)}"
        elif before in _PATHS or (argument in artifacts and before != "--tools"):
            argument = _absolute(argument)
        absolute.append(argument)
    return absolute


def _absolute(path: str) -> str:
    """Links are kept: a link may be how a knowledge base is replaced. Only `..` needs to know them."""
    given = Path(path)
    return str(given.resolve() if ".." in given.parts else given.absolute())


def _server_if_named(arguments: Sequence[str]) -> Server | None:
    return _server(arguments) if arguments else None


def _arguments(metavar: str) -> click.Argument:
    return click.Argument(["arguments"], nargs=-1, type=click.Path(), metavar=metavar)


install = install_command(_server, [_arguments("[ARTIFACT]... [-- SERVE_OPTION...]")])
doctor = doctor_command(_server_if_named, [_arguments("[ARTIFACT]...")])
