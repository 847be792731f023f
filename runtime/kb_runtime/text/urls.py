"""Normalises web addresses to the key under which compiler and runtime look pages up."""

from __future__ import annotations

import re

_WEB = re.compile(r"https?://", re.IGNORECASE)
_DEFAULT_PORT = re.compile(r":(?:80|443)\Z")


def split_fragment(url: str) -> tuple[str, str]:
    """The address and what follows its `#`, percent-decoded."""
    from urllib.parse import unquote

    page, _, fragment = url.partition("#")
    return page, unquote(fragment)


def page_key(url: str) -> str:
    """What the addresses of one page share: neither scheme http or https, case of the host, default
    port, percent-encoding, trailing slashes nor fragment count."""
    from urllib.parse import unquote

    page, _ = split_fragment(url.strip())
    path, question_mark, query = page.partition("?")
    host = ""
    if web := _WEB.match(path):
        host, slash, rest = path[web.end() :].partition("/")
        host, path = _DEFAULT_PORT.sub("", host.lower()), slash + rest
    return host + unquote(path).rstrip("/") + question_mark + unquote(query)
