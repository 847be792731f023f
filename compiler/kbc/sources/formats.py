"""Detects the format of a file by its content, where its name does not tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from kbc.project.kinds import LOG_OF_CHANGES
from kbc.project.source_file import content_of

_SNIFFED_BYTES = 4_096
_MODULE = ".pm"
_MODULE_BYTES = 1_000_000
"""POD often stands behind the program that it documents."""

_HTML_START = re.compile(
    rb"\s*(?:<!--.*?-->\s*)*+<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL
)
_HTML_NAME = re.compile(r"\.html?(?:\?[^/]*|\.\d+)?\Z|\?[^/]*\.html?\Z", re.IGNORECASE)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_FRONT_MATTER = re.compile(rb"(?:---|\+{3})[ \t]*\r?\n")
_OPENAPI = re.compile(
    rb"^openapi[ \t]*:[ \t]*[\"']?3\.|^\s*\{[^{}\[\]]*\"openapi\"\s*:\s*\"3\.", re.MULTILINE
)
_DOCBOOK = re.compile(
    rb"-//OASIS//DTD (?:Simplified )?DocBook|<[a-z]\w*\b[^<>]*xmlns\s*=\s*[\"']http://docbook\.org/ns/docbook"
    rb"|\A\s*(?:<\?xml[^>]*\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>\s*)*+"
    rb"<(?:chapter|appendix|preface|refentry|section|sect[1-5]|glossary)\b[^<>]*>\s*"
    rb"(?:<\?[^>]*\?>\s*|<!--.*?-->\s*|<indexterm\b.*?</indexterm>\s*)*+"
    rb"<(?:title|\w+info|info|refmeta|refnamediv)\b",
    re.DOTALL,
)
"""By the document type or the name space; parts of books often state neither, but begin as no other XML
does."""

_RFCXML = re.compile(
    rb"<!DOCTYPE\s+rfc\b|\A\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*)*+<rfc\b[^<>]*\b(?:category|docName|ipr|number|submissionType)"
    rb"\s*=",
    re.DOTALL,
)
_XDOC = re.compile(
    rb"\A\s*(?:<\?[^>]*\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>\s*)*+<document\b[^<>]*>\s*"
    rb"(?:<!--.*?-->\s*|&\w+;\s*)*+<(?:properties|header|head|body)\b",
    re.DOTALL,
)
_RFC_TEXT = re.compile(
    rb"\A\s*+(?:[^\n]*\n){0,3}(?:Request [Ff]or Comments: *#? *\d|Internet[- ]Draft\b {3,})"
)
_DOKUWIKI = re.compile(
    rb"\A\s*={5,6}[^=\n]+={5,6}[ \t]*\r?\n"
    rb"(?=.*?(?:\[\[|<code|<file|^ {2,}[*-] |^={2,6}[^=\n]+={2,6}[ \t]*\r?$))",
    re.DOTALL | re.MULTILINE,
)
"""A heading of DokuWiki, and something else of it: plain text has such lines as well."""

_VIM_HELP = re.compile(
    rb"\A\s*(?:\*[^*\s]+\.txt\*|={60,}[ \t]*\r?\n[^\n]*[ \t]\*[^*\s]+\*[ \t]*\r?$)", re.MULTILINE
)
"""The tag that `:helptags` makes of the name of a file, or a section with a tag."""

_TITLE_OF_ASCIIDOC = (
    rb"(?:\[[^\]\n]*\]+[ \t]*\r?\n)?"
    rb"(?:=[ \t]+(?![^\n]*=[ \t]*\r?$)\S[^\n]*|\w[\w.-]*\(\d\w*\)[ \t]*\r?\n=+[ \t]*\r?$)"
)
_ASCIIDOC = re.compile(
    rb"\A(?:[ \t]*\r?\n|//[^\n]*\n|:!?[\w-]+!?:[^\n]*\n|(?:ifn?def|ifeval|include|endif)::[^\n]*\n)*+"
    + _TITLE_OF_ASCIIDOC
    + rb"(?=(?:[^\n]*\n)+?(?::!?[\w-]+!?:(?:[ \t]|\r?$)|(?:ifn?def|include|image)::\S*\["
    rb"|\[\[\w[^\]\n]*\]\]\s*?$|={2,5}[ \t]+(?![^\n]*=[ \t]*\r?$)\S|NAME\s*?\n-{3,5}\s*?$"
    rb"|\[(?:source|verse|quote|NOTE|TIP|WARNING|IMPORTANT|CAUTION|cols|options|horizontal)\b[^\]\n]*\]\s*?$))",
    re.MULTILINE,
)
"""A title of AsciiDoc, or of a man page in it, and something else of it below: other text has such lines as
well, and wikis have titles between signs."""

_KRAMDOWN_RFC = re.compile(rb"^--- middle[ \t]*\r?$", re.MULTILINE)
"""The line that every draft of kramdown-rfc has, below its front matter."""

_QUARTODOC = re.compile(rb"^quartodoc:[ \t]*\r?$", re.MULTILINE)
_ANSIBLE = re.compile(rb"^DOCUMENTATION[ \t]*=[ \t]*r?(?:\"{3}|'{3})", re.MULTILINE)
_ANSIBLE_YAML = re.compile(rb"^DOCUMENTATION:[ \t]*\r?$", re.MULTILINE)
_POD = re.compile(rb"^=head1[ \t]+\S", re.MULTILINE)
_DIRECTIVE = re.compile(rb"\A\s*(?:<!--.*?-->\s*)*+@[A-Z]\w*\s*[({]", re.DOTALL)

_IN_YAML = (("openapi", _OPENAPI), ("quartodoc", _QUARTODOC), ("ansible", _ANSIBLE_YAML))
_BY_CONTENT: dict[str, tuple[tuple[str, re.Pattern[bytes]], ...]] = {
    ".json": (("openapi", _OPENAPI),),
    ".py": (("ansible", _ANSIBLE),),
    _MODULE: (("pod", _POD),),
    ".yaml": _IN_YAML,
    ".yml": _IN_YAML,
    ".tutorial": (("docc", _DIRECTIVE),),
    ".txt": (
        ("rfc-text", _RFC_TEXT),
        ("dokuwiki", _DOKUWIKI),
        ("vim-help", _VIM_HELP),
        ("asciidoc", _ASCIIDOC),
    ),
    ".xml": (("docbook", _DOCBOOK), ("rfcxml", _RFCXML), ("xdoc", _XDOC)),
}
"""Endings that many formats share -> those that are documentation, and how their files begin."""

_ENDINGS = {
    "ansible": ".md",
    "docc": ".tutorial",
    "openapi": "openapi.yaml",
    "pod": ".pod",
    "docbook": ".docbook",
    "rfcxml": ".docbook",
    "xdoc": ".fml",
    "rfc-text": ".txt",
    "dokuwiki": ".txt",
    "vim-help": ".txt",
    "asciidoc": ".txt",
    "quartodoc": "_quarto.yml",
}
"""The endings that stand for these formats in what a collection wants."""

_FOR_PROGRAMS = frozenset(
    ["Brewfile", "Dockerfile", "Justfile", "Makefile", "Procfile", "Vagrantfile"]
)
_NUMBERED = re.compile(
    rf"(?:.*/)?(?:{LOG_OF_CHANGES})(?:[-_.]?v?\d+(?:\.\d+)*)?\.[1-8]", re.IGNORECASE
)
_MAN_PAGE = re.compile(rb"^\.(?:TH|Dd)\b", re.MULTILINE)
_SHARED = ".tutorial"
"""An ending of a format that others give to their files as well."""


def is_html_name(name: str) -> bool:
    """Whether a file is called as a page of HTML, also as mirrors call it: `page.html?lang=en`,
    `view.php?id=8.html`, `page.html.1`."""
    return _HTML_NAME.search(name) is not None


def looks_like_html(name: str, data: bytes) -> bool:
    """Whether a file without an ending, or with a query (`view.php?id=8`), begins as HTML does."""
    return ("." not in name or "?" in name) and is_document(data)


def is_document(data: bytes) -> bool:
    """Whether a file begins as a whole page of HTML does."""
    return _HTML_START.match(data[:_SNIFFED_BYTES].removeprefix(_BYTE_ORDER_MARK)) is not None


def has_front_matter(data: bytes) -> bool:
    """Whether a file begins with front matter, which makes a page of it to Jekyll and Hugo."""
    return _FRONT_MATTER.match(data.removeprefix(_BYTE_ORDER_MARK)) is not None


def format_by_content(name: str, data: bytes) -> str:
    """`ansible`, `openapi`, `quartodoc`, `docbook`, `rfcxml`, `xdoc`, `rfc-text`, `dokuwiki`, `vim-help`,
    `asciidoc`, `kramdown-rfc` or `docc` for a file that begins as one, with an ending that others have, too;
    `pod` for a module of Perl with a heading; else ""."""
    lowered = name.lower()
    ending = lowered[lowered.rfind(".") :] if "." in lowered else ""
    if ending in (".md", ".mkd", ".markdown"):
        is_draft = b"\n--- middle" in data and has_front_matter(data)
        return "kramdown-rfc" if is_draft and _KRAMDOWN_RFC.search(data) else ""
    start = data[: _sniffed_bytes(ending)].removeprefix(_BYTE_ORDER_MARK)
    formats = _BY_CONTENT.get(ending, ())
    return next((format for format, pattern in formats if pattern.search(start)), "")


def _sniffed_bytes(ending: str) -> int:
    return _MODULE_BYTES if ending == _MODULE else _SNIFFED_BYTES


def is_numbered_text(path: str, data: bytes) -> bool:
    """Whether a file is one of several parts of a log of changes (`ChangeLog.1`, `CHANGES-1.4`), and not the
    man page that it is called as."""
    return _NUMBERED.fullmatch(path) is not None and not _MAN_PAGE.search(data)


def texts_without_ending(root: Path, files: Sequence[str]) -> tuple[str, ...]:
    """The paths of text among `files` whose names have no ending and are not in capitals, as notes have."""
    found = []
    for path in files:
        name = path.rpartition("/")[2]
        if "." in name or name in _FOR_PROGRAMS or name.isupper() or not (root / path).is_file():
            continue
        with (root / path).open("rb") as stream:
            start = stream.read(_SNIFFED_BYTES)
        if start.strip() and b"\0" not in start and not start.startswith(b"#!"):
            found.append(path)
    return tuple(found)


def is_wanted(path: Path, wanted: tuple[str, ...], *, html_pages: bool = False) -> bool:
    """Whether a file has one of the endings `wanted` (all, when there is none): `page.html?lang=en`, as
    mirrors call it, has; so has a file that begins as one of a wanted format does (`format_by_content`);
    and where HTML is wanted, a file of HTML without an ending or with a query, and one that is called as
    such (`is_html_name`). With `html_pages`, HTML with front matter is wanted."""
    name = path.name.lower()
    plain = name.partition("?")[0]
    if not wanted or (
        (name.endswith(wanted) or plain.endswith(wanted)) and not name.endswith(_SHARED)
    ):
        return True
    if ".html" in wanted and is_html_name(name):
        return True
    ending = plain[plain.rfind(".") :] if "." in plain else ""
    is_page = html_pages and ending in (".html", ".htm")
    may_be_html = ".html" in wanted and (not ending or "?" in name)
    if not is_page and ending not in _BY_CONTENT and not may_be_html:
        return False
    start = content_of(path, _sniffed_bytes(ending))
    if start is None:
        return False
    if is_page:
        return has_front_matter(start)
    if ending in _BY_CONTENT:
        return _ENDINGS.get(format_by_content(name, start), "\0") in wanted
    return looks_like_html(name, start)
