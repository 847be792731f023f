from __future__ import annotations

import json
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from kbc.backends.bill import bill

FILES = {"catalog/docs.bin": "1" * 64, "encoder/model.bin": "2" * 64}
ENCODER = {
    "model": "makers/small",
    "weights_sha256": "3" * 64,
    "tokenizer_sha256": "4" * 64,
    "package": {"name": "small-model", "version": "1.2"},
    "license": "Apache-2.0",
    "recipe": 1,
    "queries": "nb8-b32",
}


def fields(**changes: Any) -> dict[str, Any]:
    return {
        "name": "demo",
        "title": "Demo",
        "version": "1",
        "license": "MIT",
        "built_at": "2026-01-01T00:00:00Z",
        "encoder": ENCODER,
        "libraries": {"numpy": "2.0"},
        **changes,
    }


def parts(document: bytes) -> dict[str, dict[str, Any]]:
    return {each["bom-ref"]: each for each in json.loads(document)["components"]}


@pytest.mark.parametrize(
    "changes",
    [{}, {"encoder": None, "built_at": ""}, {"license": "my own terms"}, {"license": ""}],
)
def test_the_bill_is_valid_cyclonedx(changes: dict[str, Any]) -> None:
    document = bill(fields(**changes), FILES, "a" * 16)
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(document.decode()) is None


def test_every_file_is_listed_with_its_hash() -> None:
    listed = parts(bill(fields(), FILES, "a" * 16))
    for path, digest in FILES.items():
        assert listed[f"file:{path}"]["hashes"] == [{"alg": "SHA-256", "content": digest}]


def test_the_model_is_traced_to_the_package_that_it_came_in() -> None:
    model = parts(bill(fields(), FILES, "a" * 16))[f"model:{'3' * 64}"]
    assert model["type"] == "machine-learning-model"
    assert model["licenses"] == [{"expression": "Apache-2.0"}]
    assert {"name": "kbc:package", "value": "small-model==1.2"} in model["properties"]


def test_a_model_from_a_folder_names_no_package() -> None:
    encoder = {**ENCODER, "package": None, "license": ""}
    model = parts(bill(fields(encoder=encoder), FILES, "a" * 16))[f"model:{'3' * 64}"]
    assert "licenses" not in model
    assert "kbc:package" not in {each["name"] for each in model["properties"]}


def test_the_same_build_has_the_same_bill_and_another_build_another_serial_number() -> None:
    first = bill(fields(), FILES, "a" * 16)
    assert first == bill(fields(), FILES, "a" * 16)
    other = bill(fields(), FILES, "b" * 16)
    assert json.loads(first)["serialNumber"] != json.loads(other)["serialNumber"]


def test_without_a_build_time_the_bill_has_no_clock() -> None:
    assert "timestamp" not in json.loads(bill(fields(built_at=""), FILES, "a" * 16))["metadata"]
