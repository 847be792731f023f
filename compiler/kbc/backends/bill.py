"""Writes `sbom.cdx.json`, the CycloneDX bill of materials of an artifact.

It lists the models behind encoder and re-ranker with their hashes and licences, the libraries that wrote the
sections, and every file. It contains no clock and nothing random: its serial number follows from the build
id.
"""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.dependency import Dependency
from cyclonedx.model.license import DisjunctiveLicense, LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

_SERIALS = uuid.uuid5(uuid.NAMESPACE_URL, "urn:kbc:sbom")
"""The name space of serial numbers: one of its own, so that they meet no others."""


def bill(fields: Mapping[str, Any], files: Mapping[str, str], build_id: str) -> bytes:
    """The content of the file, for an artifact with these fields in its manifest. `files` maps the paths
    of its other files to their SHA-256 in hexadecimal."""
    subject = Component(
        name=fields["name"],
        version=fields["version"],
        type=ComponentType.DATA,
        bom_ref=f"artifact:{build_id}",
        description=fields["title"],
        licenses=licences(fields["license"]),
        properties=[Property(name="kbc:build_id", value=build_id)],
    )
    models = (fields["encoder"], fields.get("reranker"))
    parts = [model_component(each) for each in models if each is not None]
    libraries = [
        Component(
            name=name,
            version=version,
            type=ComponentType.LIBRARY,
            bom_ref=f"library:{name}",
            purl=PackageURL("pypi", None, name, version),
            scope=ComponentScope.EXCLUDED,  # they wrote the artifact; they are not in it
        )
        for name, version in fields["libraries"].items()
    ]
    listed = file_components(files)
    return document(
        subject,
        [*parts, *libraries, *listed],
        {subject: [*parts, *listed]},
        serial=build_id,
        timestamp=fields["built_at"],
    )


def document(
    subject: Component,
    components: Iterable[Component],
    needs: Mapping[Component, Iterable[Component]],
    *,
    serial: str,
    timestamp: str,
) -> bytes:
    """A bill as JSON with a line break at its end. `needs` maps components to what they depend on;
    `serial` is what the serial number follows from, `timestamp` ISO 8601, or "" for none."""
    bom = Bom(
        components=components,
        serial_number=uuid.uuid5(_SERIALS, serial),
        metadata=BomMetaData(component=subject),
        dependencies=[
            Dependency(each.bom_ref, [Dependency(other.bom_ref) for other in others])
            for each, others in needs.items()
        ],
    )
    told = datetime.datetime.strptime(timestamp, "%Y-%m-%dT%H:%M:%S%z") if timestamp else None
    bom.metadata.timestamp = told  # type: ignore[assignment]  # None leaves it out; the default is now
    return JsonV1Dot6(bom).output_as_string(indent=1).encode() + b"\n"


def licences(text: str) -> list[LicenseExpression | DisjunctiveLicense]:
    """What a component says of its licence: an SPDX expression where `text` is one."""
    if not text:
        return []
    try:
        return [LicenseExpression(str(canonicalize_license_expression(text)))]
    except InvalidLicenseExpression:
        return [DisjunctiveLicense(name=text)]


def file_components(files: Mapping[str, str]) -> list[Component]:
    """The files of an artifact, given as in `bill`."""
    return [
        Component(
            name=path, type=ComponentType.FILE, bom_ref=f"file:{path}", hashes=[sha256(digest)]
        )
        for path, digest in files.items()
    ]


def sha256(digest: str) -> HashType:
    return HashType(alg=HashAlgorithm.SHA_256, content=digest)


def model_component(encoder: Mapping[str, Any]) -> Component:
    """The model that the encoder or the re-ranker was made from; its hash is that of the weights."""
    package = encoder.get("package")  # none for a folder
    facts = {
        "kbc:tokenizer_sha256": encoder["tokenizer_sha256"],
        "kbc:graph_recipe": str(encoder["recipe"]),
        "kbc:precision": encoder["queries"],
    }
    if package:
        facts["kbc:package"] = f"{package['name']}=={package['version']}"
    return Component(
        name=encoder["model"],
        type=ComponentType.MACHINE_LEARNING_MODEL,
        bom_ref=f"model:{encoder['weights_sha256']}",
        hashes=[sha256(encoder["weights_sha256"])],
        licenses=licences(encoder.get("license", "")),
        properties=[Property(name=name, value=value) for name, value in facts.items()],
    )
