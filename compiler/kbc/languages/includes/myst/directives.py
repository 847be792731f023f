"""Directives and roles of MyST, the Markdown of Sphinx: fences whose info is `{name} argument`.

What holds Markdown keeps it under its label; what Sphinx computes or reads goes to the reader of
reStructuredText, as does `{eval-rst}`. docs-builder, whose dialect `docs_builder` makes MyST, has none.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence

from kbc.languages.anchors import slug
from kbc.languages.front_matter import stated_above
from kbc.languages.includes.containers import label
from kbc.languages.includes.fenced import CODE, FENCE, after_fence, fenced_stretches
from kbc.languages.includes.files import IncludingPage, fence, language_of, not_included
from kbc.languages.includes.myst.roles import ICON_ROLE, TEXT_ROLES, document_of
from kbc.languages.suffixes import LANGUAGES
from kbc.project.well_formed import mapping

_COLONS = re.compile(r"^[ \t>]*(?P<marks>:{3,})(?P<info>[ \t]*\{[\w:.+-]+\}.*)$")
_OPENING = re.compile(r"\{(?P<name>[\w:.+-]+)\}[ \t]*(?P<argument>.*)")
_ROLE = re.compile(
    r"(?<![`\\$])\{(?P<name>[a-zA-Z][\w:.+-]*)\}(?P<marks>`+)(?!`)(?P<text>.+?)(?<!`)(?P=marks)(?!`)"
    rf"|(?P<span>{CODE})",
    re.DOTALL,
)
"""A role, or code, which may show one."""
_ROLE_OPENING = re.compile(r"(?<![`\\$])\{[a-zA-Z][\w:.+-]*\}`[^`]*\Z")
"""A role that goes on in the next line of its paragraph."""
_TITLED = re.compile(r"(?P<text>.*?)\s*<(?P<target>[^<>]*)>\Z", re.DOTALL)
_REFERENCE = re.compile(
    r"(?P<code>`+[^`]*`+)"
    r"|(?<![!\\])\[(?P<title>[^\[\]]*)\]\((?P<own>#?)(?P<target>[\w-]+(?::[\w-]+)*)\)"
)
"""A link whose target is no path with an ending: a label or a document, as roles name them. Behind `#` it may
be the anchor of a heading, too, whose link has a title."""

_REFERRING = frozenset(["doc", "numref", "ref"])
_OPTION = re.compile(r":[\w-]+:")
_HEADING = re.compile(r"(#{1,6}) ")
_MODULE = re.compile(r"^(?:\.\. )?(?:py:)?(?:currentmodule|module)::? ?(\S+)", re.MULTILINE)

_CODE = frozenset(["code", "code-block", "sourcecode", "code-cell", "prompt", "console"])
EXECUTED = {
    **dict.fromkeys(["doctest", "ipython"], "pycon"),
    **dict.fromkeys(
        ["testcode", "jupyter-execute", "jupyter-input", "plot", "exec_code"], "python"
    ),
    **dict.fromkeys(["testoutput", "jupyter-output"], "text"),
}
"""Code that a site runs when it is built, with its language; its argument is a group of tests, or a file."""
_DATA = frozenset(["math", "mermaid", "graphviz", "uml", "digraph", "productionlist"])
_DROPPED = frozenset([
    "toctree", "contents", "tableofcontents", "index", "highlight", "raw", "meta", "bibliography",
    "testsetup", "testcleanup",
])  # fmt: skip
_KERNEL = re.compile(r"i?(?P<language>[a-z]+)\d?(?:[-_. ].*)?", re.IGNORECASE)
"""What Jupyter calls a kernel or its language: `ipython3`, `julia-1.9`."""

_UNLABELLED = frozenset([
    "figure", "image", "tab-set", "grid", "grid-item", "div", "container", "only", "table", "glossary",
    "epigraph", "stepper", "applies-switch", "button", "button-group", "card-group", "carousel",
])  # fmt: skip
_TITLES = frozenset([
    "tab-item", "tab", "card", "grid-item-card", "dropdown", "details", "admonition", "step",
    "applies-item", "link-card", "page-card",
])  # fmt: skip
_GATED = re.compile(r"(?P<kind>exercise|solution)-(?P<gate>start|end)")
"""Directives of sphinx-exercise between which the text of an exercise stands."""
PROOFS = frozenset(["prf", "proof"])
"""The domain of sphinx-proof, and that of sphinxcontrib-proof: their content is text of the page."""
CARDS = frozenset({"card", "grid-item-card"})
CARD_MARK = re.compile(r"[ \t]*(?:\^{3,}|\+{3,})[ \t]*")
"""What is between the header, the body and the footer of a card."""
_VERSIONS = {
    "versionadded": "Added in",
    "versionchanged": "Changed in",
    "versionremoved": "Removed in",
    "deprecated": "Deprecated in",
}
_NAMES = {"seealso": "see also"}
_RESTRUCTURED = frozenset(["eval-rst", "literalinclude", "csv-table"])


def replace_directives(text: str, page: IncludingPage, above: str = "") -> str:
    """Markdown with the text of its directives in their place; `above` is its front matter. Code that only
    shows MyST stays."""
    if page.around.restructured is None and page.prepare is None:
        return text
    if "{" not in text and (page.around.referred is None or "](" not in text):
        return text
    return "\n".join(_Directives(page, _kernel_language(above)).lines(text.split("\n")))


def _kernel_language(above: str) -> str:
    """The language of code cells that the front matter of a page states; "" where it does not."""
    matter = stated_above(above)[0] if "kernelspec" in above else {}
    kernel = mapping(matter.get("kernelspec"))
    # A kernel may be called as somebody likes.
    stated = (str(kernel.get(key) or "") for key in ("language", "name", "display_name"))
    return next(filter(None, map(_language, stated)), "")


def _language(name: str) -> str:
    """The language of a kernel that is called after it; "" for other names."""
    kernel = _KERNEL.fullmatch(name)
    found = kernel["language"].lower() if kernel else ""
    return found if found in LANGUAGES.values() else ""


class _Directives:
    """The directives of one page, read in order: the module and the section that they stand in count.
    `kernel_language` is that of code cells without one."""

    def __init__(self, page: IncludingPage, kernel_language: str) -> None:
        self._page = page
        self._kernel_language = kernel_language
        self._module = ""
        self._level = 0

    def lines(self, lines: Sequence[str]) -> Iterator[str]:
        index = 0
        while index < len(lines):
            line = lines[index]
            index += 1
            opening = FENCE.match(line) or _COLONS.match(line)
            directive = _OPENING.match(opening["info"].strip()) if opening else None
            if opening is None:
                heading = _HEADING.match(line)
                self._level = len(heading[1]) if heading else self._level
                following = lines[index] if index < len(lines) else ""
                if _ROLE_OPENING.search(line) and "`" in following and not FENCE.match(following):
                    line = f"{line}\n{following}"
                    index += 1
                shown = _ROLE.sub(self._role, line) if "}`" in line else line
                if self._page.around.referred is not None and "](" in shown:
                    shown = _REFERENCE.sub(self._reference, shown)
                yield from shown.split("\n")
                continue
            end = _end(lines, index, opening["marks"], _indent(line))
            if directive is None:
                yield from lines[index - 1 : end + 1]
            else:
                indent = line[: len(line) - len(line.lstrip(" "))]
                name, argument = directive["name"].lower(), directive["argument"].strip()
                options, inner = _split(lines[index:end])
                found = [
                    *_targets(name, argument, options),
                    *self._directive(name, argument, options, inner),
                ]
                yield from ("", *(indent + each if each else "" for each in found), "")
            index = end + 1

    def _role(self, match: re.Match[str]) -> str:
        """The text of a role: a link to what it refers to, else its title, else its name as code."""
        if match["span"] is not None:
            return match[0]
        if ICON_ROLE.fullmatch(match["name"]):
            return ""
        titled = _TITLED.fullmatch(match["text"])
        title = titled["text"] if titled else ""
        base = match["name"].rpartition(":")[2]
        target = titled["target"].strip() if titled else match["text"].strip()
        referred = self._page.around.referred if base in _REFERRING else None
        if referred is not None and (link := referred(target, title)):
            return link
        if document := document_of(base, target):
            name, address = document
            return f"[{title or name}]({address})" if address else title or name
        if base in TEXT_ROLES and not title:
            return match["text"].lstrip("~!")
        return title or f"{match['marks']}{match['text'].lstrip('~!')}{match['marks']}"

    def _reference(self, match: re.Match[str]) -> str:
        """A link to what it names with a title, its own or that of what it leads to."""
        if match["code"] or self._page.around.referred is None:
            return match[0]
        if match["own"] and match["title"] and ":" not in match["target"]:
            return match[0]
        return self._page.around.referred(match["target"], match["title"]) or match[0]

    def _directive(
        self, name: str, argument: str, options: Sequence[str], inner: Sequence[str]
    ) -> list[str]:
        domain, _, base = name.rpartition(":")
        if gated := _GATED.fullmatch(base):
            if gated["gate"] == "end":
                return []
            base = gated["kind"]
        if base == "solution" and not domain:
            argument = ""  # the label of the exercise
        elif domain in PROOFS:
            name = base
        if base in ("currentmodule", "module"):
            self._module = argument
            return []
        if base in _DROPPED:
            return []
        if name == "myst":  # shows its Markdown and what becomes of it
            return fence("\n".join(inner), "myst").split("\n")
        if base in _CODE or base in _DATA or (base in EXECUTED and inner):
            return self._code(base, argument, options, inner)
        if base == "include" and "literal" not in " ".join(options):
            found = self._page.find(argument)
            if found:
                prepare = self._page.prepare
                part = prepare(found[1], self._page) if prepare else found[1]
                return list(self.lines(part.rstrip("\n").split("\n")))
        if base == "list-table":
            return [*_above(label("", argument)), *self.lines(_rows(inner) or inner)]
        if base == "figure-md":
            return list(self.lines(inner))
        if self._page.around.restructured is None:
            if not gated and not "".join(inner).strip():
                return self._alone(name, argument, options)
        elif (
            base in _RESTRUCTURED
            or base.startswith("auto")
            or ":" in name
            or (not gated and not "".join(inner).strip())
        ):
            return self._restructured(name, argument, options, inner)
        return self._labelled(base, argument, options, inner)

    def _code(
        self, name: str, argument: str, options: Sequence[str], inner: Sequence[str]
    ) -> list[str]:
        target = _option(options, "load") if name == "code-cell" else ""
        if target:
            found = self._page.load(target, ":load:")
            inner = found[1].rstrip("\n").split("\n") if found else inner or [not_included(target)]
        stated = name if name in _DATA else next(iter(argument.split()), "")
        if name == "code-cell":
            stated = _language(stated) or stated or self._kernel_language
        return fence("\n".join(inner), EXECUTED.get(name, stated)).split("\n")

    def _labelled(
        self, name: str, argument: str, options: Sequence[str], inner: Sequence[str]
    ) -> list[str]:
        """What a directive holds, below its label and what it applies to."""
        is_bare = name in _UNLABELLED or (name in CARDS and not argument)
        title = _ROLE.sub(self._role, argument).strip()
        if name in _VERSIONS:
            version, _, title = title.partition(" ")
            inner = [*_above(title), *inner]
            name, title = "", _of_version(name, version)
        kind = "" if name in _TITLES and title else _NAMES.get(name, name)
        shown = "" if is_bare else label(kind, title)
        if name in CARDS:
            inner = ["" if CARD_MARK.fullmatch(line) else line for line in inner]
        scope = _option(options, "applies_to")
        applies = f"Applies to `{scope}`" if scope else ""
        return [*_above(shown), *_above(applies), *self.lines(inner)]

    def _alone(self, name: str, argument: str, options: Sequence[str]) -> list[str]:
        """A directive without content: what it shows, or nothing, counted, where the site computes that."""
        if name in ("image", "figure"):
            return [f"![{_option(options, 'alt')}]({argument})"]
        if name in _VERSIONS:
            return [label("", _of_version(name, argument))]
        if name not in ("include", "literalinclude", "csv-include"):
            self._page.external[f"{{{name}}}"] += 1
            return []
        found = self._page.load(argument, f"{{{name}}}")
        if found is None:
            return [not_included(argument)]
        if name == "csv-include":
            rows = _csv_rows(found[1], _option(options, "separator")[:1] or ",")
            return [*_above(label("", _option(options, "caption"))), *_table(rows)]
        return fence(found[1].rstrip("\n"), language_of(found[0])).split("\n")

    def _restructured(
        self, name: str, argument: str, options: Sequence[str], inner: Sequence[str]
    ) -> list[str]:
        if name == "eval-rst":
            source = "\n".join([*options, *inner])
        else:
            rest = [f"   {each}" if each else "" for each in (*options, "", *inner)]
            source = "\n".join([f".. {name}:: {argument}", *rest])
        before = f".. currentmodule:: {self._module}\n\n" if self._module else ""
        if found := _MODULE.search(source):
            self._module = found[1].strip(":")
        assert self._page.around.restructured is not None
        text, anchors = self._page.around.restructured(f"{before}{source}\n")
        return list(self._nested(text.strip("\n"), iter(anchors)))

    def _nested(self, text: str, anchors: Iterator[str]) -> Iterator[str]:
        """The headings as sections of the one that they stand in, with their anchors."""
        for stretch, is_code in fenced_stretches(text):
            for line in [stretch] if is_code else stretch.split("\n"):
                if heading := None if is_code else _HEADING.match(line):
                    level = min(self._level + len(heading[1]), 6)
                    anchor = next(anchors, "")
                    line = f"{'#' * level} {line[heading.end() :]}"
                    line += f" {{#{anchor}}}" if anchor else ""
                yield line


def _targets(name: str, argument: str, options: Sequence[str]) -> Iterator[str]:
    """The ids of a directive, as MyST writes targets."""
    stated = [argument] if name == "figure-md" else []
    if name == "step":
        stated = [_option(options, "anchor") or slug(argument, "docs-builder")]
    for option in options:
        key, _, value = option.strip(":").partition(":")
        stated += [value.strip()] if key in ("name", "label") else []
    for id in stated:
        if id and not re.search(r"[()\s]", id):
            yield from (f"({id})=", "")


def _above(title: str) -> tuple[str, ...]:
    """The lines of a title above what it names; none where it is empty."""
    return (title, "") if title else ()


def _option(options: Sequence[str], name: str) -> str:
    """The value of `:name: value`; "" without one."""
    start = f":{name}:"
    return next((each[len(start) :].strip() for each in options if each.startswith(start)), "")


_ROW = re.compile(r"[*+-][ \t]+[*+-](?:[ \t]+(?P<text>.*))?$")
_CELL = re.compile(r"[ \t]+[*+-](?:[ \t]+(?P<text>.*))?$")


def _rows(lines: Sequence[str]) -> list[str]:
    """The nested list of a `list-table` as a table; nothing where a cell holds more than a paragraph."""
    rows: list[list[str]] = []
    is_open = False
    for line in lines:
        if found := _ROW.match(line) or (_CELL.match(line) if rows else None):
            if line[0] in "*+-":
                rows.append([])
            rows[-1].append((found["text"] or "").strip())
            is_open = True
        elif not line.strip():
            is_open = False
        elif not is_open or FENCE.match(line) or re.match(r"[ \t]*(?:[*+>#-]|\d+\.)[ \t]", line):
            return []
        else:
            rows[-1][-1] = f"{rows[-1][-1]} {line.strip()}".strip()
    if any(FENCE.match(cell) or "|" in cell for row in rows for cell in row):
        return []
    return _table(rows)


_MOST_CSV_CHARS = 100_000
"""What `csv` reads whatever the limit of its fields, which other modules set, too."""


def _csv_rows(text: str, separator: str) -> list[list[str]]:
    """The rows of a file of values; whole lines where these are no rows of such, or too long."""
    lines = text.splitlines(keepends=True)
    if len(text) > _MOST_CSV_CHARS:
        return [[line.strip()] for line in lines]
    try:
        rows = [row for row in csv.reader(lines, delimiter=separator) if row]
    except (csv.Error, ValueError):
        rows = [[line] for line in lines]
    return [[" ".join(cell.split()) for cell in row] for row in rows]


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """A table whose first row is its head; nothing without a column."""
    columns = max(map(len, rows), default=0)
    if not columns:
        return []
    full = [[*row, *[""] * (columns - len(row))] for row in rows]
    cells = ([each.replace("|", "\\|") for each in row] for row in full)
    shown = [f"| {' | '.join(row)} |" for row in cells]
    return [shown[0], f"|{' --- |' * columns}", *shown[1:]]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _end(lines: Sequence[str], index: int, marks: str, indent: int) -> int:
    """The index of the line that closes a fence, or of the end; marks that stand more than three columns
    further right are those of a fence inside."""
    while index < len(lines):
        is_inside = _indent(lines[index]) > indent + 3
        if not is_inside and not after_fence(marks, lines[index], None):
            break
        index += 1
    return index


def _split(body: Sequence[str]) -> tuple[list[str], list[str]]:
    """The options of a directive, `:name: value` a line, and its content."""
    lines = [line.strip() for line in body]
    if lines[:1] == ["---"] and "---" in lines[1:]:
        end = lines.index("---", 1)
        entries = (line.partition(":") for line in lines[1:end])
        options = [f":{key.strip()}: {value.strip()}" for key, _, value in entries]
        return options, list(body[end + 1 :])
    others = (at for at, line in enumerate(lines) if not _OPTION.match(line))
    count = next(others, len(lines))
    return lines[:count], list(body[count:])


def _of_version(name: str, version: str) -> str:
    stated = _VERSIONS[name]
    return f"{stated} {version}" if version else stated.removesuffix(" in")
