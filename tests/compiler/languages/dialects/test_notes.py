"""Links and embeds of notes by their names, as Obsidian and wikis have them."""

from __future__ import annotations

import pytest

from kbc.languages.includes.dialects.notes import notes_among
from kbc.languages.includes.expansion import expand
from kbc.languages.includes.files import Expansion, Surroundings

FILES = {
    "vault/Kite.md": "---\ntags: [x]\n---\n# Kite\n\nIt flies.\n\n## Tail\n\nLong.\n\n```md\n## No\n```\n\n"
    "### Bow\n\nTied.\n\n## Line\n\nThin. ^thin\n\n- One\n- Two ^two\n\n| a |\n|---|\n\n^table\n",
    "vault/deep/Kite.md": "Another.\n",
    "vault/parts/Long name.md": "See `[[Kite]]` and [[Kite]].\n",
    "vault/loop.md": "Again: ![[loop]]\n\n![[page]]\n\n![[loop#A]]\n",
}
PAGE = "vault/notes/page.md"


def expanded(text: str) -> Expansion:
    files = {**{name: each.encode() for name, each in FILES.items()}, PAGE: text.encode()}
    return expand(text, PAGE, files.get, Surroundings(notes=lambda: notes_among([*FILES, PAGE])))


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("![[Long name]]\n", "See `[[Kite]]` and [Kite](../Kite.md).\n"),
        ("> ![[kite#Bow]]\n", "> ### Bow\n>\n> Tied.\n"),
        ("- ![[Kite#tail#Bow|x]]\n- B\n", "- ### Bow\n\n  Tied.\n- B\n"),
        ("![[Kite#^thin]]\n", "Thin.\n"),
        ("![[Kite#^two]]\n", "- Two\n"),
        ("![[Kite#^table]]\n", "| a |\n|---|\n"),
        (
            "![[deep/Kite]] ![[parts/long-name.md]]",
            "Another.\n\nSee `[[Kite]]` and [Kite](../Kite.md).",
        ),
        ("# A\n\n![[#B]]\n\n## B\n\nC.\n", "# A\n\n## B\n\nC.\n\n## B\n\nC.\n"),
        ("# A\n\n![[page#B]]\n\n## B\n\nC.\n", "# A\n\n## B\n\nC.\n\n## B\n\nC.\n"),
        ("Before ![[Kite]] behind.\n", "Before [Kite](../Kite.md) behind.\n"),
    ],
)
def test_an_embed_shows_the_note_or_a_part_of_it(source: str, shown: str) -> None:
    found = expanded(source)
    assert (found.text, found.unresolved) == (shown, {})


def test_a_whole_note_has_no_front_matter_and_no_title_of_a_page() -> None:
    text = expanded("# Page\n\n![[Kite]]\n").text
    assert text.startswith("# Page\n\n## Kite\n\nIt flies.\n\n## Tail")
    assert "```md\n## No\n```" in text


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("A [[kite]].\n", "A [kite](../Kite.md).\n"),
        ("A [[Kite|toy]].\n", "A [toy](../Kite.md).\n"),
        ("| [[Kite\\|toy]] |\n", "| [toy](../Kite.md) |\n"),
        ("A [[toy|Kite]].\n", "A [toy](../Kite.md).\n"),
        ("A [[Kite#Tail]].\n", "A [Kite > Tail](../Kite.md).\n"),
        ("A [[Kite#^thin]].\n", "A [Kite](../Kite.md).\n"),
        ("A [[long_name]].\n", "A [long_name](<../parts/Long name.md>).\n"),
        ("A [[../Kite.md]].\n", "A [../Kite.md](../Kite.md).\n"),
        ("See [[#Tail]].\n", "See Tail.\n"),
        ("![[pics/a b.png|A wing|300x200]]\n", "![A wing](<pics/a b.png>)\n"),
        ("![[a.png|300]]\n", "![](a.png)\n"),
        ("![[a.png#outline]]\n", "![](a.png)\n"),
        ("![[talk.pdf#page=3]]\n", "[talk.pdf](talk.pdf)\n"),
        ("![[talk.pdf]]\n", "[talk.pdf](talk.pdf)\n"),
        ("# [[Kite]]\n", "# [Kite](../Kite.md)\n"),
    ],
)
def test_links_find_notes_by_their_names(source: str, shown: str) -> None:
    found = expanded(source)
    assert (found.text, found.unresolved) == (shown, {})


@pytest.mark.parametrize(
    "source",
    [
        "if [[ -f x ]]; x[[kite]] a[[1]]\n",
        "A [[gone]].\n",
        "`[[Kite]]` and ``![[Kite]]``\n",
        "```\n![[Kite]]\n```\n",
        "## Kites [[kite]]\n",
        "[[Kite]](https://x.example)\n",
        "\\[[Kite]]\n",
    ],
)
def test_other_brackets_stay(source: str) -> None:
    assert expanded(source) == Expansion(source, {})


def test_comments_beside_links_are_left_out() -> None:
    source = "[[gone]] %%aside%% stays 100%% of `%%x%%`.\n\n%%\nTwo\nlines\n%%\n\nEnd.\n"
    assert expanded(source).text == "[[gone]]  stays 100%% of `%%x%%`.\n\n\n\nEnd.\n"
    assert expanded("No link %%but this%%.\n").text == "No link %%but this%%.\n"


def test_what_is_not_there_is_counted() -> None:
    found = expanded("![[gone]]\n\n![[Kite#gone]]\n")
    assert found.text == "(not included: gone)\n\n(not included: Kite#gone)\n"
    assert found.unresolved == {"![[ ]]": 2}


def test_notes_that_embed_each_other_end() -> None:
    text = expanded("![[loop]]\n").text
    assert text.count("Again") == 1
    assert "[page](page.md)" in text
    assert "[loop > A](../loop.md)" in text


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    [
        "![[Kite]]" * 20_000,
        "[[" * 100_000,
        "# " + "#" * 100_000 + "x [[Kite]]",
        "![[#^x]]\n\n" + " " * 100_000 + "^y x\n",
        "[[Kite]]" + " %%" * 50_000 + " % %%x" * 20_000,
        "![[#" + "#".join("A" * 20_000) + "]]\n# A\n",
    ],
)
def test_many_brackets_are_read_in_bounded_time(text: str) -> None:
    assert expanded(text).text
