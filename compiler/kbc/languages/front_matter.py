"""Front matter: the YAML or TOML mapping at the start of a Markdown text, with the line of each key."""

from __future__ import annotations

import datetime
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import yaml

from kb_runtime.records.well_formed import well_formed
from kbc.diagnostics import Diagnostic, Severity
from kbc.limits import MAX_FRONT_MATTER_CHARS
from kbc.project.language_tags import language_of_tag
from kbc.project.well_formed import YamlLoader

_MOST_WITHOUT_OPENING = 50  # lines, with blank ones and the mark below
_WITHOUT_OPENING = re.compile(
    r"(?:[A-Za-z][\w-]*:(?:[ \t].*)?\r?\n|[ \t]+\S.*\n|- .*\n){1,40}\s{0,9}^-{3,}[ \t\r]*(?:\n|\Z)",
    re.MULTILINE,
)
_HEADER = re.compile(
    r"title:[ \t]+\S.*\n(?:[A-Za-z][\w-]*:(?:[ \t].*)?\r?\n|[ \t]+\S.*\n){0,40}(?=[ \t\r]*(?:\n|\Z))",
    re.IGNORECASE,
)
"""Lines that begin with a title, in front of a blank one: what MultiMarkdown has, and with it MkDocs, Pelican
and Doxia."""

_ENTRY = re.compile(r"(?P<key>[A-Za-z][\w-]*):[ \t]*(?P<value>.*)")
_TITLE = re.compile(r"^title:[ \t]*[^ \t\r\n]", re.MULTILINE)

MAX_ALIASED_CHARS = 1_000
"""Of a text that an alias stands for once more."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The mapping at the very start: YAML between two `---` lines, TOML between two `+++` lines, as Hugo and
    Zola have it, or lines that begin with a title, without marks, whose keys are in lower case.

    `first_line` and `last_line` are those of the two markers, or those of the first and last key without
    such. Values are plain: strings (dates and decimals stay as they are written), integers, booleans, None,
    lists, maps with string keys.
    When it is wrong, the document's problems say why, and `data` has what is on single lines of YAML
    (`title: bind: and more`). `key_lines` are those of top-level keys.
    """

    data: Mapping[str, Any]
    first_line: int
    last_line: int
    key_lines: Mapping[str, int] = field(default_factory=dict)

    def line_of(self, key: str) -> int:
        return self.key_lines.get(key, self.first_line)


def stated_language(data: Mapping[str, Any]) -> str:
    """The language that a page says its words are in (`lang: de-AT`), one of `kb_runtime.text.languages`; ""
    where it says none that kbc knows."""
    for key in ("lang", "language", "locale"):
        stated = data.get(key)
        if code := language_of_tag("no" if stated is False else str(stated)):
            return code
    return ""


def read_front_matter(
    lines: Sequence[str], line_numbers: Sequence[int], problems: list[Diagnostic]
) -> tuple[FrontMatter | None, int]:
    """The front matter and the index of the first line after it (0 without front matter)."""
    if above := _blank_above(lines):
        matter, end = read_front_matter(lines[above:], line_numbers[above:], problems)
        return matter, end + above if matter else 0
    mark = lines[0].rstrip()
    if mark not in _READERS:
        head = "".join(f"{line}\n" for line in lines[:_MOST_WITHOUT_OPENING])
        count = head.count("\n", 0, _end_without_opening(head))
        if not count:
            return None, 0
        if not lines[count - 1].startswith("---"):
            return _of_header(lines[:count], line_numbers), count
        marked = ["---", *lines[: count - 1], "---"]
        numbers = [line_numbers[0], *line_numbers[:count]]
        return read_front_matter(marked, numbers, problems)[0], count
    last = next((i for i in range(1, len(lines)) if lines[i].rstrip() == mark), None)
    if last is None:
        return None, 0
    source = "\n".join(lines[1:last]) + "\n"
    if len(source) > MAX_FRONT_MATTER_CHARS:
        said = f"it has {len(source):,} characters, more than {MAX_FRONT_MATTER_CHARS:,}"
        found = _Mapping(problem=said)
    else:
        found = _READERS[mark](source)
    if found.problem:
        problems.append(
            Diagnostic(
                Severity.ERROR,
                "front-matter-invalid",
                f"the front matter is not valid: {' '.join(found.problem.split())}",
                line=line_numbers[min(found.problem_line, last)],
                hint=_HINTS[mark],
            )
        )
    # YAML has more line ends than Markdown, so that its lines may count further.
    key_lines = {key: line_numbers[min(line, last)] for key, line in found.lines.items()}
    return FrontMatter(dict(found.data), line_numbers[0], line_numbers[last], key_lines), last + 1


def _of_header(lines: Sequence[str], line_numbers: Sequence[int]) -> FrontMatter:
    """What lines state that have no marks around them; an indented one goes on with the value above it."""
    data: dict[str, str] = {}
    key_lines: dict[str, int] = {}
    key = ""
    for line, number in zip(lines, line_numbers, strict=False):
        if entry := _ENTRY.match(line):
            key = entry["key"].lower()
            data[key], key_lines[key] = entry["value"].strip(), number
        else:
            data[key] = f"{data[key]}\n{line.strip()}"
    return FrontMatter(data, line_numbers[0], line_numbers[len(lines) - 1], key_lines)


def _end_without_opening(text: str) -> int:
    """Where front matter ends that has a title and no opening mark, which Hexo and MultiMarkdown do not need;
    0 for other text: in Markdown, Hexo's would be a heading (`title: Kites`, underlined). Blank lines may
    stand above its closing mark."""
    match = _WITHOUT_OPENING.match(text)
    if match and _TITLE.search(match[0]):
        return match.end()
    header = _HEADER.match(text)
    return header.end() if header else 0


def _blank_above(lines: Sequence[str]) -> int:
    """How many blank lines stand above front matter in TOML, as Zola allows: no Markdown begins so."""
    count = next((place for place, line in enumerate(lines) if line.strip()), 0)
    return count if count and lines[count].rstrip() == "+++" else 0


def stated_above(text: str) -> tuple[Mapping[str, Any], int]:
    """The front matter of a page, in any markup, and how many lines it takes; nothing where what stands
    between the marks states nothing."""
    if text[:3] not in _READERS and not _end_without_opening(text):
        return {}, 0
    lines = text.replace("\r\n", "\n").split("\n")
    matter, count = read_front_matter(lines, range(1, len(lines) + 1), [])
    return (matter.data, count) if matter and matter.data else ({}, 0)


def below_front_matter(text: str) -> tuple[Mapping[str, Any], str]:
    """What the front matter of a page states, and the text below it."""
    lines = text.replace("\r\n", "\n").split("\n")
    matter, start = read_front_matter(lines, range(1, len(lines) + 1), [])
    return matter.data if matter else {}, "\n".join(lines[start:])


def front_matter_end(text: str) -> int:
    """Where the page begins, behind the marks around what stands above it."""
    match = _FRONT_MATTER.match(text)
    return match.end() if match else _end_without_opening(text)


class _Mapping(NamedTuple):
    """What stands between the marks: values, and the lines of the keys, counted from the opening mark as 0;
    as far as they can be told where there is a `problem`."""

    data: Mapping[str, Any] = MappingProxyType({})
    lines: Mapping[str, int] = MappingProxyType({})
    problem: str = ""
    problem_line: int = 0


_TOO_DEEP = _Mapping(problem="it nests too deeply")


def _read_yaml(source: str) -> _Mapping:
    found = _read_whole_yaml(source)
    if not found.problem or found is _TOO_DEEP:
        return found
    # YAML allows tabs but for the indentation of blocks, and programs that write pages leave comments.
    for plain in (source.replace("\t", "    "), _COMMENT.sub(_blank_lines, source)):
        if plain != source and not (read := _read_whole_yaml(plain)).problem:
            return read
    data: dict[str, Any] = {}
    lines: dict[str, int] = {}
    for number, text in enumerate(source.split("\n"), start=1):
        if (entry := _YAML_LINE.match(text)) and entry["key"] not in data:
            alone = _read_whole_yaml(text)
            if alone.problem and entry["value"][0] in "[{" and entry["value"][-1] not in "]}":
                continue  # it goes on in the next line
            data[entry["key"]] = entry["value"] if alone.problem else alone.data[entry["key"]]
            lines[entry["key"]] = number
    return found._replace(data=data, lines=lines)


def _blank_lines(comment: re.Match[str]) -> str:
    """The line ends of a comment with nothing behind it on its last line; another one as it is."""
    return comment[0] if comment["alone"] is None else "\n" * comment[0].count("\n")


def _read_whole_yaml(source: str) -> _Mapping:
    try:
        node = _compose(source)
        if node is None:
            return _Mapping()
        data = _plain_map(_FrontMatterLoader("").construct_document(node))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = str(error.problem or error.context or error)
        return _Mapping(problem=problem, problem_line=mark.line + 1 if mark else 0)
    except RecursionError:
        return _TOO_DEEP
    except (yaml.YAMLError, ValueError) as error:
        return _Mapping(problem=str(error))
    for key, value in node.value:
        if key.value == "title" and not isinstance(value, yaml.ScalarNode) and value.flow_style:
            data["title"] = source[value.start_mark.index : value.end_mark.index]  # `{#if ...}`
    return _Mapping(
        data, {well_formed(key.value): key.start_mark.line + 1 for key, _ in node.value}
    )


def _read_toml(source: str) -> _Mapping:
    """Decimals stay as they are written."""
    try:
        data = _plain_map(tomllib.loads(source, parse_float=str))
    except RecursionError:
        return _TOO_DEEP
    except ValueError as error:  # TOMLDecodeError is one, and says where
        place = _TOML_PLACE.search(str(error))
        line = int(place[1]) if place and place[1] else 0
        return _Mapping(problem=_TOML_PLACE.sub("", str(error)), problem_line=line)
    lines: dict[str, int] = {}
    for number, line_text in enumerate(source.split("\n"), start=1):
        if (match := _TOML_KEY.match(line_text)) and match[1].strip("\"'") in data:
            lines.setdefault(match[1].strip("\"'"), number)
    return _Mapping(data, lines)


_YAML_LINE = re.compile(r"(?P<key>[A-Za-z_][\w-]*):[ \t]+(?P<value>[^\s|>&*!].*?)[ \t\r]*$")
_COMMENT = re.compile(r"^[ \t]*<!--(?:[^-]|-(?!->))*+(?:-->(?P<alone>[ \t]*$)?|\Z)", re.MULTILINE)
_FRONT_MATTER = re.compile(r"\A(---|\+{3})[ \t]*\n.*?^\1[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML_PLACE = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)")
_TOML_KEY = re.compile(r"[ \t]*\[{0,2}[ \t]*([\w-]+|\"[^\"]+\"|'[^']+')[ \t]*[.=\]]")
_READERS = {"---": _read_yaml, "+++": _read_toml}
_HINTS = {
    "---": "Write `key: value` lines between the two `---` lines, and quote values that contain `: ` or `#`.",
    "+++": 'Write `key = "value"` lines of TOML between the two `+++` lines.',
}


class _FrontMatterLoader(YamlLoader):
    """YAML with few surprises: `yes`, `on`, `=`, dates and `3.10` are strings, as they look.

    Aliases of lists and maps, and repeated keys are refused: the first can grow without bound, the second
    hide text. Those of short texts cannot.
    """

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event: Any = self.peek_event()  # type: ignore[no-untyped-call]
            meant = self.anchors.get(event.anchor)
            if not isinstance(meant, yaml.ScalarNode) or len(meant.value) > MAX_ALIASED_CHARS:
                problem = f"the alias `*{event.anchor}` is not supported"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.MarkedYAMLError(
                    problem="a key must be plain text", problem_mark=key.start_mark
                )
            if key.value in seen:
                raise yaml.MarkedYAMLError(
                    problem=f"the key `{key.value}` occurs twice", problem_mark=key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep)


_FrontMatterLoader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", list("tTfF")),
    ("int", r"^[-+]?(?:0|[1-9][0-9]{0,17})$", list("-+0123456789")),
):
    _FrontMatterLoader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), _first
    )


def _compose(source: str) -> yaml.MappingNode | None:
    """The one YAML mapping in `source`, None when it is empty."""
    loader = _FrontMatterLoader(source)
    try:
        node = loader.get_single_node()
    finally:
        loader.dispose()
    if node is not None and not isinstance(node, yaml.MappingNode):
        raise yaml.MarkedYAMLError(
            problem="it must be a mapping of keys to values", problem_mark=node.start_mark
        )
    return node


def _plain_map(value: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(key): _plain_value(item) for key, item in value.items()}


def _plain_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _plain_map(value)
    if isinstance(value, (list, tuple, set)):
        return [_plain_value(item) for item in value]
    if isinstance(value, (datetime.date, datetime.datetime, datetime.time)):
        return value.isoformat()
    if isinstance(value, bytes):
        raise ValueError("binary values are not supported")
    return value
