"""pkgdown: _pkgdown.yml of an R package names the order of the reference and of the articles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from kbc.project.include_tree import IncludeTree
from kbc.project.well_formed import sequence
from kbc.recognition.configuration import pages_below, read_yaml
from kbc.recognition.site import NOT_PAGES, Site, joined, mapping, text

GENERATOR = "pkgdown"
CONFIGS = tuple(
    f"{folder}_pkgdown.{ending}"
    for folder in ("", "pkgdown/", "inst/")
    for ending in ("yml", "yaml")
)
_REFERENCE, _ARTICLES = "man", "vignettes"
_SOURCES = (".Rmd", ".rmd", ".qmd", ".md", ".ipynb")
_ALIAS = re.compile(rb"^\\alias\{([^}\n]+)\}", re.MULTILINE)
_SELECTOR = re.compile(r"""(?P<how>starts_with|ends_with|contains)\(\s*["'](?P<part>[^"']+)""")
_SELECTED: Mapping[str, Callable[[str, str], bool]] = {
    "starts_with": str.startswith,
    "ends_with": str.endswith,
    "contains": str.__contains__,
}


def recognise(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """The site of the R package in `folder`; None without a package."""
    names = tree.names(folder)
    places = [name for name in (_REFERENCE, _ARTICLES) if name in names]
    if "DESCRIPTION" not in names or not places:
        return None
    data = read_yaml(tree, config)
    articles = {
        path.rpartition(".")[0]: f"{_ARTICLES}/{path}"
        for path in sorted(
            pages_below(
                tree,
                joined(folder, _ARTICLES),
                lambda path: path.endswith(_SOURCES),
                lambda path: "." not in path,
            )
        )
    }
    order = [*_listed(data.get("articles"), articles)] or [*articles.values()]
    order += _listed(data.get("reference"), _topics(tree, folder))
    return Site(
        generator=GENERATOR,
        config=config,
        folder=folder,
        base_url=text(data, "url").rstrip("/"),
        paths=tuple(joined(folder, name) for name in places),
        order=tuple(order),
        exclude=(*NOT_PAGES, *(f"_*{ending}" for ending in _SOURCES)),
    )


def _topics(tree: IncludeTree, folder: str) -> Mapping[str, str]:
    """The page of every topic of the reference by its names."""
    found: dict[str, str] = {}
    for name in tree.names(joined(folder, _REFERENCE)):
        if name.endswith(".Rd"):
            path = f"{_REFERENCE}/{name}"
            found[name.removesuffix(".Rd")] = path
            for alias in _ALIAS.findall(tree.peek(joined(folder, path)) or b""):
                found.setdefault(alias.decode("utf-8", "replace").replace("\\%", "%"), path)
    return found


def _listed(sections: Any, pages: Mapping[str, str]) -> Iterator[str]:
    """The pages that sections name, in their order."""
    for section in sequence(sections):
        for wanted in sequence(mapping(section).get("contents")):
            yield from _selected(str(wanted), pages)


def _selected(wanted: str, pages: Mapping[str, str]) -> Sequence[str]:
    """The pages that one entry of `contents` stands for."""
    name = wanted.strip("`'\" ")
    if name in pages:
        return (pages[name],)
    selector = _SELECTOR.match(wanted)
    if selector is None:
        return ()
    is_selected = _SELECTED[selector["how"]]
    return [page for name, page in pages.items() if is_selected(name, selector["part"])]
