"""Reference pages of DocBook (`refentry`), of which pandoc reads the name and the synopses as loose words,
and terms of an index, which it takes for text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape, unescape
from textwrap import dedent

MAX_DEPTH = 50
"""Elements of a synopsis in each other; the text of deeper ones is that of the innermost of these."""

_TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<\?.*?(?:\?>|\Z)|<!\[CDATA\[(?P<verbatim>.*?)(?:\]\]>|\Z)"
    r"|<(?P<end>/?)(?P<name>[A-Za-z][\w.-]*+)(?P<attributes>[^<>]*?)(?P<empty>/?)>|(?P<text>[^<]+)",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"(?<![\w:.-])([\w:.-]++)\s*+=\s*[\"']([^\"']*)[\"']")
_TITLE = re.compile(r"\s*(?:<\w*info\b[^<>]*>\s*)?<title\b")
_SYNOPSIS = "refsynopsisdiv"
_SECTIONS = frozenset(["refsect1", "refsect2", "refsect3", "refsection", _SYNOPSIS])
_METHODS = frozenset(["methodsynopsis", "constructorsynopsis", "destructorsynopsis"])
_SYNOPSES = _METHODS | {"cmdsynopsis", "funcsynopsis", "synopsis"}
_TAKEN = _SYNOPSES | {"indexterm", "refentryinfo", "refmeta", "refnamediv"}
_CHOICES = {"opt": ("[", "]"), "req": ("{", "}"), "plain": ("", "")}
_APART = frozenset(["arg", "command", "group"])


@dataclass(slots=True)
class _Element:
    name: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    inner: list[_Element | str] = field(default_factory=list)

    def all(self, *names: str) -> list[_Element]:
        return [each for each in self.inner if isinstance(each, _Element) and each.name in names]

    def texts(self, *names: str) -> list[str]:
        return [each.text for each in self.all(*names)]

    @property
    def text(self) -> str:
        """All text in it, on one line."""
        return " ".join("".join(_texts(self)).split())

    @property
    def is_repeated(self) -> bool:
        return self.attributes.get("rep") == "repeat"


def with_sections(text: str) -> str:
    """The document with each reference page as a chapter, or as a section of what is around it, under its
    name (`accept(2)`), with each synopsis as code, and without the terms of its index. Lines are kept."""
    if not any(name in text for name in ("<refentry", "synopsis", "<indexterm")):
        return text
    pages = _PageRewriter(text)
    for token in _TOKEN.finditer(text):
        pages.take(token)
    return pages.written()


class _PageRewriter:
    def __init__(self, text: str) -> None:
        self._text = text
        self._parts: list[str] = []
        self._end = 0  # of what is written
        self._open: list[_Element] = []  # from the element that is taken whole to the innermost
        self._start = 0  # of that
        self._volume = ""
        self._is_first = True
        self._page = ""

    def take(self, token: re.Match[str]) -> None:
        name = token["name"] or ""
        if self._open:
            self._inside(token)
        elif name in _TAKEN and not token["end"] and not token["empty"]:
            self._open, self._start = [_element(token)], token.start()
        elif name == "refentry":
            self._page = self._page if token["end"] else "chapter" if self._is_first else "section"
            self._volume = ""
            self._replace(token.start(), token.end(), _tag(token, self._page))
        elif name == "reference":
            self._replace(token.start(), token.end(), _tag(token, "chapter"))
        elif name in _SECTIONS:
            is_untitled = name == _SYNOPSIS and not _TITLE.match(self._text, token.end())
            title = "<title>Synopsis</title>" * (is_untitled and not token["end"])
            self._replace(token.start(), token.end(), _tag(token, "section") + title)
        self._is_first = self._is_first and not name

    def written(self) -> str:
        return "".join([*self._parts, self._text[self._end :]])

    def _inside(self, token: re.Match[str]) -> None:
        text = token["verbatim"] if token["text"] is None else unescape(token["text"])
        if text:
            self._open[-1].inner.append(text)
        elif token["name"] and not token["end"]:
            element = _element(token)
            if len(self._open) < MAX_DEPTH:
                self._open[-1].inner.append(element)
                self._open += [] if token["empty"] else [element]
        elif token["name"] in [each.name for each in self._open]:
            while (closed := self._open.pop()).name != token["name"]:
                pass
            if not self._open:
                self._replace(self._start, token.end(), self._shown(closed))

    def _replace(self, start: int, end: int, by: str) -> None:
        lines = self._text.count("\n", start, end) - by.count("\n")
        self._parts += [self._text[self._end : start], by, "\n" * lines]
        self._end = end

    def _shown(self, element: _Element) -> str:
        if element.name == "refmeta":
            self._volume = next(iter(element.texts("manvolnum")), "")
        elif element.name == "refnamediv":
            names = element.texts("refname") or [""]
            title = names[0] + f"({self._volume})" * bool(self._volume)
            purpose = " — ".join([", ".join(names), *element.texts("refpurpose")])
            return f"<title>{escape(title)}</title><para>{escape(purpose)}</para>"
        elif element.name in _SYNOPSES:
            code = "\n".join(_code(element))
            return f"<programlisting>{escape(code)}</programlisting>" if code else ""
        return ""


def _element(token: re.Match[str]) -> _Element:
    return _Element(token["name"], dict(_ATTRIBUTE.findall(token["attributes"])))


def _tag(token: re.Match[str], name: str) -> str:
    return f"<{token['end']}{name}{token['attributes']}{token['empty']}>"


def _texts(element: _Element) -> Iterator[str]:
    for each in element.inner:
        if isinstance(each, str):
            yield each
        elif each.name != "indexterm":
            yield from _texts(each)


def _code(synopsis: _Element) -> Iterator[str]:
    """The lines of a synopsis, as manuals show it."""
    if synopsis.name in _METHODS:
        yield _method(synopsis)
    elif synopsis.name == "synopsis":
        yield dedent("".join(_texts(synopsis))).strip()
    elif synopsis.name == "cmdsynopsis":
        lines = _command(synopsis).split("\n")
        yield from (line for each in lines if (line := " ".join(each.split())))
    for each in synopsis.all("funcsynopsisinfo", "funcprototype"):
        if each.name == "funcsynopsisinfo":
            yield "".join(_texts(each)).strip("\n")
            continue
        kinds = {"void": "void", "varargs": "..."}
        parts = each.all("paramdef", "void", "varargs")
        parameters = [kinds.get(part.name, part.text) for part in parts]
        yield f"{' '.join(each.texts('funcdef'))}({', '.join(parameters)});"


def _command(element: _Element) -> str:
    """The words of a command; blanks count only between its parts."""
    shown = []
    for each in element.inner:
        if isinstance(each, str):
            shown.append(each.replace("\n", " "))
            continue
        if each.name == "group":
            parts = (part for part in each.inner if isinstance(part, _Element))
            words = (_command(_Element("", {}, [part])).strip() for part in parts)
            inner = " | ".join(filter(None, words))
        else:
            inner = "\n" if each.name == "sbr" else _command(each)
        if each.name in ("arg", "group"):
            opening, closing = _CHOICES.get(each.attributes.get("choice", "opt"), ("[", "]"))
            inner = f"{opening}{inner.strip()}{closing}{'...' * each.is_repeated}"
        shown.append(f" {inner} " if each.name in _APART else inner)
    return "".join(shown)


def _method(synopsis: _Element) -> str:
    """`array map(callable|null callback, array ...arrays)`."""
    before = [_type(each) for each in synopsis.all("modifier", "type")]
    parameters = [_parameter(each) for each in synopsis.all("methodparam")]
    return " ".join([*before, *synopsis.texts("methodname")]) + f"({', '.join(parameters)})"


def _parameter(element: _Element) -> str:
    before = [_type(each) for each in element.all("modifier", "type")]
    names = [f"{'...' * element.is_repeated}{each}" for each in element.texts("parameter")]
    values = [f"= {each}" for each in element.texts("initializer")]
    shown = " ".join([*before, *names, *values])
    is_optional = element.attributes.get("choice") == "opt" and not values
    return f"[{shown}]" if is_optional else shown


def _type(element: _Element) -> str:
    """A type, which may be one of several."""
    return "|".join(_type(each) for each in element.all("type")) or element.text
