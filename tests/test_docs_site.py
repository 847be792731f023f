"""The documentation site builds without warnings, its links resolve, and its pages load nothing external."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[1]
LOADED = {
    "audio": "src",
    "embed": "src",
    "iframe": "src",
    "img": "src",
    "link": "href",
    "object": "data",
    "script": "src",
    "source": "src",
    "video": "src",
}
"""Elements whose address a browser requests by itself, with the attribute that has it."""
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Page(HTMLParser):
    """`ids` of a page, the targets of its `links`, the addresses that it has `loaded`, and its `classes`."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.classes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value for name, value in attrs if value is not None}
        if "id" in values:
            self.ids.add(values["id"])
        self.classes.update(values.get("class", "").split())
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag in LOADED and LOADED[tag] in values and values.get("rel") != "canonical":
            self.loaded.append(values[LOADED[tag]])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `make docs` builds it: a warning fails the build."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path.read_text()) for path in site.rglob("*.html")}


def is_external(address: str) -> bool:
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme not in ("", "data")


def test_every_page_is_in_the_navigation(site: Path, pages: dict[Path, Page]) -> None:
    sources = {path.stem for path in (ROOT / "docs").glob("*.md")}
    assert {path.stem for path in pages} == {*sources, "404"}
    linked = {urlsplit(link).path for link in pages[site / "index.html"].links}
    assert {f"{name}.html" for name in sources} <= linked


def test_links_between_pages_resolve(site: Path, pages: dict[Path, Page]) -> None:
    broken = []
    for path, page in pages.items():
        for link in (*page.links, *page.loaded):
            parts = urlsplit(link)
            if is_external(link) or parts.scheme:
                continue
            start = site if parts.path.startswith("/") else path.parent
            target = (start / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            if not target.is_file() or (anchor and anchor not in pages[target].ids):
                broken.append((path.name, link))
    assert broken == []


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_from_the_top_of_the_repository_resolve(
    name: str, site: Path, pages: dict[Path, Page]
) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", (ROOT / name).read_text())
    assert links
    for link in links:
        parts = urlsplit(link)
        if is_external(link):
            continue
        target = ROOT / parts.path
        assert target.is_file(), link
        if parts.fragment:
            assert parts.fragment in pages[site / f"{target.stem}.html"].ids, link


def test_pages_load_nothing_external(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        assert [each for each in page.loaded if is_external(each)] == [], path.name
        # The theme's script would fetch a library for diagrams, and facts about a linked repository.
        assert not page.classes & {"mermaid", "md-source"}, path.name
    for path in site.rglob("*.css"):
        style = path.read_text()
        assert "@import" not in style, path.name
        addresses = re.findall(r"""url\(["']?([^"')]+)""", style)
        assert [each for each in addresses if is_external(each)] == [], path.name


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_commands_in_consoles_have_a_prompt(page: Path) -> None:
    for block in CONSOLE.findall(page.read_text()):
        assert block.startswith("$ ")
