"""Damaged files of every format: is each read or refused by name, in bounded time and memory?

    python -m benchmarks.mutations [FORMAT ...] [--count 1000] [--seed 1]

A file of a format is damaged at random: parts are deleted, repeated, moved and cut off, bytes changed, markup
that nests put in; half of the files in ZIP formats are damaged inside, in a member. Each is compiled up to
its chunks by a worker process (an archive: unpacked and recognised), together with a sound page. Outcomes:

    read       the sound page is read; so is the file, or it was left out with a warning
    refused    errors, and each names the file
    unnamed    an error that does not name the file                              must be 0
    caught     a parser raised what it does not declare; the error names the file  must be 0
    crash      an exception got through, or the worker died                      must be 0
    slow       more than 10 s of processor time                                  must be 0
    large      more than 1 GB in the worker or the program that it runs          must be 0

Exit code 1 when a bar is missed. The files that missed one are kept in the folder that is printed.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.lined_worker import peak_bytes

READ, REFUSED, UNNAMED, CAUGHT, CRASH = "read", "refused", "unnamed", "caught", "crash"
SLOW, LARGE = "slow", "large"
OUTCOMES = (READ, REFUSED, UNNAMED, CAUGHT, CRASH, SLOW, LARGE)
MAX_SECONDS = 10.0
MAX_BYTES = 1 << 30
ADDRESS_SPACE = 4 << 30
"""A fence around the worker: beyond it Python raises MemoryError. Libraries map more than they use."""

_ZIPPED = frozenset({"docx", "pptx", "epub", "zip"})
_PIECES = (
    b"\0",
    b"\xff\xfe",
    b"`" * 9,
    b"::\n\n  ",
    b"{{{",
    b"[[[[",
    b"\n" + b" " * 300,
    b"|" * 50,
    b"*" * 40,
    b"<div>" * 200,
    b"> " * 100,
    b"- " * 60,
    b"[" * 300,
    b"9" * 5_000,
    b"\n---\n",
    b"&#x110000;",
    b"\xcc\x81" * 200,
    b"<!--",
    b'"""',
)
MARKDOWN = b"""\
---
title: Herons
tags: [birds, water]
date: 2024-01-02
---

# Herons {#herons}

A *heron* **wades**; see [gates](gates.md#open) and <https://example.org>, `code`[^1].

> Quoted
> - and a list
>   1. in a list

| a | b |
|---|:-:|
| 1 | 2 |

```python
def wade(depth: int) -> bool:
    return depth < 3
```

Setext
======

- [ ] task
  continued

    indented code

![picture](a.png "t")

<details><summary>More</summary>

Hidden.

</details>

[^1]: A note.
[ref]: https://example.org
"""
MDX = (
    b"import Tabs from '@theme/Tabs';\n\nexport const x = {a: [1, 2]};\n\n"
    + MARKDOWN.partition(b"---\n\n")[2].replace(b"<https://example.org>", b"{x.a}")
    + b"""
<Tabs values={[{label: 'A', value: 'a'}]}>
<TabItem value="a">

Text {/* comment */} in a tab.

</TabItem>
</Tabs>

:::note Title
Inside.
:::
"""
)
HTML = b"""\
<!DOCTYPE html><html lang="en"><head><title>Gates | Weir</title><meta charset="utf-8">
<meta name="description" content="How gates open."><link rel="canonical" href="https://weir.example/gates"></head>
<body><nav><ul><li><a href="/">Home</a></li></ul></nav><main><h1 id="gates">Gates</h1>
<p>A <b>gate</b> lets <a href="water.html">water</a> through.</p>
<table><tr><th>a</th><td colspan="2">1<br>2</td></tr></table>
<div class="highlight"><table><tr><td class="linenos"><pre>1\n2</pre></td><td><pre><code class="language-sh">
open --gate\nclose</code></pre></td></tr></table></div>
<div role="tablist"><button role="tab">One</button></div><div role="tabpanel" hidden><p>Panel</p></div>
<dl><dt class="sig">open(gate, *, speed=1)</dt><dd>Opens it.</dd></dl>
<pre>&lt;raw&gt; &amp; text</pre></main><footer>End</footer></body></html>
"""
KB_TOML = b"""\
[kb]
name = "damaged"
title = 'Damaged'
version = "0.1.0"
description = \"\"\"
Two
lines\"\"\"

[[collection]]
name = "p"
kind = "pages"
paths = ["p"]
exclude = [
  "drafts/",  # not yet
]

[search]
boosts = { title = 2.0 }
"""
SOURCE_TOML = b'id = "weir"\nname = "Weir"\nurl = "https://weir.example/"\ntype = "web"\n'
JSON_LINES = b"".join(
    json.dumps(
        {
            "url": f"https://weir.example/{number}",
            "title": f"Page {number}",
            "text": "# Gate\n\nText with `code`.\n",
            "date": "2024-01-02",
            "tags": ["a"],
            "pageCount": number,
        }
    ).encode()
    + b"\n"
    for number in range(4)
)
CASES = json.dumps(
    {
        "tests": [
            {
                "uid": "t1",
                "title": "Open a gate",
                "tags": ["gate"],
                "priority": "High",
                "steps": [{"index": 1, "action": "open it", "expected": ["water"]}],
            }
        ]
    },
    indent=1,
).encode()
LLMS_FULL = b"# Gates\nSource: https://weir.example/gates\n\nText.\n\n# Water\nSource: https://weir.example/w\n"
PYTHON_CODE = (
    b'"""Gates."""\n\nclass Gate:\n    def open(self, speed: int = 1):\n        """Opens."""\n'
)


def sound_files() -> dict[str, tuple[str, bytes]]:
    """Format -> the path that it has in a knowledge base, and a sound file of it."""
    from tests.compiler.formats.samples import samples

    found = {
        "markdown": ("p/a.md", MARKDOWN),
        "mdx": ("p/a.mdx", MDX),
        "html": ("p/a.html", HTML),
        "llms": ("p/llms-full.txt", LLMS_FULL),
        "jsonl": ("p/a.jsonl", JSON_LINES),
        "source": ("p/source.toml", SOURCE_TOML),
        "toml": ("kb.toml", KB_TOML),
        "cases": ("tests/a.json", CASES),
        "code": ("code/a.py", PYTHON_CODE),
    }
    for name, (path, data) in samples().items():
        if name not in ("python", "inventory"):  # these are no pages
            found[name] = (f"p/{path.rpartition('/')[2]}", data)
    return found | {"zip": ("docs.zip", _zip()), "tar": ("docs.tar.gz", _tar())}


def _zip() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("docs/a.md", MARKDOWN)
        archive.writestr("docs/b.html", HTML)
    return stream.getvalue()


def _tar() -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, data in (("docs/a.md", MARKDOWN), ("docs/b.html", HTML)):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return stream.getvalue()


def mutated(data: bytes, chance: random.Random) -> bytes:
    """`data` with up to six parts deleted, repeated, moved or cut off, bytes changed, markup put in."""
    damaged = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        start = chance.randrange(len(damaged) + 1)
        end = min(len(damaged), start + int(chance.expovariate(1 / 30)))
        action = chance.randrange(6)
        if action == 0:
            del damaged[start:end]
        elif action == 1:
            damaged[start:start] = bytes(damaged[start:end]) * chance.randint(1, 40)
        elif action == 2:
            damaged[start:start] = chance.choice(_PIECES)
        elif action == 3 and start < len(damaged):
            damaged[start] = chance.randrange(256)
        elif action == 4:
            part = bytes(damaged[start:end])
            del damaged[start:end]
            place = chance.randrange(len(damaged) + 1)
            damaged[place:place] = part
        elif chance.random() < 0.2:
            del damaged[start:]
    return bytes(damaged)


def mutated_inside(data: bytes, chance: random.Random) -> bytes:
    """A ZIP with one member damaged before it is packed."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(stream, "w") as written:
        names = archive.namelist()
        victim = chance.choice(names)
        for name in names:
            member = archive.read(name)
            written.writestr(name, mutated(member, chance) if name == victim else member)
    return stream.getvalue()


def damaged_file(name: str, number: int, seed: int) -> tuple[str, bytes]:
    """The path and bytes of damaged file `number` of a format; the same in every run."""
    path, data = sound_files()[name]
    chance = random.Random(f"{name} {number} {seed}")
    if name in _ZIPPED and number % 2:
        return path, mutated_inside(data, chance)
    return path, mutated(data, chance)


def compile_file(root: Path, path: str, data: bytes) -> tuple[str, str]:
    """The outcome, and what was said, of a knowledge base in `root` that holds the file and a sound page."""
    files = {"p/sound.md": b"# Sound\n\nText of the sound page.\n", path: data}
    if path != "kb.toml":
        kinds = {"tests": "tests", "code": "code"}
        kind = kinds.get(path.partition("/")[0], "pages")
        folder = path.partition("/")[0]
        files["kb.toml"] = b"[kb]\nname = 'damaged'\n" + b"".join(
            f"[[collection]]\nname = '{each}'\nkind = '{of}'\npaths = ['{each}']\n".encode()
            for each, of in {"p": "pages", folder: kind}.items()
        )
    shutil.rmtree(root, ignore_errors=True)
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    if path.startswith("docs."):
        return _unpack(root, path)
    return _read(root, path)


def _unpack(root: Path, path: str) -> tuple[str, str]:
    from kbc.recognition.archives import ArchiveError, extracted
    from kbc.recognition.detection import RecognitionError, recognise

    try:
        recognise(extracted(root / path, root / "cache"))
    except (ArchiveError, RecognitionError) as error:
        named = isinstance(error, RecognitionError) or path in error.message
        return (REFUSED if named else UNNAMED), error.message
    return READ, ""


def _read(root: Path, path: str) -> tuple[str, str]:
    from kbc.chunking.drafts import chunks
    from kbc.diagnostics import Diagnostics
    from kbc.pipeline.reading import read_inputs

    diagnostics = Diagnostics()
    inputs = read_inputs(root, diagnostics)
    said = "; ".join(map(str, diagnostics.errors))[:300]
    errors = [each for each in diagnostics.errors if each.code != "no-records"]
    if any(each.code in ("file-not-understood", "file-too-complex") for each in errors):
        return CAUGHT, said
    if any(each.path != path for each in errors) and path != "kb.toml":
        return UNNAMED, said
    if errors:
        return REFUSED, said
    if inputs is not None:
        chunks([record for found in inputs.records.values() for record in found if record.text])
    return READ, said


def work(name: str, seed: int) -> None:
    """Answers each number on stdin with a line of JSON."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    with tempfile.TemporaryDirectory(prefix="kbc-mutations-") as folder:
        root = Path(folder) / "kb"
        compile_file(root, *sound_files()[name])  # imports count for no file
        for line in sys.stdin:
            path, data = damaged_file(name, int(line), seed)
            started = _processor_seconds()
            try:
                outcome, said = compile_file(root, path, data)
            except Exception as error:  # what a benchmark of failures is for
                outcome, said = CRASH, f"{type(error).__name__}: {error}"[:300]
            seconds = _processor_seconds() - started
            of_programs = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
            used = max(peak_bytes(), of_programs)
            print(json.dumps([outcome, said, seconds, used]), flush=True)


def _processor_seconds() -> float:
    """What this process and the programs that it ran have used: a busy machine adds nothing to it."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def outcomes(name: str, count: int, seed: int) -> Iterator[tuple[int, str, str, float, int]]:
    """Number, outcome, what was said, seconds and bytes of each damaged file of a format."""
    number = 0
    while number < count:
        command = [
            sys.executable,
            "-m",
            "benchmarks.mutations",
            name,
            "--seed",
            str(seed),
            "--work",
        ]
        worker = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert worker.stdin is not None
        assert worker.stdout is not None
        with worker:
            while number < count:
                worker.stdin.write(f"{number}\n")
                worker.stdin.flush()
                answer = worker.stdout.readline()
                if not answer:
                    yield number, CRASH, f"the worker died with {worker.wait()}", 0.0, 0
                    number += 1
                    break
                outcome, said, seconds, used = json.loads(answer)
                if outcome in (READ, REFUSED) and seconds > MAX_SECONDS:
                    outcome = SLOW
                if outcome in (READ, REFUSED) and used > MAX_BYTES:
                    outcome = LARGE
                yield number, outcome, said, seconds, used
                number += 1
                if outcome == LARGE:  # a new worker: the greatest use stays that of the process
                    worker.stdin.close()
                    break
            else:
                worker.stdin.close()


def row(name: str, counts: Mapping[str, int], slowest: float, largest: int) -> str:
    cells = "".join(f"{counts.get(outcome, 0):9,}" for outcome in OUTCOMES)
    return f"{name:10}{cells}{slowest:9.2f}{largest >> 20:8,}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("formats", nargs="*", metavar="FORMAT")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    known = sound_files()
    if unknown := set(options.formats) - set(known):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    if options.work:
        work(options.formats[0], options.seed)
        return 0
    print(f"{'format':10}" + "".join(f"{outcome:>9}" for outcome in OUTCOMES) + "    max s  max MB")
    missed = 0
    kept = Path(tempfile.gettempdir()) / f"kbc-mutations-{options.seed}"
    for name in options.formats or known:
        counts: Counter[str] = Counter()
        slowest, largest = 0.0, 0
        for number, outcome, said, seconds, used in outcomes(name, options.count, options.seed):
            counts[outcome] += 1
            slowest, largest = max(slowest, seconds), max(largest, used)
            if outcome not in (READ, REFUSED):
                path, data = damaged_file(name, number, options.seed)
                place = kept / f"{name}-{number}-{Path(path).name}"
                place.parent.mkdir(exist_ok=True)
                place.write_bytes(data)
                print(f"  {outcome}: {place}: {said}", flush=True)
                missed += 1
        print(row(name, counts, slowest, largest), flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
