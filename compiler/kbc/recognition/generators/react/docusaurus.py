"""Docusaurus: docusaurus.config.js or .ts, with its documentation plugins, blog and sidebars."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from kbc.project.include_tree import IncludeTree
from kbc.project.sites.settings import AddressSettings, IncludeSettings, SiteSettings
from kbc.project.well_formed import json_value, sequence
from kbc.recognition.configuration import first_existing, read_script, read_script_value, read_text
from kbc.recognition.generators.react.docusaurus_sidebars import SidebarPages
from kbc.recognition.javascript.globs import as_ignored
from kbc.recognition.remotes import remotes, repository_of
from kbc.recognition.site import NOT_PAGES, Site, joined, mapping, text, texts

GENERATOR = "docusaurus"
CONFIGS = tuple(f"docusaurus.config.{ending}" for ending in ("js", "ts", "mjs", "cjs", "mts"))
_ENDINGS = (".js", ".ts", ".mjs", ".cjs", ".json")
_SIDEBARS = tuple(f"sidebars{ending}" for ending in _ENDINGS)
_PARTIALS = ("_*", "*.test.*", "__tests__/")
"""What Docusaurus itself leaves out: pages whose names begin with an underscore are included by others."""

_COMPONENTS = tuple(
    f"src/theme/MDXComponents{stem}.{ending}"
    for stem in ("", "/index")
    for ending in ("js", "jsx", "ts", "tsx")
)
_PARTIAL = re.compile(r"^import\s+(\w+)\s+from\s+[\"']([^\"'\n]+\.mdx?)[\"']", re.MULTILINE)

_DOCS = re.compile(r"docs|(?:.*[/-])?content-docs")
_BLOG = re.compile(r"blog|(?:.*[/-])?content-blog")
"""Plugins of pages: those of the preset by their short names."""


def recognise(tree: IncludeTree, folder: str, config: str) -> list[Site]:
    """The documentation sets and blogs of the site whose configuration is in `folder`."""
    data = read_script(tree, config)
    address = text(data, "url").rstrip("/")
    plugins = list(_plugins(data))
    redirects: dict[str, str] = {}
    for name, options in plugins:
        if name.endswith("client-redirects"):
            redirects |= _redirects(options)
    repositories = _own_repository(tree, data, [options for _, options in plugins])
    whole = Site(
        folder="",
        title=text(data, "title"),
        description=text(data, "tagline"),
        base_url=f"{address}/{text(data, 'baseUrl').strip('/')}".rstrip("/"),
        redirects=redirects,
        settings=SiteSettings(
            config_folder=folder,
            markdown_is_mdx=text(mapping(data.get("markdown")), "format") not in ("detect", "md"),
            includes=IncludeSettings(
                repositories=repositories,
                repository_folder=tree.top if repositories else "",
                components=_mounted_anywhere(tree, folder),
            ),
        ),
    )
    sites: list[Site] = []
    defaults = [_default_folder(name) for name, _ in plugins]
    for default, (_, options) in zip(defaults, plugins, strict=True):
        if default:
            taken, is_only = {each.name for each in sites}, defaults.count(default) == 1
            part = _of_plugin(tree, whole, default, options, taken, is_only=is_only)
            sites += [part] if part else []
    pages = joined(folder, "src/pages")
    if sites and SidebarPages(tree, pages).has_any:
        sites.append(
            replace(
                whole,
                folder=pages,
                name=_name({}, "pages", {each.name for each in sites}),
                include=("*.md", "*.mdx"),
                exclude=_PARTIALS,
                settings=replace(whole.settings, addresses=AddressSettings(route_base="/")),
            )
        )
    return sites


def _default_folder(plugin: str) -> str:
    """Where a plugin for documentation or a blog has its pages unless it says so; "" of other plugins."""
    return "blog" if _BLOG.fullmatch(plugin) else "docs" if _DOCS.fullmatch(plugin) else ""


def _of_plugin(
    tree: IncludeTree,
    whole: Site,
    default: str,
    options: Mapping[str, Any],
    taken: set[str],
    *,
    is_only: bool,
) -> Site | None:
    """The documentation set or blog that a plugin makes of a folder, that of the `default` where it states
    none; None where it makes none. `whole` is what all parts of the site have in common, `taken` are the
    names of other parts. A plugin that `is_only` of its kind may read a copy of the usual folder, in the
    site's or beside it, which a script makes when the site is built; of several, one that reads no folder has
    pages of its own."""
    is_blog = default == "blog"
    folder = whole.settings.config_folder
    stated = joined(folder, text(options, "path") or default)
    if is_only and not tree.names(stated):
        usual = [joined(folder, default)]
        if folder and not is_blog and text(options, "path"):
            usual.append(joined(posixpath.dirname(folder), default))
        stated = next((each for each in usual if tree.names(each)), stated)
    content, version = (stated, "") if is_blog else _published(tree, folder, stated, options)
    if not tree.names(content):
        return None
    route = options.get("routeBasePath")
    base_path = route.strip("/") if isinstance(route, str) else default
    titles, sidebar = ({}, "") if is_blog else _order(tree, folder, content, options)
    return replace(
        whole,
        folder=content,
        name=_name(options, default, taken),
        titles=titles,
        exclude=(*NOT_PAGES, *_PARTIALS, *as_ignored(texts(options.get("exclude")))),
        settings=replace(
            whole.settings,
            addresses=AddressSettings(
                route_base=joined(base_path, version) or "/", is_blog=is_blog
            ),
            left_out=_left_out(tree, folder, [stated] if stated != content else []),
        ),
        files=(sidebar, _versions_file(tree, folder, options)),
    )


def _own_repository(
    tree: IncludeTree, data: Mapping[str, Any], plugins: list[Mapping[str, Any]]
) -> tuple[str, ...]:
    """What the repository is called on GitHub: what edits of pages go to, else what the configuration names,
    and the remotes of the checkout."""
    edited = [repository_of(text(options, "editUrl")) for options in plugins]
    stated = joined(text(data, "organizationName"), text(data, "projectName"))
    names = [each for each in edited if each] or [stated.lower()] * ("/" in stated)
    names += remotes(tree)
    return tuple(sorted(set(names)))


def _mounted_anywhere(tree: IncludeTree, folder: str) -> dict[str, str]:
    """The Markdown that pages mount without an import, by its name there: what the site's list of components
    imports."""
    path = first_existing(tree, folder, _COMPONENTS)
    found = {}
    for name, target in _PARTIAL.findall(read_text(tree, path)) if path else ():
        if target.startswith("."):
            place = posixpath.join(posixpath.dirname(path), target)
            target = f"@site/{posixpath.relpath(place, folder or '.')}"
        found[name] = target
    return found


def _published(
    tree: IncludeTree, folder: str, content: str, options: Mapping[str, Any]
) -> tuple[str, str]:
    """The folder of the version that is read, and what stands for it in addresses: the one that is being
    written, which has no address of its own where there are no others; or where the site does not show
    it, the last one."""
    path = _versions_file(tree, folder, options)
    versions = texts(json_value(read_text(tree, path))) if path else []
    paths = mapping(options.get("versions"))
    last = text(options, "lastVersion") or (versions[0] if versions else "current")
    if options.get("includeCurrentVersion") is False and last in versions:
        place = path.removesuffix("versions.json") + "versioned_docs"
        shown = joined(place, f"version-{last}")
        if tree.names(shown):
            return shown, text(mapping(paths.get(last)), "path")
    own = text(mapping(paths.get("current")), "path")
    return content, own or ("" if last == "current" else "next")


def _versions_file(tree: IncludeTree, folder: str, options: Mapping[str, Any]) -> str:
    """The list of versions of a documentation set; "" without one."""
    id = text(options, "id")
    name = f"{id}_versions.json" if id and id != "default" else "versions.json"
    return first_existing(tree, folder, (name,))


def _left_out(tree: IncludeTree, folder: str, unpublished: list[str]) -> dict[str, str]:
    """Folders that are read by no collection -> why."""
    found = {f"{each}/": "a version that the site does not show" for each in unpublished}
    for name in tree.names(folder):
        if name.endswith(("versioned_docs", "versioned_sidebars")):
            found[f"{joined(folder, name)}/"] = "another version"
        elif name.startswith(("versioned_docs", "versioned_sidebars")):
            found[f"{joined(folder, name)}/"] = "an archived version"
        elif name == "i18n":
            found[f"{joined(folder, name)}/"] = "a translation"
    return found


def _name(options: Mapping[str, Any], default: str, taken: set[str]) -> str:
    wanted = text(options, "id") or default
    name = "".join(char if char.isalnum() and char.isascii() else "-" for char in wanted.lower())
    name = name.strip("-") if name.strip("-")[:1].isalpha() else default
    number = 2
    while name in taken:
        name, number = f"{default}-{number}", number + 1
    return "docs" if name == "default" and "docs" not in taken else name


def _plugins(data: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(name, options) of every plugin; those of the classic preset come as `docs` and `blog`. Without
    a preset or plugin that names them, the conventional folders are meant."""
    found = False
    for preset in sequence(data.get("presets")):
        name, options = _configured(preset)
        if "classic" in name or not name:
            found = True
            for each in ("docs", "blog"):
                if options.get(each) is not False:
                    yield each, mapping(options.get(each))
    for plugin in sequence(data.get("plugins")):
        name, options = _configured(plugin)
        found = found or _DOCS.fullmatch(name) is not None
        yield name, options
    if not found:
        yield "docs", {}


def _configured(item: Any) -> tuple[str, Mapping[str, Any]]:
    if isinstance(item, list) and item:
        return str(item[0] or ""), mapping(item[1] if len(item) > 1 else None)
    return (item, {}) if isinstance(item, str) else ("", {})


def _redirects(options: Mapping[str, Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for rule in sequence(options.get("redirects")):
        target = text(mapping(rule), "to")
        found |= {old.strip("/"): target.strip("/") for old in texts(mapping(rule).get("from"))}
    return found


def _order(
    tree: IncludeTree, folder: str, content: str, options: Mapping[str, Any]
) -> tuple[dict[str, str], str]:
    """Pages in the order of the sidebars with what these call them, and the file of the sidebars. Without
    one, or where it is a program, the site has its folders there."""
    pages = SidebarPages(tree, content)
    path = _sidebars(tree, folder, content, options)
    listed = list(pages.listed(read_script_value(tree, path))) if path else []
    if not listed and options.get("sidebarPath") is not False:
        listed = [(each, "") for each in pages.generated()]
    titles: dict[str, str] = {}
    for each, label in listed:
        titles[each] = titles.get(each) or label
    return titles, path


def _sidebars(tree: IncludeTree, folder: str, content: str, options: Mapping[str, Any]) -> str:
    """The file of the sidebars, of a released version its own; "" without one."""
    place, is_released, version = content.rpartition("versioned_docs/")
    if is_released:
        return first_existing(tree, f"{place}versioned_sidebars", (f"{version}-sidebars.json",))
    stated = text(options, "sidebarPath")
    if not stated:
        return first_existing(tree, folder, _SIDEBARS)
    return first_existing(
        tree, folder, (joined(stated), *(joined(stated) + end for end in _ENDINGS))
    )
