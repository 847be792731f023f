"""The blocks of AsciiDoc as Markdown."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from textwrap import dedent

from kbc.formats import commonmark
from kbc.formats.asciidoc import attributes as attribute_lists
from kbc.formats.asciidoc import lists, snippets, tables
from kbc.formats.asciidoc.attributes import Attributes, substitute
from kbc.formats.asciidoc.inline import Inline, listing
from kbc.formats.asciidoc.lines import LineReader, SharedContext, SourceLine, level_offset
from kbc.formats.asciidoc.markup import DELIMITER, TITLE, Written, is_missing, underlined_level
from kbc.formats.document import FormatError
from kbc.project.source_file import relative_path

MAX_DEPTH = 40

ADMONITIONS = ("NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION")
_ENTRY = re.compile(r":(!?)(\w[^:]*?)(!?):(?:\s+(.*))?\Z")
_NOT_IN_NAME = re.compile(r"[^\w-]")
_SECTION = re.compile(r"(={1,6}|#{1,6})\s+(\S.*)\Z")
_BLOCK_ANCHOR = re.compile(r"\[\[([^\],]+)(?:,([^\]]*))?\]\]\Z")
_BLOCK_LIST = re.compile(r"\[([^\[\]]*|[^\"'=\n]*[\"'=].*)\]\Z")
_ATTRIBUTE_LINE = re.compile(r"\[(?:|[\w.#%{,\"'].*|\[(?:|[^\W\d][\w:.-]*(?:, *.+)?)\])\]\Z")
"""As Asciidoctor has it: an anchor, or a list that begins with a word or one of the marks."""

_MACRO = re.compile(r"(?=.*\]\Z)([a-z][\w-]*)::(\S*?)\[(.*)\]\Z")
_PREFIX = re.compile(rf"({'|'.join(ADMONITIONS)}):\s+(.*)", re.DOTALL)
_AUTHOR = re.compile(r"[^\W\d_][\w.'-]*(?: [^\W\d_][\w.'-]*){0,3}(?:\s+<[^>]+>)?(?:;.*)?\Z")
_REVISION = re.compile(r"v?[\d.]*,?\s*(\d{4}-\d\d-\d\d)")
_COMMENT_BLOCK = re.compile(r"/{4,}\Z")
_IMAGES = ("image", "video", "audio", "toc", "icon", "asciinema")


class Blocks:
    """Writes one document. `titles` are those of sections and blocks by id, for references."""

    def __init__(self, project: SharedContext) -> None:
        self.project = project
        self.inline = Inline(project)
        self.title = ""
        self.anchors: list[str] = []
        self.titles: dict[str, str] = {}
        self._numbers = Counter[str]()  # how often each id was repeated
        self.contained = 0  # containers around what is written: their headings are no sections
        self.above: tuple[str, ...] = ()
        self._depth = 0
        self._open: list[str] = []  # ids of the sections around what is written

    def document(self, lines: LineReader) -> Written:
        head = self._header(lines)
        return commonmark.blocks([head, self.all(lines)])

    def paragraph(self, text: str) -> Written:
        return commonmark.paragraph(self.inline.markdown(text))

    def nested(self, lines: list[SourceLine]) -> Written:
        """The blocks within a container."""
        self._depth += 1
        self.contained += 1
        above, self.above = self.above, ()
        if self._depth > MAX_DEPTH:
            raise FormatError(
                f"blocks are nested more than {MAX_DEPTH} deep", lines[0].number if lines else 0
            )
        written = self.all(LineReader(self.project, lines))
        self.above = above
        self.contained -= 1
        self._depth -= 1
        return written

    def all(self, lines: LineReader) -> Written:
        parts: list[Written] = []
        while (line := lines.peek()) is not None:
            if not line.text:
                lines.next()
                continue
            parts.append(self.block(lines))
        return commonmark.blocks(parts)

    def block(self, lines: LineReader) -> Written:
        """The next block with the lines of attributes and title above it."""
        given = Attributes()
        while (line := lines.peek()) is not None and self._metadata(line, given, lines):
            pass
        line = lines.peek()
        if line is None:
            return []
        section = self._section(line, given, lines)
        written = self._heading(*section, given) if section else self._content(line, given, lines)
        if given.id and given.title:
            self.titles.setdefault(given.id, self.inline.markdown(given.title))
        if given.title and written and not section:
            return commonmark.blocks([[f"**{self.inline.label(given.title)}**"], written])
        return written

    def _metadata(self, line: SourceLine, given: Attributes, lines: LineReader) -> bool:
        """Whether the line says something of the next block, or of the document; it is taken then."""
        text = line.text
        if not text or (text.startswith("//") and not text.startswith("///")):
            lines.next()
        elif _COMMENT_BLOCK.match(text):
            lines.next()
            self.collect(lines, text)
        elif entry := _ENTRY.match(text):
            lines.next()
            self._set(entry, lines)
        elif anchor := _BLOCK_ANCHOR.match(text):
            lines.next()
            given.id = anchor[1]
        elif (found := _BLOCK_LIST.match(text)) and not text.startswith("[["):
            lines.next()
            given.add(attribute_lists.parse(substitute(found[1], self.project.attributes)))
        elif (title := TITLE.match(text)) and not DELIMITER.match(text):
            lines.next()
            given.title = title[1]
        else:
            return False
        return True

    def _set(self, entry: re.Match[str], lines: LineReader) -> None:
        before, name, after, value = entry.groups()
        name = _NOT_IN_NAME.sub("", name).lower()
        value = value or ""
        while value.endswith(" \\"):
            line = lines.next()
            value = value[:-1].rstrip() + " " + (line.text.strip() if line is not None else "")
        if before or after:
            self.project.attributes.pop(name, None)
        else:
            self.project.attributes[name] = substitute(value, self.project.attributes)

    def _header(self, lines: LineReader) -> Written:
        """The title of the document with author and revision."""
        probe = Attributes()
        missing: list[SourceLine] = []  # shown below the title, so that they do not end the header
        while (line := lines.peek()) is not None:
            if is_missing(line.text):
                missing.append(line)
                lines.next()
            elif not self._metadata(line, probe, lines):
                break
        title = self._document_title(lines)
        if not title:
            lines.push(_as_lines(probe))  # they belong to the first block
            lines.push(missing)
            return []
        while (line := lines.peek()) is not None and line.text:
            if is_missing(line.text):
                missing.append(line)
                lines.next()
            elif "author" not in self.project.attributes and _is_of_authors(lines):
                stated = substitute(line.text, self.project.attributes)
                authors = re.sub(r"\s*<[^>]*>", "", stated).split(";")
                self.project.attributes["author"] = ", ".join(map(str.strip, authors))
                lines.next()
            elif revision := _REVISION.match(line.text):
                self.project.attributes["revdate"] = revision[1]
                lines.next()
            elif not self._metadata(line, Attributes(), lines):
                break
        lines.push(missing)
        return self._heading(title, 1, probe)

    def _document_title(self, lines: LineReader) -> str:
        """The title that the next lines are, which are taken; "" for others."""
        line, below = lines.peek(), lines.peek(1)
        if line is None:
            return ""
        if match := re.match(r"[=#] +(\S.*)", line.text):
            lines.next()
            return match[1]
        if below is None or underlined_level(line.text, below.text) != 1:
            return ""
        lines.next()
        lines.next()
        return line.text

    def _section(
        self, line: SourceLine, given: Attributes, lines: LineReader
    ) -> tuple[str, int] | None:
        """The title and level of the section that the next lines begin, which are taken. A container has
        no underlined titles: there `----` begins a listing."""
        section = _SECTION.match(line.text)
        if section and not DELIMITER.match(line.text):
            mark, title = section.groups()
            level, bare = len(mark), title.removesuffix(mark)
            title = bare.rstrip() if bare[-1:].isspace() else title
        elif self.contained and given.style not in ("discrete", "float"):
            return None
        else:
            below = lines.peek(1)
            title = line.text
            level = underlined_level(title, below.text) if below is not None else 0
            if not level:
                return None
            lines.next()
        lines.next()
        offset = line.offset + level_offset(self.project.attributes.get("leveloffset", ""))
        return title, level + offset

    def _heading(self, text: str, level: int, given: Attributes) -> Written:
        shown = (
            self.inline.label(text)
            if self.contained
            else " ".join(self.inline.markdown(text).split())
        )
        inner = re.search(r"\[\[([^\[\],]++)[^\[\]]*+\]\]", text)
        id = given.id or (inner[1] if inner else self._id(text))
        self.titles.setdefault(id, shown)
        plain = substitute(text, self.project.attributes)
        plain = re.sub(r"\[\[[^\[\]]*\]\]|[`*_](?=\S)|(?<=\S)[`*_](?!\w)", "", plain).strip()
        self.titles.setdefault(plain, shown)
        if not self.title:
            self.title = plain
        if self.contained:
            return [f"**{shown}**"]
        self.anchors.append(id)
        self._open = [*self._open[: level - 1], id]
        return commonmark.heading(level, shown)

    def _id(self, text: str) -> str:
        """The id of a section as Asciidoctor makes it of its title."""
        known = self.project.attributes
        prefix, mark = known.get("idprefix", "_"), known.get("idseparator", "_")
        plain = re.sub(r"<[^>]+>|&\w+;|[^\w .\-]", "", substitute(text, known).lower())
        words = re.sub(r"[ .\-]+", mark, plain.replace("_", mark) if mark else plain)
        words = words.strip(mark or " ")
        id = base = f"{prefix}{words}"
        while id in self.titles:
            self._numbers[base] += 1
            id = f"{base}{mark}{self._numbers[base] + 1}"
        return id

    def _content(self, line: SourceLine, given: Attributes, lines: LineReader) -> Written:
        text = line.text
        if is_missing(text):
            lines.next()
            return self.paragraph(text)
        if DELIMITER.match(text):
            return self._delimited(text, given, lines)
        if macro := _MACRO.match(text):
            lines.next()
            return self._macro(macro, line)
        if text in ("'''", "---", "***", "- - -", "* * *", "<<<"):
            lines.next()
            return [] if text == "<<<" else ["***"]
        if lists.marker(text) is not None:
            return lists.write(self, lines, self.above)
        return self._paragraph(given, lines)

    def collect(self, lines: LineReader, end: str) -> list[SourceLine]:
        """The lines up to the closing delimiter `end`, which is taken too."""
        found: list[SourceLine] = []
        while (line := lines.next()) is not None and line.text != end:
            found.append(line)
        return found

    def _delimited(self, mark: str, given: Attributes, lines: LineReader) -> Written:
        opening = lines.next()
        assert opening is not None
        end = "```" if mark.startswith("```") else mark
        body = self.collect(lines, end)
        kind = mark[0] if mark != "--" else "o"
        style = given.style
        if kind == "/" or style == "comment":
            return []
        if mark.endswith("===") and kind in "|,:!":
            return tables.write(self, kind, body, given)
        if kind == "`" or (kind in "-.o" and style in ("source", "listing", "literal")):
            language = mark[3:] if kind == "`" else ""
            return self._code(body, given, language)
        if style in ("stem", "latexmath", "asciimath"):
            return commonmark.fence(_joined(body), "math")
        if kind == "+":
            return [] if "pass" in style or not style else commonmark.fence(_joined(body))
        if kind in "-." or style in ("mermaid", "plantuml", "graphviz", "ditaa"):
            language = style if style in ("mermaid", "plantuml", "graphviz") else ""
            return self._code(body, given, language)
        if style == "verse":
            return commonmark.quote(_broken_lines(self, body))
        written = self.nested(body)
        if style.upper() in ADMONITIONS:
            return _labelled(style.capitalize(), written)
        if kind == "_" or style == "quote":
            by = ", ".join(part for part in given.positional[1:3] if part)
            source = [f"— {commonmark.escaped(by)}"] if by else []
            return commonmark.quote(commonmark.blocks([written, source]))
        return written

    def _code(self, body: list[SourceLine], given: Attributes, language: str) -> Written:
        """A listing as it is written; callouts stay as `<1>`."""
        if given.style == "source" and len(given.positional) > 1:
            language = given.positional[1]
        language = given.get("language", language)
        if not language and given.style == "source":
            language = self.project.attributes.get("source-language", "")
        code = listing(_joined(body), given.get("subs"), self.project.attributes)
        if given.get("indent") == "0":
            code = dedent(code)
        return commonmark.fence(code, language.split(",")[0])

    def _macro(self, macro: re.Match[str], line: SourceLine) -> Written:
        name, target, inside = macro.groups()
        if name in _IMAGES:
            found = attribute_lists.parse(inside)
            alt = found.style or found.get("alt")
            return self.paragraph(alt) if alt and name == "image" else []
        if name == "include-code":
            return self._include_code(target, inside, line)
        if name in ("stem", "latexmath"):
            return commonmark.fence(inside, "math")
        if name == "snippet" and snippets.CLASS.fullmatch(target):
            return self._snippet(target, inside, line)
        if name == "dependency":
            return [snippets.coordinates(target, attribute_lists.parse(inside))]
        self.project.elsewhere(name, f"the macro `{name}::` belongs to an extension", line)
        return self.paragraph(" ".join(filter(None, attribute_lists.parse(inside).positional)))

    def _include_code(self, target: str, inside: str, line: SourceLine) -> Written:
        """The macro of Spring's documentation: one class in each language that has it, in a folder called
        like the section's id."""
        parts: list[Written] = []
        page = line.path.partition("/pages/")[2].rsplit(".", 1)[0]
        folder, find = posixpath.dirname(page), self.project.find
        places = [posixpath.join(folder, id.replace(".", "/")) for id in reversed(self._open)]
        plain = [re.sub(r"[-_]", "", place) for place in [*places, page]]
        for name, ending in snippets.ENDINGS.items():
            if not (root := self.project.attributes.get(f"include-{name}")):
                continue
            paths = (posixpath.join(root, place, f"{target}.{ending}") for place in plain)
            known = (each for each in map(posixpath.normpath, paths) if find(each, line.path))
            if path := next(known, ""):
                parts += self._labelled_code(name, path, inside, line)
        if not parts:
            self.project.unresolved("include-code", f"the code {target!r} does not exist", line)
        return commonmark.blocks(parts)

    def _labelled_code(self, name: str, path: str, inside: str, line: SourceLine) -> list[Written]:
        """The part of a file that the arguments of an include choose, below the name of its language."""
        directive = SourceLine(f"include::{path}[{inside}]", line.path, line.number)
        body = list(iter(LineReader(self.project, [directive]).next, None))
        given = Attributes(positional=["source", name], named={"indent": "0"})
        found = self._code([each for each in body if each is not None], given, name)
        return [[f"**{name.capitalize()}**"], found]

    def _snippet(self, target: str, inside: str, line: SourceLine) -> Written:
        given = attribute_lists.parse(inside)
        parts: list[Written] = []
        for name, paths in snippets.places(target, given):
            found = (self.project.find_included(each, line.path) for each in paths)
            if path := next((each[0] for each in found if each), ""):
                parts += self._labelled_code(name, relative_path(path, line.path), inside, line)
        if not parts:
            self.project.elsewhere("snippet", f"the class {target!r} is not in the tree", line)
            return []
        title = given.get("title")
        return commonmark.blocks([self.paragraph(f"*{title}*") if title else [], *parts])

    def _paragraph(self, given: Attributes, lines: LineReader) -> Written:
        first = lines.peek()
        assert first is not None
        body = self.paragraph_lines(lines)
        style = given.style
        if style in ("source", "listing", "literal"):
            return self._code(body, given, "")
        if first.text[:1].isspace() and style in ("", "normal"):
            return commonmark.fence(dedent("\n".join(line.text for line in body)))
        if style in ("stem", "latexmath", "asciimath"):
            return commonmark.fence(_joined(body), "math")
        if style in ("comment", "pass"):
            return []
        if style == "verse" or "hardbreaks" in given.options:
            return _broken_lines(self, body)
        text = "\n".join(line.text for line in body)
        named = [each for line in body if (each := snippets.DEPENDENCY.fullmatch(line.text))]
        if body and len(named) == len(body):
            parsed = ((each["name"], attribute_lists.parse(each["inside"])) for each in named)
            return commonmark.broken([snippets.coordinates(*each) for each in parsed])
        if prefix := _PREFIX.match(text):
            return _labelled(prefix[1].capitalize(), self.paragraph(prefix[2]))
        written = self.paragraph(text)
        if style.upper() in ADMONITIONS:
            return _labelled(style.capitalize(), written)
        return commonmark.quote(written) if style == "quote" else written

    def paragraph_lines(self, lines: LineReader) -> list[SourceLine]:
        """The lines of a paragraph, up to a blank line, a delimited block or the next item of a list."""
        found: list[SourceLine] = []
        while (line := lines.peek()) is not None and line.text:
            text = line.text
            is_mark = DELIMITER.match(text) or _ATTRIBUTE_LINE.match(text)
            is_item = bool(self.above) and lists.marker(text) in self.above
            if found and (is_mark or is_item or (text == "+" and self.contained)):
                break
            lines.next()
            if not (text.startswith("//") and not text.startswith("///")):
                found.append(line)
        return found


def _joined(body: list[SourceLine]) -> str:
    return "\n".join(line.text for line in body)


def _broken_lines(blocks: Blocks, body: list[SourceLine]) -> Written:
    shown = [commonmark.paragraph(blocks.inline.markdown(line.text)) for line in body if line.text]
    return commonmark.broken([row[0] for row in shown if row])


def _labelled(label: str, written: Written) -> Written:
    return commonmark.quote(commonmark.blocks([[f"**{label}**"], written]))


def _as_lines(given: Attributes) -> list[SourceLine]:
    """Attributes that were read, as the lines they were."""
    named = [f'{name}="{value}"' for name, value in given.named.items()]
    marks = [f"%{each}" for each in given.options]
    first = "".join([given.style, f"#{given.id}" if given.id else "", *marks])
    inside = ",".join(filter(None, (first, *given.positional[1:], *named)))
    found = [f"[{inside}]" if inside else "", f".{given.title}" if given.title else ""]
    return [SourceLine(text, "", 0, done=True) for text in found if text]


def _is_of_authors(lines: LineReader) -> bool:
    """Whether the next line of a header is that of the authors: a name, or a text above more of the header.
    A line of text above anything else may be meant as the first paragraph."""
    line, below = lines.peek(), lines.peek(1)
    if line is None or _AUTHOR.match(line.text):
        return line is not None
    is_text = line.text[0].isalnum() and not (_MACRO.match(line.text) or lists.marker(line.text))
    is_header = below is not None and (_ENTRY.match(below.text) or _REVISION.match(below.text))
    return is_text and bool(is_header)
