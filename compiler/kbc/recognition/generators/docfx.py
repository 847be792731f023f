"""DocFX and Microsoft Learn: docfx.json maps folders to addresses, toc.yml in them has titles and order."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from kbc.project.include_tree import IncludeTree, folders_above
from kbc.project.sites.settings import AddressSettings, SiteSettings
from kbc.project.well_formed import sequence
from kbc.recognition.configuration import (
    entries_in,
    first_existing,
    parse_yaml_value,
    read_json_with_comments,
    read_text,
)
from kbc.recognition.javascript.globs import spelt_out
from kbc.recognition.site import NOT_PAGES, Site, joined, linked_titles, mapping, text, texts

GENERATOR = "docfx"
CONFIGS = ("docfx.json",)
CONTENTS = ("toc.yml", "TOC.yml", "toc.md", "TOC.md")
REDIRECTIONS = ".openpublishing.redirection.json"
PUBLISHING = ".openpublishing.publish.config.json"
"""The configuration of Microsoft Learn, in the folder of docfx.json or in one above it."""
CONVERTER = "MAML2Yaml"
"""Its step that makes YAML of pages about commands of PowerShell, which are Markdown as PlatyPS writes it."""

MAX_CONTENTS = 500
"""Tables of contents that are followed."""

_NO_PAGES = ("_site/", "obj/", "toc.md", "TOC.md")
_MARKDOWN = re.compile(r".*(?:\.md|\*|\.\*)")
_DOCUMENT = re.compile(r".*\.(?:pdf|docx|pptx)", re.IGNORECASE)
_METADATA = ("_appTitle", "_appName", "titleSuffix")


class _Mapped(NamedTuple):
    """One entry of `build.content`: patterns of files in `source` (below the root of what was recognised),
    and the folder `target` of their addresses."""

    source: str
    target: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]


def recognise(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """The site whose docfx.json is in `folder`; None for one that builds no pages."""
    build = mapping(read_json_with_comments(tree, config).get("build"))
    found_above = (first_existing(tree, each, (PUBLISHING,)) for each in folders_above(config))
    publishing = next(filter(None, found_above), "")
    content = build.get("content")
    if publishing and CONVERTER in read_text(tree, publishing):
        content = [*_tables(content), *_unconverted(content)]
    found = [each for each in _content(content, folder, _MARKDOWN) if each.include]
    if not found:
        return None
    place = _common(each.source for each in found)
    resources = _content(build.get("resource"), folder, _DOCUMENT)
    metadata = mapping(build.get("globalMetadata"))
    starts = dict.fromkeys((folder, place, *(each.source for each in found)))
    titles, files = _contents(tree, starts, place)
    redirections = _redirections(tree, folder, publishing)
    return Site(
        folder=place,
        title=text(metadata, *_METADATA),
        base_url=text(mapping(build.get("sitemap")), "baseUrl"),
        titles=titles,
        include=tuple(dict.fromkeys(_anchored([*found, *resources], place, "include"))),
        exclude=(*NOT_PAGES, *_NO_PAGES, *dict.fromkeys(_anchored(found, place, "exclude"))),
        redirects={
            old: new for path in redirections for old, new in _redirects(tree, path, place).items()
        },
        settings=SiteSettings(
            config_folder=folder,
            addresses=AddressSettings(
                moved=tuple((_below(place, each.source), each.target) for each in found)
            ),
        ),
        files=(*files, publishing, *redirections),
    )


def _common(folders: Iterable[str]) -> str:
    """The folder that holds all of `folders`, which may lead upwards."""
    start = "/" + "/".join(["above"] * 40)  # deeper than any folder leads upwards
    common = posixpath.commonpath([posixpath.normpath(f"{start}/{each}") for each in folders])
    return _below(start, common)


def _content(value: Any, folder: str, wanted: re.Pattern[str]) -> Iterator[_Mapped]:
    """The entries of `build.content`: patterns, or tables of them with `src`, `dest` and `exclude`; of the
    patterns those that are `wanted`."""
    for table in _tables(value):
        files = [each for glob in texts(table.get("files")) for each in _patterns(glob)]
        yield _Mapped(
            _up(folder, text(table, "src", "cwd")),
            text(table, "dest").replace("\\", "/").strip("/"),
            tuple(each for each in files if wanted.fullmatch(each)),
            tuple(each for glob in texts(table.get("exclude")) for each in _patterns(glob)),
        )


def _tables(value: Any) -> Iterator[Mapping[str, Any]]:
    for item in value if isinstance(value, list) else [value]:
        yield item if isinstance(item, Mapping) else {"files": item}


def _unconverted(value: Any) -> Iterator[Mapping[str, Any]]:
    """The entries of `build.content`, with the Markdown of which the YAML in their patterns is made."""
    for table in _tables(value):
        yaml = [each for each in texts(table.get("files")) if each.endswith(".yml")]
        yield {**table, "files": [each.removesuffix(".yml") + ".md" for each in yaml]}


def _up(folder: str, source: str) -> str:
    """`source` below `folder`, out of which it may lead."""
    place = posixpath.normpath(posixpath.join(folder or ".", source.replace("\\", "/") or "."))
    return "" if place == "." else place


def _patterns(glob: str) -> Iterator[str]:
    """Braces spelt out, and `**.md`, which matches at any depth, as an ignore file writes it."""
    plain = glob.replace("\\", "/").removeprefix("./")
    return (re.sub(r"\*\*(?=[^/*])", "**/*", each) for each in spelt_out(plain))


def _anchored(entries: list[_Mapped], place: str, name: str) -> Iterator[str]:
    for each in entries:
        for pattern in getattr(each, name):
            yield "/" + joined(_below(place, each.source), pattern)


def _below(place: str, path: str) -> str:
    below = posixpath.relpath(path or ".", place or ".")
    return "" if below == "." else below


def _contents(
    tree: IncludeTree, folders: Iterable[str], place: str
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Page -> title in the order of the tables of contents from `folders` on, and the files of these."""
    titles: dict[str, str] = {}
    files: dict[str, None] = {}

    def follow(path: str) -> None:
        if path in files or len(files) >= MAX_CONTENTS or not tree.exists(path):
            return
        files[path] = None
        source = read_text(tree, path)
        if path.lower().endswith(".md"):
            entries: Iterable[tuple[str, str]] = linked_titles(source).items()
        else:
            entries = _entries(parse_yaml_value(source))
        for target, title in entries:
            take(_up(posixpath.dirname(path), target), target.endswith("/"), title)

    def take(path: str, is_folder: bool, title: str) -> None:
        if posixpath.basename(path).lower() in ("toc.yml", "toc.md"):
            follow(path)
        elif is_folder:
            follow(first_existing(tree, path, CONTENTS))
        else:
            titles.setdefault(_below(place, path), title)

    for folder in folders:
        if path := first_existing(tree, folder, CONTENTS):
            follow(path)
    return titles, tuple(files)


def _entries(contents: Any) -> Iterator[tuple[str, str]]:
    """(target, title) of the entries of a table of contents in YAML, in order."""
    for entry in entries_in(contents, "items"):
        for name in ("topicHref", "homepage", "href", "tocHref"):
            target = text(entry, name).partition("#")[0].partition("?")[0]
            if target and ":" not in target and not target.startswith(("/", "~")):
                yield target, text(entry, "name")


def _redirections(tree: IncludeTree, folder: str, publishing: str) -> tuple[str, ...]:
    """The lists of redirections of Microsoft Learn: in the folder of docfx.json, beside `publishing`, or
    named there."""
    beside = posixpath.dirname(publishing)
    stated = read_json_with_comments(tree, publishing) if publishing else {}
    named = texts(stated.get("redirection_files"))
    usual = (joined(each, REDIRECTIONS) for each in (folder, beside))
    places = dict.fromkeys((*usual, *(_up(beside, each) for each in named)))
    return tuple(each for each in places if tree.exists(each))


def _redirects(tree: IncludeTree, path: str, place: str) -> dict[str, str]:
    """Former paths -> addresses, of a list of redirections."""
    found: dict[str, str] = {}
    for each in sequence(read_json_with_comments(tree, path).get("redirections")):
        old, new = text(mapping(each), "source_path"), text(mapping(each), "redirect_url")
        if old and new:
            found[_below(place, _up(posixpath.dirname(path), old)).removesuffix(".md")] = new
    return found
