"""The conformance suite's server: our HTTP front end and dispatch core, plus the suite's fixtures.

    python tests/conformance/server.py ARTIFACT      prints the address, serves until its stdin closes

The suite asks for tools, resources and prompts by fixed names. They are added to the dispatch core
here, in the tests, so that everything in front of it is what ships.
"""

from __future__ import annotations

import base64
import sys
import threading
from typing import Any

import uvicorn

from kb_runtime.errors import ProtocolError
from kb_runtime.http.app import build_app
from kb_runtime.http.tokens import Access
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp import revisions
from kb_runtime.mcp.dispatch import Dispatcher
from kb_runtime.options.http import HttpSettings

PIXEL = base64.b64encode(
    base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    )
).decode()
SILENCE = base64.b64encode(
    b"RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00"
    b"\x02\x00\x10\x00data\x00\x00\x00\x00"
).decode()


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


IMAGE = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}


def embedded(uri: str) -> dict[str, Any]:
    contents = {"uri": uri, "mimeType": "text/plain", "text": "Text inside a resource."}
    return {"type": "resource", "resource": contents}


TOOLS: dict[str, dict[str, Any]] = {
    "test_simple_text": {"content": [text("One line of text.")]},
    "test_image_content": {"content": [IMAGE]},
    "test_audio_content": {"content": [AUDIO]},
    "test_embedded_resource": {"content": [embedded("test://embedded-resource")]},
    "test_multiple_content_types": {
        "content": [
            text("Text, an image and a resource:"),
            IMAGE,
            embedded("test://mixed-content-resource"),
        ]
    },
    "test_error_handling": {
        "content": [text("This tool fails on purpose.")],
        "isError": True,
    },
    "json_schema_2020_12_tool": {"content": [text("Called.")]},
}
SCHEMAS: dict[str, dict[str, Any]] = {
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    }
}
RESOURCES: dict[str, dict[str, Any]] = {
    "test://static-text": {
        "mimeType": "text/plain",
        "text": "A text resource.",
    },
    "test://static-binary": {"mimeType": "image/png", "blob": PIXEL},
}
TEMPLATE = ("test://template/", "/data")
PROMPTS: list[dict[str, Any]] = [
    {"name": "test_simple_prompt", "description": "A prompt without arguments."},
    {
        "name": "test_prompt_with_arguments",
        "description": "A prompt with two arguments.",
        "arguments": [
            {"name": "arg1", "description": "First", "required": True},
            {"name": "arg2", "description": "Second", "required": True},
        ],
    },
    {
        "name": "test_prompt_with_embedded_resource",
        "description": "A prompt with a resource.",
        "arguments": [{"name": "resourceUri", "description": "Its address", "required": True}],
    },
    {"name": "test_prompt_with_image", "description": "A prompt with an image."},
]


class FixtureDispatcher(Dispatcher):
    """The dispatch core with the suite's fixtures in front of the knowledge base's own things."""

    def handle(self, method: str, params: dict[str, Any] | None, revision: str) -> dict[str, Any]:
        fixture = _fixture(method, params or {}, revision)
        if fixture is not None:
            if revisions.is_stateless(revision):
                return self.answers.enveloped(fixture, cacheable=method == "resources/read")
            return fixture
        result = super().handle(method, params, revision)
        if method == "tools/list":
            added = [
                {
                    "name": name,
                    "description": "A fixture.",
                    "inputSchema": SCHEMAS.get(name, {"type": "object", "properties": {}}),
                }
                for name in TOOLS
            ]
            return {**result, "tools": [*result["tools"], *added]}
        if method == "prompts/list":
            return {**result, "prompts": [*result["prompts"], *PROMPTS]}
        if method == "resources/list":
            added = [{"uri": uri, "name": uri} for uri in RESOURCES]
            return {**result, "resources": [*result["resources"], *added]}
        if method == "resources/templates/list":
            template = {"uriTemplate": "{id}".join(TEMPLATE), "name": "fixture"}
            return {**result, "resourceTemplates": [*result["resourceTemplates"], template]}
        return result


def _fixture(method: str, params: dict[str, Any], revision: str) -> dict[str, Any] | None:
    """The answer of the suite's own thing, None where the request is not about one."""
    if method == "tools/call":
        return TOOLS.get(params["name"])
    if method == "resources/read":
        return _resource(params["uri"])
    if method == "prompts/get":
        return _prompt(params["name"], params.get("arguments") or {})
    if method == "completion/complete" and params["ref"].get("name", "").startswith("test_"):
        return {"completion": {"values": [], "total": 0, "hasMore": False}}
    return None


def _resource(uri: str) -> dict[str, Any] | None:
    head, tail = TEMPLATE
    if uri.startswith(head) and uri.endswith(tail):
        number = uri[len(head) : -len(tail)]
        content = f'{{"id":"{number}"}}'
        return {"contents": [{"uri": uri, "mimeType": "application/json", "text": content}]}
    if uri in RESOURCES:
        return {"contents": [{"uri": uri, **RESOURCES[uri]}]}
    return None


def _prompt(name: str, arguments: dict[str, str]) -> dict[str, Any] | None:
    listed = next((prompt for prompt in PROMPTS if prompt["name"] == name), None)
    if listed is None:
        return None
    missing = [
        each["name"] for each in listed.get("arguments", ()) if each["name"] not in arguments
    ]
    if missing:
        raise ProtocolError(revisions.INVALID_PARAMS, f"missing argument {missing[0]}")
    contents = {
        "test_simple_prompt": [text("Say hello.")],
        "test_prompt_with_arguments": [
            text(f"First: {arguments.get('arg1')}. Second: {arguments.get('arg2')}.")
        ],
        "test_prompt_with_embedded_resource": [
            embedded(arguments.get("resourceUri", "")),
            text("Read the resource."),
        ],
        "test_prompt_with_image": [IMAGE, text("Describe the image.")],
    }[name]
    return {"messages": [{"role": "user", "content": content} for content in contents]}


def main(artifact: str) -> None:
    dispatcher = FixtureDispatcher(LiveArtifact(artifact))
    app = build_app(dispatcher, HttpSettings(), Access([]))
    server = uvicorn.Server(
        uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning", access_log=False)
    )

    def stop_at_end_of_input() -> None:
        sys.stdin.buffer.read()
        server.should_exit = True

    threading.Thread(target=stop_at_end_of_input, daemon=True).start()
    config = server.config
    listener = config.bind_socket()
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    server.run(sockets=[listener])


if __name__ == "__main__":
    main(sys.argv[1])
