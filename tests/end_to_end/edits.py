"""An author who changes a knowledge base at random, and what a build of it is compared with."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

from kbc.cache import phases
from kbc.encoding import cache as embedding_cache
from kbc.pipeline.build import BuildOptions, BuildReport, build

PROJECT = """\
[kb]
name = "demo"
title = "{title}"

[[collection]]
name = "pages"
kind = "docs"
paths = ["docs"]
group = "{group}"
url = "https://example.org/{group}/{{stem}}"

[[collection]]
name = "specs"
kind = "examples"
paths = ["specs"]

[[collection]]
name = "source"
kind = "code"
paths = ["src"]

[[collection]]
name = "site"
kind = "pages"
paths = ["site"]
"""
WORDS = ("anchor", "beacon", "compass", "deck", "engine", "ferry", "galley", "harbour", "island")


class Author:
    """Writes and changes a knowledge base, the same way for the same seed."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self._random = random.Random(seed)
        self._made = 0
        self.settings()
        for make in (self._page, self._mdx, self._plain, self._spec, self._code, self._html):
            make()
        self.add()

    def edit(self) -> None:
        steps = (self.add, self.change, self.change, self.rename, self.delete, self.settings)
        self._random.choice(steps)()

    def add(self) -> None:
        makers = (self._page, self._mdx, self._plain, self._spec, self._code, self._html)
        self._random.choice(makers)()

    def change(self) -> None:
        """Adds a sentence to a file, in a form that its kind allows."""
        path = self._any()
        end = {".qnt": "// {}\n", ".py": "# {}\n", ".html": "<p>{}</p>\n"}.get(
            path.suffix, "\n{}\n"
        )
        with path.open("a") as file:
            file.write(end.format(self._sentence()))

    def rename(self) -> None:
        path = self._any()
        path.rename(path.with_stem(self._name()))

    def delete(self) -> None:
        path = self._any()
        if len(list(path.parent.iterdir())) > 1:
            path.unlink()

    def settings(self) -> None:
        text = PROJECT.format(title=self._sentence(), group=self._random.choice(WORDS))
        self.root.mkdir(exist_ok=True)
        (self.root / "kb.toml").write_text(text)

    def _any(self) -> Path:
        files = sorted(path for path in self.root.glob("*/*") if path.is_file())
        return self._random.choice(files)

    def _name(self) -> str:
        self._made += 1
        return f"{self._random.choice(WORDS)}{self._made}"

    def _sentence(self) -> str:
        return " ".join(self._random.choices(WORDS, k=8)).capitalize() + "."

    def _write(self, folder: str, ending: str, text: str) -> None:
        path = self.root / folder / f"{self._name()}{ending}"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def _page(self) -> None:
        sections = "".join(
            f"\n## {self._random.choice(WORDS)}\n\n{self._sentence()} [a](other.md#b)\n\n"
            "```sh\nrow --hard\n```\n"
            for _ in range(3)
        )
        text = f"---\ntags: [{self._random.choice(WORDS)}, 3.10]\n---\n\n# {self._sentence()}\n"
        self._write("docs", ".md", text + sections)

    def _mdx(self) -> None:
        self._write(
            "docs", ".mdx", f"import A from './a'\n\n# {self._sentence()}\n\n<A>\n\nText.\n"
        )

    def _plain(self) -> None:
        self._write("docs", ".txt", f"{self._sentence()}\n\n{self._sentence()}\n")

    def _spec(self) -> None:
        name = self._random.choice(WORDS)
        self._write(
            "specs", ".qnt", f"module {name} {{\n  /// {name}\n  pure val {name}s = 1\n}}\n"
        )

    def _code(self) -> None:
        name = self._random.choice(WORDS)
        self._write("src", ".py", f'def {name}(x):\n    """{self._sentence()}"""\n    return x\n')

    def _html(self) -> None:
        self._write("site", ".html", f"<main><h1>{self._sentence()}</h1><p>{self._sentence()}</p>")


def cache_with(graphs: Path, folder: Path) -> Path:
    folder.mkdir()
    (folder / "graphs").symlink_to(graphs)
    return folder


def clean_build(root: Path, out: Path, graphs: Path) -> BuildReport:
    """Of a copy of the tree, with nothing but the encoder's graphs in its cache."""
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(root, out / "kb")
    cache = cache_with(graphs, out / "cache")
    return build(out / "kb", BuildOptions(out=out / "built", cache=cache))


def hurt(cache: Path, chance: random.Random) -> None:
    """Deletes one of the cache's files, cuts it, or flips bits in it."""
    path = cache / chance.choice((embedding_cache.FILE_NAME, phases.FILE_NAME))
    data = bytearray(path.read_bytes())
    match chance.randrange(3):
        case 0:
            path.unlink()
        case 1:
            path.write_bytes(data[: chance.randrange(len(data))])
        case _:
            for at in chance.sample(range(len(data)), 200):
                data[at] ^= 1 << chance.randrange(8)
            path.write_bytes(data)
