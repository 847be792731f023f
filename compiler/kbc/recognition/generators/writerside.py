"""Writerside: writerside.cfg names folders and instances, whose trees have titles and the order of topics."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kbc.project.include_tree import IncludeTree
from kbc.recognition.configuration import files_below, read_text
from kbc.recognition.site import NOT_PAGES, Site, below, joined

GENERATOR = "writerside"
CONFIGS = ("writerside.cfg", "project.ihp")
_TOPICS = (".md", ".topic")
_MAX_DEPTH = 8
"""Of folders of topics."""

_ELEMENT = re.compile(r"<toc-element\b(?P<stated>(?:\"[^\"]*\"|[^<>\"])*)>", re.DOTALL)
_OTHER = re.compile(r"<include\b[^<>]*\borigin\s*=")
"""A part of the contents that another module has, of another repository."""

_PROFILE = re.compile(
    r"<build-profile\b(?P<stated>[^<>]*[^/<>])>(?P<inner>.*?)</build-profile>", re.DOTALL
)


def recognise(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """The project whose configuration is in `folder`; None for one that names no tree of topics."""
    from kbc.formats.writerside.project import configuration  # its libraries take long to import

    found = configuration(read_text(tree, config).encode())
    if found is None or not found.instances:
        return None
    topics = joined(folder, found.topics)
    files = files_below(tree, topics, lambda name: name.endswith(_TOPICS), _MAX_DEPTH)
    paths = {path.rpartition("/")[2]: below(topics, path) for path in files}
    trees = [joined(folder, each.tree) for each in found.instances]
    contents = _InstanceTrees(paths)
    for each in trees:
        contents.read(read_text(tree, each))
    titles = contents.titles
    unlisted = sorted(set(paths.values()) - set(titles)) if titles else []
    profiles = joined(folder, "cfg/buildprofiles.xml")
    root = _web_root(read_text(tree, profiles), contents.ids[0])
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
        options={
            "snippets": joined(folder, found.snippets) if found.snippets else "",
            "topics": {name: joined(topics, path) for name, path in paths.items()},
            **({"other_modules": True} if contents.has_others else {}),
        },
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

    def read(self, source: str) -> None:
        from kbc.formats.writerside.tags import attributes

        text = re.sub(r"<!--.*?-->", "", source, flags=re.DOTALL)
        self.has_others = self.has_others or _OTHER.search(text) is not None
        profile = attributes(text.partition("<instance-profile")[2].partition(">")[0])
        self.names.append(profile.get("name", ""))
        self.ids.append(profile.get("id", ""))
        for match in _ELEMENT.finditer(text):
            stated = attributes(match["stated"])
            if path := self._paths.get(stated.get("topic", ""), ""):
                self.titles.setdefault(path, stated.get("toc-title", ""))
                former = stated.get("accepts-web-file-names", "").split(",")
                self.redirects |= {old.strip(): path for old in former if old.strip()}


def _web_root(profiles: str, instance: str) -> str:
    """The address of the site in buildprofiles.xml: the instance's own, else that of all; "" without."""
    own = next(
        (
            each["inner"]
            for each in _PROFILE.finditer(profiles)
            if f'"{instance}"' in each["stated"]
        ),
        "",
    )
    shared = _PROFILE.sub("", profiles)
    for text in (own, shared):
        found = re.search(r"<web-root>\s*(https?://[^<\s%]+?)/*\s*</web-root>", text)
        if found:
            return found[1]
    return ""
