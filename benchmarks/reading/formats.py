"""Fidelity of `kbc.formats`: which code blocks of real documentation are in the Markdown, byte for byte.

    python benchmarks/reading/formats.py FOLDER [--format rst] [--suffix .txt] [--missing N]

Blocks of the source are found by small scanners of this file, which share nothing with the converters.
Trailing blanks of lines do not count: the formats' own tools drop them.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from markdown_it import MarkdownIt

from benchmarks.lined_worker import peak_bytes
from kbc.formats import UNRESOLVED, convert
from kbc.formats.registry import FORMATS, format_of

_RST_CODE = re.compile(r"(\s*)\.\. (?:code-block|code|sourcecode|highlight-block)::")
_RST_EXPLICIT = re.compile(r"\s*\.\.(?:\s|$)")
_RST_DIRECTIVE = re.compile(r"\s*\.\. (?:\|[^|]+\| )?[\w:+.-]+::")


def rst_blocks(text: str) -> Iterator[str]:
    lines = [line.expandtabs(8).rstrip() for line in text.split("\n")]
    index = 0
    while index < len(lines):
        line = lines[index]
        indent = len(line) - len(line.lstrip())
        body, after = _indented(lines, index + 1, indent)
        if _RST_CODE.match(line):
            start = 0
            while start < len(body) and re.match(r"\s*:[\w-]+:", body[start]):
                start += 1
            if start or not body or not body[0]:
                yield _dedented(body, start)
            index = after
        elif _RST_EXPLICIT.match(line) and not _RST_DIRECTIVE.match(line):
            is_note = re.match(r"\s*\.\. (?:\[|_)", line)
            index = index + 1 if is_note else after  # else a comment
        elif (
            line.endswith("::")
            and not _RST_DIRECTIVE.match(line)
            and not line.lstrip().startswith(("|", "+"))
            and body
            and not body[0]
            and any(body)
        ):
            yield _dedented(body)
            index = after
        else:
            index += 1


def _indented(lines: list[str], start: int, indent: int) -> tuple[list[str], int]:
    end = start
    while end < len(lines) and (
        not lines[end] or len(lines[end]) - len(lines[end].lstrip()) > indent
    ):
        end += 1
    return lines[start:end], end


def _dedented(lines: list[str], start: int = 0) -> str:
    margin = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    return "\n".join(line[margin:] for line in lines[start:]).strip("\n")


def adoc_blocks(text: str) -> Iterator[str]:
    """Listing and literal blocks; those with directives inside are what other scanners cannot tell."""
    lines = [line.rstrip() for line in text.split("\n")]
    index = 0
    while index < len(lines):
        line = lines[index]
        if re.fullmatch(r"/{4,}", line):
            index = _closing(lines, index, line) + 1
        elif re.fullmatch(r"-{4,}|\.{4,}|```\w*", line):
            end = _closing(lines, index, "```" if line.startswith("```") else line)
            body = lines[index + 1 : end]
            plain = not any(
                re.match(r"(include|ifdef|ifndef|endif|ifeval|tag|end)::", each) for each in body
            )
            above = " ".join(lines[max(0, index - 3) : index])
            if re.search(r"indent=[\"']?0", above):
                body = _dedented(body).split("\n")
            if re.search(r"subs=.*(attributes|normal|quotes|macros|none)|^\|===", above):
                plain = plain and "{" not in "".join(body)
            if plain and any(body):
                yield "\n".join(re.sub(r"\A\\(?=\w+::)", "", each) for each in body).strip("\n")
            index = end + 1
        else:
            index += 1


def _closing(lines: list[str], start: int, mark: str) -> int:
    return next((i for i in range(start + 1, len(lines)) if lines[i] == mark), len(lines))


def notebook_blocks(text: str) -> Iterator[str]:
    book = json.loads(text)
    for cell in book.get("cells", ()):
        if cell["cell_type"] == "code":
            source = "".join(cell["source"])
            if source.strip():
                yield "\n".join(line.rstrip() for line in source.split("\n")).strip("\n")


def org_blocks(text: str) -> Iterator[str]:
    pattern = r"^[ \t]*#\+begin_(src|example)\b[^\n]*\n(.*?)^[ \t]*#\+end_\1"
    for match in re.finditer(pattern, text, re.MULTILINE | re.DOTALL | re.IGNORECASE):
        lines = [
            re.sub(r"^(\s*),(?=\*|#\+|,)", r"\1", line).rstrip() for line in match[2].split("\n")
        ]
        if any(lines):
            yield _dedented(lines)


SCANNERS: dict[str, Callable[[str], Iterator[str]]] = {
    "rst": rst_blocks,
    "asciidoc": adoc_blocks,
    "notebook": notebook_blocks,
    "org": org_blocks,
}


def fences(text: str) -> Counter[str]:
    tokens = MarkdownIt("commonmark").parse(text)
    return Counter(
        "\n".join(line.rstrip() for line in token.content.split("\n")).strip("\n")
        for token in tokens
        if token.type == "fence"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--format", default="")
    parser.add_argument("--suffix", action="append", default=[])
    parser.add_argument("--missing", type=int, default=0, help="print so many missing blocks")
    given = parser.parse_args()
    suffixes = tuple(given.suffix or FORMATS)
    totals: Counter[str] = Counter()
    unresolved: Counter[str] = Counter()
    problems: Counter[str] = Counter()
    slowest = (0.0, "")
    shown = 0

    def read(path: str) -> bytes | None:
        file = given.folder / path
        inside = file.resolve().is_relative_to(given.folder.resolve())
        return file.read_bytes() if inside and file.is_file() else None

    for file in sorted(given.folder.rglob("*")):
        if not file.is_file() or not file.name.lower().endswith(suffixes):
            continue
        path = file.relative_to(given.folder).as_posix()
        name = given.format or getattr(format_of(path), "name", "")
        data = file.read_bytes()
        before = time.process_time()
        found = convert(path, data, read, format=name)
        took = time.process_time() - before
        slowest = max(slowest, (took, path))
        totals["files"] += 1
        totals["milliseconds"] += int(took * 1000)
        totals["documents"] += len(found)
        totals["empty"] += not any(each.text for each in found)
        for each in found:
            for problem in each.problems:
                if problem.code == UNRESOLVED:
                    unresolved[problem.name] += 1
                else:
                    problems[problem.code] += 1
                    if given.missing:
                        print(f"{path}:{problem.line}: {problem.code}: {problem.message}")
        if name not in SCANNERS:
            continue
        had = sum((fences(each.text) for each in found), Counter())
        for block in SCANNERS[name](data.decode("utf-8", "replace").replace("\r\n", "\n")):
            totals["blocks"] += 1
            if had[block] > 0:
                had[block] -= 1
                totals["found"] += 1
            elif shown < given.missing:
                shown += 1
                print(f"--- {path}\n{block[:400]}")
    share = totals["found"] / totals["blocks"] if totals["blocks"] else 1.0
    print(
        f"files {totals['files']}, documents {totals['documents']}, without text {totals['empty']}"
    )
    print(f"code blocks {totals['blocks']}, byte for byte {totals['found']} ({share:.2%})")
    print(f"unresolved {sum(unresolved.values())}: {dict(unresolved.most_common(30))}")
    print(f"problems {dict(problems)}")
    peak = peak_bytes() >> 20
    print(
        f"CPU {totals['milliseconds'] / 1000:.1f} s, slowest {slowest[0]:.1f} s {slowest[1]}, peak {peak} MB"
    )


if __name__ == "__main__":
    main()
