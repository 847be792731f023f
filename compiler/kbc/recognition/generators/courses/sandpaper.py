"""The Carpentries Workbench: `config.yaml` of sandpaper, above episodes and pages for learners."""

from __future__ import annotations

from kbc.project.include_tree import IncludeTree
from kbc.project.sites.settings import SiteSettings
from kbc.recognition.configuration import read_yaml
from kbc.recognition.site import Site, joined, text, texts

GENERATOR = "sandpaper"
CONFIGS = ("config.yaml",)

_FOLDERS = ("episodes", "learners", "instructors", "profiles")
"""Of pages, in the order of the site. Everything else there is data that the lesson works with."""

_ENDINGS = (".md", ".Rmd")


def recognise(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """The lesson whose config.yaml is in `folder`; None without episodes."""
    data = read_yaml(tree, config)
    if "carpentry" not in data:
        return None
    order = [
        f"{place}/{name}"
        for place in _FOLDERS
        for name in (
            *texts(data.get(place)),
            *(each for each in tree.names(joined(folder, place)) if each.endswith(_ENDINGS)),
        )
    ]
    if not any(path.startswith("episodes/") for path in order):
        return None
    return Site(
        folder=folder,
        title=text(data, "title"),
        base_url=text(data, "url"),
        order=("index.md", "index.Rmd", *order),
        include=(
            "/index.md",
            "/index.Rmd",
            *(f"/{place}/*{ending}" for place in _FOLDERS for ending in _ENDINGS),
        ),
        settings=SiteSettings(language=text(data, "lang")[:2].lower()),
    )
