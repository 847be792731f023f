"""Normalises web addresses to the key under which compiler and runtime look pages up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

_WEB = re.compile(r"https?://", re.IGNORECASE)
_WEB_ADDRESS = re.compile(r"https?://[^\s/]+/\S*\w\S*", re.IGNORECASE)
_ENDING = re.compile(r"(?<=.)\.[a-z]\w*\Z")
_INDEXES = frozenset({"index", "_index", "readme"})
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


def page_segments(address: str) -> tuple[str, ...]:
    """The folders and the name of a page, without its ending, as its address and its file share them:
    `https://rope.dev/guide/knots.html#bowline`, `/guide/knots/`, `guide/knots.md` and
    `guide/knots/index.md` all end with `guide`, `knots`. Case does not count."""
    return _segments(page_key(address).partition("?")[0])


def _segments(path: str) -> tuple[str, ...]:
    parts = [part for part in path.casefold().split("/") if part]
    if parts:
        parts[-1] = _ENDING.sub("", parts[-1])
    return tuple(parts[:-1] if parts and parts[-1] in _INDEXES else parts)


def is_web_address(text: str) -> bool:
    """Whether a text is the address of a page, with a path, and nothing else."""
    return _WEB_ADDRESS.fullmatch(text) is not None


def shared_ending(path: str, wanted: Sequence[str]) -> int:
    """How many segments the path of a file has in common with those of a page, from the last one on."""
    if not wanted or f"/{wanted[-1]}" not in f"/{path.casefold()}":  # as for nearly all
        return 0
    pairs = zip(reversed(_segments(path)), reversed(wanted), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
