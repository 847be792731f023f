from __future__ import annotations

import ast
import json

from tests.compiler.shipping.conftest import Ship

from kbc.shipping.bundle.mcpb import STARTER, files, manifest_of
from kbc.shipping.product import product


def test_the_manifest_says_who_made_it_and_leaves_out_what_is_not_known(ship: Ship) -> None:
    artifact = ship(license="", package={"author": "Ann"})
    manifest = manifest_of(artifact, product(artifact))
    assert manifest["author"] == {"name": "Ann"}
    assert "homepage" not in manifest
    assert "license" not in manifest
    unnamed = ship(title="Sets", package={})
    assert manifest_of(unnamed, product(unnamed))["author"] == {"name": "The authors of Sets"}


def test_every_platform_starts_the_file_that_is_in_the_bundle(ship: Ship) -> None:
    artifact = ship()
    packed = files(artifact, product(artifact))
    server = json.loads(packed["manifest.json"])["server"]
    assert server["entry_point"] in packed
    started = server["mcp_config"]
    for config in (started, *started["platform_overrides"].values()):
        assert config["args"][0] == "${__dirname}/" + STARTER


def test_the_starter_needs_nothing_but_python(ship: Ship) -> None:
    artifact = ship()
    tree = ast.parse(files(artifact, product(artifact))[STARTER])
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert imported == {"os", "shutil", "subprocess", "sys", "sysconfig"}
    assert not any(isinstance(node, ast.ImportFrom) for node in ast.walk(tree))
