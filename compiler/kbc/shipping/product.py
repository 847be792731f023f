"""The product: the facts from which the metadata of a wheel and of every bundle are written."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from packaging.version import InvalidVersion, Version

from kb_runtime.knowledge.artifact import Artifact, CollectionInfo
from kb_runtime.mcp.answers import ALL, choose_families
from kb_runtime.store.manifest import MANIFEST
from kb_runtime.tools.search.compact import FAMILY as COMPACT
from kb_runtime.version import DISTRIBUTION as RUNTIME
from kb_runtime.version import __version__
from kbc.project.settings import MCP_NAME
from kbc.shipping.errors import ShippingError

DISTRIBUTION = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*-kb")
"""Names of distributions, normalised, that are Python identifiers once `-` is `_`. By the ending `doctor`
tells the command of a packaged knowledge base from others."""


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool of the server by its wire name, with its description and argument names; those in
    `required` have no default."""

    name: str
    family: str
    description: str
    arguments: tuple[str, ...]
    required: tuple[str, ...]

    @property
    def summary(self) -> str:
        """The first sentence of the description, without its full stop."""
        return re.split(r"[.:] ", self.description, maxsplit=1)[0].rstrip(".")


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A knowledge base as a package. `distribution` is its name where packages are installed from,
    and the command that it installs; `version` is normalised.

    `license` is an SPDX expression, or "" where kb.toml says none or something else. `mcp_name` is
    its name in the MCP registry, `author` and `homepage` come from kb.toml; all may be empty.
    `built_at` is "" when the artifact does not say. `families` are those of the tools that a server offers by
    default, of all `tools`. `introduction` and `starts` (by family of tools) are
    what the server tells agents about itself.
    """

    distribution: str
    version: str
    name: str
    title: str
    description: str
    license: str
    author: str
    homepage: str
    mcp_name: str
    build_id: str
    built_at: str
    prefix: str
    collections: tuple[CollectionInfo, ...]
    tools: tuple[OfferedTool, ...]
    families: tuple[str, ...]
    introduction: str
    starts: Mapping[str, str]

    @property
    def module(self) -> str:
        return self.distribution.replace("-", "_")

    @property
    def records(self) -> int:
        return sum(collection.records for collection in self.collections)

    @property
    def shown_tools(self) -> tuple[OfferedTool, ...]:
        """The tools that a server offers when it is started without `--tools`."""
        return tuple(tool for tool in self.tools if tool.family in self.families) or self.tools

    @property
    def further_tools(self) -> str:
        """A sentence that names the tools of other families, "" without any."""
        shown = {COMPACT, *(tool.family for tool in self.shown_tools)}
        others = [tool.name for tool in self.tools if tool.family not in shown]
        sentence = f"A server started with `--tools {ALL}` also offers: {', '.join(others)}."
        return sentence if others else ""

    @property
    def summary(self) -> str:
        """One line about it."""
        return " ".join(self.description.split()) or f"{self.title}, as an offline MCP server"


def product(
    artifact: Artifact, *, name: str = "", version: str = "", mcp_name: str = ""
) -> Product:
    """The facts of an open artifact. `name`, `version` and `mcp_name` replace those that follow from
    kb.toml. Raises `ShippingError` when no package can have such a name or version, and
    `ArtifactError`."""
    manifest = artifact.manifest
    package = manifest.get("package") or {}
    answers = json.loads(artifact.read("tools.json"))
    return Product(
        distribution=_distribution(name or f"{manifest['name'].removesuffix('-kb')}-kb"),
        version=_version(version or manifest["version"]),
        name=manifest["name"],
        title=manifest["title"],
        description=manifest["description"],
        license=_spdx(manifest["license"]),
        author=package.get("author", ""),
        homepage=package.get("homepage", ""),
        mcp_name=_mcp_name(mcp_name) or package.get("mcp_name", ""),
        build_id=artifact.build_id,
        built_at=recorded_time(artifact),
        prefix=manifest["prefix"],
        collections=tuple(artifact.collections),
        tools=tuple(_tools(answers["families"])),
        families=tuple(choose_families(answers.get("default", ALL), answers["families"])),
        introduction=answers["instructions"]["introduction"],
        starts=answers["instructions"]["families"],
    )


def runtime_requirement() -> str:
    """The requirement of a runtime that reads what this compiler writes.

    The format's number goes up only with a minor version before 1.0, and with a major one after.
    """
    ours = Version(__version__)
    beyond = f"0.{ours.minor + 1}" if ours.major == 0 else f"{ours.major + 1}"
    return f"{RUNTIME}>={ours},<{beyond}"


def recorded_time(artifact: Artifact) -> str:
    """`built_at` as the artifact says it, "" when it does not: a file's time is no part of it."""
    told: str = json.loads(Path(artifact.manifest.path(MANIFEST)).read_bytes())["built_at"]
    return told


def _distribution(name: str) -> str:
    normalised = re.sub(r"[-_.]+", "-", name).lower()
    if not DISTRIBUTION.fullmatch(normalised):
        raise ShippingError(
            f"{name!r} cannot be the name of a package",
            "Use letters, digits and single hyphens, and end in -kb: --name my-notes-kb.",
        )
    return normalised


def _version(text: str) -> str:
    try:
        return str(Version(text))
    except InvalidVersion:
        raise ShippingError(
            f"{text!r} cannot be the version of a package",
            "Give one of numbers and dots, such as --version 2026.11.0, or change kb.toml.",
        ) from None


def _mcp_name(name: str) -> str:
    if name and not MCP_NAME.fullmatch(name):
        raise ShippingError(
            f"{name!r} cannot be a name in the MCP registry",
            "Use your domain backwards or io.github.USER, a slash, and a name.",
        )
    return name


def _spdx(text: str) -> str:
    try:
        return str(canonicalize_license_expression(text)) if text else ""
    except InvalidLicenseExpression:
        return ""


def _tools(families: dict[str, dict[str, Sequence[dict[str, object]]]]) -> list[OfferedTool]:
    found = []
    for family, offered in families.items():
        for tool in offered["tools"]:
            schema = tool["inputSchema"]
            assert isinstance(schema, dict)
            found.append(
                OfferedTool(
                    str(tool["name"]),
                    family,
                    str(tool["description"]),
                    tuple(schema.get("properties", {})),
                    tuple(schema.get("required", ())),
                )
            )
    return found
