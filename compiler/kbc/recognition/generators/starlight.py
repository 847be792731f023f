"""Starlight: astro.config with the integration, pages in src/content/docs, one language of several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kbc.project.include_tree import IncludeTree
from kbc.project.well_formed import sequence
from kbc.recognition.configuration import first_existing, import_paths, read_script
from kbc.recognition.site import NOT_PAGES, Site, joined, mapping, text

GENERATOR = "starlight"
PAGES = "src/content/docs"
CONFIGS = tuple(f"astro.config.{ending}" for ending in ("mjs", "ts", "mts", "js", "cjs"))


def recognise(tree: IncludeTree, folder: str) -> Site | None:
    """The site whose astro.config is in `folder`; None without one, or when it has no such pages."""
    config = first_existing(tree, folder, CONFIGS)
    pages = joined(folder, PAGES)
    if not config or not tree.names(pages):
        return None
    data = read_script(tree, config)
    found = [mapping(each) for each in sequence(data.get("integrations"))]
    theme: Mapping[str, Any] = next((each for each in found if "title" in each), {})
    address = text(data, "site")
    base = f"{address.rstrip('/')}/{text(data, 'base').strip('/')}".rstrip("/")
    locales = mapping(theme.get("locales"))
    own = text(theme, "defaultLocale") or ("root" if "root" in locales else "")
    others = [name for name in locales if own and name not in ("root", own)]
    return Site(
        generator=GENERATOR,
        config=config,
        folder=pages,
        title=text(theme, "title"),
        description=text(theme, "description"),
        base_url=base if address.startswith("http") else "",
        # Parts of pages, which Astro does not publish.
        exclude=(*NOT_PAGES, "_*", "/404.*", *(f"/{name}/" for name in others)),
        options={"config_folder": folder, "import_paths": import_paths(tree, folder)},
    )
