"""Writes the bill of materials of a wheel (PEP 770): the artifact with its files, the model with its package,
and the runtime with all its dependencies, in the versions of the environment that wrote the wheel.

For a library in a lock it lists the hashes of its archives; the platform decides which one is installed.
For the others it says that none are known, because an installation does not record its archive.
"""

from __future__ import annotations

from collections.abc import Mapping

from cyclonedx.model import ExternalReference, ExternalReferenceType, Property, XsUri
from cyclonedx.model.component import Component, ComponentType
from packageurl import PackageURL
from packaging.utils import canonicalize_name

from kb_runtime.digests import sha256
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.store.manifest import MANIFEST
from kb_runtime.version import DISTRIBUTION
from kbc.backends import bill
from kbc.shipping.closure import runtime_closure
from kbc.shipping.lock import Lock
from kbc.shipping.product import Product

_UNLOCKED = Property(name="kbc:archive_hashes", value="not known")


def wheel_bill(artifact: Artifact, product: Product, lock: Lock) -> bytes:
    """A CycloneDX document. Raises `ShippingError` when the runtime is not installed here."""
    subject = Component(
        name=product.distribution,
        version=product.version,
        type=ComponentType.APPLICATION,
        bom_ref=f"wheel:{product.distribution}",
        description=product.title,
        purl=PackageURL("pypi", None, product.distribution, product.version),
        licenses=bill.licences(product.license),
    )
    with open(artifact.manifest.path(MANIFEST), "rb") as file:  # it holds the hash of all else
        sealed = sha256(file.read()).hex()
    data = Component(
        name=product.name,
        version=artifact.manifest["version"],
        type=ComponentType.DATA,
        bom_ref=f"artifact:{product.build_id}",
        hashes=[bill.sha256(sealed)],
        licenses=bill.licences(artifact.manifest["license"]),
    )
    listed = bill.file_components(
        {path: digest for path, (_, digest) in artifact.manifest.files.items()}
    )
    shipped = [each for each in map(artifact.manifest.get, ("encoder", "reranker")) if each]
    models = [bill.model_component(each) for each in shipped]
    carriers = [_carrier(each["package"], lock) for each in shipped if each.get("package")]
    closure = runtime_closure()
    libraries = {
        each.name: _package(each.name, each.version, each.license, lock) for each in closure
    }
    needs = {subject: [data, libraries[DISTRIBUTION]], data: [*models, *listed]}
    needs |= dict.fromkeys(models, carriers)
    needs |= {libraries[each.name]: [libraries[name] for name in each.needs] for each in closure}
    return bill.document(
        subject,
        [data, *listed, *models, *carriers, *libraries.values()],
        needs,
        serial=f"{product.distribution} {product.version} {product.build_id}",
        timestamp=product.built_at,
    )


def _carrier(package: Mapping[str, str], lock: Lock) -> Component:
    """The package that the model came in; its licence is told of the model."""
    return _package(canonicalize_name(package["name"]), package["version"], "", lock)


def _package(name: str, version: str, license: str, lock: Lock) -> Component:
    purl = PackageURL("pypi", None, name, version)
    archives = lock.get((name, version), ())
    reference = ExternalReference(
        type=ExternalReferenceType.DISTRIBUTION,
        url=XsUri(str(purl)),
        comment="the archives that are locked",
        hashes=map(bill.sha256, archives),
    )
    return Component(
        name=name,
        version=version,
        type=ComponentType.LIBRARY,
        bom_ref=f"library:{name}",
        purl=purl,
        licenses=bill.licences(license),
        external_references=[reference] if archives else [],
        properties=[] if archives else [_UNLOCKED],
    )
