"""Lists the distributions that the runtime consists of, as they are installed here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from kb_runtime.version import DISTRIBUTION
from kbc.shipping.errors import ShippingError

_LICENCE_CLASSIFIER = "License :: OSI Approved :: "


@dataclass(frozen=True, slots=True)
class Installed:
    """A distribution; `license` as its metadata has it, maybe empty, `needs` are names."""

    name: str
    version: str
    license: str
    needs: tuple[str, ...]


def runtime_closure() -> list[Installed]:
    """The runtime and everything that it needs on this machine, without extras of its own, by name.

    Raises `ShippingError` when a part is not installed.
    """
    found: dict[str, Installed] = {}
    wanted: list[tuple[str, frozenset[str]]] = [(DISTRIBUTION, frozenset())]
    seen = set(wanted)
    while wanted:
        name, extras = wanted.pop()
        needed = list(_needs(name, extras))
        for each in needed:
            if each not in seen:
                seen.add(each)
                wanted.append(each)
        known = found[name].needs if name in found else ()
        needs = sorted({*known, *(other for other, _ in needed)} - {name})
        told = metadata.metadata(name)
        found[name] = Installed(name, metadata.version(name), _licence(told), tuple(needs))
    return [found[name] for name in sorted(found)]


def _needs(name: str, extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    try:
        requirements = metadata.requires(name) or ()
    except metadata.PackageNotFoundError:
        raise ShippingError(
            f"the distribution {name!r}, a part of the runtime, is not installed here",
            "Run kbc from an environment into which it was installed with pip.",
        ) from None
    for text in requirements:
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": each}) for each in ("", *extras)):
            yield canonicalize_name(requirement.name), frozenset(requirement.extras)


def _licence(told: metadata.PackageMetadata) -> str:
    """The SPDX expression of newer metadata, or what older ones say in a few words."""
    for expression in told.get_all("License-Expression") or ():
        return str(expression)
    classified = [
        each.removeprefix(_LICENCE_CLASSIFIER)
        for each in told.get_all("Classifier") or ()
        if each.startswith(_LICENCE_CLASSIFIER)
    ]
    if classified:
        return " / ".join(classified)
    short = [text for text in told.get_all("License") or () if re.fullmatch(r"[^\n]{1,60}", text)]
    return short[0] if short else ""
