"""What generators call pages in addresses, where their navigation names pages so as well."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Any

_UNSLUGGED = re.compile(r"[^\w -]")


def starlight_slug(path: str, data: Mapping[str, Any]) -> str:
    """What Starlight calls the page at `path` below its folder of pages, which has the front matter `data`;
    "" for the first page of the site."""
    stated = data.get("slug")
    slug = str(stated).strip("/") if isinstance(stated, (str, int)) else ""
    if not slug:
        parts = posixpath.splitext(path)[0].lower().split("/")
        # As github-slugger, each part of the path.
        slug = "/".join(_UNSLUGGED.sub("", part).replace(" ", "-") for part in parts)
        slug = slug.removesuffix("/index")
    return "" if slug == "index" else slug
