"""What components of a site's own state in attributes and readers see: requests of an API
(`<Endpoint method="GET" path="/nests">`), and files and folders of a tree (`<Folder name="src">`)."""

from __future__ import annotations

import re

from kbc.languages.includes.components import attributes
from kbc.languages.includes.files import IncludingPage

TRIGGERS = ("method=", "<File", "<Folder")
"""One of these is in a text with such components."""

_VALUE = r"\"[^\"\n]{0,500}\"|'[^'\n]{0,500}'|\{[^{}\n]{0,300}\}"
_STATED = rf"(?P<stated>(?:\s+[\w:@.-]+(?:=(?:{_VALUE}))?){{1,20}}+)\s*/?>"
_COMPONENT = re.compile(rf"(?P<indent>^[ \t]*)<[A-Z][\w.]{{0,60}}{_STATED}", re.MULTILINE)
_NODE = re.compile(
    rf"(?P<indent>^[ \t]*)<(?:\w{{1,40}}\.)?(?P<kind>File|Folder){_STATED}(?:[ \t]*</(?:\w+\.)?File>)?",
    re.MULTILINE,
)
_METHODS = frozenset(["delete", "get", "head", "options", "patch", "post", "put"])
_ADDRESSES = ("path", "endpoint", "route", "url")


def replace(text: str, page: IncludingPage) -> str:
    """Prose with the request of a component below its tag, and with items of a list for files and folders."""
    if "<F" in text:
        text = _NODE.sub(_node, text)
    return _COMPONENT.sub(_with_request, text) if "method=" in text else text


def _node(tag: re.Match[str]) -> str:
    name = attributes(tag["stated"]).get("name", "")
    if not name:
        return tag[0]
    sign = "/" if tag["kind"] == "Folder" and name[-1] != "/" else ""
    return f"{tag['indent']}- {name}{sign}"


def _with_request(tag: re.Match[str]) -> str:
    stated = attributes(tag["stated"])
    method = stated.get("method", "")
    address = next((stated[name] for name in _ADDRESSES if stated.get(name)), "")
    if method.lower() not in _METHODS or not address or "`" in address:
        return tag[0]
    return f"{tag[0]}\n\n{tag['indent']}`{method.upper()} {address}`\n\n{tag['indent']}"
