"""The comments of Doxygen: without their marks, what they say about where they belong, and as Markdown."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kbc.formats import commonmark
from kbc.languages.includes.dialects.doxygen import replace_commands, with_formulas
from kbc.languages.includes.files import indented

_KINDS = {"def": "define", "fn": "function", "property": "variable", "var": "variable"}
ENTITY_KINDS = frozenset([
    "class", "struct", "union", "enum", "namespace", "function", "variable", "typedef", "define",
    "concept", "overload",
])  # fmt: skip
"""Kinds of what a comment may name that stands elsewhere."""

_MARK = r"(?<![\w@\\])[@\\]"
_STRUCTURE = re.compile(
    rf"{_MARK}(?:(?P<kind>class|struct|union|enum|namespace|fn|var|property|typedef|def|concept|file"
    r"|mainpage|page|dir|example)\b[ \t]*(?P<rest>[^\n]*)"
    r"|(?P<group>defgroup|addtogroup|weakgroup)[ \t]+(?P<id>[\w.:-]+)[ \t]*(?P<title>[^\n]*)"
    r"|ingroup[ \t]+(?P<groups>[^\n]*)"
    r"|name\b[ \t]*(?P<name>[^\n]*)"
    r"|(?P<open>\{)|(?P<close>\})|(?P<cond>cond\b[^\n]*)|(?P<endcond>endcond\b))"
)
_OWN_NAME = re.compile(r"~?[A-Za-z_][\w:~]*(?:operator\s*\S+)?")
_OPENING = re.compile(r"\A(?:/\*[*!]<?|//[/!]<?)")
_DECORATION = re.compile(r"^[ \t]*\*(?!\*)(?: ?)", re.MULTILINE)
_LINE_MARK = re.compile(r"^[ \t]*//[/!]<?", re.MULTILINE)

_VERBATIM = re.compile(
    rf"{_MARK}(?:verbatim[ \t]+embed:(?:rst|rest)(?P<decoration>:leading-(?:asterisk|slashes))?[^\n]*\n"
    rf"(?P<inner>.*?)(?:{_MARK}endverbatim\b|\Z)|re?st[ \t]*\n(?P<aliased>.*?)(?:{_MARK}endre?st\b|\Z))",
    re.DOTALL,
)
_CODE = re.compile(
    r"(?P<indent>^[ \t]*|(?<=>))[@\\](?P<name>code|verbatim)(?:\{\.?(?P<language>[\w+-]*)\})?[ \t]*\n?"
    r"(?P<inner>.*?)(?:[@\\]end(?:code|verbatim)\b|\Z)",
    re.MULTILINE | re.DOTALL,
)
"""Both end with the comment at the latest, so that no end is looked for twice."""

_COMMAND = re.compile(
    r"^[ \t]*[@\\](?P<name>param|tparam|returns?|result|retval|throws?|exception|copydoc|copybrief"
    r"|copydetails)(?:\[(?P<direction>[^\]\n]*)\])?(?![\w])[ \t]*(?P<rest>[^\n]*)$"
)
_BOUNDARY = re.compile(
    r"^[ \t]*[@\\](?:note|warning|attention|important|remarks?|deprecated|since|todo|see|sa|par|brief|details"
    r"|short|pre|post|invariant|section|subsection|ingroup|date|author|version|bug|example|li|arg)\b"
)
_LABELLED = re.compile(
    r"^(?P<indent>[ \t]*)[@\\](?P<name>pre|post|invariant|bug|date|version|authors?)\b[ \t]*",
    re.MULTILINE,
)
_LABELS = {"pre": "Precondition", "post": "Postcondition"}
_DROPPED = re.compile(
    rf"^[ \t]*{_MARK}(?:class|struct|union|enum|namespace|fn|var|property|typedef|def|concept"
    r"|defgroup|addtogroup|weakgroup|ingroup|name|cond|endcond|overload|internal|endinternal|relates(?:also)?"
    rf"|headerfile|nosubgrouping|callgraph|hideinitializer|showinitializer)\b[^\n]*$"
    rf"|^[ \t]*{_MARK}(?:brief|details|short)[ \t]*$"
    rf"|^[ \t]*{_MARK}(?:file|dir|example)\b[ \t]*[\w./-]*|{_MARK}[{{}}]",
    re.MULTILINE,
)
_LIST = re.compile(r"^(?P<indent>[ \t]*)[@\\](?:li|arg)[ \t]+", re.MULTILINE)
_ESCAPED = re.compile(r"[@\\](?=[@\\&~<>#%$.\"])|[@\\]n\b")
_INLINE_CODE = re.compile(
    r"(?<=\S)([ \t]*)[@\\](?:code|verbatim)(?:\{[^}\n]{0,80}\})?"
    r"((?:(?![@\\]end)[^\n]){0,400})[@\\]end(?:code|verbatim)\b"
)
_WORDS = re.compile(r"(?<![\w`@\\])[@\\](?P<name>a|endlink)\b[ \t]*(?P<word>[\w.:()]*)")
_LINK = re.compile(r"(?<![\w`@\\])[@\\]link\s+(?:\S+\s+(?![@\\]endlink))?")
_PICTURE = re.compile(
    r"[@\\]image(?:\{[^}\n]{0,80}\})?[ \t]+\w+[ \t]+\S+(?:[ \t]+\"(?P<text>[^\"\n]*)\")?[^\n]*"
)
_UNLINKED = re.compile(r"(?<![\w%`])%(?=[A-Za-z_]\w{2})")
"""The mark before a word that is not to become a link."""
_SECTIONS = {
    "tparam": "Template parameters", "param": "Parameters", "return": "Returns",
    "retval": "Return values", "throw": "Throws",
}  # fmt: skip
_SAME = {"returns": "return", "result": "return", "throws": "throw", "exception": "throw"}

Embedded = Callable[[str], Sequence[str]]
"""Gives the lines of Markdown of text in reStructuredText."""


@dataclass(slots=True)
class CommentPlace:
    """Where a comment belongs. `kind` is that of what it names (`file`, `group`, `name`, a kind of entity),
    "" where it describes what follows. `group` has the kind, the id and the title of a group that it
    defines; `opens` and `closes` count `@{` and `@}`, `hidden` is the change by `@cond` and `@endcond`."""

    kind: str = ""
    name: str = ""
    group: tuple[str, str, str] | None = None
    groups: list[str] = field(default_factory=list)
    opens: bool = False
    closes: int = 0
    hidden: int = 0
    has_text: bool = False


def plain(comment: str) -> str:
    """The text of a comment without its marks and its decoration."""
    if not comment.startswith("/*"):
        return textwrap.dedent(_LINE_MARK.sub("", comment)).strip("\n")
    inner = _OPENING.sub("", comment).removesuffix("*/").rstrip().rstrip("*")
    first, _, rest = inner.partition("\n")
    return f"{first.strip()}\n{textwrap.dedent(_DECORATION.sub('', rest))}".strip("\n").rstrip()


def structure(comment: str) -> CommentPlace:
    """Where the comment with this text belongs."""
    found = CommentPlace()
    for match in _STRUCTURE.finditer(comment):
        if match["kind"] and not found.kind:
            found.kind = _KINDS.get(match["kind"], match["kind"])
            name = _OWN_NAME.search(match["rest"].partition("(")[0][::-1].partition(" ")[0][::-1])
            found.name = name[0] if name and found.kind == "function" else ""
            found.name = found.name or next(iter(match["rest"].split()), "")
        elif match["group"] and not found.group:
            found.kind = "group"
            found.name = match["id"]
            found.group = (match["group"], match["id"], match["title"].strip())
        elif match["groups"]:
            found.groups += match["groups"].split()
        elif match["name"] is not None:
            found.kind = found.kind or "name"
        found.opens = found.opens or bool(match["open"])
        found.closes += bool(match["close"])
        found.hidden += bool(match["cond"]) - bool(match["endcond"])
    found.has_text = bool(_DROPPED.sub("", comment).strip())
    return found


def markdown(comment: str, notes: Mapping[str, str], embedded: Embedded) -> list[str]:
    """The lines of Markdown that a comment shows: its text, then what it says of parameters, results and
    errors. `notes` are comments beside parameters."""
    pieces: list[list[str]] = []
    fields: dict[str, list[tuple[str, str]]] = {}
    position = 0
    for match in _VERBATIM.finditer(comment):
        _add_text(comment[position : match.start()], pieces, fields)
        inner = match["inner"] if match["inner"] is not None else match["aliased"]
        pieces.append(list(embedded(textwrap.dedent(inner))))
        position = match.end()
    _add_text(comment[position:], pieces, fields)
    described = {name for name, _ in fields.get("param", ())}
    for name, note in notes.items():
        if name not in described:
            fields.setdefault("param", []).append((name, note))
    for name, title in _SECTIONS.items():
        if items := fields.get(name):
            pieces.append([f"**{title}**"])
            pieces.append([line for label, text in items for line in _item(label, text)])
    return commonmark.blocks(pieces)


def copied(comment: str) -> list[tuple[str, str]]:
    """The entities whose text a comment shows (`@copydoc name`), each with the command."""
    matches = filter(None, map(_COMMAND.match, comment.split("\n")))
    found = ((each["name"], each["rest"].strip()) for each in matches)
    return [(name, rest) for name, rest in found if name.startswith("copy")]


def _item(label: str, text: str) -> list[str]:
    body = _shown(text).strip().split("\n")
    return commonmark.indented(commonmark.labelled(commonmark.code_span(label), body), "- ")


def _add_text(text: str, pieces: list[list[str]], fields: dict[str, list[tuple[str, str]]]) -> None:
    """Puts the lines of `text` into what stands before the lists, or into one of these."""
    body: list[str] = []
    current: list[str] | None = None
    name = label = ""
    is_unnamed = False

    def close() -> None:
        nonlocal current
        if current:
            rest = textwrap.dedent("\n".join(current[1:]))
            fields.setdefault(name, []).append((label, f"{current[0]}\n{rest}".strip()))
        current = None

    for line, is_code in _lines(text):
        command = None if is_code else _COMMAND.match(line)
        if command:
            close()
            name = _SAME.get(command["name"], command["name"])
            label, rest = "", command["rest"]
            if name.startswith("copy"):
                continue
            if name != "return":
                if (direction := re.match(r"\[[^\]\n]*\][ \t]*", rest)) is not None:
                    rest = rest[direction.end() :]
                label, _, rest = rest.partition(" ")
                label = label.rstrip(":")
            current = [rest.strip()] if rest.strip() else []
            is_unnamed = not label and name != "return"
        elif current is not None and not is_code and (not line.strip() or _BOUNDARY.match(line)):
            close()
            body.append(line)
        elif current is not None and is_unnamed:
            label, _, rest = line.strip().partition(" ")
            current, is_unnamed = [rest.strip()], False
        elif current is not None:
            current.append(line)
        else:
            body.append(line)
    close()
    if shown := _shown("\n".join(body)).strip("\n"):
        pieces.append(shown.split("\n"))


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Lines, each with whether it is one of code."""
    mark = ""
    for line in text.split("\n"):
        stripped = line.strip()
        yield line, bool(mark)
        opened = re.match(r"[@\\](code|verbatim|dot|msc)\b|(```+|~~~+)", stripped)
        if mark and re.search(rf"(?:{mark})", stripped):
            mark = ""
        elif not mark and opened:
            mark = rf"[@\\]end{opened[1]}\b" if opened[1] else re.escape(opened[2])
            if re.search(mark, stripped[opened.end() :]):
                mark = ""


def _shown(text: str) -> str:
    """The Markdown of text of Doxygen."""
    kept: list[str] = []

    def keep(shown: str) -> str:
        kept.append(shown)
        return f"\0{len(kept) - 1}\0"

    def block(match: re.Match[str]) -> str:
        code = textwrap.dedent(match["inner"].rstrip(" \t")).strip("\n")
        given = match["language"]
        language = ("cpp" if given is None else given) if match["name"] == "code" else ""
        lines = "\n".join(commonmark.fence(code, language))
        return f"\n{keep(indented(match['indent'], lines))}\n"

    def span(match: re.Match[str]) -> str:
        return f"{match[1]}{keep(commonmark.code_span(match[2]))}"

    text = _INLINE_CODE.sub(span, text.replace("\0", ""))  # in which nothing is a mark
    text = _CODE.sub(block, text)
    text = with_formulas(text, keep)
    text = _PICTURE.sub(lambda match: match["text"] or "", _LINK.sub("", _DROPPED.sub("", text)))
    text = _LABELLED.sub(_with_label, _LIST.sub(lambda match: f"{match['indent']}- ", text))
    text = _WORDS.sub(_emphasised, text)
    text = replace_commands(text, is_own=True)
    text = _UNLINKED.sub("", text)
    text = _ESCAPED.sub(lambda match: "\n" if match[0].endswith("n") else "", text)
    text = re.sub("\0([0-9]+)\0", lambda match: kept[int(match[1])], text)
    return re.sub(r"\n[ \t]*\n(?:[ \t]*\n)+", "\n\n", text)


def _emphasised(match: re.Match[str]) -> str:
    is_argument = match["word"] and match["name"] == "a"
    return f"*{match['word']}*" if is_argument else str(match["word"])


def _with_label(match: re.Match[str]) -> str:
    name = _LABELS.get(match["name"], match["name"].capitalize())
    return f"{match['indent']}**{name}:** "
