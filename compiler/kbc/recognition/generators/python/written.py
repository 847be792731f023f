"""Collections of references that a site's program writes from source, which are in no folder of its pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kbc.project.include_tree import IncludeTree
from kbc.project.model import Collection
from kbc.recognition.generators import sphinx
from kbc.recognition.site import Site


def with_references(tree: IncludeTree, collections: Sequence[Collection]) -> list[Collection]:
    """The collections; behind each of a project of Sphinx are the references of packages that it writes."""
    return [each for one in collections for each in (one, *_references(tree, one))]


def _references(tree: IncludeTree, collection: Collection) -> Iterator[Collection]:
    if collection.generator != sphinx.GENERATOR:
        return
    site = Site(
        generator=collection.generator,
        config=collection.config,
        folder=str(collection.generator_options.get("folder", "")),
        base_url=str(collection.generator_options.get("base_url", "")),
        options=collection.generator_options,
    )
    for each in sphinx.references(tree, site):
        place = str(each.options["place"])
        yield Collection(
            name=each.name,
            kind=each.kind,
            paths=(each.folder or ".",),
            group=each.name,
            include=each.include,
            exclude=each.exclude,
            strip=each.folder.removesuffix(place).rstrip("/"),
            generator=each.generator,
            config=each.config,
            generator_options=each.generator_options(),
        )
