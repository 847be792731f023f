"""What a source of an import holds: entries with the addresses that they were saved from."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from urllib.parse import unquote, urlunsplit

from kb_runtime.errors import SingleCodeError, exit_codes
from kbc.languages.addresses import split_url

MAX_SEGMENT_CHARS = 100
"""File systems allow 255 bytes in a name, and a character has up to four."""

_INDEX = re.compile(r"(?:index|default)\.(?:html?|md|markdown)\Z", re.IGNORECASE)
_ENDING = re.compile(
    r"\.(?:html?|xhtml|md|markdown|mdx|txt|php|aspx?|jsp|pdf|docx|pptx|epub|rst|adoc)\Z",
    re.IGNORECASE,
)
_PRIVATE = re.compile(
    r"(?:[^.]*|.*\.(?:corp|home|internal|intranet|lan|local|localhost|private|test)|[\d.]+|\[.*\])(?::\d+)?"
)
_UNSAFE = re.compile(r"[^\w.,+@=()~-]+")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|\Z)", re.IGNORECASE)


class ImportSourceError(SingleCodeError):
    """The source cannot be imported."""

    code = "import-source"
    exit_code = exit_codes.INPUT


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteEntry:
    """A file, a response of a web archive or a page of a dump.

    `key` is unique in its source; `name` is a file name whose ending tells the format. `date` is when the
    page was changed and `retrieved` when it was saved, as the source writes it. `skip` is why it is no
    page, as far as that is known without its content. `load` gives the content. `place` is what links of
    the page are relative to, where that is not its address.
    """

    key: str
    url: str
    name: str
    load: Callable[[], bytes]
    title: str = ""
    date: str = ""
    retrieved: str = ""
    charset: str = ""
    skip: str = ""
    place: str = ""
    is_mediawiki: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """The entries of a source, and what sort of source it is. `places` are the addresses of entries by
    their places."""

    what: str
    entries: list[SiteEntry]
    places: Mapping[str, str] = field(default_factory=dict)


def https(url: str) -> str:
    """The address with https and a lower-case host, without a fragment or a default port. Hosts of a private
    network keep http, which many of them have alone."""
    parts = split_url(url.strip())
    host = parts.netloc.lower().rpartition("@")[2].removesuffix(":80").removesuffix(":443")
    is_open = parts.scheme.lower() == "http" and not _PRIVATE.fullmatch(host)
    scheme = "https" if is_open else parts.scheme.lower()
    return urlunsplit((scheme, host, parts.path or "/", parts.query, ""))


def is_web(url: str) -> bool:
    """Whether the address is one of the web."""
    parts = split_url(url.strip())
    return parts.scheme.lower() in ("http", "https") and bool(parts.netloc)


def http_time(stated: str) -> str:
    """A time as HTTP headers have it, in ISO 8601; "" for what is none."""
    try:
        return parsedate_to_datetime(stated).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (TypeError, ValueError):
        return ""


def without_query(url: str) -> str:
    return url.partition("?")[0]


def without_index(url: str) -> str:
    """The address without the name of a folder's first page."""
    path, mark, query = url.partition("?")
    folder, slash, name = path.rpartition("/")
    return folder + slash + mark + query if _INDEX.fullmatch(name) else url


def depth(url: str) -> int:
    """How many folders of its host the page is in."""
    return split_url(url).path.strip("/").count("/")


def pattern_path(url: str) -> str:
    """What patterns are matched with: `docs.example.org/guide/intro.html`."""
    parts = split_url(url)
    path = unquote(parts.path).lstrip("/") or "index.html"
    return f"{parts.netloc}/{path}" + (f"?{unquote(parts.query)}" if parts.query else "")


def file_path(url: str) -> str:
    """Where the page is written, relative to the folder of all pages: `docs.example.org/guide/intro.md`."""
    parts = split_url(url)
    segments = [segment for segment in unquote(parts.path).split("/") if segment]
    if not segments or parts.path.endswith("/"):
        segments.append("index")
    segments[-1] = _ENDING.sub("", segments[-1]) or "index"
    if parts.query:
        segments[-1] += f"-{unquote(parts.query)}"
    return "/".join(_safe(each) for each in (parts.netloc, *segments)) + ".md"


def _safe(segment: str) -> str:
    """A name that every file system takes, and that is not hidden."""
    name = _UNSAFE.sub("-", segment).strip(".- ")[:MAX_SEGMENT_CHARS].rstrip(".- ")
    return f"_{name}" if not name or _RESERVED.match(name) else name
