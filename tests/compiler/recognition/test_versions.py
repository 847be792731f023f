"""Folders with one documentation in several versions: one of them is read."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import read, recognised, write_tree

NAMES = ("install", "use", "remove", "faq")


def version(place: str, marks: str = "") -> dict[str, str]:
    """Pages of which each version has some lines of its own."""
    lines = "\n\n".join(f"Line {number} of all versions." for number in range(4))
    return {
        f"{place}/{name}.md": f"# {name.title()}\n\n{lines}\n\nThis is {place} {marks}.\n"
        for name in NAMES
    }


def folders(root: Path, collection: str = "docs") -> set[str]:
    inputs, _ = read(root)
    return {record.id.rpartition("/")[0] for record in inputs.records[collection]}


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (("v1.9", "v1.10", "v1.2"), "v1.10"),
        (("1.0", "2.0", "3.0-beta"), "2.0"),
        (("v1", "v2"), "v2"),
        (("1.x", "2.x", "next"), "2.x"),
        (("4x", "5x", "10x"), "10x"),
        (("1.1", "1.2", "latest", "main"), "latest"),
        (("version-0.1", "version-0.2"), "version-0.2"),
        (("1.1", "1.2", "develop"), "1.2"),
        (("v1.1+kite.0", "v1.2+kite.1", "preview"), "v1.2+kite.1"),
        (("1.5.7.Final", "2.2.3.Final", "2.3.0.CR1"), "2.2.3.Final"),
        (("2024-11-05", "2025-03-26", "2025-03-26-preview", "draft"), "2025-03-26"),
        (("1.0.0.RELEASE", "1.1.0.RELEASE", "1.2.0.M1", "1.2.0-m2"), "1.1.0.RELEASE"),
    ],
)
def test_the_highest_released_version_is_read(
    tmp_path: Path, names: tuple[str, ...], shown: str
) -> None:
    files = {"index.md": "# Kites\n\nAbout kites.\n"}
    for name in names:
        files |= version(f"guide/{name}")
    root = write_tree(tmp_path / "tree", files)
    assert folders(root) == {"", f"guide/{shown}"}
    (note,) = recognised(root).notes
    others = set(names) - {shown}
    assert note.startswith(f"in guide, {shown} is read; other versions are left out: ")
    assert set(note.partition("left out: ")[2].split(", ")) == others


def test_one_version_of_a_built_site_is_read_in_one_language(tmp_path: Path) -> None:
    """Though each page of HTML is a single line."""

    def page(place: str, text: str) -> dict[str, str]:
        head = f"<title>{place}</title><script>var site = {place!r}</script>"
        shown = "".join(f"<p>{text} {number}.</p>" for number in range(4))
        markup = f"<html><head>{head}</head><body><h1>Kites</h1>{shown}<p>{place}</p></body></html>"
        return {f"{place}/{name}/index.html": markup for name in NAMES}

    files = {"index.html": "<h1>Kites</h1><p>All about kites.</p>"}
    for name in ("1.0", "1.1", "latest"):
        files |= page(f"en/{name}", "This is how you can fly one of the kites that we have")
        files |= page(f"de/{name}", "So lässt man einen der Drachen steigen, die es hier gibt")
    root = write_tree(tmp_path / "tree", files)
    assert recognised(root).notes == (
        "translations are left out: de",
        "in en, latest is read; other versions are left out: 1.0, 1.1",
    )


def test_packages_in_a_reference_of_java_are_no_versions(tmp_path: Path) -> None:
    names = ("package-summary", "Kite", "Rope", "Wind")
    files = {
        f"org/sky/{package}/{name}.html": f"<h1>{name}</h1><p>Methods</p><p>Fields</p><p>In {package}</p>"
        for package in ("v1", "v1beta1", "v2")
        for name in names
    }
    files["index.html"] = "<h1>Kites</h1><p>All about kites.</p>"
    assert recognised(write_tree(tmp_path / "tree", files)).notes == ()


def test_a_version_that_was_rebuilt_goes_with_the_others(tmp_path: Path) -> None:
    files = version("docs/2.0") | version("docs/2.1") | version("docs/2.2")
    files |= {"docs/1.0/all.md": "# All\n\nQuite another manual.\n"}
    root = write_tree(tmp_path / "tree", {"mkdocs.yml": "site_name: Kites\n", **files})
    assert folders(root) == {"2.2"}


def test_versions_in_translations_are_not_told_of(tmp_path: Path) -> None:
    places = [f"{language}/{name}" for language in ("de", "en", "fr") for name in ("1.0", "2.0")]
    files = {name: text for place in places for name, text in version(place).items()}
    root = write_tree(tmp_path / "tree", {"mkdocs.yml": "site_name: Kites\ndocs_dir: .\n", **files})
    assert recognised(root).notes == (
        "translations are left out: de, fr",
        "in en, 2.0 is read; other versions are left out: 1.0",
    )


def test_hugo_states_which_version_is_the_latest(tmp_path: Path) -> None:
    files = {
        "hugo.yaml": "baseURL: https://kites.example/\nparams:\n  latest_stable_version: v1.1\n",
        "content/_index.md": "---\ntitle: Kites\n---\n\nAbout kites.\n",
    }
    for name in ("v1.0", "v1.1", "v1.2"):
        files |= version(f"content/docs/{name}")
    root = write_tree(tmp_path / "tree", files)
    assert folders(root) == {"", "docs/v1.1"}
    assert recognised(root).project.version == "v1.1"


@pytest.mark.parametrize("name", ["v{}", "1.{}", "{}"])
def test_folders_that_share_no_text_are_no_versions(tmp_path: Path, name: str) -> None:
    """Two interfaces of a server, notes on releases, chapters."""
    files = {
        f"{name.format(number)}/{page}.md": f"# {page}\n\n{page} is about {number}.\n\nMore {number}.\n"
        for number in (1, 2, 3)
        for page in NAMES
    }
    root = write_tree(tmp_path / "tree", files)
    assert folders(root) == {name.format(number) for number in (1, 2, 3)}
    assert recognised(root).notes == ()


def test_numbered_folders_are_no_versions(tmp_path: Path) -> None:
    files = version("01") | version("02")
    assert folders(write_tree(tmp_path / "tree", files)) == {"01", "02"}


def test_versions_below_the_pages_that_they_are_former_ones_of_are_left_out(tmp_path: Path) -> None:
    former = {
        f"docs/{number}/{name}.md": f"# {name.title()}\n\nQuite another text, of {number}.\n"
        for number in ("0.8", "0.9")
        for name in NAMES
    }
    others = {"about.md": "# About\n", "docs/dev/tests.md": "# Tests\n\nHow to run them.\n"}
    root = write_tree(tmp_path / "tree", {**version("docs"), **former, **others})
    assert folders(root) == {"", "docs", "docs/dev"}
    (note,) = recognised(root).notes
    assert note == "in docs, the unversioned pages are read; other versions are left out: 0.8, 0.9"


def test_pages_beside_a_version_that_is_the_latest_are_read_with_it(tmp_path: Path) -> None:
    config = "baseURL: https://kites.example/\nparams:\n  latest_version: v2.0\n"
    files = {"hugo.yaml": config, **version("content/docs"), **version("content/docs/v2.0")}
    assert folders(write_tree(tmp_path / "tree", files)) == {"docs", "docs/v2.0"}


@pytest.mark.parametrize(("name", "is_read"), [("v1", False), ("2.0", False), ("v2", True)])
def test_a_single_version_below_pages_may_be_the_newer_one(
    tmp_path: Path, name: str, is_read: bool
) -> None:
    root = write_tree(tmp_path / "tree", {**version("docs"), **version(f"docs/{name}")})
    assert (f"docs/{name}" in folders(root)) is is_read


def test_pages_of_other_names_beside_a_version_are_read_with_it(tmp_path: Path) -> None:
    files = {**version("docs/1.0"), "docs/index.md": "# Kites\n", "docs/use.md": "# Use\n"}
    assert folders(write_tree(tmp_path / "tree", files)) == {"docs", "docs/1.0"}


def test_a_version_that_lacks_most_pages_of_the_one_before_is_being_written(tmp_path: Path) -> None:
    files = {"index.md": "# Kites\n\nAbout kites.\n", **version("docs/v1"), **version("docs/v2")}
    more = {f"docs/v1/more{number}.md": f"# Part {number}\n\nText.\n" for number in range(9)}
    assert folders(write_tree(tmp_path / "tree", files)) == {"", "docs/v2"}
    assert folders(write_tree(tmp_path / "tree", more)) == {"", "docs/v1"}


def test_folders_called_as_known_versions_are_versions_too(tmp_path: Path) -> None:
    files = {}
    for name in ("v1.0", "v1.1", "v1.2"):
        files |= version(f"docs/{name}")
        files[f"docs/cli/{name}/commands.md"] = f"# Commands\n\nThose of {name}.\n"
    root = write_tree(tmp_path / "tree", files)
    assert folders(root) == {"docs/v1.2", "docs/cli/v1.2"}


def test_notes_on_releases_are_read_beside_versions_of_the_pages(tmp_path: Path) -> None:
    files = {}
    for name in ("v1.0", "v1.1"):
        files |= version(f"docs/{name}")
        files[f"docs/release-notes/{name}/notes.md"] = f"# Notes\n\nWhat {name} changed.\n"
    root = write_tree(tmp_path / "tree", files)
    read_ones = {"docs/v1.1", "docs/release-notes/v1.0", "docs/release-notes/v1.1"}
    assert folders(root) == read_ones


def test_pages_in_a_folder_beside_their_former_versions_are_the_current_ones(
    tmp_path: Path,
) -> None:
    files = {"blog/new.md": "# New\n\nText.\n", **version("docs"), **version("2-edge")}
    files |= version("2.1") | version("2.2") | {"2.2/old.md": "# Old\n\nText.\n"}
    root = write_tree(tmp_path / "tree", files)
    assert folders(root) == {"blog", "docs"}
    (note,) = recognised(root).notes
    assert note == "in the folder, docs is read; other versions are left out: 2.1, 2.2, 2-edge"


def test_a_folder_of_other_pages_beside_versions_is_read_with_the_highest(tmp_path: Path) -> None:
    files = {f"docs/{name}.md": f"# {name}\n\nQuite another text.\n" for name in NAMES}
    root = write_tree(tmp_path / "tree", files | version("2.1") | version("2.2"))
    assert folders(root) == {"docs", "2.2"}


def test_versions_are_found_in_folders_of_major_versions(tmp_path: Path) -> None:
    files = {"docs/v1/0.9/start.md": "# Start\n\nQuite another manual.\n"}
    for name in ("2.9", "2.10", "_dev"):
        files |= version(f"docs/v2/{name}")
    root = write_tree(tmp_path / "tree", {"hugo.yaml": "title: Kites\n", **_content(files)})
    assert folders(root) == {"docs/v1/0.9", "docs/v2/2.10"}


def test_interfaces_in_versions_of_the_pages_are_read_with_them(tmp_path: Path) -> None:
    files = {"docs/index.md": "# Kites\n\nAbout kites.\n"}
    for name in ("v1", "v2"):
        files |= version(f"docs/{name}")
        files |= {
            f"docs/v2/api/{name}/{each}.md": f"# {name} {each}\n\nOf {name}.\n" for each in NAMES
        }
    root = write_tree(tmp_path / "tree", files)
    assert folders(root) == {"docs", "docs/v2", "docs/v2/api/v1", "docs/v2/api/v2"}


def _content(files: dict[str, str]) -> dict[str, str]:
    return {f"content/{path}": text for path, text in files.items()}


def test_drafts_of_one_version_have_one_order(tmp_path: Path) -> None:
    names = [f"1.0.0-beta.{number}" for number in range(1, 8)]
    pages = {name: text for each in names for name, text in version(f"docs/{each}").items()}
    root = write_tree(tmp_path / "tree", {**pages, **version("docs/1.0.0")})
    (note,) = [each for each in recognised(root).notes if "versions" in each]
    assert note.endswith(
        "1.0.0 is read; other versions are left out: " + ", ".join(names[:6]) + " and 1 more"
    )
