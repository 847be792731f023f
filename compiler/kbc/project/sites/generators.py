"""The generators of documentation that kbc knows, with what is particular to the pages of each.

Whoever reads pages asks for a trait, not for a generator by its name. Two tables of rules are elsewhere:
`kbc.project.routes` has those of addresses, `kbc.languages.anchors` those of anchors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

AttributeStyle = Literal["", "goldmark", "kramdown", "pandoc", "python-markdown"]
"""Whose lists of attributes (`{: .note }`) a page has; "": none."""

LinkRoot = Literal["pages", "configuration"]

GALLERY = "sphinx-gallery"
"""The generator whose pages are scripts with labels of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Generator:
    """The traits of a generator. Each is off where most generators do not have it."""

    name: str
    """In kb.toml; "" for files that no known generator makes a site of."""

    label: str
    """What messages call what is made with it."""

    link_roots: tuple[LinkRoot, ...] = ()
    """Folders at which links may start besides that of their page, in the order in which they are tried:
    that of all pages, that of the configuration."""

    tilde_is_root: bool = False
    """`~/` in a link is the folder of the configuration."""

    links_by_file_name: bool = False
    """A link may name a page in any folder by its file alone."""

    links_ignore_folders: bool = False
    """Of the path in a link only the name of the file counts."""

    links_ignore_case: bool = False
    """Links and includes find a file in any case of its letters, as on Windows."""

    links_without_language: bool = False
    """A link names `page.md` where the file is `page.en.md`."""

    links_by_uid: bool = False
    """Links may name a page by the `uid` in its front matter."""

    links_as_notes: bool = False
    """Links may name pages as those of Obsidian and of wikis do: `[[Page]]`."""

    refers_to: tuple[str, ...] = ()
    """Generators whose collections in the same project have labels that its pages refer to as to their
    own."""

    unpublished: tuple[str, bool] | None = None
    """The field of the front matter, and its value, that keep a page out of the published site."""

    publishes_html: bool = False
    """HTML with front matter is a page."""

    publishes_only_listed: bool = False
    """A page that others include is one of the site only if the navigation lists it, where it lists any."""

    publishes_modules: bool = False
    """Each page is about a module of a Python package, which is its file."""

    has_plain_translations: bool = False
    """Translations may lie among the pages and be told by their names alone (`page.de.md`), unless the
    configuration states a language."""

    holds_other_sites: bool = False
    """A folder among its pages may be a site with a configuration of its own."""

    starts_at_root: bool = False
    """Its configuration may stand at the root of a project; that of others has a folder of its own."""

    title_begins_page: bool = False
    """A heading of level 1 is the title of a page only where the page begins with it."""

    titles_from_names: bool = False
    """A page without a title is called as its file, in words."""

    aliases_below_section: bool = False
    """Former addresses in front matter are below the section of the page, unless they begin with `/`."""

    attributes: AttributeStyle = ""
    """Whose lists of attributes its pages have."""

    may_have_attributes: bool = False
    """Its pages may have lists of attributes as kramdown does, depending on what shows them."""

    pages_are_templates: bool = False
    """Pages are templates of Liquid, or of a language like it, before they are Markdown."""

    fills_braces: bool = False
    """`{{ name }}` shows a value of the page or of the configuration."""

    has_helpers: bool = False
    """`{{#name}}` is a command that its preprocessors fill in."""

    has_directives_of_docutils: bool = False
    """Its Markdown is MyST, with the directives and roles of reStructuredText."""

    has_directives_in_notebooks: bool = False
    """The text in notebooks has the directives of pages."""

    has_metadata_shortcodes: bool = False
    """The shortcodes `meta` and `var` show metadata of the page and of its project."""

    names_python_objects: bool = False
    """Directives stand for the reference of Python objects, where the configuration says where their
    packages are."""


NO_GENERATOR = Generator(
    name="",
    label="folder of pages",
    link_roots=("pages",),
    links_by_file_name=True,
    links_as_notes=True,
    has_plain_translations=True,
    may_have_attributes=True,
)
"""What pages may have of which nobody knows how they are shown."""

GENERATORS: Mapping[str, Generator] = {
    each.name: each
    for each in (
        Generator(name="antora", label="Antora component"),
        Generator(name="bookdown", label="bookdown book"),
        Generator(name="doc-builder", label="doc-builder documentation", names_python_objects=True),
        Generator(
            name="docfx",
            label="DocFX site",
            tilde_is_root=True,
            links_ignore_case=True,
            links_by_uid=True,
            starts_at_root=True,
        ),
        Generator(
            name="docs-builder",
            label="docs-builder documentation",
            link_roots=("pages",),
            holds_other_sites=True,
        ),
        Generator(
            name="docsify",
            label="Docsify site",
            link_roots=("pages",),
            has_plain_translations=True,
        ),
        Generator(name="documenter", label="Documenter site"),
        Generator(
            name="docusaurus",
            label="Docusaurus site",
            link_roots=("pages", "configuration"),
            unpublished=("draft", True),
        ),
        Generator(name="eleventy", label="Eleventy site", may_have_attributes=True),
        Generator(
            name="ex-doc",
            label="ExDoc site",
            link_roots=("pages",),
            links_by_file_name=True,
            links_ignore_folders=True,
            starts_at_root=True,
            may_have_attributes=True,
        ),
        Generator(name="fern", label="Fern site"),
        Generator(
            name="fumadocs",
            label="Fumadocs site",
            link_roots=("pages",),
            has_plain_translations=True,
        ),
        Generator(name="gitbook", label="GitBook", starts_at_root=True),
        Generator(name="grails-guide", label="Grails guide", starts_at_root=True),
        Generator(
            name="hexo",
            label="Hexo site",
            unpublished=("published", False),
            pages_are_templates=True,
        ),
        Generator(
            name="hugo",
            label="Hugo site",
            unpublished=("draft", True),
            publishes_html=True,
            aliases_below_section=True,
            attributes="goldmark",
        ),
        Generator(
            name="jekyll",
            label="Jekyll site",
            unpublished=("published", False),
            publishes_html=True,
            attributes="kramdown",
            pages_are_templates=True,
        ),
        Generator(name="killercoda", label="course of Killercoda"),
        Generator(name="mdbook", label="mdBook", publishes_only_listed=True, has_helpers=True),
        Generator(name="mintlify", label="Mintlify site"),
        Generator(
            name="mkdocs",
            label="MkDocs site",
            links_without_language=True,
            links_as_notes=True,
            has_plain_translations=True,
            starts_at_root=True,
            title_begins_page=True,
            titles_from_names=True,
            names_python_objects=True,
        ),
        Generator(name="nextra", label="Nextra site", link_roots=("pages",)),
        Generator(name="pkgdown", label="pkgdown site", starts_at_root=True),
        Generator(
            name="quarto",
            label="Quarto project",
            unpublished=("draft", True),
            attributes="pandoc",
            has_directives_in_notebooks=True,
            has_metadata_shortcodes=True,
        ),
        Generator(name="quartz", label="Quartz site", links_as_notes=True),
        Generator(name="rspress", label="Rspress site"),
        Generator(name="sandpaper", label="Carpentries lesson"),
        Generator(
            name="sphinx",
            label="Sphinx project",
            refers_to=(GALLERY,),
            has_directives_of_docutils=True,
        ),
        Generator(
            name="sphinx-autoapi", label="reference of sphinx-autoapi", publishes_modules=True
        ),
        Generator(name="sphinx-autodoc2", label="reference of autodoc2", publishes_modules=True),
        Generator(name=GALLERY, label="gallery of sphinx-gallery", refers_to=(GALLERY, "sphinx")),
        Generator(name="starlight", label="Astro site", unpublished=("draft", True)),
        Generator(name="vitepress", label="VitePress site", fills_braces=True),
        Generator(name="vuepress", label="VuePress site", fills_braces=True),
        Generator(name="writerside", label="Writerside project"),
        Generator(name="zola", label="Zola site", unpublished=("draft", True)),
        Generator(name="site", label="built site"),
    )
}
"""The generators whose conventions `kbc.recognition` knows; `site` is what any of them built."""


def generator_of(name: str) -> Generator:
    """The generator of this name; "" stands for none."""
    return GENERATORS[name] if name else NO_GENERATOR
