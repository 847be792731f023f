"""Masks credentials in what a request sends, which a search would find."""

from __future__ import annotations

import re

_MASK = "***"
_USER = re.compile(r"(?<=://)[^\s/?#@{}]{1,200}:[^\s/?#@{}]{1,500}(?=@)")
_GIVEN = re.compile(
    r"""(?<![\w-])(?P<name>[\w-]{0,40}?(?:passw(?:or)?d|passphrase|secret|token|api[-_]?key|access[-_]?key
    |private[-_]?key|authorization|credentials?)["']?[ \t]*[:=][ \t]*)
    (?:(?P<mark>["'])(?!\{\{)(?:[^"'\\\n]|\\.){1,5000}+(?P=mark)
    |(?!\{\{)(?:(?:Basic|Bearer)[ ](?!\{\{))?[^\s&"',;{}\[\]]+)""",
    re.IGNORECASE | re.VERBOSE,
)
"""A field of JSON, of a form or of a query whose name says so; not with a variable as its value."""


def without_credentials(text: str) -> str:
    """`text` with `***` in the place of passwords, keys and tokens, known by the names that they stand
    behind, and of the user in an address."""
    return _GIVEN.sub(_masked, _USER.sub(_MASK, text))


def _masked(given: re.Match[str]) -> str:
    mark = given["mark"] or ""
    return f"{given['name']}{mark}{_MASK}{mark}"
