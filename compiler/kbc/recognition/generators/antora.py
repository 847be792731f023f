"""Antora: components (antora.yml) with modules of pages, and the playbook that publishes them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kbc.formats.asciidoc.surroundings import playbook_above
from kbc.project.include_tree import IncludeTree
from kbc.project.sites.settings import AddressSettings, SiteSettings
from kbc.project.well_formed import sequence
from kbc.recognition.configuration import READER, read_text, read_yaml
from kbc.recognition.site import Site, joined, mapping, text, texts

GENERATOR = "antora"
CONFIGS = ("antora.yml", "antora.yaml")
_XREF = re.compile(r"^\*+\s+.*?xref:(?P<page>[^\[\s]+)\[(?P<title>[^\]]*)\]", re.MULTILINE)


def recognise(tree: IncludeTree, folder: str, config: str) -> Site:
    """The component whose antora.yml is in `folder`."""
    data = read_yaml(tree, config)
    playbook, stated = playbook_above(folder, lambda path: tree.read(path, READER))
    navigation = texts(data.get("nav"))
    titles: dict[str, str] = {}
    for each in navigation:
        module = next(iter(re.findall(r"modules/([^/]+)/", each)), "ROOT")
        for page, title in _XREF.findall(read_text(tree, joined(folder, each))):
            path = _page(page, module)
            titles.setdefault(path, title)
    return Site(
        folder=folder,
        title=text(data, "title", "name"),
        version=text(data, "version"),
        base_url=text(mapping(stated.get("site")), "url"),
        titles=titles,
        include=("/modules/*/pages/**",),
        exclude=("_*",),
        settings=SiteSettings(
            addresses=AddressSettings(
                component="" if data.get("name") in _at_the_root(stated) else text(data, "name"),
                version=_version(data, mapping(stated.get("urls"))),
                html_extension=text(mapping(stated.get("urls")), "html_extension_style"),
            )
        ),
        files=(*(joined(folder, each) for each in navigation), playbook),
    )


def _at_the_root(playbook: Mapping[str, Any]) -> list[str]:
    """The components that addresses do not name: Antora's, and the one that Spring's extension of it has at
    the root."""
    extensions = map(mapping, sequence(mapping(playbook.get("antora")).get("extensions")))
    return ["ROOT", *(text(each, "root_component_name") for each in extensions)]


def _version(data: Mapping[str, Any], urls: Mapping[str, Any]) -> str:
    """The version in addresses, which the playbook may name otherwise for the latest one."""
    kind = "latest_prerelease_version" if data.get("prerelease") else "latest_version"
    segment = urls.get(f"{kind}_segment")
    if (
        isinstance(segment, str)
        and text(urls, "latest_version_segment_strategy") != "redirect:from"
    ):
        return segment
    return text(data, "version")


def _page(reference: str, module: str) -> str:
    """`module:page.adoc#anchor` as a path below the component."""
    page = reference.partition("#")[0].rpartition("@")[2]
    *family, name = page.split(":")
    module = family[-1] if family and family[-1] else module
    name = name if name.endswith(".adoc") else f"{name}.adoc"
    return f"modules/{module}/pages/{name}"
