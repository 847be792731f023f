"""Lines that were made to harm are read in time that grows with their length, not with its square."""

from __future__ import annotations

import time
import zlib
from pathlib import Path

import pytest

from kbc import processor_time
from kbc.diagnostics import Diagnostics
from kbc.formats import convert
from kbc.formats.documenter.links import identified
from kbc.formats.inventory import read_inventory
from kbc.formats.rst.labels import labels_of
from kbc.languages.includes import highlights
from kbc.languages.includes.expansion import expand
from kbc.pipeline.reading import read_inputs
from kbc.project.routes import ROUTES
from kbc.project.sites.settings import AddressSettings, SiteSettings

CASES = {
    "a title with many spaces": ("a.md", "# T" + " " * 200_000 + "itle\n\nText.\n"),
    "a title of pictures": ("a.md", "# T " + "![" * 200_000 + "\n\nText.\n"),
    "code of DocFX that never ends": ("a.md", "# T\n\n" + "[!code-csharp[Main](a" * 10_000),
    "a file of VitePress behind blanks": ("a.md", "# T\n\n<<< a" + " " * 6_000 + "x\n"),
    "a note of Diplodoc with blanks": (
        "a.md",
        "# T\n\n{% note" + " " * 6_000 + "( %}\n\n{% endnote %}\n",
    ),
    "a part of Fumadocs with blanks": ("a.md", "# T\n\n<include>" + f"{' ' * 90_000}x" * 2 + "\n"),
    "a container's label": ("a.md", "# T\n\n:::code a=" + "{" * 200_000 + "b:::\n"),
    "a title of brackets": ("a.adoc", "= T " + "[" * 90_000 + "x\n\nText.\n"),
    "a title with blanks": ("a.adoc", "= T\n\n== a" + " " * 120_000 + "x\n\nText.\n"),
    "a list of attributes": ("a.adoc", "= T\n\n[a" + "=" * 120_000 + "]x\n"),
    "a macro of brackets": ("a.adoc", "= T\n\na::" + "[" * 120_000 + "]x\n"),
    "a condition of blanks": ("a.adoc", "= T\n\nifeval::[a" + " " * 80_000 + "b]\nendif::[]\n"),
    "a list of terms": ("a.adoc", "= T\n\n" + "a:: b\n\na\n\n" * 16_000),
    "text of blanks": ("a.html", "<h1>T</h1><p>a" + " " * 400_000 + "b</p>"),
    "a cell's heading of blanks": (
        "a.ipynb",
        '{"cells": [{"cell_type": "markdown", "source": "# a' + " " * 9_000 + 'b"}]}',
    ),
    "index terms that never end": ("a.adoc", "= T\n\n" + "(($$a" * 19_000 + "\n"),
    "sections of one title": ("a.adoc", "= T\n\n" + "== Deeper\n\ntext\n\n" * 9_000),
    "a name of underscores": ("a.pod", "=head1 a" + "_" * 200_000 + "b\n\nText.\n"),
    "code of odoc that never ends": ("a.mld", "{0 T}\n\n" + "[" * 200_000 + "{x@a[{v " * 20_000),
    "a heading of underscores": ("a.rdoc", "= T\n\n== a" + "_" * 200_000 + "b\n\nText.\n"),
    "declarations that never end": ("a.xml", "<rfc>" + "<!DOCTYPE rfc [\n" * 20_000),
    "sections of data that never end": ("a.topic", "<topic>" + "<![CDATA[ " * 40_000),
}


@pytest.mark.parametrize(("name", "text"), CASES.values(), ids=CASES)
def test_reading_takes_no_time_for_the_square_of_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    monkeypatch.setattr(processor_time, "SECONDS", 8.0)
    monkeypatch.setattr(processor_time, "SECONDS_PER_BYTE", 0.0)
    (tmp_path / name).write_text(text)
    (tmp_path / "sound.md").write_text("# Sound\n\nText.\n")
    diagnostics = Diagnostics()
    assert read_inputs(tmp_path, diagnostics) is not None
    assert not [each for each in diagnostics if "too long to be read" in each.message]
    assert "file-too-complex" not in {each.code for each in diagnostics}


def test_other_lines_take_no_time_for_their_square() -> None:
    head = b"# Sphinx inventory version 2\n# Project: p\n# Version: 1\n# packed with zlib\n"
    entries = f"x {'a:' * 100_000}b\nx{' ' * 40_000}y\nc d py:function 1 e.html#$ -\n"
    title = f"[a](@id{' ' * 20_000}("
    labels = "".join(f".. _a{at}:\n\nT |a{at}|\n======\n\n" for at in range(20_000))
    began = time.process_time()
    assert len([*labels_of("a.rst", labels)]) == 20_000
    (entry,) = read_inventory(head + zlib.compress(entries.encode())).entries
    assert (entry.name, entry.address) == ("c d", "e.html#c d")
    assert identified(title) == (title, "")
    assert identified("[a b](@id  c )") == ("a b", "c")
    assert time.process_time() - began < 5


def test_blanks_behind_marks_take_no_time_for_their_square() -> None:
    blanks = " " * 100_000
    code = f"```js\n// highlight-start{blanks}x\n```"
    table = b"[- Name\n" + b" goes on\n" * 100_000
    began = time.process_time()
    assert highlights.without_marks(code) == code
    (page,) = convert("heron.1.scd", table, lambda path: None)
    assert page.text.count("goes on") == 100_000
    title = {"title": f"Grey{blanks}heron"}
    site = SiteSettings(addresses=AddressSettings(permalinks={"birds": "/:title/"}))
    assert ROUTES["hugo"]("birds/a.md", title, site) == "grey-heron/"
    assert time.process_time() - began < 5


def test_cards_on_one_page_take_no_time_for_their_square() -> None:
    text = '{{< tile link="a" title="Nest" about="x" >}}\n' * 10_000
    began = time.process_time()
    assert expand(text, "a.md", lambda path: None).text.count("- [Nest](a)") == 10_000
    assert time.process_time() - began < 8
