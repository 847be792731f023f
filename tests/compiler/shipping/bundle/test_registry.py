from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft7Validator
from tests.compiler.shipping.conftest import Ship

from kbc.shipping.bundle.registry import SCHEMA, entry
from kbc.shipping.product import product

CONSTRAINTS: dict[str, Any] = {
    "type": "object",
    "required": ["$schema", "name", "description", "version", "packages"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"const": SCHEMA},
        "name": {
            "type": "string",
            "minLength": 3,
            "maxLength": 200,
            "pattern": "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$",
        },
        "title": {"type": "string", "minLength": 1, "maxLength": 100},
        "description": {"type": "string", "minLength": 1, "maxLength": 100},
        "version": {"type": "string", "maxLength": 255, "pattern": r"^\d[0-9A-Za-z.+-]*$"},
        "websiteUrl": {"type": "string", "pattern": "^https?://"},
        "packages": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["registryType", "identifier", "version", "transport"],
                "properties": {
                    "registryType": {"const": "pypi"},
                    "version": {"type": "string", "pattern": r"^\d[0-9A-Za-z.+-]*$"},
                    "transport": {"const": {"type": "stdio"}},
                },
            },
        },
    },
}
"""What the registry's schema of 2025-12-11 asks of the fields that are written here."""


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"title": "T" * 300, "description": "word " * 300},
        {"description": "", "package": {"homepage": "https://example.org"}},
    ],
)
def test_the_entry_keeps_to_the_schema(ship: Ship, changes: dict[str, Any]) -> None:
    facts = product(ship(**changes), mcp_name="org.example/small")
    Draft7Validator(CONSTRAINTS).validate(json.loads(entry(facts)))


def test_the_entry_points_to_the_wheel(ship: Ship) -> None:
    told = json.loads(entry(product(ship(), name="our-kb", version="3", mcp_name="org.example/s")))
    assert told["name"] == "org.example/s"
    (package,) = told["packages"]
    assert (package["identifier"], package["version"]) == ("our-kb", "3")
