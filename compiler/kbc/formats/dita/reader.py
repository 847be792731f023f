"""Topics of DITA as Markdown: by way of HTML, to which most of their elements correspond."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape

from lxml import etree

from kbc.formats.dita.elements import (
    CODE_BLOCKS,
    DROPPED,
    LABELS,
    MARKED_NAMES,
    TAGS,
    TITLED,
    TOPICS,
)
from kbc.formats.dita.keys import MAX_KEY_CHARS, Key, keys_of, targets_by_name
from kbc.formats.document import Converted, FormatError, Problems, Read, decode
from kbc.formats.xml import local_name, parsed, plain_text
from kbc.languages.html.page import read_html
from kbc.languages.markdown import plain_text as plain_markdown
from kbc.project.language_tags import language_of_tag
from kbc.project.source_file import relative_path, resolved_path

MAX_DEPTH = 8
"""Parts of other topics that take in others."""

MAX_CHARS = 20_000_000
"""Text of a topic with all that it takes in: a topic may take in a large part many times."""

MAX_REUSED = 100_000
"""Elements that a topic takes in: parts may take in others twice, and these others."""

_LANGUAGE = re.compile(r"\b(?:language|syntax)-(?P<name>[\w+#-]+)")
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_MAX_LEVEL = 6


def convert(path: str, data: bytes, read: Read, around: Sequence[str] = ()) -> Converted:
    """The topics of a file, as one page. `around` are the maps in its folder and those above, the nearest
    first. Raises `FormatError` for what is no XML, and for a file without a topic."""
    root = parsed(_utf8(data), "the topic")
    if local_name(root) != "dita" and local_name(root) not in TOPICS:
        raise FormatError(f"the file begins with <{local_name(root)}>, which is no topic of DITA")
    state = _State(path, read, keys_of(list(reversed(around)), read))
    topics = state.files[path] = _TopicFile(path, root, state)
    body = "".join(topics.shown(root, 0))
    problems = tuple(state.problems)
    page = read_html(f"<html><body><main>{body}</main></body></html>")
    return Converted(
        text=page.text,
        format="dita",
        title=page.title,
        summary=_summary(root, topics),
        spoken=language_of_tag(root.get(_XML_LANG, "")),
        anchors=page.anchors,
        problems=problems,
    )


def _utf8(data: bytes) -> bytes:
    """The file as UTF-8 unless it declares another encoding, which the parser knows."""
    declared = re.match(rb"<\?xml[^>]*encoding=[\"'](?!utf-8)", data, re.IGNORECASE)
    return data if declared else decode(data).encode()


def _summary(root: etree._Element, topics: _TopicFile) -> str:
    """The short description of the first topic."""
    first = next(
        (each for each in root.iter(etree.Element) if local_name(each) == "shortdesc"), None
    )
    if first is None:
        return ""
    text = read_html(f"<main><p>{''.join(topics.inside(first, 0))}</p></main>").text
    return plain_markdown(text.strip())


@dataclass(slots=True)
class _State:
    """What all files that the topic at `path` takes in share."""

    path: str
    read: Read
    keys: Mapping[str, Key]
    problems: Problems = field(default_factory=Problems)
    files: dict[str, _TopicFile | None] = field(default_factory=dict)
    chars: int = 0
    reused: int = 0
    depth: int = 0

    def file(self, path: str) -> _TopicFile | None:
        """The topics of another file; None where it is none."""
        if path not in self.files:
            data = self.read(path)
            try:
                root = parsed(_utf8(data), "the topic") if data is not None else None
            except FormatError:
                root = None
            self.files[path] = None if root is None else _TopicFile(path, root, self)
        return self.files[path]

    def count(self, chars: int) -> None:
        """Counts text. Raises `FormatError` where it becomes too much."""
        self.chars += chars
        if self.chars > MAX_CHARS:
            raise FormatError(
                f"the topic has more than {MAX_CHARS:,} characters with what it takes in"
            )

    def count_element(self) -> None:
        """Counts an element, if it is of a part that is taken in. Raises as `count`."""
        self.reused += self.depth > 0
        if self.reused > MAX_REUSED:
            raise FormatError(f"the topic takes in more than {MAX_REUSED:,} elements")


class _TopicFile:
    """Writes the elements of one file as HTML."""

    def __init__(self, path: str, root: etree._Element, state: _State) -> None:
        self._path = path
        self._root = root
        self._state = state
        self._titles: dict[str, str] = {}

    def shown(self, element: etree._Element, level: int) -> Iterator[str]:
        """The HTML of an element, without the text behind it; `level` is that of the heading above it."""
        self._state.count(len(element.text or "") + len(element.tail or ""))
        self._state.count_element()
        name = local_name(element)
        if not name or name in DROPPED:
            return
        if element.get("conref") or element.get("conkeyref"):
            yield from self._reused(element, level)
        elif name in TOPICS:
            yield from self._topic(element, level)
        elif name in CODE_BLOCKS:
            yield self._code(element)
        elif name == "syntaxdiagram":
            words = (" ".join(_words(each)) for each in element.iterchildren(etree.Element))
            yield f"<pre><code>{escape(chr(10).join(filter(None, words)))}</code></pre>"
        elif name in ("xref", "link"):
            yield self._link(element)
        elif element.get("keyref") and not plain_text(element):
            yield self._named(element)
        else:
            yield from self._other(name, element, level)

    def inside(self, element: etree._Element, level: int) -> Iterator[str]:
        """The text and the elements in an element."""
        yield escape(element.text or "")
        for child in element:
            if isinstance(child.tag, str):
                yield from self.shown(child, level)
            yield escape(child.tail or "")

    @cached_property
    def _parts(self) -> Mapping[str, etree._Element]:
        """The first element of each id, and of each `topic/id`."""
        found: dict[str, etree._Element] = {}
        for each in self._root.iter(etree.Element):
            if id := each.get("id"):
                topic = next(_topics_above(each), self._root).get("id", "")
                found.setdefault(id, each)
                found.setdefault(f"{topic}/{id}", each)
        return found

    def part(self, topic: str, id: str) -> etree._Element | None:
        """The topic with an id, or the element with one in it; a topic `.` or "" is any."""
        is_any = not id or topic in ("", ".")
        return self._parts.get((id or topic) if is_any else f"{topic}/{id}")

    def title(self, fragment: str) -> str:
        """What the topic, or the part of it, is called that a link names; "" where it has no title."""
        if fragment not in self._titles:
            topic, _, id = fragment.partition("/")
            found = self.part(topic, id) if fragment else self._root
            below = found.iter(etree.Element) if found is not None else iter(())
            title = next((each for each in below if local_name(each) in _CALLED), None)
            self._titles[fragment] = "" if title is None else plain_text(title)[:MAX_KEY_CHARS]
        return self._titles[fragment]

    def _topic(self, element: etree._Element, level: int) -> Iterator[str]:
        level = min(level + 1, _MAX_LEVEL)
        for child in element.iterchildren(etree.Element):
            if local_name(child) in _CALLED:
                yield self._heading(child, level, element.get("id", ""))
            else:
                yield from self.shown(child, level)

    def _heading(self, title: etree._Element, level: int, id: str) -> str:
        stated = f' id="{escape(id)}"' if id else ""
        text = "".join(self.inside(title, level)).strip()
        return f"<h{level}{stated}>{text}</h{level}>" if text else ""

    def _other(self, name: str, element: etree._Element, level: int) -> Iterator[str]:
        tag = TAGS.get(name, "")
        inner = "".join(
            self._titled(element, level) if name in TITLED else self.inside(element, level)
        )
        if name in _NOTES:
            kind = element.get("othertype") or element.get("type") or "note"
            yield f"<div><p><strong>{escape(kind.capitalize())}</strong></p><div>{inner}</div></div>"
        elif name == "desc":  # of a link it is what a pointer shows
            above = element.getparent()
            yield f"<p>{inner}</p>" if above is not None and local_name(above) in TITLED else ""
        elif name == "fn":
            yield f" ({inner.strip()})"
        elif name == "q":
            yield f"“{inner}”"
        elif name == "menucascade":
            steps = (
                "".join(self.inside(each, level)) for each in element.iterchildren(etree.Element)
            )
            yield f"<strong>{' › '.join(step.strip() for step in steps)}</strong>"
        elif name == "image":
            yield f'<img alt="{escape(_alternative(element))}">'
        elif name in MARKED_NAMES:
            yield f"<code>{escape(MARKED_NAMES[name]).format(inner)}</code>"
        elif name == "entry":
            cell = "th" if _is_in_head(element) else "td"
            yield f"<{cell}>{inner}</{cell}>"
        elif label := LABELS.get(name, ""):
            yield f"<div><p><strong>{label}</strong></p><div>{inner}</div></div>"
        elif name in ("sthead", "strow"):
            yield f"<tr>{inner.replace('td>', 'th>') if name == 'sthead' else inner}</tr>"
        else:
            yield f"<{tag}>{inner}</{tag}>" if tag else inner

    def _titled(self, element: etree._Element, level: int) -> Iterator[str]:
        """A part with its title as a heading, of figures and tables as a paragraph."""
        below = min(level + 1, _MAX_LEVEL)
        yield escape(element.text or "")
        for child in element:
            if local_name(child) != "title":
                yield from self.shown(child, below) if isinstance(child.tag, str) else ()
            elif local_name(element) in ("fig", "table"):
                yield f"<p><strong>{''.join(self.inside(child, level))}</strong></p>"
            else:
                yield self._heading(child, below, self._anchor(element))
            yield escape(child.tail or "")

    def _anchor(self, element: etree._Element) -> str:
        """The id that the toolkit gives an element of a topic in HTML."""
        id, topic = element.get("id", ""), next(_topics_above(element), self._root).get("id", "")
        return f"{topic}__{id}" if id and topic else id

    def _code(self, element: etree._Element) -> str:
        language = _LANGUAGE.search(element.get("outputclass", ""))
        stated = f' class="language-{escape(language["name"])}"' if language else ""
        return f"<pre><code{stated}>{escape(''.join(self._literal(element)))}</code></pre>"

    def _literal(self, element: etree._Element) -> Iterator[str]:
        """The text of code, with the values of keys and the files that it shows."""
        yield element.text or ""
        for child in element:
            name = local_name(child)
            if name == "coderef":
                yield self._file_text(child)
            elif name in MARKED_NAMES:
                yield MARKED_NAMES[name].format(plain_text(child))
            elif name and name not in DROPPED:
                is_named = child.get("keyref") and not plain_text(child)
                yield self._value(child) if is_named else "".join(self._literal(child))
            yield child.tail or ""

    def _file_text(self, element: etree._Element) -> str:
        place = self._target(element).partition("#")[0]
        data = self._state.read(place) if place else None
        if data is None:
            self._state.problems.unresolved(
                "coderef", f"the file {place!r} does not exist", element.sourceline or 0
            )
            return f"(not included: {place})"
        self._state.count(len(data))
        return decode(data).rstrip("\n")

    def _target(self, element: etree._Element) -> str:
        """The path and fragment, or the address, of what an element refers to."""
        href = str(element.get("href", ""))
        if not href:
            key, _, rest = element.get("keyref", "").partition("/")
            target = targets_by_name(self._state.keys, key)
            return f"{target}/{rest}" if target and rest and "#" in target else target
        if element.get("scope") in ("external", "peer") or _is_address(href):
            return href
        path, mark, fragment = href.partition("#")
        return f"{resolved_path(path, self._path) if path else self._path}{mark}{fragment}"

    def _link(self, element: etree._Element) -> str:
        target = self._target(element)
        inner = "".join(self.inside(element, _MAX_LEVEL)).strip()
        if not inner:
            inner = escape(self._value(element))
        path, mark, fragment = target.partition("#")
        if path and not _is_address(target):
            own = self._state.path
            place = relative_path(path, own) if path != own else ""
            topic, _, id = fragment.partition("/")
            if topic == ".":  # the one that the link is in
                topic = next(_topics_above(element), self._root).get("id", "")
            target = f"{place}{mark}{'__'.join(filter(None, (topic, id)))}"
        return f'<a href="{escape(target)}">{inner}</a>' if target else inner

    def _named(self, element: etree._Element) -> str:
        """What the key of an empty element stands for, marked as the element is."""
        tag = TAGS.get(local_name(element), "")
        value = escape(self._value(element))
        return f"<{tag}>{value}</{tag}>" if tag else value

    def _value(self, element: etree._Element) -> str:
        name = element.get("keyref", "").partition("/")[0]
        key = self._state.keys.get(name)
        if key and key.text:
            return key.text
        target = self._target(element)
        path, _, fragment = target.partition("#")
        if posixpath.splitext(path)[1] in (".dita", ".xml") and (file := self._state.file(path)):
            return file.title(fragment) or name or path
        if name and key is None:
            message = f"no map around the topic defines the key {name!r}"
            self._state.problems.unresolved("keyref", message, element.sourceline or 0)
        return name or target

    def _reused(self, element: etree._Element, level: int) -> Iterator[str]:
        """The element of a topic that `element` stands for; its own content where that is missing."""
        target = element.get("conref", "")
        if target:
            path, _, fragment = target.partition("#")
            place = resolved_path(path, self._path) if path else self._path
        else:
            key, _, fragment = element.get("conkeyref", "").partition("/")
            place, _, topic = targets_by_name(self._state.keys, key).partition("#")
            fragment = f"{topic}/{fragment}" if fragment else topic
        file = self._state.file(place) if place else None
        topic, _, id = fragment.partition("/")
        found = file.part(topic, id) if file and fragment else None
        if file is None or found is None or self._state.depth >= MAX_DEPTH:
            stated = target or element.get("conkeyref", "")
            message = f"{stated!r} names no element that can be reused"
            self._state.problems.unresolved("conref", message, element.sourceline or 0)
            yield from self._other(local_name(element), element, level)
            return
        self._state.depth += 1
        yield from file.shown(found, level)
        self._state.depth -= 1


_CALLED = ("title", "glossterm")
_NOTES = ("note", "hazardstatement")


def _is_address(target: str) -> bool:
    return ":" in target.split("/", 1)[0]


def _topics_above(element: etree._Element) -> Iterator[etree._Element]:
    """The topics that an element is in, the innermost first."""
    return (each for each in element.iterancestors() if local_name(each) in TOPICS)


def _is_in_head(entry: etree._Element) -> bool:
    return any(local_name(each) == "thead" for each in entry.iterancestors("thead", "tbody"))


def _alternative(image: etree._Element) -> str:
    """What is said of an image."""
    texts = (plain_text(each) for each in image if local_name(each) == "alt")
    return str(image.get("alt") or next(texts, ""))


def _words(element: etree._Element) -> Iterator[str]:
    """The words of a diagram of syntax; what is optional in brackets."""
    parts = [word for child in element.iterchildren(etree.Element) for word in _words(child)]
    own = [" ".join((element.text or "").split()), *parts]
    shown = " ".join(filter(None, own))
    if local_name(element) == "title":
        return
    yield f"[{shown}]" if element.get("importance") == "optional" and shown else shown
