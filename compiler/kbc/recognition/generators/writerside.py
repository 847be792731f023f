"""Writerside: writerside.cfg names folders and instances, whose trees have titles and the order of topics."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from kbc.project.include_tree import IncludeTree
from kbc.project.sites.settings import IncludeSettings, LinkSettings, SiteSettings
from kbc.project.well_formed import comma_separated
from kbc.recognition.configuration import READER, files_below, read_text
from kbc.recognition.site import NOT_PAGES, Site, below, joined

if TYPE_CHECKING:
    from lxml import etree

GENERATOR = "writerside"
CONFIGS = ("writerside.cfg", "project.ihp")
_TOPICS = (".md", ".topic")
_PUBLISHED = re.compile(r"https?://[^\s%]+")


def recognise(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """The project whose configuration is in `folder`; None for one that names no tree of topics."""
    from kbc.formats.writerside.project import configuration  # their libraries take long to import
    from kbc.formats.writerside.xml import parsed_if_any

    found = configuration(read_text(tree, config).encode())
    if found is None or not found.instances:
        return None
    topics = joined(folder, found.topics)
    files = files_below(tree, topics, lambda name: name.endswith(_TOPICS))
    paths = {path.rpartition("/")[2]: below(topics, path) for path in files}
    trees = [joined(folder, each.tree) for each in found.instances]
    contents = _InstanceTrees(paths)
    for each in trees:
        contents.read(parsed_if_any(tree.read(each, READER)))
    titles = contents.titles
    unlisted = sorted(set(paths.values()) - set(titles)) if titles else []
    profiles = joined(folder, "cfg/buildprofiles.xml")
    root = _web_root(parsed_if_any(tree.read(profiles, READER)), contents.ids[0])
    web_path = found.instances[0].web_path.strip("/")
    version = found.instances[0].version
    return Site(
        folder=topics,
        title=contents.names[0],
        version="" if "%" in version else version,
        base_url="/".join(part for part in (root, web_path) if part) if root else "",
        titles=titles,
        exclude=(*NOT_PAGES, *(f"/{path}" for path in unlisted)),
        redirects=contents.redirects,
        settings=SiteSettings(
            includes=IncludeSettings(
                named_files={name: joined(topics, path) for name, path in paths.items()} or None,
            ),
            links=LinkSettings(has_other_modules=contents.has_others),
        ),
        files=(
            *trees,
            *(path for path in (joined(folder, found.variables), profiles) if tree.exists(path)),
        ),
    )


class _InstanceTrees:
    """The tables of contents of the instances: their `names` and `ids`, the `titles` of topics in order and
    the former names of their files. With `has_others` a part is another module's. `paths` are those of topics
    by their names."""

    def __init__(self, paths: Mapping[str, str]) -> None:
        self.names: list[str] = []
        self.ids: list[str] = []
        self.titles: dict[str, str] = {}
        self.redirects: dict[str, str] = {}
        self.has_others = False
        self._paths = paths

    def read(self, profile: etree._Element | None) -> None:
        """Adds what the file of an instance lists; None for one that is not there."""
        self.names.append("" if profile is None else profile.get("name", ""))
        self.ids.append("" if profile is None else profile.get("id", ""))
        for each in () if profile is None else profile.iter("include", "toc-element"):
            # A part of the contents that another module has, of another repository.
            self.has_others |= each.tag == "include" and "origin" in each.attrib
            if path := self._paths.get(each.get("topic", ""), ""):
                self.titles.setdefault(path, each.get("toc-title", ""))
                former = comma_separated(each.get("accepts-web-file-names", ""))
                self.redirects |= dict.fromkeys(former, path)


def _web_root(profiles: etree._Element | None, instance: str) -> str:
    """The address of the site in buildprofiles.xml: the instance's own, else that of all; "" without."""
    found: tuple[list[str], list[str]] = ([], [])
    for each in () if profiles is None else profiles.iter("web-root"):
        address = (each.text or "").strip().rstrip("/")
        profile = next(each.iterancestors("build-profile"), None)
        if _PUBLISHED.fullmatch(address) and (
            profile is None or instance in profile.attrib.values()
        ):
            found[profile is None].append(address)
    return next(iter((*found[0], *found[1])), "")
