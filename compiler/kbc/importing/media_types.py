"""Tells what a saved file or response is from its name, media type and address."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote

from kbc.formats import FORMATS
from kbc.languages.addresses import SITEMAP, split_url
from kbc.sources.accounting import ending_reason

PAGES = (".html", ".htm", ".xhtml", ".md", ".markdown", ".mdx", ".txt", *FORMATS)
_NOT_PAGES = frozenset({"robots.txt", "llms.txt", "llms-full.txt", "humans.txt", "ads.txt"})
_ENDINGS = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/markdown": ".md",
    "text/x-markdown": ".md",
    "text/plain": ".txt",
    "application/pdf": ".pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/epub+zip": ".epub",
}
_SERVED_AS_TEXT = (".md", ".markdown", ".mdx", ".rst", ".adoc", ".asciidoc", ".org")


def not_a_page(name: str) -> str:
    """Why a file of this name (in lower case) is no page; "" if it may be one."""
    if name in _NOT_PAGES or SITEMAP.fullmatch(name):
        return "describes the site"
    return "" if name.endswith(PAGES) else ending_reason(name)


def name_of(url: str, media_type: str) -> str:
    """A file name with the ending of the format: that of the media type, or else the address's own."""
    name = posixpath.basename(unquote(split_url(url).path)) or "index"
    media_type = media_type.strip().lower()
    ending = _ENDINGS.get(media_type, "")
    own = posixpath.splitext(name)[1].lower()
    if not ending or (ending == ".txt" and own in _SERVED_AS_TEXT):
        return name if own or not media_type else f"{name}.{media_type.rpartition('/')[2]}"
    return name if own == ending else name + ending
