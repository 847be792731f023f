from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft7Validator
from tests.compiler.shipping.conftest import Ship

from kbc.shipping.bundle.registry import entry
from kbc.shipping.errors import ShippingError
from kbc.shipping.product import product

VERSION = {"type": "string", "minLength": 1, "maxLength": 255, "pattern": r"^\d[0-9a-z.+-]*$"}
CONSTRAINTS: dict[str, Any] = {
    "type": "object",
    "required": ["$schema", "name", "description", "version"],
    "additionalProperties": False,
    "properties": {
        "$schema": {
            "const": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
        },
        "name": {
            "type": "string",
            "minLength": 3,
            "maxLength": 200,
            "pattern": "^[a-zA-Z0-9][a-zA-Z0-9.-]*[a-zA-Z0-9]/[a-zA-Z0-9][a-zA-Z0-9._-]*[a-zA-Z0-9]$",
        },
        "title": {"type": "string", "minLength": 1, "maxLength": 100, "pattern": r"\S"},
        "description": {"type": "string", "minLength": 1, "maxLength": 100},
        "version": VERSION,
        "websiteUrl": {"type": "string", "pattern": r"^https://[!-~]+$"},
        "packages": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["registryType", "identifier", "version", "transport"],
                "additionalProperties": False,
                "properties": {
                    "registryType": {"const": "pypi"},
                    "identifier": {"type": "string", "pattern": r"^\S+$"},
                    "version": VERSION,
                    "runtimeHint": {"type": "string"},
                    "transport": {"const": {"type": "stdio"}},
                },
            },
        },
    },
}
"""What the MCP registry asks of the fields that are written here.

Compared by hand with its schema of 2025-12-11 (required fields, lengths, the pattern of names, the shapes
of packages and of the stdio transport) and with the checks that it adds when an entry is published: the
ends of both parts of the name, a title that is not blank, a website on https, versions that are no
ranges. The schema requires neither packages nor a package's version; an entry of kbc has both.
"""


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"title": "T" * 300, "description": "word " * 300},
        {"title": " \n", "description": " "},
        {"description": "", "package": {"homepage": "https://example.org/a?b=c#d"}},
        {"package": {"homepage": "http://example.org"}},
        {"package": {"homepage": "https://exämple.org/ü"}},
        {"version": "2026.11.0rc1"},
    ],
)
def test_the_entry_keeps_to_what_the_registry_asks_for(ship: Ship, changes: dict[str, Any]) -> None:
    facts = product(ship(**changes), mcp_name="org.example/small")
    Draft7Validator(CONSTRAINTS).validate(json.loads(entry(facts)))


def test_a_home_page_is_told_where_the_registry_takes_it(ship: Ship) -> None:
    for homepage, told in (
        ("https://example.org", "https://example.org"),
        ("http://example.org", None),
    ):
        facts = product(ship(package={"homepage": homepage}), mcp_name="org.example/small")
        assert json.loads(entry(facts)).get("websiteUrl") == told


@pytest.mark.parametrize("name", ["-x/small", "org.example/small-", "org.example/s", "o/small"])
def test_a_name_that_the_schema_admits_and_the_registry_does_not_is_refused(
    ship: Ship, name: str
) -> None:
    with pytest.raises(ShippingError, match="cannot be a name in the MCP registry"):
        product(ship(), mcp_name=name)


def test_the_entry_points_to_the_wheel(ship: Ship) -> None:
    told = json.loads(
        entry(product(ship(), name="our-kb", version="3", mcp_name="org.example/small"))
    )
    assert told["name"] == "org.example/small"
    (package,) = told["packages"]
    assert (package["identifier"], package["version"]) == ("our-kb", "3")
