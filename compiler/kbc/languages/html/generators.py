"""What generators of references mark only by classes: signatures and code in other elements than `<pre>`,
titles in others than headings, tables of blocks. The classes are those of Doxygen, javadoc (JDK 16 and
later), Dokka, Haddock, TypeDoc, JSDoc, YARD, jazzy, ExDoc, rustdoc, pdoc and gi-docgen, whose style puts
signs between the parts of a name.
"""

from __future__ import annotations

from collections.abc import Sequence

from bs4 import BeautifulSoup, Tag

from kbc.languages.html.tree import (
    HEADINGS,
    bare_text,
    children,
    classes_of,
    elements,
    has,
    is_removed,
    named,
)

_SIGNATURES_OF_JAVA = frozenset(
    {"member-signature", "type-signature", "package-signature", "module-signature"}
)
_PHRASES = frozenset(
    ["a", "b", "br", "code", "em", "i", "img", "small", "span", "strong", "sub", "sup", "wbr"]
)
"""Elements that may stand beside a heading without being text of their own."""


def name_elements(soup: BeautifulSoup) -> None:
    """Makes code and headings of what generators show as such."""
    has_title = False
    for tag in list(elements(soup)):
        if is_removed(tag) or tag.parent is None:
            continue
        if tag.name == "section":
            _begin_with_heading(tag)
        if tag.name == "h1" and "signature" in classes_of(tag):
            _place_function(tag)
        elif tag.name == "a" and tag.parent.name == "code" and "token" in classes_of(tag):
            _name_item(tag)
        elif has_title and tag.name == "h1" and "section-heading" in classes_of(tag):
            tag.name = "h2"  # a kind of members of ExDoc
        elif tag.attrs.get("data-page-type") == "member":
            _name_whole(tag)
        elif tag.attrs.get("id") == "blanket-implementations-list":
            _keep_own(tag)
        elif tag.name in HEADINGS and "code-header" in classes_of(tag):
            _unlink(tag)
        has_title = has_title or tag.name == "h1"
        _show_part(tag, tag.parent)


def _show_part(tag: Tag, parent: Tag) -> None:
    """Makes code, headings or text of a part of a page that only its style shows as such."""
    classes = classes_of(tag) if tag.name in ("div", "span") else []
    if "fragment" in classes:
        _name_fragment(tag)
    elif "memproto" in classes:
        _name_prototype(tag)
    elif tag.name == "div" and not _SIGNATURES_OF_JAVA.isdisjoint(classes):
        tag.name = "pre"
        tag["class"] = "language-java"
    elif "symbol" in classes and "monospace" in classes:
        tag.name = "pre"
    elif "tsd-signature" in classes:
        tag.name = "pre"
        tag["class"] = "language-typescript"
    elif "app-vsn" in classes_of(tag):
        tag.decompose()  # the version of the package behind the name of a module of ExDoc
    elif "tsd-tag" in classes_of(tag):
        tag.insert_before(" ")  # `Optional` beside a name, which its style sets apart
        tag.insert_after(" ")
    elif "inline" in classes:
        _put_in_line(tag)
    elif "signature-attributes" in classes:
        tag.insert_before(" ")  # as JSDoc has it
    elif "attr" in classes and parent.get("id") and _begins_part(tag):
        _name_member(tag)
    elif "pdoc-code" in classes and _begins_part(tag):
        tag.decompose()  # the source of a member, which repeats the descriptions of those in it
    elif "clip" in classes and parent.name == "h1":
        tag.append(" ")  # the name of a project before its slogan, on first pages of VitePress
    elif "sep" in classes and not tag.contents and tag.find_parent(HEADINGS) is not None:
        tag.append(".")
    elif "mlabels" in classes and "title" in classes_of(parent):
        tag.decompose()  # `abstract` behind the name of a class
    elif "summary-table" in classes:
        _make_table(tag)
    elif _is_title(tag, classes):
        tag.name = "h1"


def _is_title(tag: Tag, classes: Sequence[str]) -> bool:
    """Whether the element is what Doxygen or Haddock shows as the title of a page."""
    parent = tag.parent
    assert parent is not None
    if parent.get("id") == "module-header":
        return "caption" in classes_of(tag)
    return "title" in classes and "headertitle" in classes_of(parent)


def _place_function(heading: Tag) -> None:
    """Puts a function of ExDoc, whose name is a heading of the first level, below its kind, with its id, and
    the headings of its text below it."""
    part = heading.find_parent(class_="detail")
    if isinstance(part, Tag):
        heading.name = "h3"
        heading["id"] = str(part.get("id") or "")
        for each in named(part, "h2", "h3", "h4"):
            if each is not heading:
                each.name = f"h{int(each.name[1]) + 2}"


def _name_item(token: Tag) -> None:
    """Makes a heading of the name of a member in jazzy, which a link in code stands for."""
    assert token.parent is not None
    block = token.parent.parent
    if block is not None and block.name == "div" and bare_text(block) == bare_text(token):
        block.name = "h3"
        block["id"] = str(token.get("href") or "").removeprefix("#")


def _put_in_line(block: Tag) -> None:
    """Leaves of what YARD says of a parameter, a paragraph, its text behind the name."""
    inner = [each for each in block.contents if isinstance(each, Tag)]
    if [each.name for each in inner] == ["p"]:
        inner[0].unwrap()
        block.name = "span"


def _name_whole(page: Tag) -> None:
    """Puts the class before the name of a member of Dokka (`Pump.start`): the id of a page is
    `module::package/Class/member/...`."""
    classes = str(page.get("pageids") or "").partition("::")[2].split("/")[1:2]
    heading = next(named(page, "h1"), None)
    if heading is not None and any(classes):
        heading.insert(0, f"{classes[0]}.")


def _unlink(signature: Tag) -> None:
    """Leaves of the links of each type in a signature of rustdoc their text, and nothing of its signs."""
    for link in list(named(signature, "a")):
        if "tooltip" in classes_of(link):
            link.decompose()
        else:
            link.unwrap()


def _keep_own(implementations: Tag) -> None:
    """Takes out what the standard library implements for all types, which rustdoc repeats on every page: its
    source is on another site."""
    for each in children(implementations, "details", "section"):
        source = next((link for link in named(each, "a") if "src" in classes_of(link)), None)
        if source is not None and str(source.get("href")).startswith("http"):
            each.decompose()
    heading = implementations.find_previous_sibling("h2")
    if isinstance(heading, Tag) and not implementations.get_text(strip=True):
        heading.decompose()


def _name_fragment(fragment: Tag) -> None:
    """Makes code of the lines of Doxygen, each of which is a block that may begin with its number."""
    lines: list[str] = []
    for line in elements(fragment):
        if line.name != "div" or "line" not in classes_of(line):
            continue
        number = next((each for each in elements(line) if "lineno" in classes_of(each)), None)
        if number is not None:
            number.decompose()
        text = line.get_text()
        lines.append(text if number is None else text.removeprefix("\xa0"))
    if lines:
        fragment.clear()
        fragment.name = "pre"
        fragment.append("\n".join(lines))


def _name_prototype(prototype: Tag) -> None:
    """Makes code of the tables in which Doxygen lays out a declaration; labels such as `static` follow."""
    parts: list[str] = []
    labels: list[str] = []
    for tag in elements(prototype):
        text = " ".join(tag.get_text().split())
        classes = classes_of(tag)
        if "memtemplate" in classes or (tag.name == "table" and "memname" in classes):
            parts.append(text)
        elif "mlabel" in classes and text:
            labels.append(text)
    if not parts:
        return
    prototype.clear()
    prototype.name = "pre"
    prototype.append("\n".join(parts))
    if labels:
        shown = Tag(name="p")
        shown.append(", ".join(labels))
        prototype.insert_after(shown)


def _begins_part(tag: Tag) -> bool:
    """Whether the element is directly in what pdoc shows of a module, class, function or variable."""
    part = tag.parent
    return part is not None and (part.name == "section" or "classattr" in classes_of(part))


def _name_member(member: Tag) -> None:
    """Makes a heading and code of what pdoc shows of a class, function or variable: its whole name is the id
    of the part that it begins."""
    part = member.parent
    names = [each for each in children(member, "span") if "name" in classes_of(each)]
    if part is None or not names:
        return
    heading = Tag(
        name="h3" if "classattr" in classes_of(part) else "h2", attrs={"id": str(part["id"])}
    )
    heading.append(str(part["id"]))
    member.insert_before(heading)
    decorators = [each for each in children(member, "div") if "decorator" in classes_of(each)]
    for other in (*decorators, *children(member, "label", "input")):
        other.extract()
    signature = Tag(name="pre", attrs={"class": "language-python"})
    signature.append("\n".join(" ".join(each.get_text().split()) for each in (*decorators, member)))
    member.replace_with(signature)


def _make_table(grid: Tag) -> None:
    """Makes rows of the blocks that javadoc's style lays out as a table, whose first ones are its head."""
    cells = children(grid, "div")
    columns = sum("table-header" in classes_of(cell) for cell in cells)
    if not columns or any(text.strip() for text in grid.find_all(string=True, recursive=False)):
        return
    if len(cells) < len(grid.find_all(recursive=False)):
        return
    grid.name = "table"
    grid.clear()
    for start in range(0, len(cells), columns):
        row = Tag(name="tr")
        for cell in cells[start : start + columns]:
            cell.name = "td" if start else "th"
            row.append(cell)
        grid.append(row)


def _begin_with_heading(section: Tag) -> None:
    """Puts the heading of a section before what stands beside it: the version of an item, its source."""
    heading = next(iter(children(section, *HEADINGS)), None)
    if heading is None:
        return
    place = section.index(heading)
    before = [each for each in section.contents[:place] if isinstance(each, Tag)]
    if before and all(each.name in _PHRASES and not has(each, *HEADINGS) for each in before):
        section.insert(0, heading.extract())
