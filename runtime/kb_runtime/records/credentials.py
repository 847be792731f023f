"""Masks credentials in what a request sends, which a search would find."""

from __future__ import annotations

import re

_MASK = "***"
_NAME = r"""[\w-]{0,40}?(?:passw(?:or)?d|passphrase|secret|token|api[-_]?key|access[-_]?key|private[-_]?key
    |authorization|credentials?)"""
_USER = re.compile(
    r"(?<=://)(?:[^\s/?#@{}\"'<>]{1,200}:[^\s/?#@{}\"'<>]{1,500}|[\w-]{16,500})(?=@)"
)
"""With a password, or as long as a token that stands for both."""
_QUERY = re.compile(
    rf"""(?P<name>[?&](?:{_NAME}|pwd
    |(?:auth|jwt|key|(?:[\w-]{{0,40}}-)?sig(?:nature)?)(?==[^\s&"'<>\#\\{{]{{16}}))=)
    (?!\{{\{{)[^\s&"'<>\#\\]+""",
    re.IGNORECASE | re.VERBOSE,
)
"""A parameter of an address. Some names say so only there, of a long value."""
_ELEMENT = re.compile(
    rf"""(?P<name><(?:[\w.-]{{1,40}}:)?{_NAME}(?:\s[^<>]{{0,500}})?>\s{{0,99}})
    (?!\s|\{{\{{)[^<>]{{1,5000}}(?=</)""",
    re.IGNORECASE | re.VERBOSE,
)
"""An element of XML."""
_QUOTED = r"""(?P<mark>["'])(?!\{\{)(?:[^"'\\\n]|\\.){1,5000}+(?P=mark)"""
_GIVEN = re.compile(
    rf"""(?<![\w-])(?P<name>{_NAME}["']?[ \t]*[:=][ \t]*)
    (?:{_QUOTED}|(?!\{{\{{)(?:(?:Basic|Bearer)[ ](?!\{{\{{))?[^\s&"',;{{}}\[\]<>]+)""",
    re.IGNORECASE | re.VERBOSE,
)
"""A field of JSON or of a form whose name says so; not with a variable as its value."""
_FIELD = re.compile(
    rf"""["']{_NAME}["'][ \t]*:[ \t]*{_QUOTED}""",
    re.IGNORECASE | re.VERBOSE,
)


def without_credentials(text: str) -> str:
    """`text` with `***` in the place of passwords, keys and tokens, known by the names that they stand
    behind, and of the user in an address."""
    text = _QUERY.sub(_masked, _USER.sub(_MASK, text))
    return _GIVEN.sub(_masked, _ELEMENT.sub(_masked, text))


def has_credentials(text: str) -> bool:
    """Whether an address, a field of JSON or an element of XML in `text` has one that is no variable.
    Programs in it may handle others."""
    return any(each.search(text) for each in (_USER, _QUERY, _FIELD, _ELEMENT))


def _masked(given: re.Match[str]) -> str:
    mark = given.groupdict().get("mark") or ""
    return f"{given['name']}{mark}{_MASK}{mark}"
