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


def module_page(path: str, options: Mapping[str, Any]) -> str:
    """Where the page of the Python module at `path` is: `autoapi/pkg/mod/index.html` of sphinx-autoapi,
    `apidocs/pkg/pkg.mod.html` of autodoc2, which has pages `by_package`; `api_root` is the first folder."""
    stem = posixpath.splitext(path)[0].removesuffix("/__init__")
    place = stem
    if options.get("by_package"):
        place = posixpath.join(stem.split("/")[0], stem.replace("/", "."))
    place = posixpath.join(str(options.get("api_root", "")), place)
    if options.get("directory_urls"):
        return f"{place}/"
    return f"{place}.html" if options.get("by_package") else f"{place}/index.html"
