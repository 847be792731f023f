"""The list of a tree's source files, which is there before their first index.

The compiler writes it beside where CURRENT will be, and a server reads the files that it names.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import NamedTuple

from kb_runtime.errors import ArtifactError

FORMAT = 1


class ListedFile(NamedTuple):
    """A file by its path in the tree; `sha256` is that of its bytes."""

    path: str
    sha256: str
    language: str
    type: str


class FileListing(NamedTuple):
    """The source files of the folder `tree`, whose ids begin with `prefix` and a slash, if it has one."""

    tree: str
    prefix: str
    files: Sequence[ListedFile]


def listing_bytes(listing: FileListing) -> bytes:
    """The content of the file, as `read_listing` reads it."""
    return json.dumps({"format": FORMAT, **listing._asdict()}).encode()


def read_listing(path: str) -> tuple[FileListing, str]:
    """The listing at `path`, and a name for this state of it. Raises `ArtifactError`."""
    try:
        with open(path, "rb") as file:
            data = file.read()
        fields = json.loads(data)
        if fields["format"] != FORMAT:
            raise ValueError(f"format {fields['format']!r}")
        files = [ListedFile(*entry) for entry in fields["files"]]
        return FileListing(fields["tree"], fields["prefix"], files), hashlib.sha256(
            data
        ).hexdigest()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ArtifactError("unreadable", f"{path} cannot be read: {error}.") from error
