"""Front end for documentation sets: sources, each with its pages.

A folder below the collection's path is a source, and so is a JSON Lines file or an `llms-full.txt`
directly in it; other files there belong to a source with the name of the collection. A `source.toml`
beside the pages describes the source; one directly in the collection's folder, or `source` in kb.toml,
makes all of it one source. A sitemap in a source gives its pages their addresses and their order.
"""

from __future__ import annotations

import dataclasses
import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote

from pydantic import Field

from kb_runtime.text.urls import page_key
from kbc.diagnostics import Diagnostics
from kbc.frontends.metadata import Located, Metadata, Text
from kbc.frontends.page_includes import PageIncludes
from kbc.frontends.pages.files import BUNDLE, ParsedPage, plain_name, read_pages, sitemap_locations
from kbc.frontends.redirects import REDIRECT
from kbc.frontends.titles import name_in_path
from kbc.languages import answers
from kbc.languages.addresses import HOST, SITEMAP, redirect_target, split_url
from kbc.project import permalinks
from kbc.project.model import Collection
from kbc.project.routes import site_path
from kbc.project.sites.redirects import INDEX
from kbc.project.source_file import SourceFile, resolved_path
from kbc.project.toml_file import read_toml
from kbc.records import CompiledRecord, PageRecord, SourceRecord
from kbc.sources.formats import format_by_content
from kbc.sources.patterns import PathPatterns

SOURCE_FILE = "source.toml"
SOURCE_TYPES = ("web", "file", "git", "dir")

_MAX_REDIRECT_BYTES = 8_192
"""A larger page of HTML says something itself; its scripts do not count."""

_SCRIPT = re.compile(rb"<script\b.*?(?:</script\s*>|\Z)", re.DOTALL | re.IGNORECASE)

_NOT_PAGES = frozenset([
    "404.html", "genindex.html", "print.html", "robots.txt", "search.html", "toc.html",
    "genindex-all.html", "py-modindex.html",  # Sphinx
    "allclasses.html", "allclasses-frame.html", "allclasses-index.html", "allclasses-noframe.html",
    "allpackages-index.html", "index-all.html", "overview-frame.html", "overview-tree.html",
    "package-frame.html", "package-tree.html", "package-use.html", "help-doc.html",  # javadoc
])  # fmt: skip
"""What generators of sites add: the whole book once more, indexes, error pages."""
_USES_OF_JAVADOC = "/class-use/"
_LISTS = (
    (r"(?:genindex-.*|\w+-modindex|doc-index(?:-.*)?)\.html", rb""),  # Sphinx, Haddock
    (r"(?:(?:functions|globals|namespacemembers)(?:_.*)?|.*-members)\.html", rb"Doxygen"),
    (r"(?:classes|dir_[0-9a-f]{32}|inherits|graph_legend)\.html", rb"Doxygen"),
    (r"(?:class|file|method)_list\.html|_index\.html|frames\.html", rb"full_list|YARD"),
    (r"navigation\.html", rb"sideMenu"),  # Dokka
    (r"(?:all|help|settings|.*\.rs)\.html", rb"content=\"rustdoc\""),
)
"""Names of further such pages, and what is at the beginning of those that these generators write."""
_HEAD_BYTES = 2_000


class SourceMetadata(Metadata):
    """`source.toml`."""

    id: Text = Field(
        default="", description="what tools call source_id; default: the folder's name"
    )
    name: Text = Field(default="", description="the name it is listed under")
    url: Text = Field(
        default="", description="base URL of its pages, or a URL with {path} or {stem}"
    )
    description: Text = Field(default="", description="what it is for, in one sentence")
    type: Text = Field(default="", description=f"one of {', '.join(SOURCE_TYPES)}")


@dataclass(slots=True)
class _Source:
    """The files of one source, and what is said `about` it. `folder` is what their addresses are relative
    to."""

    id: str
    folder: str
    files: list[SourceFile] = field(default_factory=list)
    about: SourceMetadata = field(default_factory=SourceMetadata)
    described_in: str = ""  # the path of its source.toml


def is_metadata(name: str) -> bool:
    """Whether a file of this name describes pages instead of being one."""
    return name == SOURCE_FILE or SITEMAP.fullmatch(name) is not None


def read(
    collection: Collection, files: Sequence[SourceFile], diagnostics: Diagnostics
) -> list[CompiledRecord]:
    """The record of each source, by name, followed by those of its pages."""
    sources = _sources(collection, files, diagnostics)
    records: list[CompiledRecord] = []
    includes = PageIncludes(collection)
    sources.sort(key=lambda each: ((each.about.name or each.id).casefold(), each.id))
    for source in sources:
        pages = _pages(collection, source, diagnostics, includes)
        if not pages:
            message = f"the source {source.id!r} has no pages"
            hint = "Add pages beside its source.toml, or remove it."
            diagnostics.warning(
                "source-without-pages", message, source.described_in or source.folder, hint=hint
            )
        records += [_source_record(collection, source, pages), *pages]
    includes.report(diagnostics)
    return records


def _sources(
    collection: Collection, files: Sequence[SourceFile], diagnostics: Diagnostics
) -> list[_Source]:
    places = ((*posixpath.split(file.path), file) for file in files)
    described = {folder: file for folder, name, file in places if name == SOURCE_FILE}
    sources: dict[str, _Source] = {}
    for file in files:
        id, folder = _place(collection, file, described)
        source = sources.setdefault(folder if folder in described else id, _Source(id, folder))
        if file is not described.get(folder):
            source.files.append(file)
    for folder, file in described.items():
        if folder in sources:
            _describe(sources[folder], file, diagnostics)
    by_id: dict[str, _Source] = {}
    for source in sources.values():
        earlier = by_id.setdefault(source.id, source)
        if earlier is not source:
            message = f"the source id {source.id!r} is already used by {earlier.folder!r}"
            hint = "Give one of them another `id` in its source.toml."
            diagnostics.error(
                "duplicate-source", message, source.described_in or source.folder, hint=hint
            )
    return list(by_id.values())


def _place(
    collection: Collection, file: SourceFile, described: Mapping[str, SourceFile]
) -> tuple[str, str]:
    """The id of a file's source, and the folder that its addresses are relative to."""
    base = "" if file.base == "." else file.base or posixpath.dirname(file.path)
    if whole := collection.options.get("source"):
        return str(whole), base
    if base in described:
        return posixpath.basename(base) or collection.name, base
    first, slash, _ = file.relative_path.partition("/")
    if file.base and slash:
        return first, f"{base}/{first}" if base else first
    if bundle := BUNDLE.fullmatch(posixpath.basename(file.path)):
        return _slug(bundle["jsonl"] or bundle["llms"] or collection.name), base
    return collection.name, base


def _describe(source: _Source, file: SourceFile, diagnostics: Diagnostics) -> None:
    source.described_in = file.path
    toml = read_toml(file, diagnostics)
    if toml is None:
        return
    source.about = Located(toml.data, file.path, toml.line).read(SourceMetadata, diagnostics)
    source.id = source.about.id or source.id
    if source.about.type and source.about.type not in SOURCE_TYPES:
        message = f"{source.about.type!r} is not a source type"
        hint = f"One of: {', '.join(SOURCE_TYPES)}."
        diagnostics.error("source-unknown-type", message, file.path, toml.line("type"), hint=hint)


def _pages(
    collection: Collection, source: _Source, diagnostics: Diagnostics, includes: PageIncludes
) -> list[PageRecord]:
    """The pages in the order of the sitemaps, then of the paths; of an address the first page."""
    locations: list[str] = []
    files: list[SourceFile] = []
    redirects: dict[str, str] = {}
    for file in source.files:
        name = plain_name(file.path)
        if SITEMAP.fullmatch(name):
            locations += sitemap_locations(file.text(diagnostics) or "")
        elif (target := _redirect(file, name)) is not None:
            redirects[file.path] = target
        elif not not_a_page(file):
            is_data = name.endswith((".xml", ".toml")) and not format_by_content(name, file.data)
            if not is_data:
                files.append(file)
    left_out = PathPatterns(exclude=collection.exclude)
    listed = _listed(source, files, locations, left_out, diagnostics)
    order = {path: position for position, path in enumerate(listed)}
    files.sort(key=lambda file: (order.get(file.path, len(order)), file.path))
    records: dict[str, PageRecord] = {}
    ids: set[str] = set()
    for file, pages in zip(files, read_pages(files, diagnostics, includes), strict=True):
        for page in pages:
            record = _record(collection, source, file, page, listed.get(file.path, ""), ids)
            key = page_key(record.url)
            if key in records:
                diagnostics.warning(
                    "page-duplicate-url",
                    f"the URL {record.url!r} is already used by {records[key].path};"
                    " this page was left out",
                    file.path,
                    page.entry_line or page.line,
                    hint="Remove one of them.",
                )
                continue
            ids.add(record.id)
            records[key] = record
    found = _with_redirects(list(records.values()), redirects, collection, source)
    if answers.is_list([page.title for page in found]):
        found = [dataclasses.replace(page, question=page.title) for page in found]
    return found


def not_a_page(file: SourceFile) -> str:
    """Why a file that a generator wrote beside its pages is none of them; "" when it is one."""
    if "/_sources/" in f"/{file.path}":
        return "source of a page beside it"
    name = plain_name(file.path)
    if _redirect(file, name) is not None:
        return REDIRECT
    head = file.data[:_HEAD_BYTES]
    is_list = (
        name in _NOT_PAGES
        or (_USES_OF_JAVADOC in file.path and b"javadoc" in head)
        or any(re.fullmatch(names, name) and re.search(mark, head) for names, mark in _LISTS)
    )
    return "written by the generator, not a separate page" if is_list else ""


def _redirect(file: SourceFile, name: str) -> str | None:
    """Where a page of HTML sends its readers; None when it does not."""
    is_html = name.endswith((".html", ".htm"))
    target = redirect_target(file.data.decode("utf-8", "replace")) if is_html else None
    is_short = target and len(_SCRIPT.sub(b"", file.data)) <= _MAX_REDIRECT_BYTES
    return target if is_short else None


def _with_redirects(
    pages: list[PageRecord], redirects: Mapping[str, str], collection: Collection, source: _Source
) -> list[PageRecord]:
    """The pages, those that others redirect to with the paths and addresses of these as aliases."""
    by_path = {record.path: index for index, record in enumerate(pages)}
    by_key = {page_key(record.url): index for index, record in enumerate(pages)}
    for path, target in redirects.items():
        place = resolved_path(unquote(target.partition("#")[0]), path)
        tried = (place, posixpath.join(place, "index.html"), f"{place}.html")
        known = (by_path[each] for each in tried if each in by_path)
        index = next(known, None)
        if index is None:
            index = by_key.get(page_key(target))
        if index is not None:
            old = _url(collection, source, path, path.removeprefix(f"{source.folder}/"))
            aliases = (*pages[index].aliases, path, old)
            pages[index] = dataclasses.replace(pages[index], aliases=tuple(dict.fromkeys(aliases)))
    return pages


def _listed(
    source: _Source,
    files: Iterable[SourceFile],
    locations: Sequence[str],
    left_out: PathPatterns,
    diagnostics: Diagnostics,
) -> dict[str, str]:
    """File path -> address, for the files that a sitemap lists, in its order. A file that is `left_out`, such
    as one of another version, is not missing."""
    by_place = {site_path(_relative(source, file)): file.path for file in files}
    paths = [split_url(url).path.strip("/") for url in locations]
    home = min(paths, key=len, default="")  # a site below a path has its first page there
    if not all(path == home or path.startswith(f"{home}/") for path in paths if home):
        home = ""
    listed: dict[str, str] = {}
    missing = []
    for url in locations:
        segments = site_path(split_url(url).path.strip("/")).split("/")
        places = ["/".join(segments[start:]) for start in range(len(segments))]
        path = next((by_place[place] for place in places if place in by_place), None)
        if path is None and split_url(url).path.strip("/") in ("", home):
            path = by_place.get("")
        if path is not None:
            listed.setdefault(path, url)
        elif not any(map(left_out.reason, places)):
            missing.append(url)
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        message = f"the sitemap of {source.id!r} lists {missing[0]}{more}, which no file contains"
        hint = "Save the page beside the others, or ignore this: it is not part of the source."
        diagnostics.warning(
            "sitemap-page-missing", message, source.described_in or source.folder, hint=hint
        )
    return listed


def _relative(source: _Source, file: SourceFile) -> str:
    return file.path.removeprefix(f"{source.folder}/") if source.folder else file.path


def _record(
    collection: Collection,
    source: _Source,
    file: SourceFile,
    page: ParsedPage,
    listed_url: str,
    taken: set[str],
) -> PageRecord:
    relative = _relative(source, file)
    own_url = page.url if split_url(page.url).scheme else ""
    url = own_url or listed_url or _url(collection, source, file.path, relative)
    is_bundle = BUNDLE.fullmatch(posixpath.basename(file.path)) is not None
    place = relative
    if is_bundle:
        place = (split_url(url).path.strip("/") or "index") if own_url else _slug(page.title)
    if page.name:
        place = f"{relative}/{page.name}"
        url = f"{url.partition('#')[0].rstrip('/')}/{quote(page.name, safe='')}"
    number, numbered = 1, place
    while f"{source.id}/{numbered}" in taken:
        number += 1
        numbered = f"{place}-{number}"
    if is_bundle and not own_url:
        url = f"{source.about.url.rstrip('/') or source.id}/{numbered}"
    # Pages of one file have its name in common, and their addresses tell them apart.
    name = unquote(split_url(own_url).path).strip("/") if is_bundle else ""
    title = page.title or name_in_path(name or relative)
    return PageRecord(
        id=f"{source.id}/{numbered}",
        collection=collection.name,
        title=title,
        path=file.path,
        text=page.text,
        line=page.line,
        summary=page.summary,
        tags=page.tags,
        url=url,
        spoken=page.spoken,
        source=source.id,
        source_name=source.about.name or source.id,
        format=page.format,
        sections=page.sections,
        # the segments above the page in the path of its address
        breadcrumb=tuple(filter(None, split_url(url).path.strip("/").split("/")[:-1])),
        author=page.author,
        created_at=page.created_at,
        page_count=page.page_count,
        aliases=tuple(dict.fromkeys((url, page_key(url)))),
    )


def _url(collection: Collection, source: _Source, path: str, relative: str) -> str:
    """The address of a page that does not say its own: below the source's, else the collection's,
    else its path."""
    if "{" in source.about.url:
        stem = relative.rsplit(".", 1)[0]
        filled = source.about.url.replace("{path}", quote(relative)).replace("{stem}", quote(stem))
        return filled.replace("#{anchor}", "").replace("{anchor}", "")
    if source.about.url:
        is_html = relative.lower().endswith((".html", ".htm"))
        stem = posixpath.splitext(posixpath.basename(relative))[0].lower()
        place = relative if is_html and stem not in INDEX else site_path(relative)
        return f"{source.about.url.rstrip('/')}/{quote(place)}"
    found = permalinks.page_url(collection, path, {})
    if found:
        return found
    if HOST.fullmatch(source.id) and posixpath.basename(source.folder) == source.id:
        return f"https://{source.id}/{quote(site_path(relative), safe='/?=&')}"
    return f"{source.id}/{relative}"


def _source_record(
    collection: Collection, source: _Source, pages: Sequence[PageRecord]
) -> SourceRecord:
    name = source.about.name or source.about.url or source.id
    on_the_web = source.about.url or (pages and pages[0].url)
    is_web = str(on_the_web).startswith(("http://", "https://"))
    listing = "".join(f"- [{page.title}]({page.url})\n" for page in pages)
    return SourceRecord(
        id=source.id,
        collection=collection.name,
        title=name,
        path=source.described_in or source.folder,
        text="",
        summary=source.about.description,
        url=source.about.url.partition("{")[0],
        name=name,
        type=source.about.type or ("web" if is_web else "file"),
        description=source.about.description,
        content=f"# {name}\n\n{source.about.description}\n\n{listing}".replace("\n\n\n\n", "\n\n"),
        pages=tuple(_listing_entry(page) for page in pages),
    )


def _listing_entry(page: PageRecord) -> dict[str, Any]:
    """What lists and filters need of a page, so that they need not read all of it."""
    fields = ("id", "url", "title", "author", "created_at", "page_count")
    return {name: value for name in fields if (value := getattr(page, name))}


def _slug(text: str) -> str:
    return re.sub(r"[^\w]+", "-", text.casefold()).strip("-") or "page"
