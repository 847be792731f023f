"""The bill of materials of a wheel (PEP 770): the artifact in it, the model in that, and the runtime
with everything that it needs, in the versions that the wheel was written beside."""

from __future__ import annotations

from cyclonedx.model.component import Component, ComponentType
from packageurl import PackageURL

from kb_runtime.artifact import Artifact
from kb_runtime.manifest import MANIFEST, sha256
from kbc.backends import bill
from kbc.shipping.closure import RUNTIME, Installed, runtime_closure
from kbc.shipping.product import Product


def wheel_bill(artifact: Artifact, product: Product) -> bytes:
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
    encoder = artifact.manifest.get("encoder")
    models = [] if encoder is None else [bill.model_component(encoder)]
    closure = runtime_closure()
    libraries = {each.name: _library(each) for each in closure}
    needs = {subject: [data, libraries[RUNTIME]], data: models}
    needs |= {libraries[each.name]: [libraries[name] for name in each.needs] for each in closure}
    return bill.document(
        subject,
        [data, *models, *libraries.values()],
        needs,
        serial=f"{product.distribution} {product.version} {product.build_id}",
        moment=product.built_at,
    )


def _library(installed: Installed) -> Component:
    return Component(
        name=installed.name,
        version=installed.version,
        type=ComponentType.LIBRARY,
        bom_ref=f"library:{installed.name}",
        purl=PackageURL("pypi", None, installed.name, installed.version),
        licenses=bill.licences(installed.license),
    )
