"""What a project's files are asked for by names that its configuration states."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kbc.project.include_tree import IncludeTree


@pytest.mark.parametrize("name", ["9" * 5000, "docs/" + "a" * 300 + ".md", "a\0b", "\udcff.md"])
def test_a_name_that_no_file_can_have_is_that_of_no_file(tmp_path: Path, name: str) -> None:
    tree = IncludeTree(tmp_path)
    assert not tree.exists(name)
    assert tree.names(name) == []
    assert tree.peek(name) is None
    assert tree.read(name, "mix.exs") is None


def test_links_are_followed_within_the_boundary_alone(tmp_path: Path) -> None:
    root = tmp_path / "all" / "docs"
    root.mkdir(parents=True)
    for name in ("secret.md", "all/beside.md", "all/docs/own.md"):
        (tmp_path / name).write_text(name)
    (root / "own-link.md").symlink_to(root / "own.md")
    (root / "secret-link.md").symlink_to(tmp_path / "secret.md")
    (root / "up").symlink_to(tmp_path)
    (root / "across").symlink_to(tmp_path / "all")
    tree = IncludeTree(root, tmp_path / "all")

    names = ("own.md", "own-link.md", "across/beside.md", "../beside.md", "up/all/beside.md")
    assert [(tree.read(name, "a.md") or b"").decode() for name in names] == [
        "all/docs/own.md", "all/docs/own.md", "all/beside.md", "all/beside.md", "all/beside.md"
    ]  # fmt: skip
    assert [tree.read(name, "a.md") for name in ("secret-link.md", "up/secret.md", "../../secret.md")] == [
        None, None, None
    ]  # fmt: skip
    assert {path.name for path in tree.beyond} == {"beside.md"}


def test_nothing_is_looked_for_in_a_folder_that_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = IncludeTree(tmp_path)
    looked: list[str] = []
    for name in ("lstat", "stat"):
        look = getattr(os, name)
        monkeypatch.setattr(
            os, name, lambda path, look=look, **how: looked.append(path) or look(path, **how)
        )

    paths = [f"lib/{folder}/pump/{number}.py" for folder in "abc" for number in range(50)]
    assert not any(tree.read(path, "a.rst") for path in paths)
    assert {os.path.relpath(path, tmp_path) for path in looked} == {"lib", "a.rst"}
    assert len(looked) < 5


@pytest.mark.parametrize("name", ["a" * 300 + "/b.md", "a/" * 20_000 + "b.md", "../" * 90 + "b.md"])
def test_a_file_at_a_path_that_no_system_opens_is_missing(tmp_path: Path, name: str) -> None:
    tree = IncludeTree(tmp_path)

    assert tree.read(name, "a.rst") is None
    assert not tree.exists(name)
    assert not tree.beyond


def test_a_page_that_is_a_link_includes_what_is_beside_the_file_that_it_leads_to(
    tmp_path: Path,
) -> None:
    (tmp_path / "src" / "parts").mkdir(parents=True)
    (tmp_path / "site" / "pages").mkdir(parents=True)
    for name in ("src/a.adoc", "src/parts/b.adoc", "src/own.adoc", "site/pages/own.adoc", "c.adoc"):
        (tmp_path / name).write_text(name)
    (tmp_path / "src" / "all.adoc").write_text("the parts of a")
    (tmp_path / "site" / "pages" / "a.adoc").symlink_to("../../src/all.adoc")
    tree = IncludeTree(tmp_path)

    link, plain = "site/pages/a.adoc", "site/pages/own.adoc"
    assert tree.read(link, link) == b"src/a.adoc"
    assert tree.read(plain, plain) == b"site/pages/own.adoc"
    assert tree.read("site/pages/parts/b.adoc", link) == b"src/parts/b.adoc"
    assert tree.read("site/pages/own.adoc", link) == b"site/pages/own.adoc"
    assert tree.read("site/c.adoc", link) == b"c.adoc"
    assert tree.read("../../../c.adoc", link) is None
    assert tree.read("site/pages/parts/b.adoc", plain) is None
    assert tree.included["src/parts/b.adoc"] == (link,)


@pytest.mark.parametrize("folder", ["/", "."])
def test_what_a_link_includes_depends_on_no_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    monkeypatch.chdir(folder)
    for name in ("nest/docs", "shared/parts/more"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "shared" / "parts" / "more" / "a.adoc").write_text("a")
    (tmp_path / "shared" / "b.adoc").write_text("b")
    (tmp_path / "nest" / "docs" / "a.adoc").symlink_to("../../shared/parts/more/a.adoc")
    tree = IncludeTree(tmp_path / "nest", tmp_path)
    assert tree.read("docs/../../b.adoc", "docs/a.adoc") == b"b"


def test_a_folder_that_links_lead_back_to_is_walked_once(tmp_path: Path) -> None:
    """Two such links in one folder would be twice as many folders on each level below."""
    (tmp_path / "guides" / "new").mkdir(parents=True)
    (tmp_path / "guides" / "page.md").write_text("# Tanks")
    for name, target in (("again", "."), ("new/old", ".."), ("new/top", "../..")):
        (tmp_path / "guides" / name).symlink_to(target)
    (tmp_path / "latest").symlink_to("guides")
    tree = IncludeTree(tmp_path)
    assert tree.names("guides") == ["again", "new", "page.md"]
    assert tree.names("guides/new") == ["old", "top"]
    assert tree.names("latest") == tree.names("guides")
    for folder in ("guides/again", "guides/new/old", "guides/new/top", "latest/again"):
        assert tree.names(folder) == []
    assert tree.exists("guides/again/page.md")
