"""What the configuration of a site says about its pages: `kbc.recognition` reads it, front ends ask for it.

A field is empty where the configuration says nothing of it, or the generator has nothing like it. Paths are
below the root of what was recognised unless a field says otherwise.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kbc.project.sites.redirects import Redirects


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressSettings:
    """What the rules of `kbc.project.routes` need to know. Paths of pages are below the folder of the pages,
    addresses below that of the site."""

    known: Mapping[str, str] = field(default_factory=dict)
    """Addresses by the paths of pages, where each is stated; of Sphinx by the paths without endings."""

    home: str = ""
    """The path of the first page."""

    as_folders: bool | None = None
    """Whether a page is a folder (`guide/`) and not a file (`guide.html`); None: as the generator does."""

    as_html: bool = False
    """Addresses end in `.html` where the generator leaves it out otherwise."""

    without_ending: bool = False
    """Addresses do not end in `.html` where the generator writes it otherwise."""

    without_slash: bool = False
    """Addresses do not end in `/` where the generator writes it otherwise."""

    permalink: str = ""
    """The pattern for pages, of Jekyll and Hexo."""

    permalinks: Mapping[str, str] = field(default_factory=dict)
    """Patterns by the names of collections of Jekyll, or sections of Hugo."""

    rewrites: Mapping[str, str] = field(default_factory=dict)
    """Patterns of paths of pages, and what stands for them in addresses."""

    moved: tuple[tuple[str, str], ...] = ()
    """Folders of pages, and those of their addresses, of which the first that matches counts."""

    route_base: str = "docs"
    """The folder of the addresses of a plugin of Docusaurus."""

    is_blog: bool = False
    """Pages are posts of a blog of Docusaurus."""

    component: str = ""
    """The folder of a component of Antora; "" at the root of the site."""

    version: str = ""
    """The folder of its version; "~" and "" are none."""

    html_extension: str = ""
    """How Antora ends addresses: `indexify`, `drop`, else with `.html`."""

    reference_root: str = ""
    """The folder of a reference that an extension of Sphinx writes."""

    by_package: bool = False
    """The pages of modules are in a folder for each package, under their whole names."""

    gallery: str = ""
    """The folder of the pages of a gallery."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSettings:
    """What links of pages may lead to: anchors, and pages that are elsewhere."""

    slug_style: str = ""
    """The rule for the anchors of headings, by its name in `kbc.languages.anchors`; others count as none."""

    tab_style: str = ""
    """The rule for the anchors of tabs, by its name."""

    has_term_anchors: bool = False
    """Terms of definition lists have anchors."""

    has_own_anchors: bool = False
    """A program of the site's own gives ids that no rule tells."""

    has_other_projects: bool = False
    """Labels of other projects can be referred to."""

    has_other_modules: bool = False
    """Other repositories have a part of the pages, which links name by their files."""

    targets: tuple[str, ...] = ()
    """Ids that an inventory of the last build lists."""

    are_relative: bool = False
    """Links start at the folder of their page only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IncludeSettings:
    """Where pages find what they include or describe."""

    snippet_folders: tuple[str, ...] = ()
    """Folders in which included files are looked for before those around the page."""

    shortcode_folders: tuple[str, ...] = ()
    """Folders of the templates of shortcodes."""

    partials: str = ""
    """The folder of files that templates include."""

    import_paths: Mapping[str, str] = field(default_factory=dict)
    """What the names that imports begin with stand for: `@parts/` -> `site/src/parts/`."""

    components: Mapping[str, str] = field(default_factory=dict)
    """The Markdown that pages of MDX mount without an import, by its name there."""

    named_files: Mapping[str, str] | None = None
    """The paths of files that pages name without their folders, by these names."""

    repositories: tuple[str, ...] = ()
    """What the repository is called on GitHub: `owner/name`, in lower case."""

    repository_folder: str = ""
    """Where its root is."""

    other_repositories: tuple[str, ...] = ()
    """What links to other repositories of docs-builder begin with."""

    python_paths: tuple[str, ...] = ()
    """Folders in which packages of Python begin."""

    python_packages: tuple[str, ...] = ()
    """Packages below one of which the names of objects may begin."""

    julia_packages: Mapping[str, list[str]] = field(default_factory=dict)
    """The files of each package of Julia, by its name."""

    doxygen_project: str = ""
    """The project of Breathe that directives mean that name none."""

    doxygen_headers: Mapping[str, list[str]] = field(default_factory=dict)
    """The paths of the headers of each project of Breathe."""

    doxygen_distributed: tuple[str, ...] = ()
    """The projects in which a comment at the beginning of an unnamed group is one of all in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueSettings:
    """What pages show for names in braces and in templates. Values are those of the configuration."""

    are_templates: bool = False
    """Pages are templates in which values stand alone (`{{ name }}`, without `site.`), as of Jinja."""

    of_templates: Mapping[str, Any] = field(default_factory=dict)
    """The values that templates show."""

    data_folder: str = ""
    """The folder of tables of values."""

    has_substitutions: bool = False
    """`{{ name }}` in pages that are no templates shows a value."""

    of_pages: Mapping[str, Any] = field(default_factory=dict)
    """The values that pages show that are no templates, besides those of their front matter."""

    of_books: Mapping[str, Any] = field(default_factory=dict)
    """The variables of a book of GitBook."""

    of_shortcodes: Mapping[str, Any] = field(default_factory=dict)
    """The parameters of a site of Hugo."""

    substitutions: Mapping[str, str] = field(default_factory=dict)
    """The substitutions of docs-builder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteSettings:
    """All that the configuration says about one collection of pages."""

    files: tuple[str, ...] = ()
    """The files that say it, the configuration first."""

    folder: str = ""
    """The folder of the pages, in which the paths of `order`, `titles` and `redirects` begin."""

    place: str = ""
    """Where in the site's folder of pages that of this collection is."""

    config_folder: str = ""
    """The folder that paths in the configuration start at."""

    title: str = ""
    """What the site calls itself."""

    base_url: str = ""
    """Its address; "" where nobody knows it."""

    language: str = ""
    """The code of the language of its pages."""

    has_language_folder: bool = False
    """The pages in that language are in a folder of that name, else it is before the endings of files."""

    order: Mapping[str, int] = field(default_factory=dict)
    """The places of pages in the navigation, from 0."""

    titles: Mapping[str, str] = field(default_factory=dict)
    """What the navigation calls pages."""

    redirects: Redirects = field(default_factory=Redirects)
    """Former paths of addresses, and the pages or newer paths that they lead to."""

    contents: str = ""
    """The file of the table of contents, outside of which the site has no page; "": it has others."""

    left_out: Mapping[str, str] = field(default_factory=dict)
    """Folders beside the pages that are not read, and why."""

    formats: Mapping[str, str] = field(default_factory=dict)
    """The formats of pages by the endings of their files, where the configuration names them."""

    script_endings: tuple[str, ...] = ()
    """The endings of programs that are pages."""

    markdown_is_mdx: bool = False
    """Pages whose files end in `.md` are MDX, too."""

    has_attribute_lists: bool = False
    """Pages have the lists of attributes of Python-Markdown."""

    has_plain_notebooks: bool = False
    """The text in notebooks has no directives, although pages have."""

    describes_private: bool = False
    """A reference has objects whose names begin with an underscore."""

    addresses: AddressSettings = AddressSettings()
    links: LinkSettings = LinkSettings()
    includes: IncludeSettings = IncludeSettings()
    values: ValueSettings = ValueSettings()

    def as_table(self) -> dict[str, Any]:
        """All of it as plain values, for hashes."""
        return _table(self)


def _table(settings: Any) -> dict[str, Any]:
    values = ((each.name, getattr(settings, each.name)) for each in dataclasses.fields(settings))
    return {
        name: _table(value) if dataclasses.is_dataclass(value) else value for name, value in values
    }


NOTHING_STATED = SiteSettings()
