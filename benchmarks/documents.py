"""How much of real documentation arrives: files, included code, fenced blocks, anchors.

    python -m benchmarks.documents FOLDER [--only NAME,...] [--json FILE]

FOLDER holds checkouts of documentation, one a subfolder, which may be a link; nothing is fetched. Each is
read as `kbc build` reads a folder without a kb.toml (`NAME=PLACE` in --only names a folder in it), and
printed as soon as it is measured; the sums of all follow at the end. Columns:

files       files below the folder, those of folders that are left out whole not counted
read        files that became records
inc         files that others include, and configuration
left        files that are left out by a rule, or cannot be read
missing     files on disk that the account of files does not have; the bar is 0
direct      directives that pull text from other files, in the sources
unres       those of them that name a file which is not there, or are still in the records; the bar is 1 %
elsewh      those of them whose text no file has: the site computes it, or another repository has it
blocks      code blocks in the sources, without those that hold such a directive
whole       those of them that are in the records byte for byte, apart from indentation; the bar is 99 %, and
            99.5 % for Markdown
anchors     links to headings that a page does not have, as `kbc check` reports them
false       those of them that dead-anchors.toml does not name, where somebody looked: the bar is 0

Exits with 1 when a bar is missed. Blocks are found with markdown-it in Markdown (a fence that is a directive
of MyST counts where the directive is one of code, without its options), with lxml in HTML, in notebooks by
their cells, and by indentation and delimiters in reStructuredText and AsciiDoc.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import sys
import textwrap
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from markdown_it import MarkdownIt

from benchmarks.reading.writerside import is_whole, topic_blocks
from kbc.diagnostics import Diagnostics
from kbc.formats.writerside.project import project_of
from kbc.pipeline.inputs import Inputs
from kbc.pipeline.reading import read_inputs
from kbc.project.include_tree import IncludeTree
from kbc.recognition.detection import RecognitionError, recognise
from kbc.records import CompiledRecord, DocRecord
from kbc.sources.accounting import LEFT_OUT, UNREADABLE

MIN_WHOLE = 0.99
MIN_WHOLE_MARKDOWN = 0.995
MAX_UNRESOLVED = 0.01
SHOWN_REASONS = 8
MIN_WIDTH = 7
"""Of a column of numbers: rows are printed before the widest number is known."""

COLUMNS = (
    *("name", "files", "read", "inc", "left", "missing", "direct", "unres", "elsewh"),
    *("blocks", "whole", "anchors", "false", "records", "seconds"),
)

_DIRECTIVES: Mapping[str, re.Pattern[str]] = {
    "mkdocs {* *}": re.compile(r"^[ \t]*\{\*.*\*\}", re.MULTILINE),
    "mkdocs snippet": re.compile(r"^[ \t]*-+8<-+[ \t]+\S", re.MULTILINE),
    "mdbook include": re.compile(r"(?<!\\)\{\{\s*#(?:rustdoc_)?include\s+[^\s}]"),
    "hugo shortcode": re.compile(r"(?<!\{)\{\{[<%](?!/\*)\s*[\w.-]+(?!.*\*/)"),
    "sphinx include": re.compile(r"^[ \t]*\.\. (?:literal)?include::", re.MULTILINE),
    "sphinx autodoc": re.compile(r"^[ \t]*\.\. auto[a-z]+::", re.MULTILINE),
    "mkdocstrings": re.compile(
        r"^::: [A-Za-z_][\w.-]*[ \t]*$(?=\n {4})|^::: \w+\.[\w.]+", re.MULTILINE
    ),
    "include-markdown": re.compile(r"^[ \t]*\{%-?[ \t]*include-markdown\b", re.MULTILINE),
    "vuepress code": re.compile(r"^[ \t]*@\[code", re.MULTILINE),
    "vitepress <<<": re.compile(r"^[ \t]*<<<[ \t]*\S", re.MULTILINE),
    "docfx include": re.compile(r"\[!(?:INCLUDE|include|code)\b|^[ \t]*:::code\b", re.MULTILINE),
    "writerside src": re.compile(
        r"<code-block\b[^<>]*\ssrc\s*=|^[ \t>]*\{[^{}]*\bsrc\s*=[^{}]*\}[ \t]*$", re.MULTILINE
    ),
    "writerside include": re.compile(r"<include\s+(?:from|element-id|use-filter)\s*="),
    "asciidoc include": re.compile(r"^include(?:-code)?::\S+\[", re.MULTILINE),
}
_LIQUID = {
    "jekyll tag": re.compile(
        r"\{%-?\s*(?:include|highlight|link|post_url)\b|\{\{\s*(?:site|page)\."
    )
}
_RAW = re.compile(r"\{%-?\s*raw\s*-?%\}.*?\{%-?\s*endraw\s*-?%\}", re.DOTALL)
_RAW_TAG = re.compile(r"\{%-?\s*(?:end)?raw\s*-?%\}")
_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)|<code>.*?</code>", re.DOTALL)
"""Directives of Jekyll, and what shows them as they are written; other pages may be about those."""

_UNRESOLVED = ("include-unresolved", "unresolved-directive")
_TOTAL = re.compile(r"\((\d+)\):")
DEAD_ANCHORS = Path(__file__).with_name("dead-anchors.toml")

_IN_CODE = ("mkdocs {* *}", "mkdocs snippet", "mdbook include")
"""Directives that work in code blocks, too; of the others, one in a code block is an example of itself."""

_FENCE = re.compile(
    r"^[ \t]*(`{3,}|~{3,})[^\n]*\n.*?^[ \t]*\1[`~]*[ \t]*$", re.MULTILINE | re.DOTALL
)
_MARKDOWN = (".md", ".mdx", ".markdown", ".qmd", ".rmd")
_MYST_DIRECTIVE = re.compile(r"\{([\w:.+-]+)\}")
_MYST_CODE = frozenset({"code", "code-block", "code-cell", "sourcecode"})
_MYST_RAW = frozenset({"raw", "eval-rst", "toctree", "mermaid", "math", "literalinclude"})
"""Directives whose content is no Markdown."""

_MYST_OPTIONS = re.compile(r"\A(?:---\n(?:.*\n)*?---\n|(?:[ \t]*:[\w-]+:.*\n)+)?")
_HTML = (".html", ".htm")
_RST_BLOCK = re.compile(
    r"^(?P<indent>[ \t]*)(?:\.\. (?:code-block|code|sourcecode)::[^\n]*|(?![ \t]*\.\. )[^\n]*::)[ ]*\n"
    r"(?:(?P=indent)[ \t]+:[\w-]+:[^\n]*\n)*[ \t]*\n(?P<body>(?:(?P=indent)[ \t]+\S[^\n]*\n|[ \t]*\n)+)",
    re.MULTILINE,
)
_ADOC_BLOCK = re.compile(
    r"(?P<attributes>^\[[^\n]*\]\n)?^(?P<mark>-{4,}|\.{4,})[ \t]*\n(?P<body>.*?)^(?P=mark)[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
_ADOC_COMMENT = re.compile(r"^(/{4,})[ \t]*\n.*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_ADOC_CHANGED = re.compile(
    r"^\\(?:include|ifn?def|ifeval|endif)::|^if(?:n?def|eval)::", re.MULTILINE
)
"""Blocks that AsciiDoc itself changes: escaped directives and conditions."""


@dataclass(slots=True)
class Measured:
    """The columns of one checkout; `reasons` and `directives` count what the table sums up."""

    name: str
    what: str = ""
    seconds: float = 0.0
    files: int = 0
    read: int = 0
    included: int = 0
    left: int = 0
    missing: list[str] = field(default_factory=list)
    directives: Counter[str] = field(default_factory=Counter)
    unresolved: Counter[str] = field(default_factory=Counter)
    blocks: Counter[str] = field(default_factory=Counter)
    whole: Counter[str] = field(default_factory=Counter)
    harmed: list[str] = field(default_factory=list)
    absent: int = 0
    elsewhere: int = 0
    dead_anchors: int = 0
    false_anchors: list[str] = field(default_factory=list)
    records: int = 0
    reasons: dict[str, int] = field(default_factory=dict)

    def missed(self) -> list[str]:
        """The bars that are missed."""
        found = [f"{len(self.missing)} files unaccounted"] if self.missing else []
        total, unresolved = self.directives.total(), self.unresolved.total() + self.absent
        if unresolved > MAX_UNRESOLVED * total:
            found.append(f"{unresolved} of {total} directives unresolved")
        for kind, count in self.blocks.items():
            least = MIN_WHOLE_MARKDOWN if kind == "markdown" else MIN_WHOLE
            if self.whole[kind] < least * count:
                found.append(f"{count - self.whole[kind]} of {count} {kind} blocks harmed")
        if self.false_anchors:
            found.append(f"{len(self.false_anchors)} dead anchors that nobody looked at")
        return found


def measure(name: str, folder: Path) -> Measured:
    """Reads one checkout. Raises `RecognitionError`."""
    started = time.perf_counter()
    found = recognise(folder, folder)
    diagnostics = Diagnostics()
    inputs = read_inputs(found.project, diagnostics)
    assert inputs is not None  # only a kb.toml can be unusable
    accounting = inputs.accounting
    accounting.complete(inputs.project.root)
    counts = accounting.counts()
    known = tomllib.loads(DEAD_ANCHORS.read_text()).get(name, {}).get("dead", ())
    dead = [
        f"{each.path} {each.message.split(chr(39))[1]}"
        for each in diagnostics
        if each.code == "dead-anchor"
    ]
    measured = Measured(
        name=name,
        what=found.what,
        seconds=time.perf_counter() - started,
        files=len(accounting),
        read=counts["read"],
        included=counts["included"],
        left=counts[LEFT_OUT] + counts[UNREADABLE],
        records=inputs.record_count,
        absent=_counted(diagnostics, _UNRESOLVED),
        elsewhere=_counted(diagnostics, ("content-elsewhere",)),
        dead_anchors=len(dead),
        false_anchors=[each for each in dead if each not in known],
        reasons={**accounting.reasons(LEFT_OUT), **accounting.reasons(UNREADABLE)},
    )
    whole_folders = tuple(accounting.folders)
    measured.missing = [
        path
        for path in _files_on_disk(inputs.project.root)
        if path not in accounting and not path.startswith(whole_folders)
    ]
    _compare(inputs, measured)
    return measured


def _counted(diagnostics: Diagnostics, codes: tuple[str, ...]) -> int:
    """The directives that diagnostics of these codes count."""
    found = (_TOTAL.search(each.message) for each in diagnostics if each.code in codes)
    return sum(int(match[1]) for match in found if match)


def _files_on_disk(root: Path) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        for name in (*names, *(each for each in folders if Path(folder, each).is_symlink())):
            yield Path(folder, name).relative_to(root).as_posix()


def _compare(inputs: Inputs, measured: Measured) -> None:
    """Counts directives and code blocks in the sources, and which of them the records have."""
    texts: dict[str, list[str]] = {}
    for name, records in inputs.records.items():
        kind = next(each.kind for each in inputs.collections if each.name == name)
        if kind in ("docs", "pages"):
            for record in records:
                texts.setdefault(record.path, []).append(_content(record))
    sources = {file.path: inputs.project.root / file.path for file in inputs.files}
    generators = {
        record.path: each.generator
        for each in inputs.collections
        for record in inputs.records.get(each.name, ())
    }
    tree = IncludeTree(inputs.project.root, inputs.project.boundary)
    for path, contents in texts.items():
        content = "\n".join(contents)
        file = sources.get(path)
        if file is None:
            continue
        source = file.read_bytes().decode("utf-8-sig", "replace").replace("\r\n", "\n")
        patterns = _DIRECTIVES
        outside, left = _FENCE.sub("", source), _FENCE.sub("", content)
        if generators.get(path) in ("eleventy", "jekyll"):
            patterns = {**_DIRECTIVES, **_LIQUID}
            outside, left = _RAW.sub("", outside), _SPAN.sub("", left)
            source = _RAW_TAG.sub("", source)
        for name, pattern in patterns.items():
            is_code = name in _IN_CODE
            if count := len(pattern.findall(source if is_code else outside)):
                measured.directives[name] += count
                measured.unresolved[name] += len(pattern.findall(content if is_code else left))
        lines = _dedented(content)
        found = list(_blocks(path, source, is_myst=generators.get(path) == "sphinx"))
        is_topic = generators.get(path) == "writerside"
        if is_topic:
            is_xml = path.endswith(".topic")
            snippets = project_of(path, tree.peek).snippets
            pulled = topic_blocks(source, inputs.project.root / snippets, is_xml=is_xml)
            found += [("writerside", block) for block in pulled]
        for kind, block in found:
            if any(pattern.search(block) for pattern in patterns.values()):
                continue
            measured.blocks[kind] += 1
            wanted = _dedented(block).strip("\n")
            if wanted in lines or (is_topic and is_whole(wanted, lines)):
                measured.whole[kind] += 1
            else:
                measured.harmed.append(f"{path}: {block.strip().split(chr(10))[0][:60]}")


def _content(record: CompiledRecord) -> str:
    return record.content if isinstance(record, DocRecord) else record.text


def _dedented(text: str) -> str:
    """Without the indentation of lines and the marks of quotes around them, which a block in a list item
    or a quote has in the file only."""
    return "\n".join(line.strip(" \t>") for line in text.split("\n"))


def _blocks(path: str, source: str, *, is_myst: bool = False) -> Iterator[tuple[str, str]]:
    """(format, content) of every code block of a file."""
    name = path.lower().partition("?")[0]
    if name.endswith(_MARKDOWN):
        text = _without_front_matter(source)
        is_mdx = name.endswith(".mdx")
        found = _markdown_blocks(text, is_myst=is_myst, is_mdx=is_mdx)
        yield from (("markdown", block) for block in found)
    elif name.endswith(_HTML):
        yield from (("html", block) for block in _html_blocks(source))
    elif name.endswith(".ipynb"):
        for cell in json.loads(source).get("cells", []):
            text = "".join(cell.get("source", []))
            if cell.get("cell_type") == "code" and text.strip():
                yield "notebook", text
    elif name.endswith((".adoc", ".asciidoc", ".asc")):
        for match in _ADOC_BLOCK.finditer(_ADOC_COMMENT.sub("", source)):
            is_changed = "subs=" in (match["attributes"] or "") or _ADOC_CHANGED.search(
                match["body"]
            )
            if match["body"].strip() and not is_changed:
                yield "asciidoc", match["body"]
    elif name.endswith((".rst", ".txt")):
        for match in _RST_BLOCK.finditer(f"{source}\n\n"):
            yield "rst", textwrap.dedent(_first_margin(match["body"]))


def _first_margin(body: str) -> str:
    """The lines up to one with less margin than the first: in a list, text follows there."""
    lines = body.split("\n")
    margins = [len(line) - len(line.lstrip()) if line.strip() else None for line in lines]
    first = next((margin for margin in margins if margin is not None), 0)
    kept = itertools.takewhile(
        lambda pair: pair[1] is None or pair[1] >= first, zip(lines, margins, strict=True)
    )
    return "\n".join(line for line, _ in kept)


def _markdown_blocks(text: str, *, is_myst: bool, is_mdx: bool = False) -> Iterator[str]:
    """Fenced code. With `is_myst`, a fence `{name}` is a directive: one of code has code below its
    options, and what is no code may hold further fences."""
    # MDX has no HTML: below a line that is a tag there may be code.
    parser = MarkdownIt().disable(["code", "html_block"]) if is_mdx else MarkdownIt()
    for token in parser.parse(text):
        if token.type != "fence":
            continue
        directive = _MYST_DIRECTIVE.match(token.info.strip()) if is_myst else None
        if directive is None:
            block = token.content
        elif directive[1] in _MYST_CODE:
            block = _MYST_OPTIONS.sub("", token.content)
        else:
            if directive[1] not in _MYST_RAW:
                inner = _MYST_OPTIONS.sub("", token.content)
                yield from _markdown_blocks(inner, is_myst=is_myst)
            continue
        if block.strip():
            yield block


def _without_front_matter(source: str) -> str:
    return re.sub(r"\A(---|\+{3})\n.*?\n\1\n", "", source, flags=re.DOTALL)


def _html_blocks(source: str) -> Iterator[str]:
    from lxml import html  # type: ignore[import-untyped]

    if not source.strip():
        return
    for block in html.fromstring(source.encode()).iter("pre"):
        for line_break in block.iter("br"):
            line_break.tail = "\n" + (line_break.tail or "").removeprefix("\n")
        text = str(block.text_content()).replace("\xa0", " ")
        if text.strip():
            yield text


def row(name: str, cells: Iterable[str], width: int) -> str:
    """A line of the table; `width` is that of the names."""
    return "  ".join(
        [name.ljust(width)]
        + [
            cell.rjust(max(len(title), MIN_WIDTH))
            for title, cell in zip(COLUMNS[1:], cells, strict=True)
        ]
    ).rstrip()


def report(found: Measured, width: int) -> str:
    """The row of a project, then what is behind its sums."""
    reasons = [f"{count:,} {reason}" for reason, count in found.reasons.items()]
    lines = [
        row(found.name, _cells([found]), width),
        f"  {found.what}",
        f"  left out: {', '.join(reasons[:SHOWN_REASONS]) or 'nothing'}",
    ]
    if unresolved := +found.unresolved:
        shown = [
            f"{count} of {found.directives[name]} {name}" for name, count in unresolved.items()
        ]
        lines.append(f"  unresolved: {', '.join(shown)}")
    lines += [f"  harmed: {found.harmed[0]}"] if found.harmed else []
    lines += [f"  missed: {bar}" for bar in found.missed()]
    return "\n".join(lines)


def totals(found: Sequence[Measured], width: int) -> str:
    """The sums of all projects, and who misses a bar."""
    missed = [each.name for each in found if each.missed()]
    return "\n".join(
        [
            row("total", _cells(found), width),
            f"missed a bar: {', '.join(missed)}" if missed else "no bar is missed",
        ]
    )


def _cells(found: Sequence[Measured]) -> list[str]:
    counts = [
        (
            *(each.files, each.read, each.included, each.left, len(each.missing)),
            *(each.directives.total(), each.unresolved.total() + each.absent, each.elsewhere),
            *(each.blocks.total(), each.whole.total(), each.dead_anchors),
            *(len(each.false_anchors), each.records),
        )
        for each in found
    ]
    sums = [f"{sum(column):,}" for column in zip(*counts, strict=True)]
    return [*sums, f"{sum(each.seconds for each in found):.0f}"]


def _facts(measured: Measured) -> dict[str, object]:
    values = {each.name: getattr(measured, each.name) for each in fields(measured)}
    return {**values, "missed": measured.missed()}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="NAME or NAME=PLACE, separated by commas")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    wanted = [each.partition("=") for each in arguments.only.split(",") if each]
    if not wanted:
        names = sorted(each.name for each in arguments.folder.iterdir() if each.is_dir())
        wanted = [(name, "", "") for name in names if not name.startswith(".")]
    found = []
    width = max(len(name) for name in ("total", *(name for name, _, _ in wanted)))
    print(row("name", COLUMNS[1:], width), flush=True)
    for name, _, place in wanted:
        try:
            found.append(measure(name, arguments.folder / name / place))
        except RecognitionError as error:
            print(f"{name}: {error}", file=sys.stderr)
            continue
        print(report(found[-1], width), flush=True)
        if arguments.json:
            arguments.json.write_text(json.dumps([_facts(each) for each in found], indent=1))
    if found:
        print(totals(found, width))
    return 1 if any(each.missed() for each in found) else 0


if __name__ == "__main__":
    sys.exit(main())
