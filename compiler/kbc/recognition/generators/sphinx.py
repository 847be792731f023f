"""Sphinx: conf.py, read as far as it consists of literals, the order of its tables of contents, and the
references that it writes from source."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from kbc.languages.python_literals import literals
from kbc.project.include_tree import IncludeTree, folders_above
from kbc.project.kinds import MARKDOWN
from kbc.project.model import Collection
from kbc.project.sites.settings import (
    AddressSettings,
    IncludeSettings,
    LinkSettings,
    SiteSettings,
    ValueSettings,
)
from kbc.recognition.configuration import (
    entries_in,
    first_existing,
    read_inventory,
    read_text,
    read_yaml,
)
from kbc.recognition.generators.python.breathe import breathe_of
from kbc.recognition.generators.python.projects import package_folders
from kbc.recognition.generators.python.references import places_of, references_of
from kbc.recognition.places import README
from kbc.recognition.site import NOT_PAGES, Site, joined, mapping, text, text_values, texts

GENERATOR = "sphinx"
_TEMPLATE = "conf.py.in"
CONFIGS = ("conf.py", "myst.yml", "_config.yml", _TEMPLATE)
MAX_PAGES = 20_000
"""Pages that the tables of contents are followed to."""

_MAPPING = re.compile(r"^intersphinx_mapping\b", re.MULTILINE)
_SETTINGS = {"extensions", "project", "master_doc", "root_doc", "html_theme"}
_SHIPPED = ("_build/", "_static/", "_templates/", "_themes/", "locale/", "locales/")
_PARSERS = (
    (".md", "markdown", frozenset({"myst_parser", "myst_nb", "recommonmark", "m2r", "m2r2"})),
    (".ipynb", "jupyter", frozenset({"nbsphinx", "myst_nb"})),
)
_BUILT = ("", "_build/html", "_build/dirhtml", "build/html", "../build/html", "../_build/html")
_INVENTORIES = tuple(posixpath.join(folder, "objects.inv") for folder in _BUILT)
"""Where a build leaves the list of its pages with their addresses."""

_RST = "restructuredtext"
_BOOK = {".md": "markdown", ".ipynb": "jupyter", ".rst": _RST}
_PARTS = ("chapters", "sections", "entries", "parts", "subtrees", "children")
"""What the entries of a table of contents in YAML have below them."""

_TOCTREE = re.compile(
    r"^(?P<indent>[ \t]*)\.\.[ \t]+toctree::[^\n]*\n(?P<rst>(?:(?P=indent)[ \t]+[^\n]*\n|[ \t]*\n)*)"
    r"|^(?P<fence>`{3,}|:{3,})\{toctree\}[^\n]*\n(?P<myst>.*?)^(?P=fence)",
    re.MULTILINE | re.DOTALL,
)
_ENTRY = re.compile(r"(?:(?P<title>.*?)\s*<(?P<target>[^<>]+)>|(?P<plain>\S+))\Z")


def recognise(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """The project whose conf.py is in `folder`; None when it is no Sphinx's."""
    if not config.endswith(("conf.py", _TEMPLATE)):
        return _book(tree, folder, config)
    source_code = read_text(tree, config)
    data = literals(source_code)
    if not _SETTINGS & data.keys():
        # A conf.py may get all of its settings from elsewhere: from a theme, or from one for many projects.
        starts = first_existing(tree, folder, ("index.rst", "index.md", "contents.rst"))
        if not starts or "sphinx" not in source_code.lower():
            return None
    extensions = set(texts(data.get("extensions")))
    suffixes = _suffixes(data, extensions)
    root = text(data, "root_doc", "master_doc") or "index"
    source = _source(tree, folder, root, suffixes)
    if not first_existing(tree, source, tuple(root + ending for ending in suffixes)):
        if tree.exists(joined(source, f"{root}.md")):
            # An extension brings the parser: there is always a first page.
            suffixes[".md"] = "markdown"
        elif config.endswith(_TEMPLATE):
            return None  # the build has the pages elsewhere
    exclude = [*texts(data.get("exclude_patterns")), *texts(data.get("templates_path"))]
    exclude += texts(data.get("html_static_path"))
    toc = joined(folder, text(data, "external_toc_path") or "_toc.yml")
    if "sphinx_external_toc" in extensions and tree.exists(toc):
        order = list(dict.fromkeys(_listed(tree, source, read_yaml(tree, toc), suffixes)))
    else:
        toc, order = "", _Contents(tree, source, suffixes).follow(root)
    inventory = first_existing(tree, folder, _INVENTORIES)
    built = read_inventory(tree, inventory)
    breathe = breathe_of(tree, folder, data, extensions)
    written = places_of(tree, folder, data, extensions)
    return Site(
        folder=source,
        title=text(data, "html_title", "project"),
        version=_version(data) or (built.version if built else ""),
        base_url=text(data, "html_baseurl"),
        order=tuple(order),
        include=tuple(f"*{ending}" for ending in suffixes),
        exclude=(
            *_SHIPPED,
            *(_pattern(each) for each in exclude if not each.startswith("..")),
            *(f"/{place}/" for place in written),
        ),
        redirects=text_values(data.get("redirects")) | text_values(data.get("rediraffe_redirects")),
        settings=SiteSettings(
            formats=suffixes,
            has_plain_notebooks=bool(extensions) and "myst_nb" not in extensions,
            addresses=AddressSettings(
                known=built.documents if built else {},
                as_folders=_writes_folders(read_text(tree, joined(folder, "Makefile")))
                and ".readthedocs" not in text(data, "html_baseurl"),
            ),
            links=LinkSettings(
                # Also where a call makes the mapping.
                has_other_projects=bool(
                    data.get("intersphinx_mapping", _MAPPING.search(source_code))
                ),
                targets=tuple(sorted({each.name for each in built.entries})) if built else (),
            ),
            values=_substitutions(
                data.get("myst_substitutions"), data.get("myst_enable_extensions")
            ),
            includes=IncludeSettings(
                python_paths=tuple(package_folders(tree, folders_above(folder))),
                doxygen_project=breathe.default if breathe else "",
                doxygen_headers=breathe.headers if breathe else {},
                doxygen_distributed=breathe.distributed if breathe else (),
            ),
        ),
        files=(inventory, toc, *(breathe.configs if breathe else ())),
    )


def _writes_folders(makefile: str) -> bool:
    """Whether a Makefile builds pages as folders (`a/` for `a.rst`), and not also as files: those that
    `sphinx-quickstart` wrote before 2016 know every builder."""
    return "dirhtml" in makefile and not re.search(r"[ \t]-[bM][ \t]*html\b", makefile)


def _version(data: Mapping[str, Any]) -> str:
    """What conf.py states; "" where that is no version, as `unknown` for when the package is not there."""
    stated = (text(data, name) for name in ("release", "version"))
    return next((each for each in stated if re.search(r"\d", each)), "")


def references(tree: IncludeTree, site: Site) -> list[Site]:
    """The references of packages that extensions of a project of Sphinx write from source."""
    if posixpath.basename(site.config) != "conf.py":
        return []
    data = literals(read_text(tree, site.config))
    return references_of(tree, posixpath.dirname(site.config), data, site)


def with_references(tree: IncludeTree, collections: Sequence[Collection]) -> list[Collection]:
    """The collections; behind each of a project of Sphinx are the references of packages that it writes."""
    return [each for one in collections for each in (one, *_written(tree, one))]


def _written(tree: IncludeTree, collection: Collection) -> Iterator[Collection]:
    if collection.generator != GENERATOR:
        return
    site = Site(
        generator=collection.generator,
        config=collection.config,
        folder=collection.site.folder,
        base_url=collection.site.base_url,
        settings=collection.site,
    )
    for each in references(tree, site):
        place = each.settings.place
        yield Collection(
            name=each.name,
            kind=each.kind,
            paths=(each.folder or ".",),
            group=each.name,
            include=each.include,
            exclude=each.exclude,
            strip=each.folder.removesuffix(place).rstrip("/"),
            generator=each.generator,
            config=each.config,
            site=each.all_settings,
        )


def _source(tree: IncludeTree, folder: str, root: str, suffixes: Mapping[str, str]) -> str:
    """The folder of the pages: that of conf.py or, where it has none, the only one with pages below it, else
    beside it, of several languages the English one, or the one around it. `sphinx-build -c` is told where
    conf.py is."""

    def has_pages(place: str) -> bool:
        names = tree.names(place)
        return any(each.endswith(tuple(suffixes)) and not README.match(each) for each in names)

    def starts(place: str) -> bool:
        return any(tree.exists(joined(place, f"{root}{ending}")) for ending in suffixes)

    if has_pages(folder):
        return folder
    below = [place for name in tree.names(folder) if has_pages(place := joined(folder, name))]
    if below or not folder:
        return below[0] if len(below) == 1 and starts(below[0]) else folder
    around = posixpath.dirname(folder)
    beside = [place for name in tree.names(around) if starts(place := joined(around, name))]
    english = joined(around, "en")
    beside = [english] if english in beside else beside
    beside = [around] if not beside and around and starts(around) else beside
    return beside[0] if len(beside) == 1 else folder


def _book(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """A Jupyter Book (_config.yml with _toc.yml) or a project of MyST (myst.yml), which have Sphinx's
    directives and roles."""
    contents = first_existing(tree, folder, ("_toc.yml",))
    is_myst = config.endswith("myst.yml")
    if not (is_myst or contents):
        return None
    data = read_yaml(tree, config)
    project = mapping(data.get("project")) if is_myst else data
    toc: Any = read_yaml(tree, contents) if contents else project.get("toc")
    order = tuple(dict.fromkeys(_listed(tree, folder, toc, _BOOK)))
    exclude = texts(project.get("exclude") or project.get("exclude_patterns"))
    return Site(
        folder=folder,
        title=text(project, "title"),
        description=text(project, "description"),
        base_url=text(mapping(data.get("html")), "baseurl"),
        order=order,
        include=tuple(f"*{ending}" for ending in _BOOK),
        exclude=(*_SHIPPED, *NOT_PAGES, *(_pattern(each) for each in exclude)),
        settings=SiteSettings(
            formats=_BOOK,
            links=LinkSettings(
                has_other_projects=bool(project.get("references")) or "intersphinx" in str(data)
            ),
            values=_book_values(project),
        ),
        files=(contents,),
    )


def _substitutions(values: Any, extensions: Any) -> ValueSettings:
    """What `{{ name }}` stands for in pages of MyST, where its configuration has such."""
    if not values and "substitution" not in texts(extensions):
        return ValueSettings()
    return ValueSettings(has_substitutions=True, of_pages=dict(mapping(values)))


def _book_values(project: Mapping[str, Any]) -> ValueSettings:
    """The substitutions of a Jupyter Book or a project of MyST."""
    parse = mapping(project.get("parse"))
    sphinx = mapping(mapping(project.get("sphinx")).get("config"))
    extensions = [
        *texts(parse.get("myst_enable_extensions")),
        *texts(sphinx.get("myst_enable_extensions")),
    ]
    stated = (parse, sphinx, project)
    values = [
        mapping(each.get(name))
        for each in stated
        for name in ("myst_substitutions", "substitutions")
    ]
    return _substitutions(next((each for each in values if each), {}), extensions)


def _listed(tree: IncludeTree, folder: str, toc: Any, endings: Mapping[str, str]) -> Iterator[str]:
    """The pages of a table of contents in YAML, in order; their `endings` may be left out."""
    for entry in entries_in(toc, *_PARTS):
        stated = text(entry, "file", "root")
        names = (stated, *(f"{stated}{ending}" for ending in endings))
        yield from (joined(name) for name in names if stated and tree.exists(joined(folder, name)))
        if glob := text(entry, "glob"):
            yield from _matching(tree, folder, glob, endings)


def _matching(tree: IncludeTree, folder: str, glob: str, endings: Mapping[str, str]) -> list[str]:
    """The pages that a pattern for the last part of a path means, whose endings may be left out."""
    place = posixpath.dirname(glob)
    found = [joined(place, name) for name in tree.names(joined(folder, place))]
    stems = [(path, posixpath.splitext(path)) for path in found]
    return [
        path
        for path, (stem, ending) in stems
        if ending in endings and (fnmatchcase(stem, glob) or fnmatchcase(path, glob))
    ]


def _pattern(glob: str) -> str:
    """A pattern of Sphinx, which starts at the folder of conf.py, as one of an ignore file."""
    return glob if glob.startswith("**") else f"/{glob.lstrip('/')}"


def _suffixes(data: Mapping[str, Any], extensions: set[str]) -> dict[str, str]:
    """Ending -> language of the pages: `restructuredtext`, `markdown` or `jupyter`. Extensions add their
    own formats to those that are stated, and read endings that are stated without another format."""
    value = data.get("source_suffix")
    if isinstance(value, Mapping):
        found = {str(ending): str(language) for ending, language in value.items() if ending}
    else:
        stated = texts(value) or [".rst"]
        found = {each: "markdown" if each == ".md" else _RST for each in stated}
    for suffix, language, parsers in _PARSERS:
        if not parsers.isdisjoint(extensions) and found.get(suffix, _RST) == _RST:
            found[suffix] = language
    for ending in map(str, mapping(data.get("nbsphinx_custom_formats"))):  # notebooks as text
        if ending.lower() in MARKDOWN:
            found.setdefault(ending, "markdown")
    return found


@dataclass(frozen=True, slots=True)
class _Contents:
    """Follows tables of contents, depth first, as a reader turns the pages."""

    _tree: IncludeTree
    _folder: str
    _suffixes: Mapping[str, str]

    def follow(self, root: str) -> list[str]:
        """The pages in order, `root` first."""
        order: dict[str, None] = {}
        waiting = [root]
        while waiting and len(order) < MAX_PAGES:
            path = self._path(waiting.pop())
            if not path or path in order:
                continue
            order[path] = None
            source = read_text(self._tree, joined(self._folder, path))
            found = [joined(each) for each in self._entries(source, posixpath.dirname(path))]
            waiting += reversed(found)
        return list(order)

    def _path(self, name: str) -> str:
        for ending in self._suffixes:
            for candidate in (f"{name}{ending}", name):
                if candidate.endswith(ending) and self._tree.exists(
                    joined(self._folder, candidate)
                ):
                    return candidate
        return ""

    def _entries(self, source: str, folder: str) -> Iterator[str]:
        for match in _TOCTREE.finditer(f"{source}\n"):
            lines = [line.strip() for line in (match["rst"] or match["myst"] or "").split("\n")]
            is_glob = ":glob:" in lines
            for line in lines:
                entry = None if line.startswith((":", "#", "---")) else _ENTRY.fullmatch(line)
                if entry is None:
                    continue
                target = entry["target"] or entry["plain"]
                if "://" in target or target == "self":
                    continue
                place = target.lstrip("/") if target.startswith("/") else joined(folder, target)
                if is_glob and "*" in place:
                    yield from _matching(self._tree, self._folder, place, self._suffixes)
                else:
                    yield place
