"""Files that Org documents include."""

from __future__ import annotations

import time

import pytest

from kbc.formats.pandoc.org_includes import with_includes

FILES = {
    "docs/part.org": "#+title: A part\nIntro.\n* One\nOf one.\n** Deep\nOf deep.\n* Two\nOf two.\n",
    "docs/run.py": "* = 1\nb = 2\nc = 3\n",
    "docs/twice.org": '#+include: "part.org::*Two"\n',
    "docs/loop.org": '#+include: "loop.org"\n',
}


def included(source: str, path: str = "docs/a.org") -> str:
    text, problems = with_includes(
        path, source, lambda name: FILES[name].encode() if name in FILES else None
    )
    assert not problems
    return text


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            '* Head\n#+INCLUDE: "part.org"',
            "* Head\nIntro.\n** One\nOf one.\n*** Deep\nOf deep.\n** Two\nOf two.",
        ),
        (
            '** Head\n#+include: "./part.org::*One" :minlevel 1',
            "** Head\n* One\nOf one.\n** Deep\nOf deep.",
        ),
        ('#+include: "part.org::*Two" :only-contents t', "Of two."),
        ('#+include: "twice.org"', "* Two\nOf two."),
        ('#+INCLUDE: "run.py" src python', "#+begin_src python\n,* = 1\nb = 2\nc = 3\n#+end_src"),
        ('#+INCLUDE: run.py example :lines "2-3"', "#+begin_example\nb = 2\n#+end_example"),
        ('#+INCLUDE: "run.py" src py :lines "2-"', "#+begin_src py\nb = 2\nc = 3\n#+end_src"),
        (
            '#+begin_example\n#+include: "run.py"\n#+end_example',
            '#+begin_example\n#+include: "run.py"\n#+end_example',
        ),
    ],
)
def test_a_document_has_the_files_that_it_includes(source: str, expected: str) -> None:
    assert included(source) == expected


@pytest.mark.parametrize(
    ("source", "code", "message"),
    [
        ('x\n#+include: "gone.org"', "unresolved-directive", "'gone.org' does not exist"),
        ('x\n#+include: "https://x.org/a.org"', "content-elsewhere", "is a URL"),
    ],
)
def test_what_is_not_there_is_told(source: str, code: str, message: str) -> None:
    text, (problem,) = with_includes("docs/a.org", source, lambda name: None)
    assert "(not included: " in text
    assert (problem.code, problem.line, problem.name) == (code, 2, "#+INCLUDE")
    assert message in problem.message


def test_a_document_that_includes_itself_ends() -> None:
    read = {name: text.encode() for name, text in FILES.items()}.get
    text, problems = with_includes("docs/a.org", '#+include: "loop.org"', read)
    assert text.count("(not included: loop.org)") == len(problems) == 1


def test_many_includes_are_read_in_bounded_time() -> None:
    started = time.process_time()
    part = b'#+include: "p.org"\n' * 50 + b"* x\n" * 200
    files = {"p.org": b'#+include: "q.org"\n' * 500, "q.org": part}
    with_includes("a.org", '#+include: "p.org"\n' * 500, files.get)
    with_includes("a.org", '#+include: "' * 100_000, files.get)
    assert time.process_time() - started < 20
