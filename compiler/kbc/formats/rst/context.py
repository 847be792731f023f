"""What the directives and roles of one file share while it is read."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from kbc.formats.document import Problems, Read
from kbc.formats.rst.pep import title_of
from kbc.formats.selection import candidates, read_target
from kbc.languages import markdown
from kbc.languages.includes.generated import is_generated
from kbc.project.source_file import decode_any, relative_path
from kbc.project.well_formed import json_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kbc.formats.document import LabelTarget
    from kbc.formats.doxygen import DoxygenProjects
    from kbc.formats.python.objects import PythonObjects

_STYLES = re.compile(r"(?=.*[ \t-])[a-z][a-z0-9_-]*(?:[ \t]+[a-z][a-z0-9_-]*)*")
MAX_INCLUDES = 200
MAX_INCLUDED_CHARS = 4_000_000

_BEGINNING = 20_000  # of a file, with its title
_TITLE = re.compile(
    r"^(?:(?P<over>[^\w\s])(?P=over)+[ \t]*\n[ \t]*(?P<with_over>\S[^\n]*)\n|(?P<plain>\S[^\n]*)\n)"
    r"(?P<under>[=\-`:'\"~^_*+#<>.])(?P=under)+[ \t]*$",
    re.MULTILINE,
)
_ROLE = re.compile(r":[\w:+.-]+:`!?(?P<short>~)?(?P<text>[^`<]*?)(?:\s*<[^>`]*>)?`")
_SUBSTITUTION = re.compile(r"\|(?P<name>\w(?:[^|\n]*\w)?)\|")
_REPLACEMENT = re.compile(r"^\.\. \|([^|\n]+)\| replace::[ \t]*(\S[^\n]*)", re.MULTILINE)
_CELL_TITLE = re.compile(
    r'"cell_type":\s*"markdown"(?:(?!"cell_type").)*?"source":\s*(?:\[\s*)?"#{1,6}[ \t]+((?:[^"\\]|\\.)+)"',
    re.DOTALL,
)
"""A cell of a notebook that begins with a heading, in JSON."""
_INCLUDED = re.compile(
    r"^(?:\.\.[ \t]+(?:mdinclude|include)::|`{3,}\{include\})[ \t]+(?P<target>\S+)", re.MULTILINE
)
"""In a page that has its title from a file: `.. include:: ../CONTRIBUTING.rst`."""

_SUFFIXES = (".rst", ".txt", ".md", ".ipynb")


class DeclaredTypes(NamedTuple):
    """What a project declares for objects of its own (`setting`, `signal`): the roles, and the directives
    with how: "object" describes one in a way of its own, "directive" as one of Sphinx's, and "crossref" is
    only what references lead to."""

    directives: Mapping[str, str]
    roles: frozenset[str]


class SphinxSettings(NamedTuple):
    """What conf.py states for the text of all pages. `definitions` are the substitutions (`|name|`) and link
    targets (`name_`) of `rst_prolog` and `rst_epilog`, and `included` their directives that include a file:
    in reStructuredText. `values` are the substitutions that Sphinx has itself; `extlinks` the address and the
    caption of a role, in which `%s` is its text. `language` is that of code that states none."""

    definitions: Mapping[str, str]
    included: str
    values: Mapping[str, str]
    extlinks: Mapping[str, tuple[str, str]]
    language: str
    default_role: str


@dataclass(slots=True)
class Context:
    """`language` is that of code without one, as the last `highlight` directive has it. `owner` is the class
    whose description is being read. `objects` are the Python objects that were looked up, `declared` and
    `settings` what the project declares and states once that was asked for, `labels` the names that other
    pages give to what they hold. `doxygen` are the headers that Breathe shows, `python_paths` folders where
    packages begin. `embedded` gives the lines of
    Markdown of reStructuredText in comments and docstrings; `depth` is how many of these are around this
    text."""

    path: str
    read: Read
    language: str = ""
    default_role: str = ""
    module: str = ""
    owner: str = ""
    program: str = ""
    problems: Problems = field(default_factory=Problems)
    local_roles: set[str] = field(default_factory=set)
    objects: PythonObjects | None = None
    declared: DeclaredTypes | None = None
    settings: SphinxSettings | None = None
    labels: Mapping[str, LabelTarget] = field(default_factory=dict)
    doxygen: DoxygenProjects | None = None
    python_paths: Sequence[str] = ()
    embedded: Callable[..., Sequence[str]] = lambda text, **_: text.split("\n")
    depth: int = 0
    includes: int = 0
    included_chars: int = 0
    _titles: dict[str, tuple[str, str]] = field(default_factory=dict)

    def file(self, name: str, target: str, line: int) -> tuple[str, bytes] | None:
        """The path and the content of the file `target`, which the directive `name` names from this one. One
        that is not there is reported; a build may write it."""
        found = read_target(self.path, target, self.read)
        if found is None:
            place = next(iter(candidates(self.path, target)), target)
            is_written = is_generated(place, self.read)
            report = self.problems.elsewhere if is_written else self.problems.unresolved
            report(name, f"the file {target!r} does not exist", line)
        return found

    def document(self, target: str) -> tuple[str, str]:
        """The path (relative to this file's folder) and the title of the document that `target` names;
        two empty strings when there is none."""
        if target not in self._titles:
            self._titles[target] = self._find(target)
        return self._titles[target]

    def labelled(self, name: str) -> tuple[str, str]:
        """The title of what another page calls `name`, and the link to it from here; two empty strings where
        none does."""
        found = self.labels.get(name)
        if found is None:
            return "", ""
        path = relative_path(found.path, self.path)
        return found.title, f"{path}#{found.anchor}" if found.anchor else path

    def _find(self, target: str) -> tuple[str, str]:
        for suffix in ("", *_SUFFIXES) if target.endswith(_SUFFIXES) else _SUFFIXES:
            found = read_target(self.path, f"{target}{suffix}", self.read)
            if found is not None:
                path, data = found
                text = decode_any(data[:_BEGINNING])
                title = _title(path, text)
                match = None if title else _INCLUDED.search(text)
                if match and (included := read_target(path, match["target"], self.read)):
                    title = _title(included[0], decode_any(included[1][:_BEGINNING]))
                return relative_path(path, self.path), title
        return "", ""


def _title(path: str, text: str) -> str:
    ending = path.lower().rpartition(".")[2]
    kinds = {"md": markdown.first_title, "ipynb": _title_of_notebook}
    return kinds.get(ending, first_title)(text)


def _title_of_notebook(text: str) -> str:
    """The heading in the first cell that begins with one; `text` is the beginning of the file."""
    found = _CELL_TITLE.search(text)
    heading = json_value(f'"{found[1]}"') if found else None
    return markdown.heading_text(heading.split("\n")[0]) if isinstance(heading, str) else ""


def first_title(text: str) -> str:
    """The first section title of a text in reStructuredText, as plain text."""
    titles = (match["with_over"] or match["plain"] or "" for match in _TITLE.finditer(text))
    for title in map(str.strip, (title_of(text), *titles)):
        if not title.startswith((".. ", ":")) and re.search(r"\w", title):
            return plain_title(title, text)
    return ""


def title_at(text: str, position: int) -> str:
    """The source of the section title that begins at `position`; "" where none does."""
    match = _TITLE.match(text, position)
    return ((match["with_over"] or match["plain"]) if match else "").strip()


def plain_title(title: str, text: str) -> str:
    """The source of a title without its markup, with what `text` defines in place of `|name|`."""

    def defined(match: re.Match[str]) -> str:
        return _replacements(text).get(match["name"], match[0])

    def named(role: re.Match[str]) -> str:
        return role["text"].rpartition(".")[2] if role["short"] else role["text"]

    plain = _ROLE.sub(named, _SUBSTITUTION.sub(defined, title) if "|" in title else title)
    return plain.replace("``", "").replace("\\", "")


@lru_cache(maxsize=1)
def _replacements(text: str) -> dict[str, str]:
    """The substitutions that a text defines: one text after the other is asked for each of its titles."""
    return {name: shown.strip() for name, shown in reversed(_REPLACEMENT.findall(text))}


def is_style(argument: str) -> bool:
    """Whether the argument of `.. class::` names classes of a style sheet, as docutils has it, which no
    signature of a class looks like."""
    return _STYLES.fullmatch(argument) is not None
