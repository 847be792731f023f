"""Expands what the Markdown pages of a collection include, and reports once what could not be."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

from kb_runtime.text.tables import count_of
from kbc.cache.phases import recalled_each
from kbc.diagnostics import Diagnostic, Diagnostics, Severity
from kbc.formats import ELSEWHERE, INSTALL_HINT, UNRESOLVED, ProjectLabels, reads_python
from kbc.formats.doxygen import DoxygenProjects, HeaderSets
from kbc.frontends.labels import pages_by_uid, role_links
from kbc.frontends.page_includes import hugo_values, quarto_values
from kbc.frontends.page_includes.hugo_values import HugoValues
from kbc.frontends.page_includes.own_pages import OwnPages
from kbc.languages.addresses import without_pictures
from kbc.languages.anchors import AnchorRules, rules_of
from kbc.languages.front_matter import stated_above
from kbc.languages.html.embedded import with_embedded_html
from kbc.languages.html.tags import without_html_tags
from kbc.languages.includes.adapted import adapted
from kbc.languages.includes.dialects.gitbook import with_variables
from kbc.languages.includes.dialects.notes import notes_among
from kbc.languages.includes.dialects.zola import with_shown_shortcodes
from kbc.languages.includes.expansion import expand, may_include
from kbc.languages.includes.files import NOT_INCLUDED, Expansion, Surroundings
from kbc.languages.includes.myst.docs_builder import Docset
from kbc.languages.includes.templates.erb import expand_ruby
from kbc.languages.includes.templates.liquid import Liquid
from kbc.languages.includes.templates.values import Lookup, first_value
from kbc.languages.includes.templates.velocity import expand_velocity
from kbc.languages.mdx.exports import with_exported_texts
from kbc.languages.mdx.rendered import with_rendered_texts
from kbc.processor_time import limited
from kbc.project.include_tree import Read
from kbc.project.kinds import RUBY, VELOCITY
from kbc.project.model import Collection
from kbc.project.sites.generators import AttributeStyle
from kbc.project.source_file import SourceFile
from kbc.project.well_formed import mapping, yaml_table

if TYPE_CHECKING:
    from kbc.formats.document import DocumentProblem
    from kbc.formats.python.objects import PythonObjects

UNRESOLVED_INCLUDE = "include-unresolved"
UNRESOLVED_HINT = "Files that pages include must be in the tree and contain the named part."
EXTERNAL_HINT = "The site's build computes it or takes it from elsewhere; the built site has it."
_OF_PYTHON = re.compile(r"auto[a-z]+|::: \(API\)")
"""Directives that stand for the reference of a Python object: of autodoc, mkdocstrings and doc-builder."""
_MOST_NAMED = 6
_FEW_FILES = 10
"""Converted files with text elsewhere that have a note each; of more there is one note for all."""

_ATTRIBUTES = re.compile(r"\{:[ \t]*[.#][A-Za-z]")
_NOTEBOOKS = (".rmd", ".qmd")


class PageIncludes:
    """The includes of one collection's pages."""

    def __init__(
        self,
        collection: Collection,
        files: Sequence[SourceFile] = (),
        labels: ProjectLabels | None = None,
    ) -> None:
        """`files` are those of the collection, `labels` what they may refer to by name."""
        self._collection = collection
        self._own_pages = OwnPages(collection, files)
        self._labels = labels or ProjectLabels()
        self._conventions = collection.conventions
        self._site = collection.site
        is_hugo = collection.generator == "hugo"
        self._hugo = HugoValues(self._site) if is_hugo else None
        self._names = hugo_values.references(collection, files) if is_hugo else {}
        self._uids = pages_by_uid(files) if self._conventions.links_by_uid else {}
        has_notes = self._conventions.links_as_notes
        paths = [each.path for each in files]
        self._notes = cache(lambda: notes_among(paths)) if has_notes else None
        self._unresolved: Counter[str] = Counter()
        self._external: Counter[str] = Counter()
        self._pages: dict[str, list[str]] = {UNRESOLVED_INCLUDE: [], ELSEWHERE: []}
        self._first_missing: tuple[str, int, str] | None = None
        self._elsewhere: dict[str, Sequence[DocumentProblem]] = {}
        self._objects: PythonObjects | None = None

    @property
    def rules(self) -> AnchorRules:
        """How the collection's generator makes anchors."""
        return rules_of(self._collection.generator, self._site.links)

    @property
    def expands_notebooks(self) -> bool:
        """Whether text in notebooks has the directives of pages: myst-nb, Jupyter Book and Quarto read it so,
        nbsphinx does not."""
        is_myst = self._conventions.has_directives_of_docutils
        is_myst_nb = is_myst and not self._site.has_plain_notebooks
        return is_myst_nb or self._conventions.has_directives_in_notebooks

    def expand_each(self, pages: Sequence[tuple[SourceFile, str]]) -> list[str]:
        """As `expand`, of many, each with the text of its file: what most pages do not have is looked for
        once, not in every build."""

        def is_marked(page: tuple[SourceFile, str]) -> bool:
            return may_include(page[1])

        marked = recalled_each("directives", is_marked, pages, lambda page: page[0].sha256, bool)
        return [self.expand(*page, each) for page, each in zip(pages, marked, strict=True)]

    def expand(
        self,
        file: SourceFile,
        text: str,
        is_marked: bool | None = None,
        *,
        is_markdown: bool = True,
    ) -> str:
        """`text`, that of `file`, with the files that it includes, without its directives and, if it
        `is_markdown`, without HTML that Markdown can say. `is_marked` is what `may_include` says of it, where
        that is known."""
        with limited(file.path, len(text)):
            expanded = self._expanded(file, text, is_marked)
            if is_markdown:
                is_mdx = self._collection.is_mdx(file.path)
                expanded = with_embedded_html(expanded, is_mdx=is_mdx)
                expanded = expanded if is_mdx else without_html_tags(expanded)
            return expanded

    def _expanded(self, file: SourceFile, text: str, is_marked: bool | None) -> str:
        read, generator = self._read(file), self._collection.generator
        stored, text = text, self._prepared(file, text, read)
        has_templates = self._conventions.pages_are_templates or self._site.values.are_templates
        # `{{ name }}` in prose is a value of Vue, or a substitution of MyST.
        fills_values = self._conventions.fills_braces or self._site.values.has_substitutions
        expansion = expand(
            text,
            file.path,
            read,
            self._surroundings(file, text, read),
            is_marked=is_marked if text == stored else None,
            values=self._hugo.of_page(text, file.path, read) if self._hugo else None,
            liquid=self._liquid(text) if has_templates else None,
            filled=self._values(text) if fills_values else None,
            docset=self._docset(text) if generator == "docs-builder" else None,
        )
        self._count(file, expansion)
        shown = expansion.text
        if self._collection.is_mdx(file.path):
            shown = with_rendered_texts(shown)
        if generator == "zola":
            shown = with_shown_shortcodes(shown)
        return without_pictures(shown)

    def _prepared(self, file: SourceFile, text: str, read: Read) -> str:
        """The page with what its generator alone understands as Markdown, or as directives of any page."""
        text = adapted(text, file.path, read, _front_matter)
        if variables := self._site.values.of_books:
            text = with_variables(text, variables)
        if self._collection.is_mdx(file.path):
            text = with_rendered_texts(with_exported_texts(text))
        text, problems = self._own_pages.expand(file, text, read)
        if problems:
            self.count(file, problems)
        if file.path.lower().endswith(RUBY):
            ruby = expand_ruby(text, file.path, read)
            self._count(file, ruby)
            text = ruby.text
        if file.path.lower().endswith(VELOCITY):
            text = expand_velocity(text)
        return text

    def _surroundings(self, file: SourceFile, text: str, read: Read) -> Surroundings:
        conventions, includes = self._conventions, self._site.includes
        is_notebook = file.path.lower().endswith(_NOTEBOOKS)
        is_myst = conventions.has_directives_of_docutils and not is_notebook
        has_metadata = conventions.has_metadata_shortcodes
        return Surroundings(
            bases=includes.snippet_folders,
            templates=includes.shortcode_folders,
            aliases=includes.import_paths,
            pages=self._names,
            objects=partial(self._object, read),
            names_objects=bool(self.python_paths) and conventions.names_python_objects,
            restructured=partial(self._restructured, file, read) if is_myst else None,
            referred=role_links(file.path, self._labels, read) if is_myst else None,
            attributes=self._attributes(file, text),
            repositories=includes.repositories,
            repository_folder=includes.repository_folder,
            notes=self._notes,
            is_mdx=self._collection.is_mdx(file.path),
            has_helpers=conventions.has_helpers,
            stated=quarto_values.values(text, file.path, self._site.folder, read)
            if has_metadata
            else None,
            uids=self._uids,
            mounted_anywhere=includes.components,
        )

    def _read(self, file: SourceFile) -> Read:
        """Reads what a page names, for some generators in any case of its letters."""
        tree = file.tree
        if not self._conventions.links_ignore_case or tree is None:
            return file.include

        def in_any_case(path: str) -> bytes | None:
            data = file.include(path)
            spelt = "" if data is not None else tree.spelt(path)
            return file.include(spelt) if spelt else data

        return in_any_case

    def _count(self, file: SourceFile, expansion: Expansion) -> None:
        """Counts what an expansion of a page could not have."""
        if expansion.unresolved and self._first_missing is None:
            target = expansion.text.partition(NOT_INCLUDED)[2].partition(")")[0]
            line = file.data.partition(target.encode())[0].count(b"\n") + 1 if target else 0
            self._first_missing = file.path, line, target
        self._add(UNRESOLVED_INCLUDE, file, expansion.unresolved)
        self._add(ELSEWHERE, file, expansion.external)

    def _add(self, code: str, file: SourceFile, found: Mapping[str, int]) -> None:
        (self._external if code == ELSEWHERE else self._unresolved).update(found)
        self._pages[code] += [file.path] if found and file.path not in self._pages[code] else []

    def named_files(self, file: SourceFile) -> Mapping[str, str] | None:
        """As `OwnPages.named_files`."""
        return self._own_pages.named_files(file)

    def count(self, file: SourceFile, problems: Sequence[DocumentProblem]) -> None:
        """Counts what a format could not have among the directives of the collection."""
        for code, kept in ((UNRESOLVED, UNRESOLVED_INCLUDE), (ELSEWHERE, ELSEWHERE)):
            self._add(kept, file, Counter(each.name for each in problems if each.code == code))

    def count_elsewhere(self, file: SourceFile, problems: Sequence[DocumentProblem]) -> None:
        """Counts what a converted file has elsewhere; with lines, for a note of its own where few files have
        such."""
        self.count(file, [each for each in problems if not each.line])
        if with_lines := [each for each in problems if each.line]:
            self._elsewhere[file.path] = with_lines

    def _attributes(self, file: SourceFile, text: str) -> AttributeStyle:
        """Which lists of attributes a page has."""
        if self._site.has_attribute_lists:
            return "python-markdown"
        if file.path.lower().endswith(_NOTEBOOKS):
            return "pandoc"
        # Nobody writes `{: .x}` but for a program that reads it.
        may_have = self._conventions.may_have_attributes and _ATTRIBUTES.search(text)
        return "kramdown" if may_have else self._conventions.attributes

    def _liquid(self, text: str) -> Liquid:
        values = self._site.values
        return Liquid(
            folder=self._site.folder,
            includes=self._site.includes.partials,
            data=values.data_folder,
            values=values.of_templates,
            page=_front_matter(text),
            is_bare=values.are_templates,
        )

    def _values(self, text: str) -> Lookup:
        """The value that a page shows for a name: of its front matter, or of the configuration."""

        def value(path: str) -> str | None:
            if not own:
                matter = _front_matter(text)
                myst = mapping(mapping(matter.get("myst")).get("substitutions"))
                substitutions = mapping(matter.get("substitutions"))
                tables = ({"$frontmatter": matter, "frontmatter": matter}, myst, substitutions)
                own.extend((*tables, self._site.values.of_pages))
            return first_value(own, path.partition("|")[0].strip())

        own: list[Mapping[str, Any]] = []
        return value

    def _docset(self, text: str) -> Docset:
        """What a page of docs-builder may name, with the substitutions of its own."""
        own = {name: str(each) for name, each in mapping(_front_matter(text).get("sub")).items()}
        substitutions = {**self._site.values.substitutions, **own}
        repositories = frozenset(self._site.includes.other_repositories)
        return Docset(self._site.folder, substitutions, repositories)

    def _restructured(self, file: SourceFile, read: Read, source: str) -> tuple[str, Sequence[str]]:
        """The Markdown of reStructuredText in a page, and the anchors of its headings."""
        from kbc.formats import convert

        known: dict[str, Any] = {"labels": self._labels, "doxygen": self.doxygen}
        known["python_paths"] = self.python_paths
        (found,) = convert(file.path, source.encode(), read, format="rst", **known)
        self.count(file, found.problems)
        return found.text, found.anchors

    @property
    def python_paths(self) -> Sequence[str]:
        """Where packages of Python begin whose objects pages may describe."""
        return self._site.includes.python_paths

    @cached_property
    def doxygen(self) -> DoxygenProjects | None:
        """The headers that Breathe shows on pages of Sphinx; None of other sites."""
        if not self._conventions.has_directives_of_docutils:
            return None
        stated = self._site.includes
        return DoxygenProjects(
            HeaderSets(stated.doxygen_project, stated.doxygen_headers, stated.doxygen_distributed)
        )

    def _object(self, read: Read, name: str, options: str) -> str | None:
        """The reference of a Python object, from packages around the configuration or the pages."""
        if not reads_python():
            return None
        from kbc.formats.python.objects import PythonObjects

        if self._objects is None:
            self._objects = PythonObjects(self.python_paths)
        all_stated = yaml_table(options)
        stated = mapping(all_stated.get("options"))
        level = all_stated.get("heading_level", stated.get("heading_level"))
        members = stated.get("members", True)
        packages = self._site.includes.python_packages  # names may begin below one of them
        names = (name, *(f"{package}.{name}" for package in packages))
        references = (self._objects.reference(each, read, is_module=True) for each in names)
        found = next((each for each in references if each is not None), None)
        if found is None:
            return None
        wanted = [str(each) for each in members] if isinstance(members, list) else bool(members)
        return found.markdown(level if isinstance(level, int) else 2, wanted)

    def report(self, diagnostics: Diagnostics) -> None:
        """One warning for the collection about files that are not there, and one note about text that no
        file has, each with counts by directive; a note for each converted file where these are few."""
        for path, problems in self._elsewhere.items() if len(self._elsewhere) <= _FEW_FILES else ():
            note = without_text(problems)
            diagnostics.note(note.code, note.message, path, note.line, hint=note.hint)
        if len(self._elsewhere) > _FEW_FILES:
            self._pages[ELSEWHERE] = [*dict.fromkeys((*self._pages[ELSEWHERE], *self._elsewhere))]
            self._external.update(each.name for some in self._elsewhere.values() for each in some)
        missing, computed = "name no file", "stand for text outside the tree"
        advice = external_hint(self._external)
        for code, counter, severity, said, hint in (
            (UNRESOLVED_INCLUDE, self._unresolved, Severity.WARNING, missing, UNRESOLVED_HINT),
            (ELSEWHERE, self._external, Severity.NOTE, computed, advice),
        ):
            if counter:
                pages = self._pages[code]
                many = f"{count_of(len(pages), 'page')} of {self._collection.name!r}"
                message = (
                    f"directives on {many} that {said} ({counter.total()}): {counted(counter)}"
                )
                first, line, target = pages[0], 0, ""
                if code == UNRESOLVED_INCLUDE and self._first_missing:
                    first, line, target = self._first_missing
                message += f"; the first: {target!r}" if target else ""
                diagnostics.add(Diagnostic(severity, code, message, first, line or None, hint=hint))


def without_text(problems: Sequence[DocumentProblem]) -> DocumentProblem:
    """One finding about all directives of a file that have no text, or whose text is elsewhere."""
    from kbc.formats.document import DocumentProblem

    counts = Counter(problem.name for problem in problems)
    first = problems[0]
    hint = UNRESOLVED_HINT if first.code == UNRESOLVED else external_hint(counts)
    listed = f"{counted(counts)}; the first: {first.message}"
    message = f"directives without their text ({len(problems)}): {listed}"
    return DocumentProblem(code=first.code, message=message, line=first.line, hint=hint)


def external_hint(names: Iterable[str]) -> str:
    """Where the text is that these directives stand for: the reference of a Python object is often in the
    tree, and what reads it is not installed."""
    if any(map(_OF_PYTHON.fullmatch, names)) and not reads_python():
        return INSTALL_HINT
    return EXTERNAL_HINT


def counted(counter: Counter[str]) -> str:
    """`include (3), raw (1) and 2 more kinds`, the most frequent first."""
    counts = counter.most_common()
    named = ", ".join(f"{name} ({count})" for name, count in counts[:_MOST_NAMED])
    more = len(counts) - _MOST_NAMED
    return f"{named} and {more} more kinds" if more > 0 else named


def _front_matter(text: str) -> Mapping[str, Any]:
    return stated_above(text)[0]
