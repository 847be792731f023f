"""Eleventy: its configuration is a program, of which the folders that it names as text are read."""

from __future__ import annotations

import re

from kbc.project.include_tree import IncludeTree
from kbc.recognition.configuration import first_existing, read_json, read_text
from kbc.recognition.site import NOT_PAGES, Site, joined, text

GENERATOR = "eleventy"
CONFIGS = (
    *(f"eleventy.config.{ending}" for ending in ("js", "mjs", "cjs", "ts", "mts")),
    ".eleventy.js",
)

_FOLDER = re.compile(r"\b(?P<name>input|includes|data)\s*:\s*[\"'](?P<place>[^\"'\n]*)[\"']")
_SET = re.compile(
    r"\.set(?P<name>Input|Includes|Data)Directory\(\s*[\"'](?P<place>[^\"'\n]*)[\"']\s*\)"
)
_SITE_DATA = ("site.json", "metadata.json", "meta.json")


def recognise(tree: IncludeTree, folder: str) -> Site | None:
    """The site whose configuration is in `folder`; None without one."""
    config = first_existing(tree, folder, CONFIGS)
    if not config:
        return None
    source = read_text(tree, config)
    found = (match for pattern in (_FOLDER, _SET) for match in pattern.finditer(source))
    places = {match["name"].lower(): match["place"] for match in found}
    content = joined(folder, places.get("input", "."))
    if not tree.names(content):
        return None
    includes, data = places.get("includes", "_includes"), places.get("data", "_data")
    named = first_existing(tree, joined(content, data), _SITE_DATA)
    stated = read_json(tree, named) if named else {}
    ignored = read_text(tree, joined(folder, ".eleventyignore")).split("\n")
    address = text(stated, "url", "baseUrl")
    return Site(
        generator=GENERATOR,
        config=config,
        folder=content,
        title=text(stated, "title", "name"),
        description=text(stated, "description"),
        base_url=address if address.startswith("http") else "",
        exclude=(
            *NOT_PAGES,
            *("node_modules/", "/_site/", f"/{includes}/", f"/{data}/"),
            *(line.strip() for line in ignored if line.strip() and not line.startswith("#")),
        ),
        options={
            "config_folder": folder,
            "includes": joined(content, includes),
            "are_templates": True,
            # Plugins give headings their ids.
            "open_anchors": "slugify" in source,
        },
        files=(named,) if named else (),
    )
