"""Hugging Face's doc-builder: _toctree.yml lists the pages of one language, _redirects.yml former names."""

from __future__ import annotations

from kbc.project.include_tree import IncludeTree
from kbc.project.sites.settings import IncludeSettings, SiteSettings
from kbc.recognition.configuration import (
    entries_in,
    first_existing,
    first_name,
    parse_yaml_value,
    read_text,
    read_yaml,
)
from kbc.recognition.site import NOT_PAGES, Site, joined, text

GENERATOR = "doc-builder"
CONFIGS = ("_toctree.yml",)
REDIRECTS = "_redirects.yml"

_ENDINGS = (".md", ".mdx")
_LEVELS = 4
"""Folders above the pages of one language in which its package may be: docs/source/en."""

_NO_PACKAGES = frozenset({"benchmarks", "docs", "examples", "scripts", "tests", "utils"})


def recognise(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """The documentation whose _toctree.yml is in `folder`; None for one that names no page there."""
    titles: dict[str, str] = {}
    for entry in entries_in(parse_yaml_value(read_text(tree, config)), "sections"):
        local = joined(text(entry, "local"))
        names = (f"{local}{ending}" for ending in _ENDINGS if local)
        if page := first_name(tree, folder, names):
            titles.setdefault(page, text(entry, "title"))
    if not titles:
        return None
    redirects = first_existing(tree, folder, (REDIRECTS,))
    former = read_yaml(tree, redirects) if redirects else {}
    return Site(
        folder=folder,
        titles=titles,
        exclude=NOT_PAGES,
        redirects={str(old): new for old, new in former.items() if isinstance(new, str)},
        settings=SiteSettings(config_folder=folder, includes=_packages(tree, folder)),
        files=(redirects,),
    )


def _packages(tree: IncludeTree, folder: str) -> IncludeSettings:
    """Where packages of Python begin in the folders above, and their names: pages name objects of theirs."""
    for level in range(1, _LEVELS + 1):
        above = joined(folder, *[".."] * level)
        for place in (joined(above, "src"), above):
            found = [
                name
                for name in tree.names(place)
                if name not in _NO_PACKAGES and tree.exists(joined(place, name, "__init__.py"))
            ]
            if found:
                return IncludeSettings(python_paths=(place,), python_packages=tuple(found))
    return IncludeSettings()
