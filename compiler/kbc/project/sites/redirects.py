"""Where the former addresses of a site lead, and the names that addresses leave out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

INDEX = frozenset({"index", "readme"})
"""The names of the first pages of folders, in lower case and without their endings."""

_ENDINGS = ("md", "mdx", "markdown", "html", "rst", "txt", "adoc")


class Redirects(dict[str, str]):
    """The targets of former addresses, as a site's generator has them. Nobody changes it."""

    @cached_property
    def former(self) -> Mapping[str, Sequence[tuple[int, str]]]:
        """The former addresses, with their places in the order, by where they lead: a site may have as many
        of them as pages."""
        found: dict[str, list[tuple[int, str]]] = {}
        for place, (old, new) in enumerate(self.items()):
            found.setdefault(plain(new), []).append((place, old))
        return found


def plain(place: str) -> str:
    """A path of a page or an address in one form, so that redirects find their targets."""
    found = place.partition("#")[0].strip("/").lower()
    stem, dot, ending = found.rpartition(".")
    if dot and ending in _ENDINGS:
        found = stem
    folder, _, name = found.rpartition("/")
    return folder if name in INDEX else found
