"""The official SDK's client against a server, in the process of a test or as a program of its own.

    python sdk_client.py legacy|auto QUERY URL
    python sdk_client.py legacy|auto QUERY COMMAND [ARGUMENT...]

The program prints what `use` found as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client


async def use(client: Client, query: str) -> dict[str, Any]:
    """Calls every tool that needs nothing, searches, reads a resource, lists the prompts.

    Gives how many tools and prompts there are, the mode of the search, and the titles that it found.
    """
    tools = (await client.list_tools()).tools
    for tool in tools:
        if not tool.input_schema.get("required"):
            await client.call_tool(tool.name, {})
    (search,) = (tool.name for tool in tools if tool.name.endswith("_hybrid_search"))
    found = (await client.call_tool(search, {"query": query})).structured_content
    resources = (await client.list_resources()).resources
    await client.read_resource(resources[0].uri)
    prompts = (await client.list_prompts()).prompts
    return {
        "tools": len(tools),
        "prompts": len(prompts),
        "mode": found["mode"],
        "titles": [hit["title"] for hit in found["results"]],
    }


def converse(
    command: Sequence[str], environment: Mapping[str, str], errors: Path, query: str
) -> dict[str, Any]:
    """What `use` finds of a stdio server; its stderr goes into the file `errors`."""

    async def run() -> dict[str, Any]:
        with errors.open("w") as log:
            server = StdioServerParameters(
                command=command[0], args=list(command[1:]), env=dict(environment)
            )
            async with Client(stdio_client(server, errlog=log)) as client:
                return await use(client, query)

    return anyio.run(run)


def converse_at(url: str, query: str) -> dict[str, Any]:
    """What `use` finds of an HTTP server."""

    async def run() -> dict[str, Any]:
        async with Client(url) as client:
            return await use(client, query)

    return anyio.run(run)


async def _main(mode: Any, query: str, target: Sequence[str]) -> None:
    server = (
        target[0]
        if target[0].startswith("http:")
        else StdioServerParameters(command=target[0], args=list(target[1:]))
    )
    async with Client(server, mode=mode) as client:
        print(json.dumps(await use(client, query)))


if __name__ == "__main__":
    anyio.run(_main, sys.argv[1], sys.argv[2], sys.argv[3:])
