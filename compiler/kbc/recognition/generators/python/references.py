"""Pages that extensions of Sphinx write from Python source: references of packages by sphinx-autoapi and
autodoc2, galleries of examples by sphinx-gallery.

They are below the address of the site, a page for each module or script; their files are those of the source.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from kbc.project.include_tree import IncludeTree
from kbc.project.kinds import COLLECTION_NAME
from kbc.project.sites.generators import GALLERY
from kbc.project.sites.settings import AddressSettings, SiteSettings
from kbc.project.well_formed import sequence
from kbc.recognition.site import Site, joined, mapping, text, texts

AUTOAPI = "sphinx-autoapi"
AUTODOC2 = "sphinx-autodoc2"
_EXTENSIONS = {
    "autoapi.extension": AUTOAPI,
    "autodoc2": AUTODOC2,
    "sphinx_gallery.gen_gallery": GALLERY,
}
_ENDINGS = ("*.py", "*.pyi")
_GALLERY_SUFFIXES = {".py": GALLERY, ".rst": "restructuredtext", ".txt": "restructuredtext"}
_HEADERS = ("GALLERY_HEADER.rst", "GALLERY_HEADER.txt", "README.rst", "README.txt")
"""What a folder of a gallery is introduced by."""

_PRIVATE = ("_[!_]*.py", "_[!_]*.pyi", "_[!_]*/")


class _Package(NamedTuple):
    """Source of a reference: the folder in which names of modules begin, the package or module in it ("":
    all), and what is left out, as in .gitignore."""

    folder: str
    name: str
    exclude: tuple[str, ...] = ()


def places_of(
    tree: IncludeTree, folder: str, data: Mapping[str, Any], extensions: Collection[str]
) -> list[str]:
    """Where the pages of a site would be that its extensions write from source in the tree; `folder` is
    that of conf.py, which says `data`."""
    found = []
    for extension in sorted(_EXTENSIONS.keys() & set(extensions)):
        if _EXTENSIONS[extension] == AUTOAPI and list(_autoapi(tree, folder, data)):
            found.append(_autoapi_root(data))
        elif _EXTENSIONS[extension] == AUTODOC2:
            root = _autodoc2_root(data)
            found += [joined(root, each.name) for each in _autodoc2(tree, folder, data)]
        elif _EXTENSIONS[extension] == GALLERY:
            found += [place for _, place in _galleries(tree, folder, data)]
    return found


def references_of(
    tree: IncludeTree, folder: str, data: Mapping[str, Any], site: Site
) -> list[Site]:
    """The references that extensions of `site` write, one for each place in which packages begin."""
    extensions = set(texts(data.get("extensions")))
    found: list[Site] = []
    for extension in sorted(_EXTENSIONS.keys() & extensions):
        generator = _EXTENSIONS[extension]
        if generator == GALLERY:
            found += [_gallery(site, *each) for each in _galleries(tree, folder, data)]
            continue
        if generator == AUTOAPI:
            packages, root = list(_autoapi(tree, folder, data)), _autoapi_root(data)
            stated = data.get("autoapi_options")
            has_private = stated is None or "private-members" in texts(stated)
        else:
            packages, root = list(_autodoc2(tree, folder, data)), _autodoc2_root(data)
            has_private = "private" not in texts(data.get("autodoc2_hidden_objects"))
        found += [_site(tree, site, each, generator, root, has_private) for each in packages]
    return found


def _site(
    tree: IncludeTree, site: Site, package: _Package, generator: str, root: str, has_private: bool
) -> Site:
    folder = joined(package.folder, package.name)
    is_module = bool(package.name) and not tree.names(folder)
    return Site(
        generator=generator,
        config=site.config,
        folder=package.folder if is_module else folder,
        name="api",
        base_url=site.base_url,
        include=(f"/{package.name}.py",) if is_module else _ENDINGS,
        exclude=(*package.exclude, *(() if has_private else _PRIVATE)),
        settings=SiteSettings(
            place="" if is_module else package.name,
            script_endings=(".py", ".pyi"),
            describes_private=has_private,
            addresses=AddressSettings(
                reference_root=root,
                by_package=generator == AUTODOC2,
                as_folders=site.settings.addresses.as_folders,
            ),
        ),
    )


def _gallery(site: Site, folder: str, place: str) -> Site:
    name = posixpath.basename(folder)
    return Site(
        generator=GALLERY,
        config=site.config,
        folder=folder,
        name=name if COLLECTION_NAME.fullmatch(name) else "examples",
        base_url=site.base_url,
        include=("*.py", *_HEADERS),
        exclude=("__init__.py",),
        settings=SiteSettings(
            script_endings=(".py",),
            formats=_GALLERY_SUFFIXES,
            addresses=AddressSettings(gallery=place, as_folders=site.settings.addresses.as_folders),
        ),
    )


def _galleries(
    tree: IncludeTree, folder: str, data: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """The folders of examples, and those that their pages are written into below the site's."""
    stated = mapping(data.get("sphinx_gallery_conf"))
    examples, places = (
        [value] if isinstance(value, str) else texts(value) or [default]
        for value, default in (
            (stated.get("examples_dirs"), "../examples"),
            (stated.get("gallery_dirs"), "auto_examples"),
        )
    )
    for example, place in zip(examples, places, strict=False):
        found = joined(folder, example)
        if found and not found.startswith("..") and tree.names(found):
            yield found, joined(place)


def _autoapi_root(data: Mapping[str, Any]) -> str:
    return joined(text(data, "autoapi_root") or "autoapi")


def _autodoc2_root(data: Mapping[str, Any]) -> str:
    return joined(text(data, "autodoc2_output_dir") or "apidocs")


def _autoapi(tree: IncludeTree, folder: str, data: Mapping[str, Any]) -> Iterator[_Package]:
    """A folder with `__init__.py` is a package, of another one the content is."""
    if data.get("autoapi_generate_api_docs") is False:
        return
    if text(data, "autoapi_type") not in ("", "python"):
        return
    stated = data.get("autoapi_dirs")
    exclude = tuple(map(_ignored, texts(data.get("autoapi_ignore", ["*migrations*"]))))
    is_implicit = data.get("autoapi_python_use_implicit_namespaces") is True
    for each in [stated] if isinstance(stated, str) else texts(stated):
        place = joined(folder, each)
        if not place or place.startswith("..") or not tree.names(place):
            continue
        if is_implicit or tree.exists(joined(place, "__init__.py")):
            yield _Package(posixpath.dirname(place), posixpath.basename(place), exclude)
        else:
            yield _Package(place, "", exclude)


def _ignored(pattern: str) -> str:
    """A pattern of fnmatch for whole paths, in which `*` matches `/` as well, as one of an ignore file."""
    if pattern.startswith("*/"):
        pattern = f"**/{pattern[2:]}"
    return f"{pattern[:-2]}/**" if pattern.endswith("/*") else pattern


def _autodoc2(tree: IncludeTree, folder: str, data: Mapping[str, Any]) -> Iterator[_Package]:
    for item in sequence(data.get("autodoc2_packages")):
        stated = {"path": item} if isinstance(item, str) else mapping(item)
        place = joined(folder, text(stated, "path"))
        name = posixpath.basename(place).removesuffix(".py")
        is_there = tree.exists(place) or bool(tree.names(place))
        # A module of another name is one whose place does not tell it.
        if not is_there or place.startswith("..") or text(stated, "module") not in ("", name):
            continue
        if stated.get("auto_mode") is not False:
            folders = (f"{each}/" for each in texts(stated.get("exclude_dirs")))
            exclude = (*folders, *texts(stated.get("exclude_files")))
            yield _Package(posixpath.dirname(place), name, exclude)
