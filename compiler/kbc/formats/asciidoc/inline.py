"""Inline markup of AsciiDoc as Markdown, and what writes the blocks inside others with it."""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Callable, Mapping
from typing import Protocol

from kbc.formats import commonmark
from kbc.formats.asciidoc import attributes as attribute_lists
from kbc.formats.asciidoc.attributes import substitute, unknown_names
from kbc.formats.asciidoc.lines import LineReader, SharedContext, SourceLine
from kbc.formats.asciidoc.markup import Written, document_title
from kbc.languages.includes.files import NOT_INCLUDED
from kbc.project.source_file import decode_any, relative_path

MAX_DEPTH = 12
_SUBSTITUTED = re.compile(r"\b(?:q|quotes|m|macros|n|normal)\b")
_MACROS = re.compile(r"(?<![\w-])(?:m|macros|n|normal)\b")
_QUOTES = re.compile(r"(?<![\w-])(?:q|quotes|n|normal)\b")
_PASSED = re.compile(r"pass:[\w,]*\[([^\]\n]{0,1000})\]")
_ENTITY = re.compile(r"&(?:amp|gt|lt);")
_TO_FILL_IN = re.compile(r"(__?|\*\*?)(<[^<>\n]+>)\1")
_NESTED_MARKS = 2
_MARKED = re.compile(
    r"(?P<two>\*\*|__|\#\#|``)(?P<wide>\S|\S[^\n]{0,200}?\S)(?P=two)"
    r"|(?<![\w;:}\\*_#`])(?P<one>[*_#`])(?P<narrow>\S|\S[^\n]{0,200}?\S)(?P=one)(?![\w*_#`])"
)
REFERENCE = "\x00{}\x00"
"""Stands for the title of the section with this id, until all of them are known."""

_BRACKETS = r"\[(?:[^\[\]\\]++|\\.|\[[^\[\]]*+\]){0,500}+\]"
_LINKED = re.compile(
    rf"((?:xref|link):[^\[\s]{{0,2000}}+{_BRACKETS}|https?://[^\s\[\]]{{1,2000}}+{_BRACKETS})"
)
_OF_UNKNOWN_SITE = re.compile(
    r"`[^`\n]+`|(?<![\w+])\+(?=\S)[^+\n]+\+(?!\w)"
    rf"|(?<![\w/\\$`{{=:])\{{(?P<name>[a-z][a-z0-9_-]*(?:url|uri|link|docs?|site|href|root))\}}"
    rf"[^\s\[\]{{}}`]{{0,2000}}+(?P<arguments>{_BRACKETS})"
)
"""A link whose address begins with an attribute, as these are called: `{api-url}a/b.html[text]`;
or what is verbatim."""
_PICTURES = re.compile(rf"(?:icon|image):(?!:)(?P<target>[^\s\[\]]+)(?P<arguments>{_BRACKETS})")
_TOKENS = re.compile(
    rf"""
      (?=[\\+$"'`(\[<&*_\#^~]|[ ]\+|[a-z][\w-]{{0,100}}:)  # each begins so, and hardly any letter does
      (?:
      (?P<escaped>\\(?=[`*_\#^~+\[<({{]|https?:|\w+:))
    | (?P<missing>{re.escape(NOT_INCLUDED)}[^()\n]*\))
    | (?P<pass>\+\+\+.{{1,4000}}?\+\+\+|\$\$.{{1,4000}}?\$\$
        |pass:[\w,]*{_BRACKETS}|(?<![+\w])\+\+(?!\+).+?\+\+)
    | (?P<quoted>"`(?=\S)(.{{1,1000}}?)`"|'`(?=\S)(.{{1,1000}}?)`')
    | (?P<code>``(?=\S).+?``|(?<![\w`])`(?=\S)[^`]*?(?<=\S)`(?![\w`]))
    | (?P<index>\(\(\(.{{1,1000}}?\)\)\)|\(\((?!\()(?P<indexed>.{{1,1000}}?)\)\))
    | (?P<anchor>\[\[[^\[\]]+\]\])
    | (?P<reference><<(?P<cross>[^<>]+?|[^<>,`]+,(?:`[^`]*`|[^<>`])*)>>)
    | (?P<entity>&(?:[A-Za-z][A-Za-z0-9]{{1,30}}|\#\d{{1,7}}|\#x[0-9A-Fa-f]{{1,6}});)
    | (?P<macro>(?P<name>xref|(?<!\w)(?:link|mailto|image|icon|kbd|btn|menu|footnote(?:ref)?|stem|latexmath
        |asciimath|anchor|indexterm2?|javadoc|api|ann|pkg|spring-\w+|label|badge|linkgit|man)):(?:(?<=xref:):|(?!:))(?P<target>[^\s\[\]]{{0,2000}}+)
        (?P<arguments>{_BRACKETS}))
    | (?P<url>(?<![\w:/"'=])<?(?:https?|ftp|irc)://[^\s\[\]<>]+(?P<label>{_BRACKETS})?>?)
    | (?P<role>\[[.\w #%=,"-]*\](?=[*_`\#]))
    | (?P<strong>\*\*(?=\S).+?\*\*|(?<![\w*])\*(?=[^\s*])(?:.{{0,4000}}?[^\s*])??\*(?![\w*]))
    | (?P<emphasis>__(?=\S).+?__|(?<!\w)_(?=[^\s_])(?:.{{0,4000}}?[^\s_])??_(?!\w))
    | (?P<mark>\#\#(?=\S).+?\#\#|(?<![\w&\#])\#(?=[^\s\#])[^\#]*?(?<=\S)\#(?!\w))
    | (?P<plain>(?<![\w+])\+(?=\S)[^+]*?(?<=\S)\+(?!\w))
    | (?P<raised>\^[^\s^]+?\^)
    | (?P<lowered>(?<!~)~[^\s~]+?~)
    | (?P<break>[ ]\+(?=\n|\Z))
      )
    """,
    re.VERBOSE | re.DOTALL,
)


class Inline:
    def __init__(self, project: SharedContext) -> None:
        self._project = project
        self._page_titles: dict[str, tuple[str, str]] = {}
        self._is_label = False

    def markdown(self, text: str) -> str:
        """The text with attributes replaced; lines are kept. Those that have no value in the tree are
        counted."""
        filled = substitute(text, self._project.attributes)
        for name in unknown_names(filled):
            self._project.without_value(name)
        return self._converted(_OF_UNKNOWN_SITE.sub(self._without_address, filled), 0)

    def _without_address(self, match: re.Match[str]) -> str:
        """The text of a link to a site whose address the tree does not tell."""
        if match["name"] is None:
            return match[0]
        self._project.without_value(match["name"])
        return _label(match["arguments"][1:-1]) or match[0]

    def cell(self, text: str) -> str:
        """As `markdown`, of a cell of a table: where pictures are all that it says, they are named."""
        shown = self.markdown(text)
        if shown.strip() or not text.strip():
            return shown
        filled = substitute(text, self._project.attributes)
        return commonmark.escaped(" ".join(map(_picture, _PICTURES.finditer(filled))))

    def monospaced(self, text: str) -> str:
        """The text as code: attributes are replaced in it, and links stay links."""
        filled = substitute(text, self._project.attributes)
        return self._as_code(re.sub(r"`([^`\n]+)`", r"\1", filled), 1)

    def label(self, text: str) -> str:
        """As `markdown`, on one line and without strong parts: the caller makes all of it strong."""
        self._is_label = True
        shown = " ".join(self.markdown(text).split())
        self._is_label = False
        return re.sub(r"\A\*([^*]+)\*\Z", r"\1", shown)

    def _converted(self, text: str, depth: int) -> str:
        if depth > MAX_DEPTH or len(text) > 100_000:
            return commonmark.escaped(text)
        parts: list[str] = []
        position = 0
        while match := _TOKENS.search(text, position):
            parts.append(commonmark.escaped(text[position : match.start()]))
            position = match.end()
            if match.lastgroup is None or match["escaped"]:
                position = self._skip(text, match, parts)
                continue
            write = next((write for name, write in _WRITERS.items() if match[name]), None)
            parts.append(write(self, match, depth + 1) if write else commonmark.escaped(match[0]))
        parts.append(commonmark.escaped(text[position:]))
        return "".join(parts)

    @staticmethod
    def _skip(text: str, match: re.Match[str], parts: list[str]) -> int:
        """Takes what is escaped as text; the position behind it."""
        start = match.end()
        inner = _TOKENS.match(text, start)
        end = inner.end() if inner is not None and not inner["escaped"] else start + 1
        parts.append(commonmark.escaped(text[start:end]))
        return end

    def _pass(self, match: re.Match[str], depth: int) -> str:
        text = match[0]
        if text.startswith("pass:"):
            stated, _, inner = text[5:-1].partition("[")
            if _SUBSTITUTED.search(stated):
                return self._converted(inner, depth)
            return commonmark.escaped(re.sub(r"<[^>]+>", "", inner))
        marks = 3 if text.startswith("+++") else 2
        inner = text[marks:-marks]
        return commonmark.escaped(re.sub(r"<[^>]+>", "", inner) if marks == 3 else inner)

    def _quoted(self, match: re.Match[str], depth: int) -> str:
        before, after = "“”" if match[0][0] == '"' else "‘’"
        return f"{before}{self._converted(match[0][2:-2], depth)}{after}"

    def _code(self, match: re.Match[str], depth: int) -> str:
        inner = match[0][2:-2] if match[0].startswith("``") else match[0][1:-1]
        if len(inner) > 2 and inner[0] == "+" == inner[-1]:
            return commonmark.code_span(inner.strip("+"))
        return self._as_code(inner, depth)

    def _as_code(self, text: str, depth: int) -> str:
        inner = _TO_FILL_IN.sub(r"\2", _unescaped(_PASSED.sub(r"\1", text)))
        parts = []
        for index, part in enumerate(_LINKED.split(inner)):
            if index % 2:
                parts.append(self._link_in_code(part, depth))
                continue
            part = re.sub(r"<<[^,<>]+,\s*([^<>]+)>>", r"\1", part)
            part = re.sub(r"\A([*_])(.+)\1\Z", r"\2", part)
            code = commonmark.code_span(re.sub(r"\\(?=[`*_#<{\[])", "", part))
            before, after = (part[:1], part[-1:]) if code else ("", part[:1])
            parts.append(f"{' ' * before.isspace()}{code}{' ' * after.isspace()}")
        return "".join(parts).strip()

    def _link_in_code(self, macro: str, depth: int) -> str:
        """A macro of a link whose text is code."""
        target, _, inside = macro[:-1].partition("[")
        label = inside.replace("\\]", "]").strip("`")
        shown = commonmark.code_span(label or target.partition(":")[2])
        if target.startswith("http"):
            return commonmark.link(shown if label else commonmark.code_span(target), target)
        name, _, address = target.partition(":")
        if name == "xref":
            return self._cross(address, f"`{label}`" if label else "", depth)
        return commonmark.link(shown, address) if address.startswith("http") else shown

    def _reference(self, match: re.Match[str], depth: int) -> str:
        target, _, text = match["cross"].partition(",")
        return self._cross(target.strip().lstrip("#"), text.strip(), depth)

    def _cross(self, target: str, text: str, depth: int) -> str:
        """A reference to a section of this file, or to another file."""
        file, _, anchor = target.partition("#")
        is_file = file.endswith((".adoc", ".asciidoc")) or "$" in file
        if not is_file:
            return self._converted(text, depth) if text else REFERENCE.format(anchor or file)
        path, title = self._page(file)
        shown = self._converted(text or title or posixpath.basename(file).rsplit(".", 1)[0], depth)
        return commonmark.link(shown, f"{path}#{anchor}" if anchor else path) if path else shown

    def _page(self, file: str) -> tuple[str, str]:
        """The path (from this file's folder) and title of a page; empty where it is not in the tree."""
        if file not in self._page_titles:
            self._page_titles[file] = ("", "")
            if found := self._project.find(file, self._project.path):
                start = decode_any(found[1][:8000])
                title = substitute(document_title(start), self._project.attributes)
                self._page_titles[file] = (relative_path(found[0], self._project.path), title)
        return self._page_titles[file]

    def _macro(self, match: re.Match[str], depth: int) -> str:
        name, target, inside = match["name"], match["target"], match["arguments"][1:-1]
        if name == "xref":
            return self._cross(target, _label(inside), depth)
        if name in ("link", "mailto"):
            address = f"mailto:{target}" if name == "mailto" else target.strip("+")
            label = _label(inside)
            plain = commonmark.escaped(target.strip("+"))
            return commonmark.link(self._converted(label, depth) if label else plain, address)
        if name in ("kbd", "btn"):
            return self._strong(commonmark.escaped(inside))
        if name == "menu":
            steps = [target, *(part.strip() for part in inside.split(">") if part.strip())]
            return self._strong(commonmark.escaped(" › ".join(steps)))
        if name.startswith("footnote"):
            return f" ({self._converted(inside, depth).strip()})"
        if name in ("stem", "latexmath", "asciimath"):
            return commonmark.code_span(inside)
        if name == "image":
            found = attribute_lists.parse(inside)
            return commonmark.escaped(found.style or found.get("alt"))
        if name in ("icon", "anchor", "indexterm"):
            return ""
        if name in ("linkgit", "man"):
            return commonmark.escaped(f"{target}({inside})" if inside else target)
        if name in ("javadoc", "api", "ann", "pkg"):
            last = target if name == "pkg" else target.rsplit("/", 1)[-1].rsplit(".", 1)[-1]
            mark = "@" * (name == "ann")
            return commonmark.code_span(attribute_lists.parse(inside).style or mark + last)
        return self._converted(_label(inside), depth) or commonmark.escaped(target)

    def _url(self, match: re.Match[str], depth: int) -> str:
        text = match[0].strip("<>")
        if match["label"]:
            address = text[: text.index("[")]
            label = _label(match["label"][1:-1])
            return commonmark.link(self._converted(label, depth) or address, address)
        tail = re.search(r"[.,;:!?)]*\Z", text)
        assert tail is not None
        address = text[: tail.start()]
        return f"<{address}>{commonmark.escaped(tail[0])}"

    def _strong(self, shown: str) -> str:
        is_plain = self._is_label or not shown or shown != shown.strip()
        return shown if is_plain else f"**{shown}**"

    def _marked(self, mark: str, match: re.Match[str], depth: int) -> str:
        text = match[0]
        is_doubled = len(text) > 4 and text[:2] == text[-2:] == text[0] * 2
        inner = self._converted(text[2:-2] if is_doubled else text[1:-1], depth)
        return f"{mark}{inner}{mark}" if inner.strip() == inner and inner else inner


class BlockWriter(Protocol):
    """Writes the contents of lists and tables. `contained` counts the containers around what is
    written: headings within one are no sections of the document. `above` are the markers of the lists
    around it, outermost first."""

    inline: Inline
    contained: int
    above: tuple[str, ...]

    def paragraph(self, text: str) -> Written: ...

    def nested(self, lines: list[SourceLine]) -> Written: ...

    def block(self, lines: LineReader) -> Written: ...


def listing(code: str, substitutions: str, attributes: Mapping[str, str]) -> str:
    """A listing with what these substitutions replace: attributes, `pass:[]`, and the marks of what is strong
    or a name to fill in (`*run* __<file>__`), which are left out."""
    if "attributes" in substitutions or substitutions == "normal":
        filled = substitute(code, attributes)
        code = filled if "&" in code else _unescaped(filled)
    if _MACROS.search(substitutions):
        code = _PASSED.sub(r"\1", code)
    if _QUOTES.search(substitutions):
        for _ in range(_NESTED_MARKS):
            code = _MARKED.sub(lambda marked: marked["wide"] or marked["narrow"], code)
    return code


def _unescaped(code: str) -> str:
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), code)


def _picture(match: re.Match[str]) -> str:
    """The title of a picture, else its name in words, as Asciidoctor has it without pictures."""
    found = attribute_lists.parse(match["arguments"][1:-1])
    name = re.sub(r"[-_]", " ", posixpath.splitext(posixpath.basename(match["target"]))[0])
    return found.get("title") or found.get("alt") or name


def _label(inside: str) -> str:
    """The text of a link: without `window=_blank` and the caret that says the same."""
    if "=" in inside or inside.startswith('"'):
        found = attribute_lists.parse(inside)
        if found.named or inside.startswith('"'):
            inside = ", ".join(found.positional)
    return inside.removesuffix("^").replace("\\]", "]")


_WRITERS: dict[str, Callable[[Inline, re.Match[str], int], str]] = {
    "missing": lambda writer, match, depth: commonmark.escaped(match[0]),
    "pass": Inline._pass,
    "quoted": Inline._quoted,
    "code": Inline._code,
    "index": lambda writer, match, depth: writer._converted(match["indexed"] or "", depth),
    "anchor": lambda writer, match, depth: "",
    "reference": Inline._reference,
    "entity": lambda writer, match, depth: commonmark.escaped(html.unescape(match[0])),
    "macro": Inline._macro,
    "url": Inline._url,
    "role": lambda writer, match, depth: "",
    "strong": lambda writer, match, depth: writer._strong(writer._marked("", match, depth)),
    "emphasis": lambda writer, match, depth: writer._marked("*", match, depth),
    "mark": lambda writer, match, depth: writer._marked("", match, depth),
    "plain": lambda writer, match, depth: commonmark.escaped(match[0].strip("+")),
    "raised": lambda writer, match, depth: writer._marked("^", match, depth).removesuffix("^"),
    "lowered": lambda writer, match, depth: writer._marked("", match, depth),
    "break": lambda writer, match, depth: "\\",
}
