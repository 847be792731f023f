"""The table of formats."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import metadata

from kb_runtime.version import install_hint

INSTALL_HINT = f"Install what reads it: {install_hint('formats')}."


def reads_python() -> bool:
    """Whether the library that reads the references of Python objects from source is installed."""
    try:
        importlib.import_module("kbc.formats.python_objects")
    except ModuleNotFoundError:  # griffe comes with kb-compiler[formats]
        return False
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """`module` has `convert(path, data, read)`. `needs` are the modules of libraries that come with the
    extra `formats`, not with the compiler. `suffixes` are the endings of file names, in lower case.
    `libraries` are the distributions of the extra that convert such files, or parts of them. `around` are
    patterns of files that say something about every document below their folder: `convert` takes those that
    are there as `around`. With `names_files` it takes `named`, the paths of files that documents name without
    their folders; with `has_labels` it takes `labels`, what documents may refer to by name. With
    `shows_headers` it takes `doxygen`, the headers of C and C++ that documents may show."""

    name: str
    module: str
    summary: str
    suffixes: tuple[str, ...]
    needs: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    around: tuple[str, ...] = ()
    names_files: bool = False
    has_labels: bool = False
    shows_headers: bool = False


_FORMATS = (
    Format(
        name="rst",
        module="kbc.formats.rst",
        summary="reStructuredText with the directives and roles of Sphinx",
        suffixes=(".rst", ".rest"),
        libraries=("griffe",),  # of what autodoc inserts
        has_labels=True,
        shows_headers=True,
    ),
    Format(
        name="asciidoc",
        module="kbc.formats.asciidoc",
        summary="AsciiDoc, as in Asciidoctor and Antora",
        suffixes=(".adoc", ".asciidoc", ".asc"),
        around=(".asciidoctorconfig.adoc", ".asciidoctorconfig", "pom.xml"),
        has_labels=True,
    ),
    Format(
        name="notebook",
        module="kbc.formats.notebook",
        summary="Jupyter notebooks: text, code, short text output",
        suffixes=(".ipynb",),
    ),
    Format(
        name="pod",
        module="kbc.formats.pod",
        summary="POD, the format of Perl's documentation",
        suffixes=(".pod",),
    ),
    Format(
        name="rdoc",
        module="kbc.formats.rdoc",
        summary="RDoc, the format of Ruby's documentation",
        suffixes=(".rdoc",),
    ),
    Format(
        name="texinfo",
        module="kbc.formats.texinfo",
        summary="Texinfo, the format of GNU manuals",
        suffixes=(".texi", ".texinfo", ".txi"),
    ),
    Format(
        name="rd",
        module="kbc.formats.rd",
        summary="Rd, the format of R packages' reference manuals",
        suffixes=(".rd",),
    ),
    Format(
        name="docc",
        module="kbc.formats.docc",
        summary="DocC tutorials, with the code of their steps",
        suffixes=(".tutorial",),
        names_files=True,
    ),
    Format(
        name="openapi",
        module="kbc.formats.openapi",
        summary="OpenAPI 3.x: a record for each operation and schema",
        suffixes=tuple(
            f"{name}.{ending}"
            for name in ("openapi", "swagger")
            for ending in ("json", "yaml", "yml")
        ),
    ),
    Format(
        name="writerside",
        module="kbc.formats.writerside",
        summary="Writerside topics in XML, with the code and the parts that they include",
        suffixes=(".topic",),
        names_files=True,
    ),
    *(
        Format(
            name=name,
            module="kbc.formats.pandoc",
            summary=summary,
            suffixes=suffixes,
            needs=("pypandoc",),
            libraries=("pypandoc-binary",),
            around=("*.ent", "entities/*.ent") if name == "docbook" else (),
        )
        for name, summary, suffixes in (
            ("docx", "Word documents", (".docx",)),
            ("pptx", "PowerPoint presentations: a section for each slide", (".pptx",)),
            ("epub", "EPUB books", (".epub",)),
            ("org", "Org mode", (".org",)),
            ("docbook", "DocBook 4 and 5", (".docbook", ".dbk")),
            ("mediawiki", "pages in MediaWiki markup", (".mediawiki", ".wiki")),
            ("man", "man pages", tuple(f".{section}" for section in range(1, 9))),
        )
    ),
    Format(
        name="pdf",
        module="kbc.formats.pdf",
        summary="PDF: a section for each page, with its number",
        suffixes=(".pdf",),
        needs=("pypdfium2",),
        libraries=("pypdfium2",),
    ),
    Format(
        name="quartodoc",
        module="kbc.formats.quartodoc",
        summary="references of Python packages made by quartodoc, as listed in _quarto.yml",
        suffixes=("_quarto.yml", "_quarto.yaml"),
        needs=("griffe",),
        libraries=("griffe",),
    ),
    # Chosen by how files begin, not by an ending: others have these endings, too.
    Format(
        name="rfcxml",
        module="kbc.formats.internet_drafts",
        summary="RFCs and Internet-Drafts in XML (RFC 7991, RFC 7749)",
        suffixes=(),
    ),
    Format(
        name="kramdown-rfc",
        module="kbc.formats.internet_drafts",
        summary="Internet-Drafts in the Markdown of kramdown-rfc",
        suffixes=(),
    ),
    # Chosen by name, not by an ending: a reader of documentation does not expect these among pages.
    Format(
        name="python",
        module="kbc.formats.python_api",
        summary="Python modules: signatures and docstrings, from source",
        suffixes=(),
        needs=("griffe",),
        libraries=("griffe",),
    ),
    Format(
        name="inventory",
        module="kbc.formats.inventory",
        summary="Sphinx inventories: names and their URLs",
        suffixes=(),
    ),
)

FORMATS: Mapping[str, Format] = {suffix: each for each in _FORMATS for suffix in each.suffixes}
_SUFFIXES = tuple(FORMATS)
BY_NAME: Mapping[str, Format] = {each.name: each for each in _FORMATS}


def format_of(path: str) -> Format | None:
    """The format of a file by the ending of its name; None for what other readers read."""
    name = path.lower()
    if name.endswith(".xml"):  # of what is read as documentation, only DocBook has it
        return BY_NAME["docbook"]
    if not name.endswith(_SUFFIXES):  # most files of a tree, each asked about several times
        return None
    return next(each for suffix, each in FORMATS.items() if name.endswith(suffix))


def converters(formats: Iterable[Format]) -> dict[str, str]:
    """The libraries of the extra `formats` that convert files of these, with their installed versions
    ("": not installed)."""
    return {name: _version(name) for each in formats for name in each.libraries}


@functools.cache
def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""
