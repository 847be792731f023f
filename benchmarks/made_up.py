"""Text for benchmarks that need much of it: pages and source files, the same for the same seed.

Words are drawn as in prose: a few are in every paragraph, most are rare. Half of them are English; the
rest are made of syllables, so that an index meets as many different words as in a real tree.
"""

from __future__ import annotations

import random
from itertools import accumulate
from pathlib import Path

SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()  # noqa: SIM905
NAMES = 20_000
PAGES_PER_FOLDER = 50
PACKAGES = 40

_ENGLISH = """
    the of and to a in is it that for as with on be are by this from or an at which when not can one has
    each was all its there more than if may time other into only some then them two about after over
    under between before value name list file page line word field state event table order group level
    point path key size part case step rule test note form call type unit side start end first last new
    old open close read write send keep move turn hold find give take make show tell build change follow
    lamp rope sail harbour lantern anchor bridge tower garden river valley engine wheel signal mirror
    ladder kettle basket window market letter painter miller sailor teacher doctor driver
    small large early late slow quick quiet bright heavy empty narrow common single double certain
    """.split()  # noqa: SIM905


class Vocabulary:
    """Words by rank: the n-th is drawn as often as 1/n says."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self.names = [self.name() for _ in range(NAMES)]
        rare = self._chance.sample(self.names, 4_000)
        mixed = [word for pair in zip(_ENGLISH, rare, strict=False) for word in pair]
        self._words = [*_ENGLISH[:40], *mixed, *rare[len(_ENGLISH) :]]
        self._weights = list(accumulate(1 / (rank + 5) for rank in range(len(self._words))))

    def name(self) -> str:
        return "".join(self._chance.choices(SYLLABLES, k=self._chance.randint(2, 4)))

    def some_names(self, count: int) -> list[str]:
        """All as likely as each other."""
        return self._chance.choices(self.names, k=count)

    def sentence(self) -> str:
        count = self._chance.randint(7, 16)
        words = self._chance.choices(self._words, cum_weights=self._weights, k=count)
        return f"{' '.join(words).capitalize()}."

    def between(self, least: int, most: int) -> int:
        return self._chance.randint(least, most)


def write_pages(folder: Path, name: str, pages: int, seed: int = 11) -> list[Path]:
    """A knowledge base of so many Markdown pages, each of 16 to 26 sections, of which every one is a
    chunk of about a hundred tokens; gives the pages."""
    vocabulary = Vocabulary(seed)
    folder.mkdir(parents=True)
    (folder / "kb.toml").write_text(f'[kb]\nname = "{name}"\ntitle = "Made up"\n')
    written = []
    for number in range(pages):
        path = folder / "docs" / f"part{number // PAGES_PER_FOLDER}" / f"page{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        blocks = [f"# {' '.join(vocabulary.some_names(3)).capitalize()}", vocabulary.sentence()]
        for _ in range(vocabulary.between(16, 26)):
            blocks.append(f"## {' '.join(vocabulary.some_names(2)).capitalize()}")
            blocks.append(" ".join(vocabulary.sentence() for _ in range(vocabulary.between(4, 7))))
        path.write_text("\n\n".join(blocks) + "\n")
        written.append(path)
    return written


def write_modules(folder: Path, files: int, kilobytes: float, seed: int = 7) -> None:
    """A tree of Python modules, each of about so many kB, of made-up names."""
    vocabulary = Vocabulary(seed)
    for number in range(files):
        path = folder / f"package{number % PACKAGES}" / f"module{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = f'"""{" ".join(vocabulary.some_names(12)).capitalize()}."""\n'
        while len(text) < kilobytes * 1000:
            text += _function(vocabulary)
        path.write_text(text)


def _function(vocabulary: Vocabulary) -> str:
    name, verb, one, other, kept, does, said, *called = vocabulary.some_names(11)
    lines = [
        f"def {name}_{verb}({one}, {other}):",
        f'    """{vocabulary.sentence()}"""',
        f"    {kept} = {one}.{does}({other})",
        *(f"    {kept}.{each}({said!r})" for each in called),
        f"    return {kept}",
    ]
    return "\n\n" + "\n".join(lines) + "\n"
