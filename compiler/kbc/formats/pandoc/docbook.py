"""Replaces the entities of a DocBook document, of which pandoc knows those of HTML and of the document."""

from __future__ import annotations

import functools
import posixpath
import re
from collections import ChainMap
from collections.abc import Iterable, Mapping
from html.entities import html5

from kbc.formats.document import Read
from kbc.formats.xml import OWN_ENTITIES

MAX_DEPTH = 20
MAX_VALUE_CHARS = 100_000
MAX_ADDED_CHARS = 4_000_000
"""Entities whose values grow beyond these are written as their names."""

MAX_FILES = 50

_REFERENCE = re.compile(r"&([A-Za-z_][\w.:-]*);")
_TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z)"
    r"|(?P<tag><[^<>]*>)|&(?P<name>[A-Za-z_][\w.:-]*);",
    re.DOTALL,
)
_DECLARATION = re.compile(
    r"<!--.*?(?:-->|\Z)|<!ENTITY\s+(?P<parameter>%\s+)?(?P<name>[\w.:-]+)\s+"
    r"(?:(?P<external>SYSTEM|PUBLIC\s+(?:\"[^\"]*\"|'[^']*'))\s+)?"
    r"(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)')",
    re.DOTALL,
)
_ID = re.compile(r"\bid\s*=\s*[\"']([^\"'<>]+)[\"']")
_XREF = re.compile(
    r"<xref\b[^<>]*?\blinkend\s*=\s*[\"'](?P<name>[^\"'<>&]+)[\"'][^<>]*?(?:/>|>\s*</xref>)"
)
_INFO = re.compile(
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>"
    r"|(?P<start><(?P<name>\w*info)\b[^<>]*(?<!/)>)(?P<inner>.{0,20000}?)(?P<end></(?P=name)\s*>)",
    re.DOTALL,
)
_ABSTRACT = re.compile(r"<abstract\b[^<>]*>(?P<text>.*?)</abstract\s*>", re.DOTALL)
_TITLE = re.compile(r"<title\b[^<>]*>(.*?)</title\s*>", re.DOTALL)
_IN_METADATA = frozenset(["articleinfo", "bookinfo", "refentryinfo"])
_DOCUMENT = re.compile(r"<(?:article|book)\b[^<>]*>\s*\Z")
_SUBSET = re.compile(r"<!DOCTYPE\s[^\[<>]*\[")
_IN_SUBSET = re.compile(
    r"<!--.*?(?:-->|\Z)|<\?.*?(?:\?>|\Z)|\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z)|(?P<end>\])", re.DOTALL
)


def prepared(path: str, text: str, read: Read, files: Iterable[str]) -> str:
    """The document without the declarations of its type, each entity as its value there, else in the files
    that these name or in `files`, else as its name. HTML's are left to pandoc, those of other files, which
    are documents of their own, are left out."""
    text, subset = without_declarations(text)
    if not _REFERENCE.search(text):
        return text
    values, parameters = _declarations(subset)
    named = [posixpath.normpath(posixpath.join(path, "..", each)) for each in parameters]
    found = filter(None, map(read, [*named, *files][:MAX_FILES]))
    return _Entities(ChainMap(values, *map(_declared_in, found))).replaced(text)


def with_named_references(text: str) -> str:
    """The document with links in place of references without a text to what is in other files, which pandoc
    calls ???; the name of their target is what is known of it."""
    if "<xref" not in text:
        return text
    own = set(_ID.findall(text))

    def link(match: re.Match[str]) -> str:
        name = match["name"]
        return match[0] if name in own else f'<link linkend="{name}">{name}</link>'

    return _XREF.sub(link, text)


def with_abstracts(text: str) -> str:
    """The document with the abstracts of its chapters and sections as their first text, as readers see them;
    pandoc reads those of whole documents."""
    if "<abstract" not in text:
        return text

    def shown(match: re.Match[str]) -> str:
        name, inner = match["name"], match["inner"]
        found = _ABSTRACT.findall(inner or "")
        start = max(0, match.start() - 500)
        if not found or name in _IN_METADATA or _DOCUMENT.search(text, start, match.start()):
            return match[0]
        texts = _TITLE.sub(r'<para><emphasis role="bold">\1</emphasis></para>', "".join(found))
        return f"{match['start']}{_ABSTRACT.sub('', inner)}{match['end']}{texts}"

    return _INFO.sub(shown, text)


def without_declarations(text: str) -> tuple[str, str]:
    """The document with the same lines but without the declarations of its type, and these."""
    match = _SUBSET.search(text)
    ends = _IN_SUBSET.finditer(text, match.end()) if match else ()
    end = next((each.start() for each in ends if each["end"]), 0)
    if match is None or not end:
        return text, ""
    subset = text[match.end() : end]
    return text[: match.end()] + "\n" * subset.count("\n") + text[end:], subset


def with_names(text: str) -> str:
    """The document with each entity as its name."""
    return _Entities({}).replaced(text)


@functools.lru_cache(maxsize=MAX_FILES)
def _declared_in(data: bytes) -> dict[str, str]:
    """The values of the entities of a file, which all documents around it share."""
    return _declarations(data.decode("utf-8", "replace"))[0]


def _declarations(text: str) -> tuple[dict[str, str], list[str]]:
    """The values of entities, "" of those that are other files, and the files with further declarations."""
    values: dict[str, str] = {}
    files: list[str] = []
    for each in _DECLARATION.finditer(text):
        value = each["double"] if each["double"] is not None else each["single"]
        if each["parameter"]:
            files += [value] if each["external"] and "://" not in value else []
        elif each["name"]:
            values.setdefault(each["name"], "" if each["external"] else value)
    return values, files


class _Entities:
    """The values of entities, each expanded once."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values
        self._expanded: dict[str, str] = {}
        self._open: list[str] = []
        self._added = 0

    def replaced(self, text: str) -> str:
        return _TOKEN.sub(self._token, text)

    def _token(self, token: re.Match[str]) -> str:
        if token["name"]:
            return self._value(token["name"])
        if token["tag"] and "&" in token["tag"]:
            return _REFERENCE.sub(self._attribute, token["tag"])
        return token[0]

    def _attribute(self, reference: re.Match[str]) -> str:
        value = self._value(reference[1])
        return reference[1] if "<" in value else value.replace('"', "&quot;").replace("'", "&apos;")

    def _value(self, name: str) -> str:
        if name in OWN_ENTITIES:
            return f"&{name};"
        if name not in self._values:
            return f"&{name};" if f"{name};" in html5 else name
        if name in self._open or len(self._open) >= MAX_DEPTH:
            return name
        if name not in self._expanded:
            self._open.append(name)
            value = self.replaced(self._values[name])
            self._open.pop()
            self._expanded[name] = value if len(value) <= MAX_VALUE_CHARS else name
        self._added += len(self._expanded[name])
        return self._expanded[name] if self._added <= MAX_ADDED_CHARS else name
