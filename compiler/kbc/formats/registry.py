"""The table of formats."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from kb_runtime.version import install_hint
from kbc.cache.toolchain import PYTHON
from kbc.project.kinds import LEKTOR

INSTALL_HINT = f"Install what reads it: {install_hint('formats')}."


def reads_python() -> bool:
    """Whether the library that reads the references of Python objects from source is installed."""
    try:
        importlib.import_module("kbc.formats.python.objects")
    except ModuleNotFoundError:  # griffe comes with kb-compiler[formats]
        return False
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """`module` has `convert(path, data, read)`, which gives a document or a list of them. `needs` are the
    modules of libraries that come with the extra `formats`, not with the compiler. `suffixes` are the endings
    of file names, in lower case.
    `libraries` are the distributions of the extra that convert such files, or parts of them. `around` are
    patterns of files that say something about every document below their folder. `takes` names what
    `convert` takes of a `ConversionRequest` besides. Documents that are `is_text` are read as they are where
    the library is not installed."""

    name: str
    module: str
    summary: str
    suffixes: tuple[str, ...]
    needs: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    around: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    is_text: bool = False


def _format(
    name: str, summary: str, *suffixes: str, module: str = "", library: str = "", **traits: Any
) -> Format:
    """A format whose module is called as it, and whose `library` is imported under its own name."""
    found: dict[str, Any] = {"needs": (library,), "libraries": (library,)} if library else {}
    place = f"kbc.formats.{module or name}"
    return Format(name=name, module=place, summary=summary, suffixes=suffixes, **found | traits)


_OF_PANDOC: Mapping[str, Any] = {
    "module": "pandoc",
    "library": "pypandoc",
    "libraries": ("pypandoc-binary",),
}
_FORMATS = (
    _format(
        "rst",
        "reStructuredText with the directives and roles of Sphinx",
        *(".rst", ".rest"),
        libraries=("griffe",),  # of what autodoc inserts
        takes=("labels", "doxygen", "python_paths"),
    ),
    _format(
        "asciidoc",
        "AsciiDoc, as in Asciidoctor and Antora",
        *(".adoc", ".asciidoc", ".asc"),
        around=(".asciidoctorconfig.adoc", ".asciidoctorconfig", "pom.xml"),
        takes=("around", "labels"),
    ),
    _format("notebook", "Jupyter notebooks: text, code, short text output", ".ipynb"),
    _format("pod", "POD, the format of Perl's documentation", ".pod"),
    _format("rdoc", "RDoc, the format of Ruby's documentation", ".rdoc"),
    # Programs of SuperCollider end in `.scd` as well.
    _format("scdoc", "man pages in scdoc", *(f".{section}.scd" for section in range(1, 9))),
    _format("odoc", "pages of odoc, the documentation of OCaml", ".mld"),
    _format("texinfo", "Texinfo, the format of GNU manuals", ".texi", ".texinfo", ".txi"),
    _format(
        "doxygen", "pages of Doxygen in files of comments alone", ".dox", module="doxygen.pages"
    ),
    _format("rd", "Rd, the format of R packages' reference manuals", ".rd"),
    _format("docc", "DocC tutorials, with the code of their steps", ".tutorial", takes=("named",)),
    _format(
        "openapi",
        "OpenAPI 3.x: a record for each operation and schema",
        *(f"{name}.{end}" for name in ("openapi", "swagger") for end in ("json", "yaml", "yml")),
    ),
    _format(
        "writerside",
        "Writerside topics in XML, with the code and the parts that they include",
        ".topic",
        takes=("named",),
    ),
    _format(
        "dita",
        "topics of DITA, with the keys of the maps around them and the parts that they reuse",
        ".dita",
        around=("*.ditamap", "maps/*.ditamap"),
        takes=("around",),
    ),
    _format("docx", "Word documents", ".docx", **_OF_PANDOC),
    _format("odt", "OpenDocument texts", ".odt", **_OF_PANDOC),
    _format("pptx", "PowerPoint presentations: a section for each slide", ".pptx", **_OF_PANDOC),
    _format("epub", "EPUB books", ".epub", **_OF_PANDOC),
    _format("org", "Org mode", ".org", **_OF_PANDOC),
    _format(
        "docbook",
        "DocBook 4 and 5",
        *(".docbook", ".dbk"),
        around=("*.ent", "entities/*.ent"),
        takes=("around",),
        **_OF_PANDOC,
    ),
    _format("mediawiki", "pages in MediaWiki markup", ".mediawiki", ".wiki", **_OF_PANDOC),
    _format(
        "man",
        "man pages, also compressed (`name.8.gz`), and as templates that `configure` fills in (`name.8.in`)",
        *(f".{section}{end}" for section in range(1, 9) for end in ("", ".in", ".gz")),
        **_OF_PANDOC,
    ),
    _format("pdf", "PDF: a section for each page, with its number", ".pdf", library="pypdfium2"),
    _format(
        "quartodoc",
        "references of Python packages made by quartodoc, as listed in _quarto.yml",
        *("_quarto.yml", "_quarto.yaml"),
        module="python.quartodoc",
        library="griffe",
    ),
    _format("lektor", "pages of Lektor: the title and the text of `contents.lr`", *LEKTOR),
    # Pages of xdoc end in `.xml`, and are chosen by how they begin.
    _format("xdoc", "pages of Maven sites in xdoc, and questions in FML", ".fml", module="maven"),
    # Chosen by those that read pages, which know HTML without an ending, and with front matter, too.
    _format("html", "pages of HTML: their main content"),
    # Chosen by how files begin, not by an ending: others have these endings, too.
    _format("ansible", "plugins of Ansible: what they state in DOCUMENTATION, EXAMPLES and RETURN"),
    _format(
        "sphinx-gallery",
        "examples of sphinx-gallery: Python with text in its docstring and comments",
        module="rst.gallery",
        libraries=("griffe",),
        takes=("labels",),
    ),
    _format(
        "rfcxml",
        "RFCs and Internet-Drafts in XML (RFC 7991, RFC 7749)",
        module="internet_drafts.xml_reader",
    ),
    _format(
        "kramdown-rfc",
        "Internet-Drafts in the Markdown of kramdown-rfc",
        module="internet_drafts.kramdown",
    ),
    _format("dokuwiki", "pages in DokuWiki markup", is_text=True, **_OF_PANDOC),
    _format("vim-help", "help files of Vim and Neovim", module="vim_help"),
    _format(
        "rfc-text", "RFCs and Internet-Drafts as plain text", module="internet_drafts.plain_text"
    ),
)

FORMATS: Mapping[str, Format] = {suffix: each for each in _FORMATS for suffix in each.suffixes}
_SUFFIXES = tuple(FORMATS)
BY_NAME: Mapping[str, Format] = {each.name: each for each in _FORMATS}


def format_of(path: str) -> Format | None:
    """The format of a file by the ending of its name; None for what other readers read."""
    name = path.lower()
    if name.endswith(".xml"):  # what else has it is chosen by how it begins
        return BY_NAME["docbook"]
    if not name.endswith(_SUFFIXES):  # most files of a tree, each asked about several times
        return None
    return next(each for suffix, each in FORMATS.items() if name.endswith(suffix))


def converters(formats: Iterable[Format]) -> dict[str, str]:
    """The libraries of the extra `formats` that convert files of these, with their installed versions
    ("": not installed). With what reads Python comes the version whose syntax that knows."""
    found = {name: _version(name) for each in formats for name in each.libraries}
    return found | ({"Python": PYTHON} if "griffe" in found else {})


@functools.cache
def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""
