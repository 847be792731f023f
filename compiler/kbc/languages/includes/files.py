"""Finds the file that a directive names, and the part of it that the directive asks for."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import dedent
from typing import NamedTuple

from kb_runtime.text.rendering import backticks
from kbc.languages.includes.generated import is_generated
from kbc.project.include_tree import Read, folders_above
from kbc.project.sites.generators import AttributeStyle
from kbc.project.source_file import decode_any, relative_path

NOT_INCLUDED = "(not included: "
"""What stands in a page in the place of text that could not be had, before its name."""


_WRITES_MARKUP = re.compile(
    r"^#\|[ \t]*(?:output|results):[ \t]*[\"']?asis|^`{3,}\{[^}\n]*\bresults[ \t]*=[ \t]*[\"']asis",
    re.MULTILINE,
)
"""Cells of Quarto and R Markdown whose output is read as a part of the page."""


def is_complete(text: str) -> bool:
    """Whether a page has all text that its site shows, as far as its directives tell."""
    return NOT_INCLUDED not in text and not ("asis" in text and _WRITES_MARKUP.search(text))


MAX_INCLUDED_CHARS = 2_000_000
MAX_DEPTH = 8
_CHARS_OF_A_FILE = 250
"""Of text that take as long to read as to find a file."""

_LEVELS_ABOVE = 4
_ROOTED = re.compile(r"^(?:@site/|@/|~/|/)")
_ALIASED = re.compile(r"@[\w-]+/")
"""A folder of the project under a name of its own: `@components/part.mdx`."""

_MARK_LINE = re.compile(r"ANCHOR(?:_END)?:\s*[\w-]+|-+8<-+\s*\[\s*(?:start|end)\s*:?\s*[^\]]*\]")
_COMMENT_END = r"(?:\*/\}?|-->)?"
"""How comments end that are closed; in JSX they stand in braces."""

_REGION_LINE = re.compile(
    r"^\s*(?://|#|--|<!--|\{?/\*|;|%|REM\b)?\s*#?(?:end\s?)?(?:doc)?region\b", re.IGNORECASE
)
_OTHERS = r"(?:[\w.-]+,\s*)*"
"""Angular names several regions that begin or end at a mark."""

_LINES = re.compile(r"(?P<first>\d{1,9})?(?P<dash>-)?(?P<last>\d{1,9})?")
_LANGUAGES = {
    "py": "python", "rs": "rust", "js": "js", "mjs": "js", "ts": "ts", "yml": "yaml", "md": "markdown",
    "sh": "bash", "rb": "ruby", "kt": "kotlin", "cs": "csharp", "txt": "text", "htm": "html",
}  # fmt: skip


def not_included(target: str) -> str:
    """What stands in a page in the place of a file that could not be had."""
    return f"{NOT_INCLUDED}{target})"


_OF_PACKAGE = re.compile(r"@(?!site/|theme/)[\w.-]+/")
"""How an import of a file of a package with a scope begins; the others are names of Docusaurus."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """`text` with everything inserted; `unresolved` counts, by directive, what could not be, `external`
    what no file of the tree has because the site writes it when it is built."""

    text: str
    unresolved: Mapping[str, int]
    external: Mapping[str, int] = field(default_factory=dict)


class NamedPage(NamedTuple):
    """A page that others refer to by a name: its path below the root, and its title."""

    path: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the site around a page gives to its directives.

    `bases` are folders that the generator looks in before those around the page, `templates` those of
    shortcodes, `aliases` what the names that imports begin with stand for, and `pages` the paths of pages by
    the names of their files, where only one is called so. `objects` gives the reference of a Python object;
    with `names_objects` every `:::` names one, as with mkdocstrings, and begins no block. `restructured`
    gives the Markdown of what MyST has of Sphinx (None: pages are not Sphinx's), `referred` the link of a
    role of MyST, by what it names and its title. `attributes` says whose lists of attributes pages have.
    `repositories` are the names that the repository has on GitHub (`owner/name`, in lower case), whose root
    is `repository_folder`. `notes` gives the paths of notes by the names that links have for them.
    With `is_mdx` the page is MDX, whatever its file is called, and with `has_helpers` it is one of mdBook,
    whose preprocessors fill in `{{#name}}`. `stated` gives what `meta` and `var` of Quarto show, by the name
    of the shortcode and that of the value (None: pages have no such). `uids` are the pages of DocFX by the
    names that these state for themselves. `mounted_anywhere` is the Markdown that pages of MDX mount without
    an import, by its name there.
    """

    bases: Sequence[str] = ()
    templates: Sequence[str] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    pages: Mapping[str, str] = field(default_factory=dict)
    objects: Objects | None = None
    names_objects: bool = False
    restructured: Restructured | None = None
    referred: Callable[[str, str], str] | None = None
    attributes: AttributeStyle = ""
    repositories: Sequence[str] = ()
    repository_folder: str = ""
    notes: Callable[[], Mapping[str, str]] | None = None
    is_mdx: bool = False
    has_helpers: bool = False
    stated: Callable[[str, str], str | None] | None = None
    uids: Mapping[str, NamedPage] = field(default_factory=dict)
    mounted_anywhere: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class IncludingPage:
    """The page that is read: where it is, who reads other files, and what was found or not.

    `expand_part` gives the text of an included Markdown file with what that includes, without front matter.
    `prepare` makes MyST of a dialect of it, in the page and in what it includes; None: pages are MyST's own.
    `unresolved` counts files that are not there, `external` what the site writes when it is built, both by
    directive. `stack` are the files being included. With `has_blocks` the page writes blocks of GitBook or
    Markdoc, and so do the files it includes; with `has_commands` those of Doxygen. `tab_labels` are the
    labels that a group of tabs states and no tab has yet.
    """

    path: str
    read: Read
    expand_part: PartExpander
    around: Surroundings
    prepare: PartExpander | None = None
    unresolved: Counter[str] = field(default_factory=Counter)
    external: Counter[str] = field(default_factory=Counter)
    chars: int = 0
    stack: tuple[str, ...] = ()
    has_blocks: bool = False
    has_commands: bool = False
    tab_labels: list[str] = field(default_factory=list)

    def by_name(self, target: str) -> str:
        """The link to the page that is called `page.md` or `page`, in whichever folder, or has this path
        below that of the pages; "" for none."""
        name, mark, anchor = target.partition("#")
        place = name.strip("/")
        written = (place, f"{place}.md", f"{place}/_index.md")
        pages = self.around.pages
        path = next((pages[each] for each in written if each in pages), None)
        if (
            path is None
            or self.read(posixpath.join(posixpath.dirname(self.path), name)) is not None
        ):
            return ""
        return relative_path(path, self.path) + mark + anchor

    def expanded(self, path: str, text: str) -> str:
        """The text of the Markdown file `path`, which is included here."""
        before = self.stack
        self.stack = (*before, path)
        try:
            return self.expand_part(text, self)
        finally:
            self.stack = before

    def included(self, target: str, directive: str, below: Sequence[str] = ("",)) -> str:
        """The text of the Markdown file that `target` names, with what that includes; what stands in its
        place without one, which `load` counts. `below` is as for `find`."""
        found = self.load(target, directive, below) if target else None
        return self.expanded(*found).strip("\n") if found else not_included(target)

    def load(
        self, target: str, directive: str, below: Sequence[str] = ("",)
    ) -> tuple[str, str] | None:
        """Path and text of the file that `target` names; None, counted as unresolved, without one."""
        found = self.find(target, below)
        if found is None:
            self.missed(target, directive)
        return found

    def missed(self, target: str, directive: str) -> None:
        """Counts a directive whose text could not be had; an address is not a file of the tree, nor is what
        a package has or a build writes."""
        is_package = _OF_PACKAGE.match(target) and not target.startswith(tuple(self.around.aliases))
        is_external = "://" in target or is_package or self._is_generated(target)
        (self.external if is_external else self.unresolved)[directive] += 1

    def _is_generated(self, target: str) -> bool:
        places = () if "\0" in target else self._places(target)
        return any(is_generated(place, self.read) for place in places if place != ".")

    def find(self, target: str, below: Sequence[str] = ("",)) -> tuple[str, str] | None:
        """As `load`; a missing file is not counted. `below` are the folders that a generator has for such
        files, in the order in which they are looked through."""
        if "://" in target or "\0" in target or len(self.stack) >= MAX_DEPTH:
            return None
        for place in (each for folder in below for each in self._places(folder + target)):
            is_open = place in self.stack or place == self.path
            text = None if is_open else self.text_at(place)
            if text is not None:
                return place, text
        return None

    def text_at(self, place: str) -> str | None:
        """The text of the file at `place`; None where there is no text, and once the page has included more
        than MAX_INCLUDED_CHARS."""
        data = None if self.chars > MAX_INCLUDED_CHARS else self.read(place)
        text = "" if data is None else decode_any(data)
        return text if data is not None and self.has_room_for(text) and "\0" not in text else None

    def has_room_for(self, text: str) -> bool:
        """Whether the page may show `text`, too, which from now on is part of what it has included. It counts
        once for each of the included files that it is in, which are all read with it."""
        self.chars += (len(text) + _CHARS_OF_A_FILE) * max(len(self.stack), 1)
        return self.chars <= MAX_INCLUDED_CHARS

    def _places(self, target: str) -> Iterator[str]:
        """Beside the page, then from each folder above it: generators count from the page, from the
        folder of the content or from that of their configuration."""
        for name, folder in self.around.aliases.items():
            if target.startswith(name):
                yield posixpath.normpath(folder + target.removeprefix(name))
        plain = _ROOTED.sub("", target.replace("\\", "/"))
        names = (plain, plain[1:]) if _ALIASED.match(plain) else (plain,)
        beside = self.stack[-1] if self.stack else self.path
        above = ("/".join([".."] * level) for level in range(1, _LEVELS_ABOVE + 1))
        folders = (*folders_above(beside), *above)
        seen = set()
        for folder in (*self.around.bases, *folders):
            for name in names:
                place = posixpath.normpath(posixpath.join(folder, name))
                if place not in seen:
                    seen.add(place)
                    yield place


Objects = Callable[[str, str], str | None]
"""Name of a Python object and the YAML below its directive -> its reference as Markdown; None where its
source is not in the tree."""

Restructured = Callable[[str], tuple[str, Sequence[str]]]
"""reStructuredText -> its Markdown, and the anchors of the headings in that."""

PartExpander = Callable[[str, IncludingPage], str]
"""Text of an included Markdown file and the page that includes it -> the text, expanded."""


def language_of(path: str) -> str:
    """What a fence with the content of this file is called."""
    ending = posixpath.basename(path).rpartition(".")[2].lower()
    return _LANGUAGES.get(ending, ending) if "." in posixpath.basename(path) else ""


def excerpt(text: str, part: str) -> str | None:
    """The part of a file that mdBook's `:part` or a snippet's `:part` names: lines `2`, `2:`, `:10`,
    `2:10`, or an anchor, section or region; all of it for "". None when it is not there."""
    lines = text.rstrip("\n").split("\n")
    if match := re.fullmatch(r"(\d*)(:?)(-?\d*)", part):
        first = int(match[1] or 1)
        last = int(match[3]) if match[3] else (len(lines) if match[2] or not match[1] else first)
        last = len(lines) + 1 + last if last < 0 else last
        chosen: list[str] | None = lines[max(first, 1) - 1 : last]
    else:
        chosen = _marked(lines, part)
    if chosen is None:
        return None
    return "\n".join(line for line in chosen if not _MARK_LINE.search(line))


def _marked(lines: Sequence[str], name: str) -> list[str] | None:
    """The lines between the marks of an anchor or a section."""
    quoted = re.escape(name)
    start, end = (
        re.compile(rf"{own}:\s*{quoted}(?![\w-])|8<-+\s*\[\s*{word}\s*:\s*{quoted}\s*\]")
        for own, word in (("ANCHOR", "start"), ("ANCHOR_END", "end"))
    )
    chosen: list[str] = []
    is_inside = was_found = False
    for line in lines:
        if start.search(line):
            is_inside = was_found = True
        elif end.search(line):
            is_inside = False
        elif is_inside:
            chosen.append(line)
    return chosen if was_found else None


def region(text: str, name: str) -> str | None:
    """The lines between `#region name` and its end, without indentation and inner marks."""
    quoted = re.escape(name)
    named = rf"{_OTHERS}{quoted}(?:,[^\n]*)?\s*{_COMMENT_END}\s*$"
    start = re.compile(rf"#?region\s+{named}", re.IGNORECASE)
    end = re.compile(rf"#?end\s?(?:doc)?region(?:\s+{named}|\s*{_COMMENT_END}\s*$)", re.IGNORECASE)
    chosen: list[str] = []
    is_inside = was_found = False
    for line in text.split("\n"):
        if is_inside and end.search(line):
            break
        if is_inside:
            if not _REGION_LINE.match(line):
                chosen.append(line)
        elif start.search(line) and not end.search(line):
            is_inside = was_found = True
    return dedent("\n".join(chosen)) if was_found else None


def ranges(stated: str) -> list[tuple[int, int]]:
    """`1:3,5` or `1-3,5` as pairs of first and last line."""
    found = []
    for match in re.finditer(r"(\d+)(?:\s*[:-]\s*(\d+))?", stated):
        first = int(match[1])
        found.append((first, max(first, int(match[2] or first))))
    return found


def lines_in(text: str, stated: str) -> str:
    """The lines of `2`, `2-5`, `-5` and `5-`, with commas or blanks between them, in this order."""
    lines = text.split("\n")
    chosen: list[str] = []
    for match in map(_LINES.fullmatch, re.split(r"[\s,]+", stated.strip())):
        if match:
            end = int(match["last"] or len(lines)) if match["dash"] else int(match["first"] or 0)
            chosen += lines[max(int(match["first"] or 1) - 1, 0) : end]
    return "\n".join(chosen)


def link_target(address: str) -> str:
    """`address` as the target of a link in Markdown."""
    return f"<{address}>" if re.search(r"[\s()]", address) else address


def indented(indent: str, text: str) -> str:
    """`text` with white space before each line that has any text."""
    return "\n".join(indent + line if line else "" for line in text.split("\n")) if indent else text


def fence(code: str, language: str, info: str = "", *, title: str = "") -> str:
    """`code` between marks that do not occur in it."""
    marks = backticks(code, 3)
    info = f'title="{title}" {info}' if title else info
    opening = f"{language} {info}".strip() if language else info.strip() and f"text {info}".strip()
    return f"{marks}{opening}\n{code}\n{marks}"
