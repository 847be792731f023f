"""Collections of a kb.toml that name a generator: what its configuration says is added when they are read."""

from __future__ import annotations

import posixpath
from dataclasses import replace

from kbc.diagnostics import Diagnostics
from kbc.project.include_tree import IncludeTree
from kbc.project.loading import PROJECT_FILE
from kbc.project.model import Collection, Project
from kbc.recognition import repository
from kbc.recognition.generators import sphinx
from kbc.recognition.site import Site

_INSIDE = (".vitepress/config", ".vitepress", ".vuepress/config", ".vuepress", "config/_default")
"""Folders of configurations in the one that these are of."""


def with_generators(project: Project, diagnostics: Diagnostics) -> Project:
    """`project` with what the configurations of its collections say; a configuration that is not there is
    an error at the collection."""
    if not any(each.config and not each.site.files for each in project.collections):
        return project
    boundary = project.boundary or repository.boundary(project.root.resolve())
    tree = IncludeTree(project.root, boundary)
    collections = tuple(_completed(each, tree, diagnostics) for each in project.collections)
    return replace(project, collections=collections, boundary=boundary)


def _completed(collection: Collection, tree: IncludeTree, diagnostics: Diagnostics) -> Collection:
    if not collection.config or collection.site.files:
        return collection
    site = _site(collection, tree)
    if site is None:
        generator = repr(collection.generator) if collection.generator else "a generator"
        is_there = tree.exists(posixpath.normpath(collection.config))
        what = f"is not a configuration of {generator}" if is_there else "does not exist"
        diagnostics.error(
            "config-unusable",
            f"{collection.config!r} of collection {collection.name!r} {what}",
            PROJECT_FILE,
            collection.line,
            hint="Name the generator's own file, below the folder of kb.toml, or remove `config`.",
        )
        return collection
    return replace(
        collection,
        generator=site.generator,
        include=collection.include or site.include,
        exclude=tuple(dict.fromkeys((*site.left_out, *collection.exclude))),
        site=site.all_settings,
    )


def _site(collection: Collection, tree: IncludeTree) -> Site | None:
    """The site of the collection's configuration; of several the one with the collection's folder."""
    config = posixpath.normpath(collection.config)
    folder = posixpath.dirname(config)
    for parent in _INSIDE:
        folder = folder.removesuffix(parent).rstrip("/")
    known = repository.sites_in(tree, folder)
    known += [inner for each in known for inner in sphinx.references(tree, each)]
    sites = [
        each
        for each in known
        if each.config == config and collection.generator in ("", each.generator)
    ]
    paths = {posixpath.normpath(path) for path in collection.paths}
    return next(
        (each for each in sites if (each.folder or ".") in paths), sites[0] if sites else None
    )
