"""Jekyll: _config.yml with collections, permalinks and what it excludes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kbc.project.include_tree import IncludeTree
from kbc.project.kinds import MARKDOWN
from kbc.project.sites.settings import AddressSettings, IncludeSettings, SiteSettings, ValueSettings
from kbc.project.well_formed import sequence
from kbc.recognition.configuration import first_existing, read_yaml
from kbc.recognition.site import NOT_PAGES, Site, joined, mapping, text, texts
from kbc.sources.formats import is_document
from kbc.sources.patterns import PathPatterns

GENERATOR = "jekyll"
CONFIGS = ("_config.yml", "_config.yaml")
_EVIDENCE = frozenset({"_layouts", "_posts", "_includes", "_docs", "Gemfile", "_data", "CNAME"})
_EVIDENT_KEYS = frozenset({"remote_theme", "theme", "plugins", "permalink", "markdown", "kramdown"})
_MACHINERY = ("_layouts/", "_includes/", "_data/", "_sass/", "_site/", "_plugins/", "_drafts/")
_UNPUBLISHED = ("_*.md", "_*.markdown", "_*.html")
_DOCUMENTS = (".html", ".htm")
_HEADING = re.compile(rb"<h[1-6]\b", re.IGNORECASE)
_SECTIONS = 3
"""With fewer headings a document in HTML is a program that runs in the browser, or shows a form."""

_OF_OTHERS = (
    "/vendor/",
    "node_modules/",
    "bower_components/",
    "third_party/",
    "/Gemfile*",
    "/*.gemspec",
)
"""What Jekyll leaves out, and libraries that pages load, with their own READMEs."""


def recognise(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """The site whose _config.yml is in `folder`; None when another tool's it is."""
    if first_existing(tree, folder, ("_toc.yml",)):  # that of a Jupyter Book
        return None
    data = read_yaml(tree, config)
    if not (_EVIDENCE & set(tree.names(folder)) or _EVIDENT_KEYS & data.keys()):
        return None
    source = joined(folder, text(data, "source") or ".")
    include = texts(data.get("include"))
    collections = data.get("collections")
    names = collections if isinstance(collections, list) else list(mapping(collections))
    return Site(
        folder=source,
        title=text(data, "title", "name"),
        description=text(data, "description"),
        version=text(mapping(data.get("versions")), "stable", "latest"),
        base_url=f"{text(data, 'url').rstrip('/')}/{text(data, 'baseurl').strip('/')}".rstrip("/"),
        exclude=(
            *NOT_PAGES,
            *(f"!/_{name}/**/*.txt" for name in names),  # files with front matter are pages, too
            *(each for each in _MACHINERY if each.strip("/") not in include),
            *_UNPUBLISHED,
            *(f"!{each}" for each in include if each.startswith("_")),
            *_OF_OTHERS,
            *(f"/{each.lstrip('/')}" for each in texts(data.get("exclude"))),
        ),
        settings=SiteSettings(
            addresses=AddressSettings(
                permalink=text(data, "permalink"),
                permalinks=_permalinks(data, mapping(collections)),
            ),
            values=ValueSettings(
                of_templates=_values(data),
                data_folder=joined(source, text(data, "data_dir") or "_data"),
            ),
            includes=IncludeSettings(
                partials=joined(source, text(data, "includes_dir") or "_includes")
            ),
        ),
    )


def copied(tree: IncludeTree, site: Site) -> list[Site]:
    """What Jekyll publishes as it is: the documents in HTML without front matter that are directly in the
    folder of the site and have several sections, besides those that pages there or one folder below were
    rendered to. Folders of HTML are what other generators write."""
    names = tree.names(site.folder)
    below = (each for name in names for each in tree.names(joined(site.folder, name)))
    written = {each.rpartition(".")[0] for each in (*names, *below) if each.endswith(MARKDOWN)}
    patterns = PathPatterns((), site.exclude)
    found = tuple(
        joined(site.folder, name)
        for name in names
        if name.endswith(_DOCUMENTS)
        and name.rpartition(".")[0] not in written
        and not patterns.reason(name)
        and _has_sections(tree.peek(joined(site.folder, name)) or b"")
    )
    own = Site(
        name="pages",
        kind="pages",
        folder=site.folder,
        config=site.config,
        paths=found,
        title=site.title,
        base_url=site.base_url,
    )
    return [own] if found else []


def _has_sections(data: bytes) -> bool:
    return is_document(data) and len(_HEADING.findall(data)) >= _SECTIONS


def _values(data: Mapping[str, Any]) -> dict[str, Any]:
    """The texts and numbers, which pages can show, and the tables of them."""
    return {
        name: _values(value) if isinstance(value, Mapping) else value
        for name, value in data.items()
        if isinstance(value, (str, int, float, Mapping))
    }


def _permalinks(data: Mapping[str, Any], collections: Mapping[str, Any]) -> dict[str, str]:
    """Collection -> permalink, from the collections and from defaults for them."""
    found: dict[str, str] = {}
    for each in sequence(data.get("defaults")):
        scope, values = mapping(mapping(each).get("scope")), mapping(mapping(each).get("values"))
        if text(values, "permalink") and text(scope, "type"):
            found[text(scope, "type")] = text(values, "permalink")
    for name, options in collections.items():
        if rule := text(mapping(options), "permalink"):
            found[str(name)] = rule
    return found
