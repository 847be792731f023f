"""The rule of each site generator for the path of a page below the site's base URL.

Each generator has its own rules for file names, front matter and configuration; docs/site-generators.md
lists them. `permalinks` makes the URL.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from typing import Any

from kbc.project.sites.redirects import INDEX
from kbc.project.sites.settings import SiteSettings
from kbc.project.well_formed import scalar_at

_PAGE_ENDINGS = (".md", ".mdx", ".markdown", ".html", ".htm")
_DATED = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})-(.+)")
_NUMBERED = re.compile(r"\d+\s*[-_.]+\s*(?=[^-_.\s])")
_NOT_NUMBERED = re.compile(r"\d{2,4}[-_.]\d{2}|\d+[-_.]\d+")
"""Docusaurus takes `01-` off a name, but neither a date nor a version."""
_UNSLUGGED = re.compile(r"[^\w -]")

Route = Callable[[str, Mapping[str, Any], SiteSettings], str | None]
"""Path below the content's folder, front matter, settings of the site -> path of the address, None for a
page that is not on the site."""


def _stem(path: str) -> str:
    return posixpath.splitext(path)[0]


def site_path(path: str) -> str:
    """Where a site shows a file: without its ending, and without the name of an index."""
    if path.lower().endswith(_PAGE_ENDINGS):
        path = path.rpartition(".")[0]
    folder, _, name = path.rpartition("/")
    return folder if name.lower() in INDEX else path


def texts(value: Any) -> list[str]:
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, str) and item.strip()]


def _folder_or(path: str, suffix: str, index: frozenset[str] = INDEX, name: str = "") -> str:
    """`folder/` for an index, else `folder/name` with `suffix`; without a `name`, that of the file."""
    folder, own = posixpath.split(_stem(path))
    name = name or own
    if name.lower() in index:
        return f"{folder}/" if folder else ""
    return f"{folder}/{name}{suffix}" if folder else f"{name}{suffix}"


def _mkdocs(path: str, data: Mapping[str, Any], site: SiteSettings) -> str:
    if site.language and site.has_language_folder:
        path = path.removeprefix(f"{site.language}/")
    elif site.language:
        path = re.sub(rf"\.{re.escape(site.language)}(?=\.\w+$)", "", path)
    if site.addresses.as_folders is False:
        return _mdbook(path, data, site)
    return _folder_or(path, "/")


def _docusaurus(path: str, data: Mapping[str, Any], site: SiteSettings) -> str:
    base = site.addresses.route_base.strip("/")
    parts = [without_number(part) for part in _stem(path).split("/")]
    if site.addresses.is_blog:
        return _docusaurus_post(path, data, base)
    slug = scalar_at(data, "slug")
    if slug.startswith("/"):
        return posixpath.join(base, slug.strip("/"))
    *folders, name = parts
    name = scalar_at(data, "id") or name
    is_index = name.lower() in INDEX or (folders and name.lower() == folders[-1].lower())
    last = [slug] if slug else ([] if is_index else [name])
    return "/".join([part for part in (base, *folders, *last) if part])


def _docusaurus_post(path: str, data: Mapping[str, Any], base: str) -> str:
    slug = scalar_at(data, "slug")
    if slug:
        return posixpath.join(base, slug.strip("/"))
    stem = _stem(path)
    if posixpath.basename(stem).lower() in INDEX and "/" in stem:
        stem = posixpath.dirname(stem)
    dated = _DATED.fullmatch(posixpath.basename(stem))
    if dated is None:
        return posixpath.join(base, stem)
    return "/".join((base, dated[1], f"{int(dated[2]):02}", f"{int(dated[3]):02}", dated[4]))


def without_number(name: str) -> str:
    """A name without the number that Docusaurus sorts it by: `01-intro` -> `intro`."""
    if _NOT_NUMBERED.match(name):
        return name
    return _NUMBERED.sub("", name, count=1) if _NUMBERED.match(name) else name


def _vitepress(path: str, data: Mapping[str, Any], site: SiteSettings) -> str:
    path = _rewritten(path, site.addresses.rewrites)
    return _folder_or(path, "" if site.addresses.without_ending else ".html", frozenset({"index"}))


def _without_ending(path: str, data: Mapping[str, Any], site: SiteSettings) -> str:
    if path in site.addresses.known:
        return site.addresses.known[path]
    return _folder_or(path, "", frozenset({"index"}))


def _starlight(path: str, data: Mapping[str, Any], site: SiteSettings) -> str:
    slug = starlight_slug(path, data)
    if site.addresses.as_html:
        return f"{slug or 'index'}.html"
    return slug if site.addresses.without_slash or not slug else f"{slug}/"


def starlight_slug(path: str, data: Mapping[str, Any]) -> str:
    """What Starlight calls the page at `path` below its folder of pages, which has the front matter `data`;
    "" for the first page of the site."""
    slug = scalar_at(data, "slug").strip("/")
    if not slug:
        parts = _stem(path).lower().split("/")
        # As github-slugger, each part of the path.
        slug = "/".join(_UNSLUGGED.sub("", part).replace(" ", "-") for part in parts)
        slug = slug.removesuffix("/index")
    return "" if slug == "index" else slug


def _vuepress(path: str, data: Mapping[str, Any], site: SiteSettings) -> str:
    if stated := scalar_at(data, "permalink"):
        return stated
    return _folder_or(path, ".html")


def _eleventy(path: str, data: Mapping[str, Any], site: SiteSettings) -> str:
    stated = scalar_at(data, "permalink")
    if stated and "{" not in stated:
        return stated.removesuffix("index.html")
    stem = _stem(path)
    folder, name = posixpath.split(stem)
    if name == posixpath.basename(folder):  # `guide/guide.md` is that folder's page
        return f"{folder}/"
    dated = _DATED.fullmatch(name)
    return _folder_or(path, "/", frozenset({"index"}), dated[4] if dated else name)


def _rewritten(path: str, rules: Mapping[str, str]) -> str:
    """`path` after the first rewrite rule of VitePress that matches; `:name` and `:name*` are parts."""
    for source, target in rules.items():
        names: list[str] = []

        def part(match: re.Match[str], names: list[str] = names) -> str:
            names.append(match[1])
            return r"(.+)" if match[2] else r"([^/]+)"

        pattern = re.sub(r":(\w+)(?:\\\(.*?\\\))?(\\\*|\\\+)?", part, re.escape(source))
        found = re.fullmatch(pattern, path)
        if found:
            for name, value in zip(names, found.groups(), strict=True):
                target = re.sub(rf":{name}\b[*+]?", value.replace("\\", "\\\\"), target)
            return target
    return path


def _html_file(path: str, data: Mapping[str, Any], site: SiteSettings) -> str:
    return f"{_stem(path)}.html"


def _pkgdown(path: str, data: Mapping[str, Any], site: SiteSettings) -> str:
    folder, _, page = _stem(path).partition("/")
    if folder == "man":
        return f"reference/{page}.html"
    return f"articles/{page.removeprefix('articles/')}.html"


def _writerside(path: str, data: Mapping[str, Any], site: SiteSettings) -> str:
    """All topics in one folder, in lower case."""
    name = posixpath.basename(_stem(path)).lower()
    return f"{re.sub(r'[_ ]+', '-', name)}.html"


def _gitbook(path: str, data: Mapping[str, Any], site: SiteSettings) -> str:
    if path == site.addresses.home:
        return ""
    if site.addresses.as_html:
        return _folder_or(path, ".html", frozenset({"readme"}))
    return _folder_or(path, "", frozenset({"readme"})).rstrip("/")


def _docfx(path: str, data: Mapping[str, Any], site: SiteSettings) -> str:
    place = _stem(path)
    for source, target in site.addresses.moved:
        if not source or place.startswith(f"{source}/"):
            place = posixpath.join(target, place.removeprefix(f"{source}/" if source else ""))
            break
    return f"{place}.html"


def _mdbook(path: str, data: Mapping[str, Any], site: SiteSettings) -> str:
    stem = _stem(path)
    if posixpath.basename(stem).lower() == "readme":
        stem = posixpath.join(posixpath.dirname(stem), "index")
    return f"{stem}.html"


def _sphinx(path: str, data: Mapping[str, Any], site: SiteSettings) -> str:
    stem = _stem(path)
    if stem in site.addresses.known:
        return site.addresses.known[stem]
    if not site.addresses.as_folders:
        return f"{stem}.html"
    return _folder_or(path, "/", frozenset({"index"}))


def _module_page(path: str, data: Mapping[str, Any], site: SiteSettings) -> str:
    """Where the page of the Python module at `path` is: `autoapi/pkg/mod/index.html` of sphinx-autoapi,
    `apidocs/pkg/pkg.mod.html` of autodoc2, which has pages by package."""
    stem = _stem(path).removesuffix("/__init__")
    place = stem
    if site.addresses.by_package:
        place = posixpath.join(stem.split("/")[0], stem.replace("/", "."))
    place = posixpath.join(site.addresses.reference_root, place)
    if site.addresses.as_folders:
        return f"{place}/"
    return f"{place}.html" if site.addresses.by_package else f"{place}/index.html"


def _gallery(path: str, data: Mapping[str, Any], site: SiteSettings) -> str:
    folder, name = posixpath.split(path)
    name = name if name.endswith(".py") else "index.rst"
    return _sphinx(posixpath.join(site.addresses.gallery, folder, name), data, site)


def _hugo(path: str, data: Mapping[str, Any], site: SiteSettings) -> str:
    stated = scalar_at(data, "url")
    if stated:
        return stated
    stem = _stem(path)
    if site.language:
        stem = stem.removesuffix(f".{site.language}")
    if posixpath.basename(stem) == "index":  # a page with a folder of its own
        stem = posixpath.dirname(stem)
    folder, name = posixpath.split(stem)
    if name in ("_index", ""):
        place = folder
    else:
        place = posixpath.join(folder, scalar_at(data, "slug") or name)
        rule = site.addresses.permalinks.get(stem.split("/")[0]) if "/" in stem else None
        if rule is not None:
            return _filled(rule, stem, data, _urlized(scalar_at(data, "title")))
    place = _urlized(place)
    if site.addresses.as_html and name not in ("_index", ""):
        return f"{place}.html"
    return f"{place}/" if place else ""


def _urlized(place: str) -> str:
    kept = re.sub(r"\s+", " ", re.sub(r"[^\w/.~+\s-]+", "", place.lower()))
    return re.sub(r"(?<=-) | (?=-)", "", kept).replace(" ", "-").strip("/")


def _zola(path: str, data: Mapping[str, Any], site: SiteSettings) -> str:
    stem = _stem(path)
    folder, name = posixpath.split(stem)
    place = scalar_at(data, "path").strip("/")
    if not place:
        is_folder = name in ("_index", "index")
        dated = _DATED.fullmatch(name)
        slug = scalar_at(data, "slug") or (dated[4] if dated else name)
        place = _urlized(folder if is_folder else posixpath.join(folder, slug))
    return f"{place}/" if place else ""


def _jekyll(path: str, data: Mapping[str, Any], site: SiteSettings) -> str:
    stem = _stem(path)
    first, _, rest = stem.partition("/")
    stated = scalar_at(data, "permalink")
    if first == "_posts" or "/_posts/" in f"/{stem}":
        rule = site.addresses.permalinks.get("posts") or site.addresses.permalink or "date"
        return _filled(stated or _JEKYLL_STYLES.get(rule, rule), stem, data)
    if first.startswith("_") and rest:  # a collection
        name = first[1:]
        rule = stated or site.addresses.permalinks.get(name) or f"/{name}/:path.html"
        return _filled(rule.replace(":collection", name), rest, data)
    if stated:
        return _filled(stated, stem, data)
    style = site.addresses.permalink
    is_pretty = style == "pretty" or style.endswith("/")
    return _folder_or(path, "/" if is_pretty else ".html")


def _hexo(path: str, data: Mapping[str, Any], site: SiteSettings) -> str:
    stem = _stem(path)
    stated = scalar_at(data, "permalink")
    if stem.startswith("_posts/"):
        rule = stated or site.addresses.permalink or ":year/:month/:day/:title/"
        category = (texts(data.get("categories")) or [scalar_at(data, "categories")])[0]
        return _filled(rule.replace(":category", category or "uncategorized"), stem, data)
    if stated:
        return stated.lstrip("/")
    return _folder_or(path, "" if site.addresses.without_ending else ".html")


_JEKYLL_STYLES = {
    "date": "/:categories/:year/:month/:day/:title.html",
    "pretty": "/:categories/:year/:month/:day/:title/",
    "ordinal": "/:categories/:year/:y_day/:title.html",
    "none": "/:categories/:title.html",
}


def _filled(rule: str, stem: str, data: Mapping[str, Any], title: str = "") -> str:
    """A permalink with placeholders, as Jekyll and Hugo write them; in Hugo, with the page's `title`."""
    name = posixpath.basename(stem)
    dated = _DATED.fullmatch(name)
    stated = re.match(r"(\d{4})-(\d\d)-(\d\d)", scalar_at(data, "date"))
    date = dated or stated
    year, month, day = date.groups()[:3] if date else ("", "", "")
    stated_slug = scalar_at(data, "slug")
    slug = stated_slug or (dated[4] if dated else name)
    categories = texts(data.get("categories")) or scalar_at(data, "categories").split()
    values = {
        "path": stem,
        "title": title or slug,
        "slug": stated_slug or title or slug,
        "slugorfilename": slug,
        "slugorcontentbasename": slug,
        "contentbasename": name,
        "name": name,
        "basename": name,
        "filename": name,
        "sections": posixpath.dirname(stem),
        "section": stem.split("/")[0],
        "categories": "/".join(categories),
        "year": year,
        "month": month,
        "day": day,
        "output_ext": ".html",
    }
    filled = re.sub(r":([a-z]+(?:_ext)?)", lambda match: values.get(match[1], match[0]), rule)
    return re.sub(r"/{2,}", "/", filled).lstrip("/")


def _built(path: str, data: Mapping[str, Any], site: SiteSettings) -> str:
    """A page of a built site or mirror: where its file is, and the folder of an index."""
    place = re.sub(r"(^|/)index\.html?$", r"\1", path)
    return place.removesuffix("?") or ""


def _listed(path: str, data: Mapping[str, Any], site: SiteSettings) -> str | None:
    """Where the configuration says; pages that it does not know are nowhere."""
    return site.addresses.known.get(path)


def _antora(path: str, data: Mapping[str, Any], site: SiteSettings) -> str:
    match = re.fullmatch(r"(?:(.*)/)?modules/([^/]+)/pages/(.+)", path)
    if match is None:
        return _html_file(path, data, site)
    _, module, page = match.groups()
    addresses, stem = site.addresses, _stem(page)
    parts = (
        addresses.component,
        addresses.version.strip("~"),
        module if module != "ROOT" else "",
        stem,
    )
    place = "/".join(part for part in parts if part and part != "master")
    style = addresses.html_extension
    if style in ("indexify", "drop") and stem.rpartition("/")[2] == "index":
        return place.removesuffix("index")
    return place + {"indexify": "/", "drop": ""}.get(style, ".html")


ROUTES: Mapping[str, Route] = {
    "antora": _antora,
    "bookdown": _listed,
    "doc-builder": lambda path, *_: _stem(path),
    "docfx": _docfx,
    "docs-builder": _without_ending,
    "documenter": _sphinx,
    "docusaurus": _docusaurus,
    "eleventy": _eleventy,
    "ex-doc": _listed,
    "fern": _listed,
    "fumadocs": _without_ending,
    "gitbook": _gitbook,
    "hexo": _hexo,
    "hugo": _hugo,
    "jekyll": _jekyll,
    "mdbook": _mdbook,
    "mintlify": _without_ending,
    "mkdocs": _mkdocs,
    "nextra": _without_ending,
    "pkgdown": _pkgdown,
    "quarto": _html_file,
    "quartz": _without_ending,
    "rspress": _vitepress,
    "sandpaper": lambda path, *_: f"{posixpath.basename(_stem(path))}.html",
    "site": _built,
    "sphinx": _sphinx,
    "sphinx-autoapi": _module_page,
    "sphinx-autodoc2": _module_page,
    "sphinx-gallery": _gallery,
    "starlight": _starlight,
    "vitepress": _vitepress,
    "vuepress": _vuepress,
    "writerside": _writerside,
    "zola": _zola,
}
