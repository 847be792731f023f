"""`kbc install` and `kbc doctor`: artifacts in the MCP clients of this machine."""

from __future__ import annotations

from collections.abc import Sequence

from kb_runtime.cli.clients import doctor_command, install_command
from kb_runtime.cli.serve_arguments import serve_arguments, server_with
from kb_runtime.clients.server import Server, installed_command


def _server(arguments: Sequence[str]) -> Server:
    """Raises ArtifactError and click.UsageError."""
    return server_with([*installed_command("kbc", "kbc"), "serve"], arguments)


def _server_if_named(arguments: Sequence[str]) -> Server | None:
    return _server(arguments) if arguments else None


install = install_command(_server, [serve_arguments()])
doctor = doctor_command(_server_if_named, [serve_arguments("[ARTIFACT]...")])
