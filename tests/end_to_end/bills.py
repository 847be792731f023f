"""What the bill of materials of a wheel says, for wheels that different recipes make."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from tests.end_to_end.installed import ROOT


def assert_traces_the_model(wheel: Path) -> None:
    """Its bill names the model with its hash, and the package that it came in with those archives of it
    that requirements/model.txt locks."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if "/sboms/" in each)
        document = archive.read(name).decode()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(document) is None
    bill = json.loads(document)
    needs = {each["ref"]: each.get("dependsOn", []) for each in bill["dependencies"]}
    parts = {each["bom-ref"]: each for each in bill["components"]}
    (model,) = (ref for ref in parts if ref.startswith("model:"))
    (package,) = needs[model]
    (told,) = parts[package]["externalReferences"]
    locked = (ROOT / "requirements" / "model.txt").read_text()
    assert told["hashes"]
    assert all(f"--hash=sha256:{each['content']}" in locked for each in told["hashes"])
    assert f"{parts[package]['name']}=={parts[package]['version']} " in locked
    assert len(parts[model]["hashes"][0]["content"]) == 64
