"""Writes an MCP bundle (`.mcpb`) for desktop clients: a manifest, and a short script that starts the command.

A bundle of type `python` would have to contain the engines' compiled libraries for one platform and one
Python, 200 MB of them. This one contains none: it starts the command that the wheel installed, wherever
pip, pipx or uv put it, so one file serves every platform, offline, and stays in step with the wheel.
"""

from __future__ import annotations

import json
from typing import Any

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.mcp import revisions
from kb_runtime.mcp.answers import ALL, TOOLS_FILE, load_answers
from kbc.shipping.product import Product

MANIFEST_VERSION = "0.3"
STARTER = "server/main.py"

_STARTER = '''\
"""Starts {command}, which `pip install {command}` provides, wherever an installer put it."""

import os
import shutil
import subprocess
import sys
import sysconfig

COMMAND = {command!r}


def folders():
    """Where commands are: clients start servers with a PATH that has few of these."""
    yield from os.environ.get("PATH", "").split(os.pathsep)
    yield os.path.dirname(sys.executable)
    yield sysconfig.get_path("scripts")
    if hasattr(sysconfig, "get_preferred_scheme"):
        yield sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user"))
    yield os.path.join(os.path.expanduser("~"), ".local", "bin")
    yield from ("/opt/homebrew/bin", "/usr/local/bin")


def setting():
    """The command that the user named; some clients leave the placeholder when there is none."""
    given = sys.argv[1] if len(sys.argv) > 1 else ""
    return "" if given.startswith("${{") else given


def find(named):
    if named:
        return shutil.which(os.path.expanduser(named))
    return shutil.which(COMMAND, path=os.pathsep.join(folders()))


def main():
    named = setting()
    found = find(named)
    if found is None:
        where = named or "the usual folders"
        sys.stderr.write(
            COMMAND + " was not found in " + where + ". Install it with `pip install " + COMMAND
            + "`, or give its path in the settings of this extension.\\n"
        )
        return 1
    if os.name == "nt":
        return subprocess.call([found])
    sys.stdout.flush()
    os.execv(found, [found])


if __name__ == "__main__":
    sys.exit(main())
'''


def files(artifact: Artifact, product: Product) -> dict[str, bytes]:
    """The content of the bundle, by path."""
    manifest = json.dumps(manifest_of(artifact, product), ensure_ascii=False, indent=2) + "\n"
    return {
        "manifest.json": manifest.encode(),
        STARTER: _STARTER.format(command=product.distribution).encode(),
    }


def manifest_of(artifact: Artifact, product: Product) -> dict[str, Any]:
    """The manifest as JSON values; fields without a value are left out."""
    start = ["${__dirname}/" + STARTER, "${user_config.command}"]
    fields: dict[str, Any] = {
        "manifest_version": MANIFEST_VERSION,
        "name": product.distribution,
        "display_name": product.title,
        "version": product.version,
        "description": product.summary,
        "long_description": product.introduction,
        "author": {"name": product.author or f"The authors of {product.title}"},
        "homepage": product.homepage,
        "license": product.license,
        "keywords": ["search", "offline", "knowledge-base", product.name],
        "server": {
            "type": "python",
            "entry_point": STARTER,
            "mcp_config": {
                "command": "python3",
                "args": start,
                "platform_overrides": {"win32": {"command": "python", "args": start}},
            },
        },
        "user_config": {
            "command": {
                "type": "file",
                "title": f"Path of {product.distribution}",
                "description": "Only needed when the command is in an unusual place.",
                "required": False,
            }
        },
        "tools": [
            {"name": tool.name, "description": tool.description} for tool in product.shown_tools
        ],
        "compatibility": {"platforms": ["darwin", "win32", "linux"]},
        "_meta": {"com.microsoft.windows": {"static_responses": _static(artifact)}},
    }
    return {name: value for name, value in fields.items() if value}


def _static(artifact: Artifact) -> dict[str, Any]:
    """What the server always answers, for clients that read it instead of starting the server."""
    answers = load_answers(artifact.build_id, artifact.read(TOOLS_FILE), ALL)
    return {
        "initialize": answers.initialize(revisions.NEWEST_HANDSHAKE),
        "tools/list": answers.tools,
    }
