"""Docsify: an index.html with `$docsify` shows the Markdown around it; _sidebar.md lists the pages."""

from __future__ import annotations

import posixpath
import re

from kbc.project.include_tree import IncludeTree
from kbc.project.sites.settings import LinkSettings, SiteSettings
from kbc.recognition.configuration import first_name, read_text
from kbc.recognition.javascript.exports import exported
from kbc.recognition.site import NOT_PAGES, Site, joined, linked_titles, text

GENERATOR = "docsify"
CONFIGS = ("index.html",)

_SETTINGS = re.compile(r"\$docsify\s*=\s*(?P<object>\{.*?)</script>", re.DOTALL)
_SIDEBAR = "_sidebar.md"
_PARTS = "_*"
"""What stands around pages, and is embedded in them: _navbar.md, _coverpage.md, _media."""


def recognise(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """The site whose index.html is in `folder`; None where it does not set `$docsify`, or without pages."""
    if not (found := _SETTINGS.search(read_text(tree, config))):
        return None
    data = exported(f"export default {found['object']}")
    base = text(data, "basePath")
    place = joined(folder, base) if "//" not in base else folder
    if not any(name.endswith(".md") for name in tree.names(place)):
        return None
    sidebar = text(data, "loadSidebar") or _SIDEBAR
    contents = joined(place, sidebar)
    listed = linked_titles(read_text(tree, contents))
    titles = {_page(tree, place, path): title for path, title in listed.items()}
    home = text(data, "homepage") or "README.md"
    return Site(
        folder=place,
        title=text(data, "name"),
        order=(home, *titles),
        titles=titles,
        exclude=(*NOT_PAGES, _PARTS, f"/{sidebar.strip('/')}"),
        settings=SiteSettings(
            config_folder=folder,
            links=LinkSettings(are_relative=data.get("relativePath") is True),
        ),
        files=(contents,) if listed else (),
    )


def _page(tree: IncludeTree, place: str, path: str) -> str:
    """The file of a page that the sidebar names with or without its ending."""
    names = (path, f"{path}.md", posixpath.join(path, "README.md"))
    return first_name(tree, place, names) or path
