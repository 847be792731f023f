"""Reads test cases that people write in Markdown: a page for each, a heading for each, or tables.

A heading is a test case where what stands below it has two of steps, an expected result and an identifier.
Its fields are headings, labels in bold or at the beginning of a line, and rows of tables with two columns,
with the names that columns of tables of test cases have (`case_tables`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from kb_runtime.records import case_tables
from kb_runtime.records.gherkin import numbered
from kb_runtime.records.written import case_words

_HEADING = re.compile(r"(#{1,6})[ \t]+(.*)")
_BOLD_LABEL = re.compile(
    r"(?:[-*+][ \t]+)?(\*\*|__)([^*_]{1,60}?)(?:[ \t]*[:：]\1|\1[ \t]*[:：]|\1(?=[ \t]*\Z))[ \t]*(.*)"
)
_LABEL = re.compile(
    r"(?:[-*+][ \t]+)?([^\W\d_][\w /#()-]{1,40}?)[ \t]*(?::(?=[ \t]|\Z)|：)(?:[ \t]*(.*))"
)
_ROW = re.compile(r"\|.*")
_RULE = re.compile(r"\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t:-]*)*\Z|(?:[ \t]*[-*_]){3,}[ \t]*\Z")
_ITEM = re.compile(r"(?:[-*+]|[0-9]{1,3}[.)])[ \t]+(.*)")
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_MARKS = re.compile(r"\*\*|__|`")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_CELL = re.compile(r"(?<!\\)\|")
_PICTURES = re.compile(r"\A[^\w\[(#]+|[^\w\s!-/:-@\[-`{-~–—]+")
"""What stands in front of a heading, and pictures anywhere in it."""
_IDENTIFIER = re.compile(
    r"[\[(]?(T(?:C|S|EST)?[-_ ]?(?:[A-Z0-9]+[-_])*[0-9]+(?:\.[0-9]+)*"
    r"(?:(?:[-_][A-Z][A-Z0-9]*+|[A-Za-z])(?=[ \t]*[])|:–—]|[ \t]+-))?\b"
    r"|[A-Z][A-Z0-9]*(?:[-_][A-Z0-9]+)*[-_][0-9]+\b(?=[ \t]*(?:[])|:–—-]|\Z)))[\])]?"
)
"""`TC01`, `TC_CART_003`, and before a colon or dash also `TC01-N`, `TC01b` and `PAY-7`, at the beginning of
a heading."""
_REPORT = re.compile(r"(?:BUG|DEFECT)[-_]")
"""Of reports of what went wrong, which have steps and expectations as well."""
_CASE_NAMES = "|".join(["test[ -]?case", *case_words.CASE_NAMES])
_CALLED = re.compile(
    rf"(?i:{_CASE_NAMES}|(?:test )?scenario|test)(?:[ \t]*#?[0-9]+(?:\.[0-9]+)*)?[ \t]*"
    rf"(?:[:：–—-]+[ \t]*|\Z)|(?i:{_CASE_NAMES})[ \t]+(?=T[CS]?[-_ ]?[A-Z0-9])"
)
"""What many headings begin with: `Test Case 3:`."""
_NUMBERED_STEP = re.compile(r"(.*\S)[ \t]*#?[0-9]{1,3}")
"""A label of one step: `Step 1`."""
_KEY = re.compile(r"([A-Za-z][\w-]*):(?:[ \t]+(.*))?")
_NOTHING = frozenset(["", "null", "~", "{}", "|", ">", "|-", ">-"])
"""Of front matter: a line with a key, and values that say nothing."""
_BETWEEN = re.compile(r"\A[\s:.|–—-]+")
_EMPHASISED = re.compile(r"(\*\*|__)(?!\s)((?:(?!\1).)+)(?<!\s)\1")


@dataclass(slots=True)
class _CasePart:
    """What stands below a heading in line `line`: lines by field, and the steps of tables."""

    title: str
    line: int
    fields: dict[str, list[str]] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    about: list[str] = field(default_factory=list)
    inner: list[_CasePart] = field(default_factory=list)

    @property
    def is_case(self) -> bool:
        """Whether it says what is done, or what is expected of a test that it names."""
        stated = {name for name, lines in self.fields.items() if any(map(str.strip, lines))}
        is_named = not stated.isdisjoint(case_tables.IDENTIFIERS)
        return bool(self.rows) or "action" in stated or (is_named and "expected" in stated)


def records(text: str, name: str) -> list[dict[str, Any]]:
    """A record for each test case of the page `name`, which may have folders; none of a page without any."""
    page = _CasesOfPage(name)
    page.read(text.splitlines())
    return numbered(page.found + list(page.cases(page.root, [])))


class _CasesOfPage:
    def __init__(self, name: str) -> None:
        self._name = name
        self._folder = name.replace("\\", "/").rpartition("/")[0]
        self._stem = name.rpartition("/")[2].rpartition(".")[0]
        self.root = _CasePart(self._stem, 1)
        self.found: list[dict[str, Any]] = []
        """The rows of tables with a test case in each."""
        self._open: list[tuple[int, _CasePart]] = [(0, self.root)]
        self._into: list[str] = self.root.about
        self._level = 0
        """Of the heading that began the field, 0 where something else did."""
        self._step: tuple[_CasePart, dict[str, list[str]]] | None = None
        """The last step with a label of its own, as `**Step 1**`: its section, and its lines by field."""

    def read(self, lines: Sequence[str]) -> None:
        fenced = False
        number = self._front_matter(lines)
        while number < len(lines):
            line = lines[number]
            number += 1
            if _FENCE.match(line):
                fenced = not fenced
            elif fenced:
                self._into.append(line)
            elif (
                _ROW.match(line.lstrip())
                and number < len(lines)
                and _RULE.match(lines[number].strip())
            ):
                end = number + 1
                while end < len(lines) and _ROW.match(lines[end].lstrip()):
                    end += 1
                self._table([_cells(each) for each in (line, *lines[number + 1 : end])], number)
                number = end
            elif not _RULE.match(line):
                self._line(line, number)
        self._end_step()

    def _front_matter(self, lines: Sequence[str]) -> int:
        """Reads what a page states in front matter, and returns the number of its lines."""
        if not lines or lines[0].rstrip() != "---":
            return 0
        end = next((at for at, line in enumerate(lines) if at and line.rstrip() == "---"), 0)
        into: list[str] | None = None
        for line in lines[1:end]:
            if key := _KEY.fullmatch(line):
                known = case_tables.field_of(key[1])
                into = self.root.fields.setdefault(known, []) if known else None
                if into is not None and (value := _scalar(key[2] or "")) not in _NOTHING:
                    into.append(value)
            elif into is not None and not line.startswith("#"):
                into.append(line.strip())
        return end + 1 if end else 0

    def _line(self, line: str, number: int) -> None:
        section = self._open[-1][1]
        if heading := _HEADING.fullmatch(line):
            self._heading(len(heading[1]), heading[2].rstrip().rstrip("#").rstrip(), number)
            return
        bold = _BOLD_LABEL.fullmatch(line.strip())
        label = bold or (_LABEL.fullmatch(line.strip()) if line[:1].strip() else None)
        name, said = (
            (label[2], label[3]) if bold and label else (label[1], label[2]) if label else ("", "")
        )
        if name and self._is_of_step(section, _plain(name), is_bold=bool(bold)):
            self._into.append(said or "")
            return
        is_typed = not bold and self._step is not None  # `Name: heron`, in a form
        if known := None if is_typed else case_tables.field_of(_plain(name)):
            if known not in section.fields or bold:
                self._into = section.fields.setdefault(known, [])
                self._level = 0
                self._into.append(said or "")
                return
        elif bold and section.fields:
            self._into = section.about
        self._into.append(line)

    def _is_of_step(self, section: _CasePart, name: str, *, is_bold: bool) -> bool:
        """Whether a label begins a step, or the data or the result of the step above it."""
        step = _NUMBERED_STEP.fullmatch(name) if is_bold else None
        known = case_tables.field_of(step[1] if step else name)
        if step and known == "action":
            self._end_step()
            self._step = section, {}
        elif known not in ("data", "expected") or not self._step or self._step[0] is not section:
            return False
        self._into, self._level = self._step[1].setdefault(known, []), 0
        return True

    def _end_step(self) -> None:
        if self._step is not None:
            section, lines = self._step
            values = {name: "\n".join(each).strip() for name, each in lines.items()}
            expected = _value("expected", values.pop("expected", "").splitlines())
            step = {name: _MARKS.sub("", value) for name, value in values.items()}
            if step["action"]:
                section.rows.append(step | {"expected": [expected] if expected else []})
            self._step = None

    def _heading(self, level: int, title: str, number: int) -> None:
        self._end_step()
        known = case_tables.field_of(_plain(title))
        is_step = self._into is self._open[-1][1].fields.get("action")
        is_named = not is_step and _IDENTIFIER.match(_plain(title))
        if self._level and level > self._level and not known and not is_named:
            self._into.append(title)  # `### Step 1` below `## Steps`
            return
        bare = None if known else self._bare_identifier(level, title)
        while self._open[-1][0] >= level:
            self._open.pop()
        above = self._open[-1][1]
        if known:
            self._into, self._level = above.fields.setdefault(known, []), level
            return
        section = _CasePart(_plain(title), number)
        if bare:
            section = _CasePart(f"{bare.title}: {section.title}", bare.line)
        above.inner.append(section)
        self._open.append((level, section))
        self._into, self._level = section.about, 0

    def _bare_identifier(self, level: int, title: str) -> _CasePart | None:
        """The open section, taken away, if it is only an identifier and the heading `title` of `level`, which
        ends it, is the name of its test."""
        depth, section = self._open[-1]
        is_empty = not (
            section.fields or section.rows or section.inner or any(map(str.strip, section.about))
        )
        if depth < level or not is_empty or not _IDENTIFIER.fullmatch(section.title):
            return None
        if _IDENTIFIER.match(title) or _CALLED.match(title):
            return None
        self._open.pop()
        return self._open[-1][1].inner.pop()

    def _table(self, rows: list[list[str]], number: int) -> None:
        section = self._open[-1][1]
        header, *body = rows
        fields = case_tables.fields_of(header)
        if {"testCaseId", "jiraKey"} & fields and {"action", "expected"} & fields:
            for row in case_tables.tests(header, body)["rows"]:
                self.found.append(
                    self._placed(row, [each.title for _, each in self._open[1:]], number)
                )
        elif "action" in fields:
            section.rows += case_tables.steps(header, body)
        elif len(header) == 2:
            known = None
            for name, *values in rows:  # one without a name goes on with the field above
                known = case_tables.field_of(_plain(name)) if _plain(name) else known
                if known:
                    section.fields.setdefault(known, []).extend(values)
        else:
            self._into += [" | ".join(row) for row in rows]

    def cases(self, section: _CasePart, above: list[str]) -> Iterator[dict[str, Any]]:
        """The test cases of a section and those in it."""
        inner = [each for each in section.inner if _count(each)]
        place = above if section is self.root else [*above, section.title]
        if section.is_case:
            parts = [each for each in section.inner if not _count(each)]
            yield from self._case(_joined(section, parts), above)
        elif section.fields and _count(section) == 1:
            whole, parts = section, section.inner
            if section is self.root:  # what a page states above its first heading
                whole, parts = inner[0], [*inner[0].inner, _CasePart("", 1, section.fields)]
            yield from self._case(_joined(whole, parts), above)
            return
        for each in inner:
            yield from self.cases(each, place)

    def _case(self, section: _CasePart, above: list[str]) -> Iterator[dict[str, Any]]:
        cells = {
            name: [value]
            for name, lines in section.fields.items()
            if (value := _value(name, lines))
        }
        called = _CALLED.match(section.title)
        title = section.title[called.end() :] if called else section.title
        if identifier := _IDENTIFIER.match(title):
            if _REPORT.match(identifier[1]):
                return
            cells.setdefault("testCaseId", [identifier[1]])
            title = title[identifier.end() :]
        is_told = any(row["expected"] for row in section.rows)
        if not is_told and cells.keys().isdisjoint(("expected", *case_tables.IDENTIFIERS)):
            return
        about = "\n".join(section.about).strip()
        # A heading that is only an identifier has the name of the test below it.
        title = _BETWEEN.sub("", title, count=1)
        first, _, rest = about.partition("\n")
        named = _EMPHASISED.fullmatch(first.strip())
        if not title and "title" not in cells and named and not named[2].endswith((":", "：")):
            title, about = _plain(named[2]), rest.strip()
        cells.setdefault("title", [title or section.title])
        row = case_tables.record(cells)
        if section.rows:
            row["steps"] = section.rows
        if all(map(_ITEM.fullmatch, filter(None, section.fields.get("preconditions", ())))):
            row["preconditions"] = row.get("preconditions", "").split("\n")
        if about and "description" not in row:
            row["description"] = about
        yield self._placed(row, above, section.line)

    def _placed(self, row: dict[str, Any], above: Sequence[str], line: int) -> dict[str, Any]:
        """A test with the place where it is written, its name if it has no identifier, and the folder of its
        file, and the headings above it, if it states none."""
        folders = [self._folder, *(each.replace("/", " ") for each in above)]
        stated = next((row[name] for name in case_tables.IDENTIFIERS if row.get(name)), "")
        return {
            "folderStructure": "/".join(filter(None, folders)),
            **row,
            "uid": stated or f"{self._stem}: {row.get('title', '')}",
            "testPath": f"{self._name}:{line}",
        }


def _count(section: _CasePart) -> int:
    """The test cases in a section, with itself."""
    return section.is_case + sum(map(_count, section.inner))


def _joined(section: _CasePart, parts: Sequence[_CasePart]) -> _CasePart:
    """A section with the fields of its parts, and with the heading of one that begins with an identifier;
    what has no known name there is said of the whole."""
    named = [each for each in (section, *parts) if _IDENTIFIER.match(each.title)]
    own = next(iter(named), section)
    whole = _CasePart(
        own.title, own.line, dict(section.fields), list(section.rows), list(section.about)
    )
    for part in parts:
        inner = _joined(part, part.inner)
        for name, lines in inner.fields.items():
            whole.fields.setdefault(name, lines)
        whole.rows += inner.rows
        if said := "\n".join(inner.about).strip():
            whole.about.append(f"\n{inner.title}: {said}")
    return whole


def _cells(line: str) -> list[str]:
    cells = _CELL.split(line.strip().removeprefix("|").removesuffix("|"))
    texts = (_MARKS.sub("", _BREAK.sub("\n", each.replace("\\|", "|"))) for each in cells)
    return ["\n".join(map(str.strip, each.strip().split("\n"))) for each in texts]


def _scalar(value: str) -> str:
    """A value of front matter without quotes, brackets and the comment behind it."""
    value = value.strip()
    if value[:1] in ('"', "'"):
        return value[1:].partition(value[0])[0]
    stated = "" if value.startswith("#") else value.partition(" #")[0].strip()
    return stated[1:-1].strip() if stated[:1] + stated[-1:] == "[]" else stated


def _plain(title: str) -> str:
    """A heading or label without marks, pictures and the number in front of it."""
    text = " ".join(_PICTURES.sub(" ", _MARKS.sub("", title)).split())
    return re.sub(r"\A[0-9]+[.)][ \t]+", "", text)


def _value(name: str, lines: Sequence[str]) -> str:
    """The text of a field, without the marks of items; those of steps are numbered, so that each is one."""
    text = "\n".join(line.rstrip() for line in lines).strip()
    if name == "action":
        return _as_list(text)
    if name in ("data", "expected") and re.match(r"1[.)] ", text):
        return _MARKS.sub("", text)
    items = [
        found[1] if (found := _ITEM.fullmatch(line.strip())) else line for line in text.splitlines()
    ]
    joined = _MARKS.sub("", "\n".join(items))
    return _plain(joined) if name in ("priority", "testType", "testCaseId", "title") else joined


def _as_list(text: str) -> str:
    """Items as numbered ones; what is indented below one belongs to it."""
    lines = text.splitlines()
    indent = min(
        (len(line) - len(line.lstrip()) for line in lines if _ITEM.fullmatch(line.strip())),
        default=0,
    )
    found: list[str] = []
    count = 0
    for line in lines:
        item = _ITEM.fullmatch(line.strip())
        if item and len(line) - len(line.lstrip()) <= indent:
            count += 1
            found.append(f"{count}. {_MARKS.sub('', item[1])}")
        elif line.strip():
            found.append(_MARKS.sub("", line.strip()))
    return "\n".join(found) if count > 1 else re.sub(r"\A1\. ", "", "\n".join(found))
