"""mkdocs.yml says where the pages are, what they are called and how their addresses look.

So do the configurations of its successors: properdocs.yml of ProperDocs has the same keys, and so has
zensical.toml of Zensical, in `[project]`, or a zensical.yml that its command line names.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any

from kbc.project.include_tree import IncludeTree
from kbc.project.sites.settings import (
    AddressSettings,
    IncludeSettings,
    LinkSettings,
    SiteSettings,
    ValueSettings,
)
from kbc.recognition.configuration import MAX_DEPTH, read_toml, read_yaml
from kbc.recognition.generators.mkdocs.navigation import navigation
from kbc.recognition.generators.python.projects import package_folders
from kbc.recognition.site import NOT_PAGES, Site, joined, mapping, text, text_values, texts

GENERATOR = "mkdocs"
CONFIGS = (
    "zensical.toml",
    *(f"{name}.{end}" for name in ("zensical", "properdocs", "mkdocs") for end in ("yml", "yaml")),
    "mkdocs.yml.in",
)
_ZENSICAL_EXTENSIONS = ["attr_list", "pymdownx.emoji"]
"""Those of its default extensions that change what is read here."""

_WITH_ATTRIBUTES = frozenset({"attr_list", "extra"})
"""Extensions by which pages have lists of attributes."""

_MACROS = ("macros", "mkdocs-macros", "markdownextradata")
"""Plugins that make templates of pages."""


def recognise(tree: IncludeTree, folder: str, config: str) -> Site:
    """The site whose configuration is in `folder`."""
    files = [config]
    data = _inherited(tree, config, files)
    docs = joined(folder, text(data, "docs_dir") or "docs")
    plugins = _named(data.get("plugins"))
    extensions = _named(data.get("markdown_extensions"))
    titles, listing = navigation(data.get("nav"), plugins, tree, docs)
    redirects = text_values(plugins.get("redirects", {}).get("redirect_maps"))
    exclude = str(data.get("exclude_docs") or "").split("\n")
    exclude += [
        *texts(plugins.get("exclude", {}).get("glob", [])),
        *(f"/{each}" for each in listing),
    ]
    language, others, has_folders = _languages(plugins)
    if language:
        titles = {
            _in_language(path, language, has_folders, tree, docs): title
            for path, title in titles.items()
        }
        exclude += [f"/{each}/" if has_folders else f"*.{each}.md" for each in others]
    snippets = extensions.get("pymdownx.snippets", {})
    tables = text(plugins.get("table-reader", {}), "data_path")
    toc = extensions.get("toc", {})
    tabbed = extensions.get("pymdownx.tabbed", {})
    macros = next((each for each in _MACROS if each in plugins), "")
    return Site(
        folder=docs,
        title=text(data, "site_name"),
        description=text(data, "site_description"),
        base_url=text(data, "site_url"),
        titles=titles,
        exclude=(*NOT_PAGES, *(line.strip() for line in exclude if line.strip())),
        redirects={joined(old).removesuffix(".md"): new for old, new in redirects.items()},
        settings=SiteSettings(
            config_folder=folder,
            language=language,
            has_language_folder=has_folders,
            has_attribute_lists=not _WITH_ATTRIBUTES.isdisjoint(extensions),
            addresses=AddressSettings(as_folders=data.get("use_directory_urls") is not False),
            links=LinkSettings(
                slug_style=_slug_style(toc.get("slugify")),
                tab_style=_slug_style(tabbed.get("slugify")),
                # Hooks are programs of the site's own, which may give ids to anything.
                has_own_anchors=bool(data.get("hooks")),
            ),
            includes=IncludeSettings(
                snippet_folders=tuple(
                    joined(folder, each)
                    for each in (
                        *texts(snippets.get("base_path", ["."])),
                        *([tables] if tables else []),
                    )
                ),
                partials=joined(folder, text(plugins.get(macros, {}), "include_dir"))
                if macros
                else "",
                python_paths=tuple(_python_paths(tree, plugins, folder)),
            ),
            values=_values(data, has_macros=bool(macros)),
        ),
        files=tuple(files[1:]),
    )


def _values(data: Mapping[str, Any], *, has_macros: bool) -> ValueSettings:
    """What pages show that are templates, where the plugin `macros` makes them such."""
    if not has_macros:
        # A hook fills in what stands in braces; its values are the program's own.
        return ValueSettings(has_substitutions=bool(data.get("hooks")))
    extra = mapping(data.get("extra"))
    settings = {str(key): value for key, value in data.items() if isinstance(value, (str, int))}
    return ValueSettings(
        are_templates=True,
        of_templates={"config": {**settings, "extra": extra}, "extra": extra, **extra},
    )


def _languages(plugins: Mapping[str, Mapping[str, Any]]) -> tuple[str, list[str], bool]:
    """The language that the plugin i18n has at the root of the site, the others, and whether each has a
    folder, else an ending (`page.fr.md`); "" without the plugin."""
    data = plugins.get("i18n", {})
    listed = data.get("languages")
    if isinstance(listed, list):
        names = {text(mapping(each), "locale"): mapping(each).get("default") for each in listed}
        default = next((name for name, is_default in names.items() if is_default is True), "")
    else:  # before its version 1
        names = dict(mapping(listed))
        default = text(data, "default_language")
    others = [str(name) for name in names if name and name not in (default, "default")]
    return default, others if default else [], text(data, "docs_structure") == "folder"


def _in_language(path: str, language: str, has_folders: bool, tree: IncludeTree, docs: str) -> str:
    """Where a page of the navigation, which names no language, has its file."""
    stem, ending = posixpath.splitext(path)
    other = f"{language}/{path}" if has_folders else f"{stem}.{language}{ending}"
    return other if tree.exists(joined(docs, other)) else path


def _python_paths(
    tree: IncludeTree, plugins: Mapping[str, Mapping[str, Any]], folder: str
) -> list[str]:
    """Where mkdocstrings looks for packages: as configured, then around the configuration, and in the
    projects that lie beside it, which a build installs."""
    if "mkdocstrings" not in plugins:
        return []
    handlers = mapping(plugins["mkdocstrings"].get("handlers"))
    stated = texts(mapping(handlers.get("python")).get("paths") or [])
    above = [posixpath.normpath(posixpath.join(folder, *[".."] * level)) for level in range(3)]
    around = [place for each in above for place in (each, posixpath.join(each, "src"))]
    beside = package_folders(tree, [folder])
    return list(dict.fromkeys([*(joined(folder, each) for each in stated), *around, *beside]))


def _slug_style(slugify: Any) -> str:
    """The style of the function that makes anchors: those of pymdownx keep all letters, as GitHub does."""
    tag = slugify.get("tag") if isinstance(slugify, Mapping) else slugify
    return "github" if "pymdownx.slugs." in str(tag) else ""


def _inherited(tree: IncludeTree, config: str, files: list[str]) -> Mapping[str, Any]:
    """The configuration with that of the file that it inherits from; further files go to `files`."""
    if config.endswith(".toml"):
        return _zensical(mapping(read_toml(tree, config).get("project")))
    data = read_yaml(tree, config)
    parent = data.get("INHERIT")
    if not isinstance(parent, str) or len(files) > MAX_DEPTH:
        return data
    path = joined(posixpath.dirname(config), parent)
    files.append(path)
    return _merged(_inherited(tree, path, files), data)


def _zensical(project: Mapping[str, Any]) -> Mapping[str, Any]:
    """The configuration with extensions called as in mkdocs.yml: a dot in a name is a table in TOML."""
    extensions = project.get("markdown_extensions", _ZENSICAL_EXTENSIONS)
    if isinstance(extensions, Mapping):
        of_package = mapping(extensions.get("pymdownx"))
        dotted = {f"pymdownx.{name}": options for name, options in of_package.items()}
        extensions = {**extensions, **dotted}
    return {**project, "markdown_extensions": extensions}


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(below)
    for name, value in above.items():
        old = found.get(name)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        found[name] = _merged(mapping(old), value) if both else value
    return found


def _named(value: Any) -> dict[str, Mapping[str, Any]]:
    """Plugins or extensions, as a list of names and single-entry maps or as a map, by name."""
    items: list[Any] = list(value) if isinstance(value, list) else [value]
    found: dict[str, Mapping[str, Any]] = {}
    for item in items:
        if isinstance(item, str):
            found[item] = {}
        else:
            found.update({str(name): mapping(options) for name, options in mapping(item).items()})
    return found
