"""Finds credentials in the collections of clients that send requests: Postman, Insomnia, Bruno."""

from __future__ import annotations

import re

from kb_runtime.records.credentials import has_credentials

_NAMES = (".postman_collection.json",)
_MARKS = (
    *(b"schema.getpostman.com/", b'"__export_format"', b".insomnia.rest/", b'"brunoConfig"'),
    b"insomnia.desktop.app",
)
"""What they write into an export."""
_SENT = re.compile(
    r"""["']?(?:key|name)["']?\s{0,99}:\s{0,99}["']?
    (?i:authorization|cookie|(?:[\w-]{0,40}[_-])?(?:password|secret|token|api-?key)
    |accessToken|clientSecret|secretKey)["']?\s{0,99},?\s{0,99}
    ["']?value["']?[ \t]{0,99}:[ \t]{0,99}["']?(?!(?:(?:Basic|Bearer)[ ])?\{\{)[^\s"'{]""",
    re.VERBOSE,
)
"""What is sent under such a name, if it is no variable."""
_ESCAPED = re.compile(r'\\(["/])')


def sends_credentials(name: str, data: bytes) -> bool:
    """Whether a file is a collection of requests and a header, a form, an address or a body of one has a
    credential. A body is a string of JSON, with quotes that are escaped."""
    if not (name.lower().endswith(_NAMES) or any(mark in data for mark in _MARKS)):
        return False
    text = _ESCAPED.sub(r"\1", data.decode("utf-8", "replace"))
    return bool(_SENT.search(text)) or has_credentials(text)
