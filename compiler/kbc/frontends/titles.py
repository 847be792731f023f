"""The titles of pages: stated in a header, told apart, or taken from the name of the file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from textwrap import dedent
from typing import Any

from kbc.languages.markdown import Block, Document
from kbc.languages.mdx.exports import exported_texts
from kbc.project import permalinks
from kbc.project.kinds import ON_RELEASES
from kbc.project.model import Collection
from kbc.project.sites.redirects import INDEX
from kbc.project.well_formed import mapping, text_at
from kbc.records import DocRecord

_FEWEST_ALIKE = 3
"""Pages of one collection that begin with the same heading, at least, for it to be a template's."""

_NEXT_LINE = 2
"""Lines from a heading to one that directly follows it, with a blank between them."""

_NEAR_THE_TOP = 2
"""Headings of a README, one of which may name the project; one further down is about a part of it."""

_OF_ANY_PROJECT = frozenset({"docs", "documentation", "guide", "manual", "project", "the"})
"""Words in the titles of sites that name no project."""

_LOG = re.compile(ON_RELEASES, re.IGNORECASE)
_CHANGE = re.compile(
    r"\d|\?\.\?|unreleased|\(development version\)|\A(?:head|main|master|next|trunk)\Z",
    re.IGNORECASE,
)
"""What the parts of a log of changes are called after: versions and days."""

_VERSION = re.compile(r"\W*(?:unreleased\b|v?\d+\.\d)", re.IGNORECASE)
_UNRELEASED = re.compile("unreleased", re.IGNORECASE)
_CONTENTS = re.compile(r"(?:table of )?contents", re.IGNORECASE)

_PART_OF_LOG = re.compile(rf"(?:{ON_RELEASES})[-_. ]?(v?\d+(?:\.(?:\d+|x))*)", re.IGNORECASE)
"""The name of one of several logs of changes, with the number that tells them apart."""

_ENDING = re.compile(r"(?:\.html)?(?:\.(?:md|markdown))?\.[^.]*\Z")
"""Of Middleman and its kind, what a page becomes is behind its name, too: `index.html.md.erb`."""

_OF_WIKI = frozenset(["_Sidebar.md", "_Footer.md", "_Sidebar.asciidoc", "_Footer.asciidoc"])
_API = "openapi"
_TITLE_KEY = re.compile(r"(?!sub).*title|sidebar_label", re.IGNORECASE)
_FIELD = re.compile(r"(?P<name>[A-Z][\w -]*):(?:[ \t]+(?P<value>.+))?")


def stated_in_header(blocks: Sequence[Block]) -> str:
    """The title in the header of a proposal, in code above all headings: `BIP 32: Wallets` of the fields
    `BIP: 32`, `Title: Wallets` and at least `Status`; "" for other pages."""
    for block in blocks:
        if block.kind == "heading":
            break
        if block.kind in ("code", "fence"):
            lines = dedent(block.content).strip("\n").split("\n")
            found = [_FIELD.fullmatch(line.rstrip()) for line in lines if not line[:1].isspace()]
            fields = {each["name"]: each["value"] or "" for each in found if each}
            if None in found or not fields.get("Title") or "Status" not in fields:
                continue
            name, value = next(iter(fields.items()))
            title = fields["Title"].strip()
            return f"{name} {value.lstrip('0') or 0}: {title}" if value.isdecimal() else title
    return ""


def named_apart(collection: Collection, records: Sequence[DocRecord]) -> list[DocRecord]:
    """The records, of which pages that follow one template, whose parts all have headings of level 1
    (`# Summary`, `# Motivation`), or begin with their contents are called as their files: the first part is
    no title. Nor is the heading that several pages have directly above another one of level 1, which is
    theirs: it is that of their book. Neither is that of a README or a log of changes which names something
    else (`# Features`, `# 2.1.0`). A log that is called as its package, as Changesets writes it, has the name
    of its file behind that. Pages whose headings are the same (`# Introduction`) are called as they state,
    and those without a title whose files are called alike (`caddy/licence.md`), or whose folders are
    (`caddy/en/README.md`), have the name before it of the folder that tells them apart. Logs of changes that
    are headed alike (`CHANGELOG.1.md`) have the number of their file behind that, and what several APIs
    describe under one title (`Problem`) has the title of its API."""
    begins = [_first_part(record) for record in records]
    counts = Counter(filter(None, begins))
    titles = Counter(record.title for record in records)
    seconds = [
        _below_that_of_book(each) if begin and titles[begin] > 1 else ""
        for begin, each in zip(begins, records, strict=True)
    ]
    repeated = Counter(seconds)
    named = []
    for record, begin, second in zip(records, begins, seconds, strict=True):
        title = second if repeated[second] < _FEWEST_ALIKE else ""
        if begin and not title:
            is_template = counts[begin] >= _FEWEST_ALIKE
            title = "" if is_template else _of_project(collection, record)
            if is_template or (not title and _CONTENTS.fullmatch(begin)):
                title = name_in_path(record.path)
        elif not collection.generator and _is_log(record):
            title = f"{record.title} {name_in_path(record.path)}"
        named.append(replace(record, title=title) if title else record)
    named = named if collection.generator else _of_wikis(named)
    return _with_apis(collection, _with_folders(_with_numbers(_as_stated(named))))


def _of_wikis(records: Sequence[DocRecord]) -> list[DocRecord]:
    """The records, of which pages beside the sidebar or the footer of a wiki on GitHub, and in a checkout of
    one also those in folders, are called as their files, as the wiki has it: with a space for each hyphen."""
    places = [each.path.rpartition("/") for each in records]
    wikis = {folder for folder, _, name in places if name in _OF_WIKI}
    return [
        replace(each, title=name_in_path(each.path).replace("-", " ").strip())
        if not wikis.isdisjoint(("", folder)) and not _stated(each)
        else each
        for each, (folder, _, _) in zip(records, places, strict=True)
    ]


def _with_apis(collection: Collection, records: Sequence[DocRecord]) -> list[DocRecord]:
    """The records, of which operations and schemas that another API has under the same title have the title
    of their own behind it."""
    apis: dict[str, str] = {}
    paths: dict[str, set[str]] = {}
    for each in records:
        if each.format == _API:
            paths.setdefault(each.title, set()).add(each.path)
            if each.id == collection.stripped(each.path):
                apis[each.path] = each.title
    return [
        replace(each, title=f"{each.title} ({own})")
        if each.format == _API
        and len(paths[each.title]) > 1
        and (own := apis.get(each.path, each.title)) != each.title
        else each
        for each in records
    ]


def _as_stated(records: Sequence[DocRecord]) -> list[DocRecord]:
    """The records, of which pages with the heading of another have the title that only they state."""
    headings = Counter(each.title for each in records)
    titles = Counter(map(_stated, records))
    return [
        replace(each, title=stated)
        if headings[each.title] > 1 and (stated := _stated(each)) and titles[stated] == 1
        else each
        for each in records
    ]


def _with_numbers(records: Sequence[DocRecord]) -> list[DocRecord]:
    titles = Counter(each.title for each in records)
    return [
        replace(each, title=f"{each.title} {number[1]}")
        if titles[each.title] > 1 and (number := _PART_OF_LOG.fullmatch(name_in_path(each.path)))
        else each
        for each in records
    ]


def _stated(record: DocRecord) -> str:
    return text_at(record.frontmatter, "title")


def _with_folders(records: Sequence[DocRecord]) -> list[DocRecord]:
    """The records, of which pages that are called alike as their files or folders have the name of a folder
    before."""
    alike: dict[str, list[str]] = {}
    for each in records:
        if _is_called_as_file(each):
            alike.setdefault(each.title, []).append(each.path)
    folders: dict[str, str] = {}
    for paths in alike.values():
        folders.update(zip(paths, _telling_apart(paths), strict=True))
    return [
        replace(each, title=f"{folder} {each.title}")
        if (folder := folders.get(each.path))
        else each
        for each in records
    ]


def _telling_apart(paths: Sequence[str]) -> list[str]:
    """For each of the paths, the name of the folder at the level above them at which most names differ, the
    nearest of such levels; "" for a single path."""
    if len(paths) < 2:
        return [""] * len(paths)
    above = [path.split("/")[-2::-1] for path in paths]
    levels = [
        [names[level] if level < len(names) else "" for names in above]
        for level in range(max(map(len, above), default=0))
    ]
    return max(levels, key=lambda names: len({*names}), default=[""] * len(paths))


def _is_called_as_file(record: DocRecord) -> bool:
    """Whether nothing but the name of its file, or of its folder, says what a page is called."""
    names = {_ENDING.sub("", record.path.rpartition("/")[2]), name_in_path(record.path)}
    is_stated = _stated(record) or record.title not in names.union(map(_in_words, names))
    return not is_stated and all(each.title != record.title for each in record.sections)


def _is_log(record: DocRecord) -> bool:
    """Whether a page is a log of changes, which only its file says."""
    parts = [section.title for section in record.sections if section.level == 2]
    title = _UNRELEASED.sub("", record.title)
    is_named = _LOG.search(title) or not _LOG.fullmatch(name_in_path(record.path))
    return bool(parts) and not is_named and all(map(_CHANGE.search, parts))


def _of_project(collection: Collection, record: DocRecord) -> str:
    """What a page about a project is called, the first of whose parts is about something else: a README as
    the part that names the project, else as the project, a log of changes as its file; else ""."""
    stem = name_in_path(record.path)
    is_log = _LOG.fullmatch(stem) or _PART_OF_LOG.fullmatch(stem)
    if is_log and _CHANGE.search(record.title):
        return (collection.generator and permalinks.title(collection, record.path)) or stem
    if collection.generator or is_log:
        return ""
    project = permalinks.title(collection, record.path)
    own = _words(project) - _OF_ANY_PROJECT
    parts = [section.title for section in record.sections if section.level == 1]
    return next((part for part in parts[:_NEAR_THE_TOP] if _words(part) & own), project)


def _words(text: str) -> set[str]:
    return {*re.findall(r"\w+", text.lower())}


def _first_part(record: DocRecord) -> str:
    """The title of a page that took it from the first of several headings of level 1, or from that of its
    table of contents, or of a log of changes from that of its first version, else ""."""
    if record.frontmatter.get("title"):
        return ""
    parts = [section.title for section in record.sections if section.level == 1]
    has_contents = _CONTENTS.fullmatch(record.title) and len(record.sections) > 1
    is_index = _ENDING.sub("", record.path.rpartition("/")[2]).lower() in INDEX
    is_part = len(parts) > 1 or (has_contents and not is_index)
    is_part = is_part or (_VERSION.match(record.title) is not None and _is_log(record))
    return record.title if is_part and parts[:1] == [record.title] else ""


def _below_that_of_book(record: DocRecord) -> str:
    """The second heading of level 1 of a page with no text between it and the first; else ""."""
    parts = [section for section in record.sections if section.level == 1][:2]
    follows = len(parts) > 1 and parts[1].line - parts[0].line <= _NEXT_LINE
    return parts[1].title if follows else ""


def name_in_path(path: str) -> str:
    """The name of a page without its ending; of an index, or a page of Next.js, the name of its folder, which
    also stands before a mere number."""
    folder, _, name = path.rpartition("/")
    stem, around = _ENDING.sub("", name) or name, folder.rpartition("/")[2]
    is_index = stem.lower().strip("_") in ("index", "readme") or name == "page.mdx"
    if is_index:
        return around or stem
    return f"{around} {stem}".lstrip() if stem.isdecimal() else stem


def shown_name(collection: Collection, path: str) -> str:
    """What a page without a title is called: the first page of a site as the site, others by their files, as
    MkDocs has it in words."""
    name = name_in_path(path)
    stem, _, _ = permalinks.page_path(collection, path).partition(".")
    if "/" not in stem and stem.lower().strip("_") in INDEX:
        return collection.site.title or name
    return _in_words(name) if collection.conventions.titles_from_names else name


def _in_words(name: str) -> str:
    words = re.sub("[-_]", " ", name)
    return words.capitalize() if words == words.lower() else words


def other_title(data: Mapping[str, Any]) -> str:
    """A title under a name of the site's own: `pageTitle`, `tip_title`, `sidebar_label`, or what Eleventy's
    navigation calls the page."""
    tables = (data, mapping(data.get("eleventyNavigation")))
    named = (
        item for table in tables for item in table.items() if _TITLE_KEY.fullmatch(str(item[0]))
    )
    stated = (value.strip() for _, value in named if isinstance(value, str))
    key = tables[1].get("key")
    return next(filter(None, stated), key if isinstance(key, str) else "")


def exported_title(text: str) -> str:
    """What Next.js takes from a page: `export const metadata = { title: "Guards" }`."""
    texts = exported_texts(text)
    return texts.get("metadata.title") or texts.get("meta.title") or ""


def first_heading(document: Document) -> str:
    """The heading with which a page begins, where all others are below it: `### Guards`, `#### Roles`."""
    first = next(iter(document.blocks), None)
    if first is None or first.kind != "heading":
        return ""
    others = [block.level for block in document.headings if block is not first]
    return first.title if min(others, default=first.level + 1) > first.level else ""
