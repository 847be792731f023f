"""Admonitions, tabs and details of Markdown generators: the label in bold, the text as it is.

Read are `!!!`, `???` and `===` with indented text (Python-Markdown), `:::` (Docusaurus, VitePress, MyST,
Quarto), `///` (pymdownx blocks), `[[autodoc]]` (Hugging Face), and the labels of MDX components.
Nothing in fenced code is touched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from kbc.languages.includes.components import attributes
from kbc.languages.includes.fenced import FENCE, after_fence, indentation
from kbc.languages.includes.files import NOT_INCLUDED, IncludingPage

_INDENTED = re.compile(
    r"^(?P<indent>[ \t]*)(?P<mark>!!!|\?\?\?\+?|===[!+]{0,2})(?:(?<!=)|[ \t]+)"
    r"[ \t]*(?P<kind>[\w-]+(?:[ \t]+[\w-]+)*)?[ \t]*(?P<title>\"[^\n]*\")?[ \t]*$"
)
_COLONS = re.compile(
    r"^(?P<indent>[ \t>]*)(?P<heading>#{1,6}[ \t]+)?(?P<marks>:{3,})[ \t]*(?P<name>\{[^}\n]*\}|[\w][\w.:-]*)"
    r"(?P<label>\[[^\]\n]*\])?(?P<rest>[^\n]*)$"
)
_COLONS_END = re.compile(r"^[ \t>]*:{3,}[ \t]*$")
_SLASHES = re.compile(
    r"^(?P<indent>[ \t]*)(?P<marks>/{3,})[ \t]*(?P<name>[\w-]+)[ \t]*(?:\|[ \t]*(?P<title>.*))?$"
)
_SLASHES_END = re.compile(r"^[ \t]*/{3,}[ \t]*$")
_OPTION = re.compile(r"^(?: {4}|\t)\s*[\w-]+:(?:\s|$)")
_API_NAME = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+")
_API_OPTION = re.compile(r" {4}(?:(?:options|handler|selection|rendering):(?:\s|$)|:[\w-]+:\s)")
_MEMBER = re.compile(r"[ \t]+-[ \t]+(\w+)[ \t]*\Z")
_AUTODOC = re.compile(r"^(?P<indent>[ \t]*)\[\[autodoc\]\][ \t]+(?P<name>[\w.]+)[ \t]*$")
_CONTENTS = re.compile(r"[ \t]*\[\[?(?:toc|TOC)\]\]?[ \t]*")
_COMPONENT = re.compile(
    r"^(?P<indent>[ \t]*)<(?:[A-Z]\w*\.)*(?P<name>[A-Z]\w*)\b(?P<attributes>[^<>]*)(?<!/)>"
)
_ITEMS = re.compile(r"\bitems\s*=\s*\{\s*\[([^\]{}]*)\]\s*\}")
_TEXT = re.compile(r"[\"'`]([^\"'`\n]+)[\"'`]")
_TITLES = ("label", "title", "header", "summary")
"""Attributes whose value is shown above a component or a block."""


_UNLABELLED = frozenset([
    "code-group", "tabs", "raw", "v-pre", "div", "html", "caption", "define", "columns", "center",
    "row", "col",
])  # fmt: skip
_NOTICES = frozenset([
    "Note", "Tip", "Warning", "Caution", "Danger", "Info", "Important", "Pitfall", "DeepDive",
    "Deprecated", "Canary", "Callout", "Admonition", "Aside",
])  # fmt: skip
_OF_ANY_KIND = frozenset(["Callout", "Admonition", "Aside"])
"""Notices whose `type` says what they are."""

_KINDS = {"warn": "warning"}

_PANELS = frozenset([
    "Step", "Accordion", "AccordionItem", "Details", "Card", "Expandable", "CodeGroup",
])  # fmt: skip
"""Parts with a title; so are tabs, whatever a site calls its own (`CodeTab`)."""


_OF_PANDOC = frozenset([
    "note", "tip", "warning", "caution", "danger", "info", "important", "hint", "callout", "notes",
    "abstract", "summary", "definition", "theorem", "lemma", "corollary", "proposition", "proof",
    "remark", "example", "exercise", "exercises", "question", "answer", "solution", "objectives",
    "prereq", "challenge", "discussion", "checklist", "keypoints", "details", "questions", "spoiler",
    "instructor", "testimonial",
])  # fmt: skip
"""Classes of pandoc's divs that say what their text is; others are the site's own, for its looks."""

_THEOREMS = {
    "thm": "theorem", "lem": "lemma", "cor": "corollary", "prp": "proposition", "cnj": "conjecture",
    "def": "definition", "exm": "example", "exr": "exercise", "sol": "solution", "rem": "remark",
    "alg": "algorithm",
}  # fmt: skip
"""What ids of Quarto's divs begin with, before a hyphen."""

_VISIBILITY = re.compile(r"\.content-(visible|hidden)\b")
_FORMATS = ("when-format", "unless-format")

_IN_DOCSTRINGS = re.compile(r"^[ \t]*(?:!!!|\?\?\?\+?|===[!+]?)[ \t]", re.MULTILINE)
"""Containers that a reference may have: docstrings are Markdown with the extensions of the pages."""


def label_containers(text: str, page: IncludingPage) -> str:
    """`text` with a bold label where a container begins, and its marks removed; `::: package.object` is
    replaced by the reference of the object."""
    return "\n".join(_Labelling(text.split("\n"), page).labelled())


def label(kind: str, title: str = "") -> str:
    """`**Note: Title**`; marks of emphasis in the title are left out."""
    name = re.sub(r"[-_]+", " ", kind).strip()
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    shown = re.sub(r"\*\*|__", "", title).strip()
    if not shown or shown.casefold() == name.casefold():
        return f"**{name[:1].upper()}{name[1:]}**" if name else ""
    return f"**{name[:1].upper()}{name[1:]}: {shown}**" if name else f"**{shown}**"


class _Labelling:
    """Goes through the lines of a page, or of a block of it."""

    def __init__(self, lines: Sequence[str], page: IncludingPage) -> None:
        self._lines = lines
        self._page = page
        self._next = 0
        self._open_colons = self._open_slashes = 0
        self._items: list[str] = []  # the labels of the next tabs, which their group states
        self._closings = {  # the last line with these slashes alone
            line.strip(): at for at, line in enumerate(lines) if line.lstrip()[:3] == "///"
        }

    def labelled(self) -> Iterator[str]:
        marks = ""
        while self._next < len(self._lines):
            line = self._lines[self._next]
            self._next += 1
            opening = FENCE.match(line)
            if marks or opening:
                marks = after_fence(marks, line, opening)
                yield line
            elif found := _INDENTED.match(line):
                yield from self._indented(found)
            elif found := _COLONS.match(line):
                yield from self._colons(found)
            elif self._open_colons and _COLONS_END.match(line):
                self._open_colons -= 1
                yield ""
            elif (found := _SLASHES.match(line)) and (
                self._closings.get(found["marks"], -1) >= self._next
            ):
                yield from self._slashes(found)
            elif self._open_slashes and _SLASHES_END.match(line):
                self._open_slashes -= 1
                yield ""
            elif found := _AUTODOC.match(line):
                yield self._autodoc(found)
            elif _CONTENTS.fullmatch(line):
                yield ""
            elif found := _COMPONENT.match(line):
                yield from self._component(found)
            else:
                yield line

    def _indented(self, found: re.Match[str]) -> Iterator[str]:
        is_tab = found["mark"].startswith("===")
        is_open = _is_open(self._lines, self._next, found)
        is_bare = found["kind"] is None  # as tabs are, and details may be
        is_notice = found["mark"] == "!!!" or not found["title"]
        is_wrong = not is_bare if is_tab else is_bare and is_notice
        if is_wrong or not (is_open or found["title"]):
            yield found.string
            return
        kind = (found["kind"] or "").split(" ")[0]
        yield from _labelled(found["indent"], label(kind, (found["title"] or "").strip('"')))
        if not is_open:  # a tab or a notice that is all title
            return
        block, self._next = _block(self._lines, self._next, len(found["indent"].expandtabs(4)))
        inside = _Labelling(block, self._page).labelled()
        yield from (found["indent"] + inner if inner else "" for inner in inside)
        yield ""

    def _colons(self, found: re.Match[str]) -> Iterator[str]:
        name = found["name"].strip("{}").strip()
        end = _options_end(self._lines, self._next)
        is_option = end > self._next and _API_OPTION.match(self._lines[self._next]) is not None
        names_objects = self._page.around.names_objects
        is_name = names_objects or is_option or _API_NAME.fullmatch(name)
        if found["name"][0] != "{" and (is_name or found["heading"]):
            if names_objects:
                name = found.string.strip().lstrip("# \t").lstrip(":").strip()
            stated = "\n".join(self._lines[self._next : end])
            yield _object(name, stated, found["indent"], self._page, found["heading"] or "")
            self._next = end
        elif found["heading"]:
            yield found.string
        elif self._page.around.attributes == "pandoc" and not _is_of_page(name):
            self._leave_out_div()
            yield ""
        else:
            self._open_colons += 1
            is_pandoc = self._page.around.attributes == "pandoc"
            shown = _pandoc_label(name, found) if is_pandoc else _colons_label(name, found)
            yield from _labelled(found["indent"], shown)

    def _leave_out_div(self) -> None:
        depth, marks = 1, ""
        while depth and self._next < len(self._lines):
            line = self._lines[self._next]
            self._next += 1
            opening = FENCE.match(line)
            if marks or opening:
                marks = after_fence(marks, line, opening)
            elif _COLONS_END.match(line):
                depth -= 1
            else:
                depth += _COLONS.match(line) is not None

    def _slashes(self, found: re.Match[str]) -> Iterator[str]:
        while self._next < len(self._lines) and _OPTION.match(self._lines[self._next]):
            self._next += 1
        self._open_slashes += 1
        name, title = found["name"], found["title"] or ""
        is_panel = name in ("tab", "details") and title
        shown = label("" if is_panel else name, title) if name not in _UNLABELLED else ""
        yield from _labelled(found["indent"], shown)

    def _autodoc(self, found: re.Match[str]) -> str:
        members = []
        while self._next < len(self._lines) and (member := _MEMBER.match(self._lines[self._next])):
            members.append(member[1])
            self._next += 1
        chosen = members and "all" not in members
        options = f"options: {{members: [{', '.join(members)}]}}" if chosen else ""
        return _object(found["name"], options, found["indent"], self._page)

    def _component(self, found: re.Match[str]) -> Iterator[str]:
        name, stated = found["name"], found["attributes"]
        shown = _component_label(name, attributes(stated))
        if name.endswith("Tabs"):
            group = _ITEMS.search(stated)
            self._items = _TEXT.findall(group[1]) if group else []
        elif self._items and name.endswith("Tab"):
            shown, self._items = shown or label("", self._items[0]), self._items[1:]
        content = found.string[found.end() :].strip()  # of a component that is written in one line
        following = content or _next_text(self._lines, self._next).strip()
        if not shown or shown == following:  # an included page has its labels
            yield found.string
            return
        yield found[0]
        yield from _labelled(found["indent"], shown)
        if content:
            yield found["indent"] + content


def _labelled(indent: str, shown: str) -> Iterator[str]:
    """The label as a paragraph of its own."""
    if shown:
        yield from ("", indent + shown, "")
    else:
        yield ""


def _is_open(lines: Sequence[str], index: int, found: re.Match[str]) -> bool:
    """Whether indented text follows: `!!! x` in prose is no admonition."""
    return indentation(_next_text(lines, index)) >= indentation(found["indent"] + "!") + 2


def _next_text(lines: Sequence[str], index: int) -> str:
    """The first line from `index` on that is not blank; "" without one."""
    return next((lines[at] for at in range(index, len(lines)) if lines[at].strip()), "")


def _block(lines: Sequence[str], index: int, width: int) -> tuple[list[str], int]:
    """The indented lines from `index` on, without their margin, and the index after them."""
    block: list[str] = []
    while index < len(lines):
        line = lines[index].expandtabs(4) if lines[index].startswith((" ", "\t")) else lines[index]
        if line.strip() and len(line) - len(line.lstrip()) < width + 2:
            break
        margin = min(width + 4, len(line) - len(line.lstrip()))
        block.append(line[margin:] if line.strip() else "")
        index += 1
    while block and not block[-1]:
        block.pop()
        index -= 1
    return block, index


def _options_end(lines: Sequence[str], index: int) -> int:
    """The index after the indented lines from `index` on."""
    while index < len(lines) and lines[index].startswith(("    ", "\t")):
        index += 1
    return index


def _object(name: str, options: str, indent: str, page: IncludingPage, heading: str = "") -> str:
    """The reference of a Python object, or what stands in its place. `heading` are the marks of the heading
    that the directive is (`## ::: package.object`)."""
    is_object = _API_NAME.fullmatch(name) or re.fullmatch(r"[A-Za-z_]\w*", name)
    if heading:
        margin = " " * (len(options) - len(options.lstrip()))
        options = f"{margin}heading_level: {len(heading.strip())}\n{options}"
    found = page.around.objects(name, options) if page.around.objects and is_object else None
    if found is not None:
        has_own = _IN_DOCSTRINGS.search(found) and ":::" not in found
        return f"\n{label_containers(found, page) if has_own else found}\n"
    is_program = re.fullmatch(r"\w+(?:-\w+)+", name)
    page.external[f"::: {name}" if is_program else "::: (API)"] += 1
    return f"{indent}{heading}`{name}`\n\n{indent}{NOT_INCLUDED}its reference)\n"


def _colons_label(name: str, found: re.Match[str]) -> str:
    if found["name"].startswith("{"):
        kind = name.split()[0].lstrip(".#") if name else ""
        shown = _title(attributes(name))[1] or found["rest"].strip()
    else:
        kind, shown = name, (found["label"] or "").strip("[]") or found["rest"].strip()
        shown = re.sub(r"(?<!\s)\s*\{[^{}]*\}\s*$", "", shown)
    kind = kind.removeprefix("callout-")
    if kind in _UNLABELLED:
        return ""
    is_panel = kind in ("details", "tab", "tab-item") and shown
    return label("" if is_panel else kind, shown)


def _pandoc_label(name: str, found: re.Match[str]) -> str:
    """Of a div of pandoc the label of a callout, a notice or a theorem, and its title."""
    is_list = found["name"].startswith("{")
    stated = name if is_list else found["rest"].strip().strip("{}")
    classes = [each[1:] for each in stated.split() if each.startswith(".")]
    names = (
        re.sub(r"\A(?:callout-|rmd)(?=\w)", "", each.lower())
        for each in [*classes, *([] if is_list else [name])]
    )
    kind = next((each for each in names if each in _OF_PANDOC), "")
    prefix, _, rest = name.split()[0].partition("-") if name else ("", "", "")
    values = attributes(stated)
    title = _title(values)[1]
    if not kind and rest and prefix[1:] in _THEOREMS and prefix[0] == "#":
        kind, title = _THEOREMS[prefix[1:]], title or values.get("name", "")
    return label("" if kind == "details" and title else kind, title)


def _is_of_page(name: str) -> bool:
    """Whether a div of Quarto with these attributes is shown on a page of HTML, and not only in a PDF."""
    if not (found := _VISIBILITY.search(name)):
        return True
    stated = attributes(name)
    is_of_html = [
        stated[key].startswith("html") == (key == "when-format")
        for key in _FORMATS
        if key in stated
    ]
    return not is_of_html or (found[1] == "visible") == all(is_of_html)


def _title(stated: Mapping[str, str]) -> tuple[str, str]:
    """The first attribute that is a title, and its value; empty strings without one."""
    return next((one for one in stated.items() if one[0] in _TITLES and one[1]), ("", ""))


def _component_label(name: str, stated: Mapping[str, str]) -> str:
    attribute, shown = _title(stated)
    if name in _NOTICES:
        kind = stated.get("type", "") if name in _OF_ANY_KIND else ""
        return label(_KINDS.get(kind, kind) if kind.isalpha() else name, shown)
    if name in _PANELS or name.endswith(("Tab", "TabItem")):
        value = stated.get("value", "")
        # A tab may be titled after a file, and several tabs after the same one.
        if value and attribute == "title":
            shown = f"{value}: {shown}"
        return label("", shown or value)
    return label("", stated.get("slot", "")) if name == "Fragment" else ""
