"""What a repository is called where it is published, by the remotes of its checkout."""

from __future__ import annotations

import posixpath
import re

from kbc.project.include_tree import IncludeTree

_GITHUB = re.compile(
    r"(?:https?://(?:[^@/\s]*@)?github\.com/|(?:ssh://)?git@github\.com[:/])(?P<name>[\w.-]+/[\w.-]+)"
)
_URL = re.compile(rb"^[ \t]*url[ \t]*=[ \t]*(\S+)[ \t]*$", re.MULTILINE)


def repository_of(address: str) -> str:
    """`owner/name`, in lower case, of an address at GitHub; "" for others."""
    match = _GITHUB.match(address)
    return match["name"].removesuffix(".git").lower() if match else ""


def remotes(tree: IncludeTree) -> list[str]:
    """The names on GitHub of the remotes of the checkout that `tree` is in; none without one."""
    data = tree.peek(posixpath.join(tree.top, ".git/config")) or b""
    found = (repository_of(url.decode("utf-8", "replace")) for url in _URL.findall(data))
    return [name for name in found if name]
