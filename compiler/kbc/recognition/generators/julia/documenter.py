"""Documenter: make.jl says where the pages are, what they are called and where they are published."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import Any

from kbc.formats.documenter import is_literate
from kbc.languages.julia.script import Call, Pair, read_script
from kbc.project.include_tree import IncludeTree
from kbc.project.sites.settings import AddressSettings, IncludeSettings, SiteSettings
from kbc.recognition.configuration import files_below, first_existing, read_text, read_toml, text_of
from kbc.recognition.site import MAX_NESTING, Site, below, joined, text

GENERATOR = "documenter"
CONFIGS = ("make.jl",)
MAX_FILES = 3_000
"""Of source of packages, in which docstrings are looked for."""

MAX_PACKAGES = 60

_VITEPRESS = "MarkdownVitepress"
"""The format of DocumenterVitepress, with a file for each page."""

_FORMATS = frozenset(["HTML", _VITEPRESS])
_PROJECTS = ("Project.toml", "JuliaProject.toml")
_CONTAINERS = ("", "lib", "libs", "packages", "pkgs")
"""Where repositories of several packages keep them."""

_LITERATE = "Literate"
_PAGE = ".md"
_SCRIPT = ".jl"
_LEVELS = 3
"""Folders above make.jl in which the package may be: docs, lib/Heron/docs."""

_SOURCES = ("src", "ext")
_EVIDENCE = re.compile(r"\b(?:makedocs|deploydocs|Documenter)\b")
_REPOSITORY = re.compile(r"(?:(?:https?://|git@)?github\.com[/:])?([\w.-]+)/([\w.-]+?)(?:\.git)?/?")


def recognise(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """The site whose make.jl is in `folder`; None for one that makes no pages there."""
    source_code = read_text(tree, config)
    if not _EVIDENCE.search(source_code):
        return None

    def read(path: str) -> str | None:
        return text_of(tree, joined(folder, path))

    script = read_script(source_code, ("makedocs", "deploydocs", *_FORMATS), read)
    made = script.call("makedocs")
    if made is None:
        return None
    source = joined(folder, _text(made, "root"), _text(made, "source") or "src")
    if next(_files(tree, source, _PAGE), None) is None:
        return None
    listed = list(_pages(made.options.get("pages")))
    texts = (source_code, *(read(each) or "" for each in script.included))
    has_scripts = any(_LITERATE in each for each in texts)
    scripts = _scripts(tree, source, [path for path, _ in listed]) if has_scripts else {}
    written = {page: script for script, page in scripts.items()}
    files = ((written.get(path, path), title) for path, title in listed)
    shown = [(path, title) for path, title in files if tree.exists(joined(source, path))]
    only_listed = made.options.get("pagesonly") is True and bool(shown)
    if shown and not only_listed and _is_computed(made.options["pages"]):
        # What a program adds to the navigation is among the pages, in a place that nobody knows.
        shown += [(below(source, path), "") for path in _files(tree, source, _PAGE)]
    included = [path for path, _ in shown] if only_listed else list(scripts)
    formats = [each for each in script.calls if each.name in _FORMATS]
    has_files = any(each.options.get("prettyurls") is False for each in formats[:1])
    has_files |= any(each.name == _VITEPRESS for each in formats)
    ending = ".html" if has_files else "/"
    moved = {own.removesuffix(_SCRIPT): page.removesuffix(_PAGE) for own, page in scripts.items()}
    return Site(
        folder=source,
        title=_text(made, "sitename"),
        base_url=_address(formats, script.call("deploydocs")),
        order=tuple(path for path, _ in shown),
        titles={path: title for path, title in shown if title},
        include=(*(() if only_listed else ("*.md",)), *(f"/{path}" for path in included)),
        settings=SiteSettings(
            config_folder=folder,
            script_endings=(_SCRIPT,) if scripts else (),
            addresses=AddressSettings(
                known={old: f"{new}{ending}" for old, new in moved.items() if old != new},
                as_folders=not has_files,
            ),
            includes=IncludeSettings(
                julia_packages=_packages(
                    tree, folder, [joined(folder, each) for each in script.included]
                )
            ),
        ),
        files=tuple(joined(folder, each) for each in script.included),
    )


def _scripts(tree: IncludeTree, source: str, listed: list[str]) -> dict[str, str]:
    """The scripts below the folder of the pages of which Literate makes pages, with the paths of these."""
    found: dict[str, str] = {}
    missing = [page for page in listed if not tree.exists(joined(source, page))]
    for path in _files(tree, source, _SCRIPT):
        own = below(source, path)
        page = f"{own.removesuffix(_SCRIPT)}{_PAGE}"
        if len(found) >= MAX_FILES or tree.exists(joined(source, page)):
            continue
        data = tree.peek(path) or b""  # others are none of the site's files
        if not is_literate(data.decode("utf-8", "replace")):
            continue
        alike = [each for each in missing if posixpath.basename(each) == posixpath.basename(page)]
        found[own] = page if page in missing or len(alike) != 1 else alike[0]
    return found


def _text(call: Call | None, name: str) -> str:
    return text(call.options, name) if call else ""


def _pages(value: Any, depth: int = 0) -> Iterator[tuple[str, str]]:
    """(path, title or "") of the pages in order, those that `hide` keeps out of the navigation as well."""
    if isinstance(value, str) and value.endswith(_PAGE):
        yield joined(value), ""
    elif isinstance(value, Pair) and isinstance(value.right, str):
        title = value.left if isinstance(value.left, str) else ""
        yield from ((path, title) for path, _ in _pages(value.right))
    elif isinstance(value, Pair):
        yield from _pages(value.right, depth)
    elif isinstance(value, Call) and value.name == "hide":
        yield from _pages(list(value.arguments), depth)
    elif isinstance(value, list) and depth < MAX_NESTING:
        for each in value:
            yield from _pages(each, depth + 1)


def _is_computed(value: Any, depth: int = 0) -> bool:
    """Whether a part of `pages` is no literal."""
    if isinstance(value, Pair):
        return _is_computed(value.right, depth)
    if isinstance(value, Call) and value.name == "hide":
        value = list(value.arguments)
    if isinstance(value, list) and depth < MAX_NESTING:
        return any(_is_computed(each, depth + 1) for each in value)
    return not isinstance(value, str)


def _address(formats: Sequence[Call], deployed: Call | None) -> str:
    """Where the pages are: as a format says, else where `deploydocs` puts releases; "" if neither tells."""
    if stated := next(filter(None, (_text(each, "canonical") for each in formats)), ""):
        return stated
    domains = (_text(each, "deploy_url") for each in formats if each.name == _VITEPRESS)
    domain = next(filter(None, domains), "") or _text(deployed, "cname")
    if deployed is None:
        return ""
    repository = _REPOSITORY.fullmatch(_text(deployed, "deploy_repo") or _text(deployed, "repo"))
    if not domain and repository is None:
        return ""
    address = f"https://{domain.removeprefix('https://')}"
    if repository is not None and not domain:
        owner, name = repository[1].lower(), repository[2]
        is_own = name.lower() == f"{owner}.github.io"  # which is at the root of the domain
        address = f"https://{owner}.github.io{'' if is_own else f'/{name}'}"
    options = deployed.options
    has_versions = not ("versions" in options and options["versions"] in (None, []))
    parts = (address, _text(deployed, "dirname"), "stable" if has_versions else "")
    return "/".join(part.strip("/") for part in parts if part) + "/"


def _packages(tree: IncludeTree, folder: str, included: list[str]) -> dict[str, list[str]]:
    """The files of each package around make.jl by its name, the one that begins it first, and the scripts
    that make.jl includes, which may have modules of their own."""
    found: dict[str, list[str]] = {"": included} if included else {}
    places = (
        place
        for level in range(1, _LEVELS + 1)
        for container in _CONTAINERS
        for place in _folders(
            tree, joined(folder, *[".."] * level, container), is_root=not container
        )
    )
    count = 0
    for place in places:
        project = first_existing(tree, place, _PROJECTS)
        name = text(read_toml(tree, project), "name") if project else ""
        entry = joined(place, "src", f"{name}{_SCRIPT}")
        if not name or name in found or not tree.exists(entry):
            continue
        files = [
            each for source in _SOURCES for each in _files(tree, joined(place, source), _SCRIPT)
        ]
        files = [entry, *(each for each in files if each != entry)][: MAX_FILES - count]
        count += len(files)
        found[name] = files
        if len(found) > MAX_PACKAGES or count >= MAX_FILES:
            break
    return found


def _folders(tree: IncludeTree, place: str, *, is_root: bool) -> Iterator[str]:
    """A folder itself, and those in it."""
    if is_root:
        yield place
    yield from (joined(place, name) for name in tree.names(place) if not name.startswith("."))


def _files(tree: IncludeTree, folder: str, ending: str) -> Iterator[str]:
    return files_below(tree, folder, lambda name: name.endswith(ending))
