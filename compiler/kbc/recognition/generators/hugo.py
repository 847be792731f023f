"""Hugo: hugo.toml, hugo.yaml or hugo.json, also below config/_default, with one language of several."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kbc.languages.front_matter import stated_above
from kbc.project.include_tree import IncludeTree
from kbc.project.sites.settings import (
    AddressSettings,
    IncludeSettings,
    LinkSettings,
    SiteSettings,
    ValueSettings,
)
from kbc.project.well_formed import sequence
from kbc.recognition.configuration import first_existing, read_any, read_text
from kbc.recognition.places import HTML, PAGES
from kbc.recognition.site import NOT_PAGES, Site, joined, mapping, text, texts

GENERATOR = "hugo"
_ENDINGS = ("toml", "yaml", "yml", "json")
CONFIGS = tuple(
    f"{folder}{name}.{ending}"
    for folder in ("", "config/_default/")
    for name in ("hugo", "config")
    for ending in _ENDINGS
)
_EVIDENCE = ("content", "archetypes", "layouts", "themes", "go.mod", "hugo.work")
"""`config.toml` is a name that others use as well: one of these stands beside Hugo's."""

_KEYS = frozenset(
    [
        "baseurl",
        "canonifyurls",
        "defaultcontentlanguage",
        "disablekinds",
        "enablegitinfo",
        "languagecode",
    ]
)
"""One of these is in Hugo's: a site may get its `baseURL` only when it is built."""

_KEYS_OF_PARTS = _KEYS | {"module", "theme"}
"""Of a configuration in `config/_default`, which nothing else has."""

_LANGUAGE_FILE = re.compile(rf"languages\.([\w-]+)\.(?:{'|'.join(_ENDINGS)})")
_REPLACED = re.compile(r"^\s*(?:replace\s+)?(\S+)(?:\s+v\S+)?\s+=>\s+(\.\.?/\S+)", re.MULTILINE)
_REPLACEMENT = re.compile(r"([^\s,]+)\s*->\s*([^\s,]+)")

_LATEST = ("latest_stable_version", "latest_version", "latest", "version")
"""What themes call the parameter with the version that readers are shown."""


_MOST_LOOKED_AT = 10_000
"""Files and folders of a mount; one with more is taken for pages."""


def recognise(tree: IncludeTree, folder: str, config: str) -> list[Site]:
    """The site whose configuration is in `folder`, and what it mounts below its pages; none when another
    tool's it is, or without pages."""
    data = {key.lower(): value for key, value in read_any(tree, config).items()}
    is_named = posixpath.basename(config).startswith("hugo.")
    keys = _KEYS_OF_PARTS if "/_default/" in config else _KEYS
    if not is_named and not (keys & data.keys() and set(_EVIDENCE) & set(tree.names(folder))):
        return []
    parts = {
        name: _beside(tree, config, name)
        for name in ("languages", "module", "permalinks", "params", "markup")
    }
    languages = mapping(data.get("languages")) or parts["languages"][0]
    languages, own_files = (languages, ()) if languages else _languages_in_files(tree, config)
    language = text(data, "defaultcontentlanguage") or "en"
    own = mapping(languages.get(language))
    module = {**parts["module"][0], **mapping(data.get("module"))}
    content = joined(folder, _content(data, own, language, module))
    modules = _modules(tree, data, module, folder)
    if not tree.names(content):
        whole = (place for place, target in _contents(modules) if target == "content")
        content = next(filter(tree.names, whole), "")
    if not content:
        return []
    permalinks = mapping(data.get("permalinks")) or parts["permalinks"][0]
    rules = mapping(permalinks.get("page")) or permalinks
    params = {**parts["params"][0], **mapping(data.get("params"))}
    others = [name for name in languages if name != language]
    elsewhere = {
        joined(folder, _content(data, mapping(languages[name]), name, module)) for name in others
    }
    site = Site(
        folder=content,
        title=text(data, "title") or text(own, "title"),
        description=text(params, "description"),
        version=text(params, *_LATEST),
        base_url=text(data, "baseurl"),
        exclude=(
            *NOT_PAGES,
            *(f"*.{name}.md" for name in others),
            *(f"/{name}/" for name in _never_rendered(tree, content)),
        ),
        settings=SiteSettings(
            config_folder=folder,
            language=language,
            addresses=AddressSettings(
                permalinks={k: v for k, v in rules.items() if isinstance(v, str)},
                as_html=data.get("uglyurls") is True,
            ),
            values=ValueSettings(of_shortcodes=params),
            includes=IncludeSettings(
                shortcode_folders=tuple(
                    joined(place, "layouts", each)
                    for place in (folder, *modules)
                    for each in ("shortcodes", "_shortcodes")
                )
            ),
            links=_anchors(mapping(data.get("markup")) or parts["markup"][0]),
        ),
        files=(*(path for _, path in parts.values()), *own_files),
        translations=tuple(
            place
            for place in sorted(elsewhere - {content})
            if not place.startswith("..") and not f"{content}/".startswith(f"{place}/")
        ),
    )
    own_mounts = map(mapping, sequence(module.get("mounts")))
    mounts = [
        (joined(folder, source), each) for each in own_mounts if (source := text(each, "source"))
    ]
    mounts += [(place, {"target": target}) for place, target in _contents(modules) if place]
    return [site, *_mounted(tree, site, mounts)]


def _modules(
    tree: IncludeTree, data: Mapping[str, Any], module: Mapping[str, Any], folder: str
) -> dict[str, list[Mapping[str, Any]]]:
    """The folders of the themes and modules of the site, as far as the tree has them, each with the mounts
    that the configuration gives it: those that go.mod or `replacements` replace by a folder, those below the
    folder of themes, and those that `hugo mod vendor` has copied."""
    stated = module.get("replacements")
    replacements = ",".join(texts(stated)) if stated else ""
    local = dict(_REPLACED.findall(read_text(tree, joined(folder, "go.mod"))))
    local |= dict(_REPLACEMENT.findall(replacements))
    themes = text(data, "themesdir") or "themes"
    imports = map(mapping, sequence(module.get("imports")))
    found: dict[str, list[Mapping[str, Any]]] = {}
    for each in (*({"path": theme} for theme in texts(data.get("theme"))), *imports):
        path = text(each, "path")
        stated_places = (local.get(path), f"{themes}/{path}", f"_vendor/{path}")
        places = (joined(folder, one) for one in stated_places if one)
        place = next((one for one in places if not one.startswith("..") and tree.names(one)), "")
        if path and place and each.get("disable") is not True:
            found[place] = [mapping(one) for one in sequence(each.get("mounts"))]
    return found


def _contents(modules: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[tuple[str, str]]:
    """The folders of modules that are mounted, each with the folder as which it is."""
    for place, mounts in modules.items():
        for each in mounts or [{"source": "content", "target": "content"}]:
            found = joined(place, text(each, "source"))
            if not found.startswith(".."):
                yield found, text(each, "target")


def _mounted(
    tree: IncludeTree, site: Site, mounts: Iterable[tuple[str, Mapping[str, Any]]]
) -> Iterator[Site]:
    """Those of the folders with their `mounts` that are mounted below the content of `site`, each with the
    place of its pages."""
    language = site.settings.language
    for place, mount in mounts:
        target = text(mount, "target")
        is_content = target == "content" or target.startswith("content/")
        is_other = language not in (_languages_of(mount) or [language])
        if not is_content or is_other or place == site.folder:
            continue
        if not place.startswith(("..", f"{site.folder}/")) and _has_pages(tree, place):
            inside = target.removeprefix("content").strip("/")
            settings = replace(site.settings, place=inside)
            yield replace(site, folder=place, settings=settings, files=())


def _has_pages(tree: IncludeTree, folder: str) -> bool:
    """Whether a page is in the folder: programs that pages show are mounted as well."""
    folders = [folder]
    for place in folders:  # grows
        names = tree.names(place)
        if any(name.lower().endswith((*PAGES, *HTML)) for name in names):
            return True
        folders += [joined(place, name) for name in names if not name.startswith(".")]
        if len(folders) > _MOST_LOOKED_AT:
            return True
    return False


def _languages_of(mount: Mapping[str, Any]) -> list[str]:
    """The languages that a mount is for; none where it is for all."""
    matrix = mapping(mapping(mount.get("sites")).get("matrix"))
    return [*texts(matrix.get("languages", [])), *filter(None, [text(mount, "lang")])]


def _anchors(markup: Mapping[str, Any]) -> LinkSettings:
    """How goldmark makes anchors of headings, and whether terms of definition lists have one."""
    parser = mapping(mapping(markup.get("goldmark")).get("parser"))
    lowered = {str(name).lower(): value for name, value in parser.items()}
    return LinkSettings(
        slug_style=text(lowered, "autoidtype", "autoheadingidtype"),
        has_term_anchors=lowered.get("autodefinitiontermid") is True,
    )


def _never_rendered(tree: IncludeTree, content: str) -> list[str]:
    """The sections whose pages Hugo renders nowhere but where others include them."""
    found = []
    for name in tree.names(content):
        index = joined(content, name, "_index.md")
        data, _ = stated_above(read_text(tree, index))
        cascade = data.get("cascade")
        tables = cascade if isinstance(cascade, list) else [cascade]
        build = [mapping(mapping(each).get("build")) for each in (data, *tables)]
        if any(each.get("render") == "never" for each in build):
            found.append(name)
    return found


def _beside(tree: IncludeTree, config: str, name: str) -> tuple[Mapping[str, Any], str]:
    """A table of the configuration that has a file of its own in config/_default or a folder of it."""
    folder = posixpath.dirname(config)
    names = tuple(f"{name}.{ending}" for ending in _ENDINGS)
    path = first_existing(tree, folder, names)
    if not path and f"{folder}/".endswith("config/_default/"):
        inner = (joined(folder, each) for each in tree.names(folder) if "." not in each)
        path = next(filter(None, (first_existing(tree, each, names) for each in inner)), "")
    return (read_any(tree, path), path) if path else ({}, "")


def _languages_in_files(
    tree: IncludeTree, config: str
) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """The tables of languages that each have a file of their own next to the configuration, and these files:
    their names have a language's in the middle."""
    folder = posixpath.dirname(config)
    found = {
        match[1]: match[0] for match in map(_LANGUAGE_FILE.fullmatch, tree.names(folder)) if match
    }
    paths = {language: joined(folder, name) for language, name in found.items()}
    return {name: read_any(tree, path) for name, path in paths.items()}, tuple(paths.values())


def _content(
    data: Mapping[str, Any], own: Mapping[str, Any], language: str, module: Mapping[str, Any]
) -> str:
    """The folder of the pages in one language: by `contentDir`, else by the mounts of the module."""
    if stated := text(own, "contentDir", "contentdir") or text(data, "contentdir"):
        return stated
    mounts = sequence(module.get("mounts"))
    found = [mapping(each) for each in mounts if text(mapping(each), "target") == "content"]
    for mount in found:
        if language in _languages_of(mount):
            return text(mount, "source")
    return text(found[0], "source") if found else "content"
