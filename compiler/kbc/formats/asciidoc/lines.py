"""The lines of an AsciiDoc file with its preprocessor directives carried out: includes and conditions."""

from __future__ import annotations

import posixpath
import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from textwrap import dedent

from kbc.formats.asciidoc import attributes as attribute_lists
from kbc.formats.asciidoc.attributes import Attributes, substitute
from kbc.formats.asciidoc.surroundings import FAMILIES, module_root
from kbc.formats.document import FormatError, Problems, Read, decode
from kbc.formats.selection import line_numbers
from kbc.languages.includes.files import not_included
from kbc.project.include_tree import folders_above

MAX_INCLUDES = 1_000
MAX_DEPTH = 30
MAX_LINES = 300_000

_DIRECTIVE = re.compile(r"(\\?)(include|ifdef|ifndef|ifeval|endif)::(\S[^\[]*)?\[(.*)\]\s*\Z")
_TAG = re.compile(r"(?:\A|.*[^\w])(tag|end)::([^\s\[\]]+)\[\](?:\s|\Z|[^\w])")
_OPERATOR = re.compile(r"[=!<>]=|<|>")
_IN_UNKNOWN_FOLDER = re.compile(r"\{[\w-]+\}/([^{}]+/[^{}]+)")
_RESOURCE = re.compile(r"(?:(?:[^@$]*@)?(?:([^:$]*):)?(?:([^:$]*):)?)?(?:(\w+)\$)?(.+)")
_ROOTED = re.compile(r"[{$:]|\A(?:/|\.\./)")


@dataclass(frozen=True, slots=True)
class SourceLine:
    text: str
    path: str
    number: int
    offset: int = 0  # added to the level of section titles
    depth: int = 0
    done: bool = False  # its directives are carried out


@dataclass(slots=True)
class SharedContext:
    """What all parts of a file share while it is read."""

    path: str
    read: Read
    attributes: dict[str, str]
    problems: Problems = field(default_factory=Problems)
    includes: int = 0
    lines: int = 0
    parts: set[str] = field(default_factory=set)

    def unresolved(self, name: str, message: str, line: SourceLine) -> None:
        self.problems.unresolved(name, message, self._number(line))

    def elsewhere(self, name: str, message: str, line: SourceLine) -> None:
        self.problems.elsewhere(name, message, self._number(line))

    def _number(self, line: SourceLine) -> int:
        return line.number if line.path == self.path else 0

    def without_value(self, name: str) -> None:
        """Counts an attribute that only a build sets."""
        shown = f"{{{name}}}"
        self.problems.elsewhere(shown, f"the attribute {shown} has no value in the tree")

    def find(self, target: str, base: str) -> tuple[str, bytes] | None:
        """The file that `target` names in the file `base`: relative, or a resource of Antora."""
        return self._first(self._candidates(target, base))

    def find_included(self, target: str, base: str) -> tuple[str, bytes] | None:
        """As `find`, else relative to a folder around `base`, the nearest first: a build may start in any."""
        found = self.find(target, base)
        if found is not None or _ROOTED.search(target):
            return found
        places = (posixpath.join(folder, target) for folder in folders_above(base))
        return self._first(place for place in places if place not in (base, self.path))

    def _first(self, candidates: Iterable[str]) -> tuple[str, bytes] | None:
        for candidate in candidates:
            path = posixpath.normpath(candidate)
            if path.startswith("/") or path in ("", "."):
                continue
            data = self.read(path)
            if data is not None:
                return path, data
        return None

    def _candidates(self, target: str, base: str) -> Iterable[str]:
        if inside := _IN_UNKNOWN_FOLDER.fullmatch(target):
            # Where a build starts: a folder around the file.
            places = (posixpath.join(folder, inside[1]) for folder in folders_above(base))
            yield from (place for place in places if place != base)
        if "{" in target:
            return
        if (match := _RESOURCE.fullmatch(target)) is None:
            return
        component, module, family, name = match.groups()
        if module is None and component is not None:
            component, module = None, component
        root = module_root(base)
        if module and root:
            root = posixpath.join(posixpath.dirname(root), module)
        if family and root:
            folder = f"{family}s" if f"{family}s" in FAMILIES else family
            yield posixpath.join(root, folder, name.lstrip("/"))
            if name.startswith("docs-"):  # Spring's build copies it from the component's own folder
                yield posixpath.join(root, "..", "..", name.removeprefix("docs-"))
        elif module and root:
            yield posixpath.join(root, "pages", name)
        else:
            yield posixpath.join(posixpath.dirname(base), target)
            if target.startswith("/"):
                yield target.lstrip("/")
            if root:
                yield posixpath.join(root, "pages", target)


class LineReader:
    """Reads lines one by one; `next` and `peek` give lines after their directives are carried out."""

    def __init__(self, project: SharedContext, lines: Iterable[SourceLine]) -> None:
        self._project = project
        self._waiting = deque(lines)
        self._conditions: list[bool] = []

    @classmethod
    def of_text(cls, project: SharedContext, text: str, path: str) -> LineReader:
        numbered = enumerate(_split(text), start=1)
        return cls(project, [SourceLine(line, path, number) for number, line in numbered])

    def peek(self, ahead: int = 0) -> SourceLine | None:
        index = 0
        while index < len(self._waiting):
            line = self._waiting[index]
            if not line.done:
                self._carry_out(index)
            elif index == ahead:
                return line
            else:
                index += 1
        return None

    def next(self) -> SourceLine | None:
        line = self.peek()
        if line is not None:
            self._waiting.popleft()
            self._project.lines += 1
            if self._project.lines > MAX_LINES:
                raise FormatError(f"the file has more than {MAX_LINES:,} lines with its includes")
        return line

    def push(self, lines: Iterable[SourceLine]) -> None:
        self._waiting.extendleft(reversed(list(lines)))

    def _carry_out(self, index: int) -> None:
        """Replaces the line at `index` by what it stands for."""
        line = self._waiting[index]
        match = _DIRECTIVE.match(line.text) if "::" in line.text else None
        if match is None:
            if all(self._conditions):
                self._waiting[index] = replace(line, done=True)
            else:
                del self._waiting[index]
            return
        escape, name, target, rest = match.groups()
        target = (target or "").strip()
        if escape:
            self._waiting[index] = replace(line, text=line.text[1:], done=True)
            return
        del self._waiting[index]
        if name == "endif":
            if self._conditions:
                self._conditions.pop()
        elif name == "include":
            if all(self._conditions):
                self._insert(index, self._included(line, target, rest))
        else:
            self._condition(index, line, name, target, rest)

    def _insert(self, index: int, lines: list[SourceLine]) -> None:
        for line in reversed(lines):
            self._waiting.insert(index, line)

    def _condition(self, index: int, line: SourceLine, name: str, target: str, rest: str) -> None:
        if name == "ifeval":
            holds = all(self._conditions) and self._evaluated(rest)
        else:
            names = filter(None, re.split(r"[,+]", target.lower()))
            defined = [each in self._project.attributes for each in names]
            is_defined = all(defined) if "+" in target else any(defined)
            holds = all(self._conditions) and is_defined == (name == "ifdef")
        if rest and name != "ifeval":
            if holds:
                self._insert(index, [replace(line, text=rest, done=True)])
        else:
            self._conditions.append(holds)

    def _evaluated(self, expression: str) -> bool:
        text = substitute(expression, self._project.attributes).strip()
        match = _OPERATOR.search(text, 1)
        if match is None or match.end() == len(text):
            return False
        operator = match[0]
        sides = text[: match.start()].rstrip(), text[match.end() :].lstrip()
        left, right = (each.strip("\"'") for each in sides)
        if operator in ("==", "!="):
            return (left == right) == (operator == "==")
        try:
            first, second = float(left), float(right)
        except ValueError:
            return False
        compared = {"<": first < second, ">": first > second, "<=": first <= second}
        return compared.get(operator, first >= second)

    def _included(self, line: SourceLine, target: str, rest: str) -> list[SourceLine]:
        project = self._project
        wanted = substitute(target, project.attributes)
        given = attribute_lists.parse(substitute(rest, project.attributes))
        found = None if "://" in wanted else project.find_included(wanted, line.path)
        project.includes += 1
        if found is None and ("://" in wanted or "{" in wanted):
            project.elsewhere("include", f"{wanted!r} is not a file of the tree", line)
            return [_missing(line, wanted)]
        if found is None or line.depth > MAX_DEPTH or project.includes > MAX_INCLUDES:
            if "optional" in given.options:
                return []
            # Several repositories may give an Antora component its modules and files.
            is_resource = "$" in wanted or re.match(r"[^/:]*@[\w-]*:", wanted) is not None
            report = project.elsewhere if is_resource else project.unresolved
            report("include", f"the file {wanted!r} does not exist", line)
            return [_missing(line, wanted)]
        path, data = found
        try:
            lines = _split(decode(data))
            numbered = self._selected(lines, given)
        except (FormatError, ValueError) as error:
            project.unresolved("include", f"{wanted!r}: {error}", line)
            return [_missing(line, wanted)]
        tags = "" if given.get("lines") else given.get("tags") or given.get("tag")
        missing = missing_tags(lines, tags)
        for name in missing:
            project.unresolved("include", f"{wanted!r} has no tag {name!r}", line)
        offset = line.offset + level_offset(given.get("leveloffset"))
        is_adoc = path.endswith((".adoc", ".asciidoc", ".asc", ".ad"))
        if is_adoc and len(numbered) == len(lines):
            project.parts.add(path)
        selected = [
            SourceLine(text, path, number, offset, line.depth + 1, done=not is_adoc)
            for number, text in numbered
        ]
        return [*selected, *(_missing(line, f"{wanted}#{name}") for name in missing)]

    def _selected(self, lines: list[str], given: Attributes) -> list[tuple[int, str]]:
        numbered = list(enumerate(lines, start=1))
        if ranges := given.get("lines"):
            kept = set(line_numbers(ranges, len(lines)))
            numbered = [(number, text) for number, text in numbered if number in kept]
        elif tags := given.get("tags") or given.get("tag"):
            numbered = select_tags(numbered, tags)
        if (columns := given.get("indent")).isdigit():
            texts = dedent("\n".join(text for _, text in numbered)).split("\n")
            pad = " " * min(int(columns), 100)
            shown = (pad + text if text else "" for text in texts)
            numbered = [(n, text) for (n, _), text in zip(numbered, shown, strict=False)]
        return numbered


def _missing(line: SourceLine, target: str) -> SourceLine:
    return replace(line, text=not_included(target), done=True)


def missing_tags(lines: list[str], tags: str) -> list[str]:
    """The names in `tags` whose text is wanted and of which no line begins a region."""
    stated = [name.strip() for name in re.split(r"[,;]", tags)]
    wanted = [name for name in stated if name and name[0] not in "!*"]
    if not wanted:
        return []
    marked = (_TAG.match(text) for text in lines if "tag::" in text)
    begun = {match[2] for match in marked if match and match[1] == "tag"}
    return [name for name in wanted if name not in begun]


def select_tags(lines: list[tuple[int, str]], tags: str) -> list[tuple[int, str]]:
    """The lines between `tag::name[]` and `end::name[]` of the names in `tags`, as Asciidoctor has it."""
    stated = [name.strip() for name in re.split(r"[,;]", tags)]
    wanted = {name.lstrip("!"): name[:1] != "!" for name in stated if name.lstrip("!")}
    wildcard: bool | None = None
    if "**" in wanted:
        base = wanted.pop("**")
        if "*" in wanted:
            wildcard = wanted.pop("*")
        elif not base and wanted and not next(iter(wanted.values())):
            wildcard = True
    elif "*" in wanted:
        is_first = next(iter(wanted)) == "*"
        wildcard = wanted.pop("*")
        base = not wildcard if is_first else False
    else:
        base = not any(wanted.values())
    select, active, stack, found = base, "", [("", base)], []
    for number, text in lines:
        match = _TAG.match(text) if "::" in text and "[]" in text else None
        if match is None:
            if select:
                found.append((number, text))
            continue
        kind, name = match.groups()
        if kind == "end":
            if name == active and len(stack) > 1:
                stack.pop()
                active, select = stack[-1]
        elif name in wanted:
            active, select = name, wanted[name]
            stack.append((active, select))
        elif wildcard is not None:
            select = False if active and not select else wildcard
            active = name
            stack.append((active, select))
    return found


def level_offset(value: str) -> int:
    return int(value) if re.fullmatch(r"[+-]?\d", value.strip()) else 0


def _split(text: str) -> list[str]:
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines
