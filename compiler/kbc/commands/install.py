"""`kbc install` and `kbc doctor`: an artifact in the clients of this machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from kb_runtime.clients.commands import doctor_command, install_command
from kb_runtime.clients.server import Server, installed_command, server_of

_PATHS = ("--code", "--data")
"""Options of `serve` whose value is a path."""


def _server(artifact: str | None, serve_options: Sequence[str] = ()) -> Server:
    """Raises ArtifactError, and click.UsageError for what `serve` would refuse."""
    from kb_runtime.__main__ import UsageError, parse
    from kb_runtime.mcp.answers import ProfileError

    if artifact is None:
        raise click.UsageError("the ARTIFACT to install is missing; --uninstall needs it or --name")
    path = _absolute(artifact)
    arguments = [path, *_with_absolute_paths(serve_options)]
    try:
        options = parse(arguments)
        if options.http:
            raise click.UsageError("clients start servers over stdio: --http cannot be installed")
        argv = [*installed_command("kbc", "kbc"), "serve", *arguments]
        return server_of(path, argv, options.tools)
    except (UsageError, ProfileError) as error:
        raise click.UsageError(str(error)) from None


def _with_absolute_paths(serve_options: Sequence[str]) -> list[str]:
    """The options with absolute paths: clients start servers in folders of their own."""
    absolute: list[str] = []
    for option in serve_options:
        name, equals, value = option.partition("=")
        if absolute and absolute[-1] in _PATHS:
            option = _absolute(option)
        elif name in _PATHS and equals:
            option = f"{name}={_absolute(value)}"
        absolute.append(option)
    return absolute


def _absolute(path: str) -> str:
    """Links are kept: a link may be how a knowledge base is replaced."""
    return str(Path(path).absolute())


def _server_if_named(artifact: str | None) -> Server | None:
    return None if artifact is None else _server(artifact)


_ARTIFACT = click.Argument(["artifact"], required=False)

install = install_command(
    _server,
    [
        _ARTIFACT,
        click.Argument(["serve_options"], nargs=-1, metavar="[-- SERVE_OPTION...]"),
    ],
)

doctor = doctor_command(_server_if_named, [_ARTIFACT])
