from __future__ import annotations

import base64
import csv
import hashlib
import json
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packaging.metadata import Metadata
from packaging.utils import parse_wheel_filename
from tests.compiler.shipping.conftest import Ship

from kb_runtime.errors import ArtifactError
from kb_runtime.knowledge.artifact import Artifact
from kbc.shipping.product import product
from kbc.shipping.wheel import write_wheel

INFO = "small_kb-1.dist-info"


def wheel(artifact: Artifact, out: Path) -> Path:
    return write_wheel(artifact, product(artifact), out, 0).path


def test_the_file_is_named_as_installers_expect(ship: Ship, tmp_path: Path) -> None:
    path = wheel(ship(), tmp_path / "dist")
    name, version, build, tags = parse_wheel_filename(path.name)
    assert (name, str(version), build) == ("small-kb", "1", ())
    assert {str(tag) for tag in tags} == {"py3-none-any"}


def test_the_same_artifact_gives_the_same_bytes(ship: Ship, tmp_path: Path) -> None:
    artifact = ship()
    one, other = wheel(artifact, tmp_path / "one"), wheel(artifact, tmp_path / "other")
    assert one.read_bytes() == other.read_bytes()


def test_the_record_lists_every_file_with_its_hash(ship: Ship, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel(ship(), tmp_path)) as archive:
        rows = list(csv.reader(archive.read(f"{INFO}/RECORD").decode().splitlines()))
        assert [row[0] for row in rows] == archive.namelist()
        assert rows[-1] == [f"{INFO}/RECORD", "", ""]
        for path, told, size in rows[:-1]:
            data = archive.read(path)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert (told, int(size)) == (f"sha256={digest}", len(data))


def test_the_build_is_there_as_it_is_and_current_comes_after_it(ship: Ship, tmp_path: Path) -> None:
    artifact = ship()
    folder = "small_kb/artifact"
    with zipfile.ZipFile(wheel(artifact, tmp_path)) as archive:
        names = [name for name in archive.namelist() if name.startswith(folder)]
        build = [f"{folder}/{artifact.build_id}/{path}" for path in artifact.manifest.files]
        assert {*build, f"{folder}/{artifact.build_id}/manifest.json"} == set(names[:-1])
        assert names[-1] == f"{folder}/CURRENT"
        for path in artifact.manifest.files:
            packed = archive.read(f"{folder}/{artifact.build_id}/{path}")
            assert packed == Path(artifact.manifest.path(path)).read_bytes()


def test_the_metadata_is_valid_and_says_what_a_person_needs(ship: Ship, tmp_path: Path) -> None:
    artifact = ship(
        license="MIT",
        description="All about\nsets.",
        package={
            "author": "Ann",
            "homepage": "https://example.org",
            "mcp_name": "org.example/small",
        },
    )
    with zipfile.ZipFile(wheel(artifact, tmp_path)) as archive:
        metadata = Metadata.from_email(archive.read(f"{INFO}/METADATA"))
        names = archive.namelist()
        entry_points = archive.read(f"{INFO}/entry_points.txt").decode()
    assert (metadata.name, metadata.summary) == ("small-kb", "All about sets.")
    assert (metadata.author, metadata.license_expression) == ("Ann", "MIT")
    assert metadata.project_urls == {"Homepage": "https://example.org"}
    assert [requirement.name for requirement in metadata.requires_dist or ()] == ["kb-compiler"]
    assert metadata.license_files == ["NOTICE", "knowledge-base/LICENSE"]
    assert {f"{INFO}/licenses/{path}" for path in metadata.license_files} <= set(names)
    assert entry_points == "[console_scripts]\nsmall-kb = small_kb.__main__:main\n"
    page = metadata.description or ""
    assert "<!-- mcp-name: org.example/small -->" in page
    assert "| builtins | builtins | 2 |" in page
    assert "| `small_search` |" in page
    assert "`--tools all` also offers: small_get_builtin, " in page


def test_without_a_registry_name_there_is_no_marker(ship: Ship, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel(ship(), tmp_path)) as archive:
        assert b"mcp-name" not in archive.read(f"{INFO}/METADATA")


def test_the_bill_names_the_artifact_and_the_closure_of_the_runtime(
    ship: Ship, tmp_path: Path
) -> None:
    artifact = ship()
    with zipfile.ZipFile(wheel(artifact, tmp_path)) as archive:
        document = archive.read(f"{INFO}/sboms/small-kb.cdx.json").decode()
        sealed = archive.read(f"small_kb/artifact/{artifact.build_id}/manifest.json")
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(document) is None
    parts = {each["bom-ref"]: each for each in json.loads(document)["components"]}
    assert {"library:kb-compiler", "library:numpy", "library:tantivy", "library:mcp"} <= set(parts)
    assert "library:onnx" not in parts  # a dependency of the compiler
    (digest,) = parts[f"artifact:{artifact.build_id}"]["hashes"]
    assert digest["content"] == hashlib.sha256(sealed).hexdigest()


def bill_of(path: Path) -> dict[str, dict[str, Any]]:
    """The components of the bill in a wheel, which is valid CycloneDX, by their references."""
    with zipfile.ZipFile(path) as archive:
        document = archive.read(f"{INFO}/sboms/small-kb.cdx.json").decode()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(document) is None
    return {each["bom-ref"]: each for each in json.loads(document)["components"]}


def test_the_bill_has_the_hash_of_every_file_of_the_artifact(ship: Ship, tmp_path: Path) -> None:
    artifact = ship()
    parts = bill_of(wheel(artifact, tmp_path))
    listed = {ref: part for ref, part in parts.items() if ref.startswith("file:")}
    assert set(listed) == {f"file:{path}" for path in artifact.manifest.files}
    for path in artifact.manifest.files:
        data = Path(artifact.manifest.path(path)).read_bytes()
        (digest,) = listed[f"file:{path}"]["hashes"]
        assert digest == {"alg": "SHA-256", "content": hashlib.sha256(data).hexdigest()}


def test_the_bill_has_the_hashes_of_locked_archives_and_says_where_there_are_none(
    ship: Ship, tmp_path: Path
) -> None:
    artifact = ship()
    lock = {
        ("numpy", version("numpy")): ("5" * 64, "6" * 64),
        ("click", "0.0.1"): ("7" * 64,),  # not the version that is installed
    }
    parts = bill_of(write_wheel(artifact, product(artifact), tmp_path, 0, lock).path)

    numpy = parts["library:numpy"]
    (reference,) = numpy["externalReferences"]
    assert (reference["type"], reference["url"]) == ("distribution", numpy["purl"])
    assert [each["content"] for each in reference["hashes"]] == ["5" * 64, "6" * 64]
    for name in ("click", "kb-compiler"):
        assert "externalReferences" not in parts[f"library:{name}"]
        (property_,) = parts[f"library:{name}"]["properties"]
        assert property_ == {"name": "kbc:archive_hashes", "value": "not known"}


def test_an_altered_artifact_is_not_packed(ship: Ship, tmp_path: Path) -> None:
    artifact = ship()
    path = Path(artifact.manifest.path("catalog/docs.bin"))
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(ArtifactError, match="was altered"):
        wheel(artifact, tmp_path / "dist")
    assert list((tmp_path / "dist").iterdir()) == []


def test_quotes_and_backslashes_in_a_title_make_no_broken_module(
    ship: Ship, tmp_path: Path
) -> None:
    with zipfile.ZipFile(wheel(ship(title='A "quoted" \\ title'), tmp_path)) as archive:
        for name in ("__init__", "__main__"):
            compile(archive.read(f"small_kb/{name}.py"), name, "exec")
