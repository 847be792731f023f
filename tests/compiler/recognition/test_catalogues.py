"""Swift packages with catalogues of DocC."""

from __future__ import annotations

from pathlib import Path

from tests.compiler.recognition.trees import page, read, recognised, titles, write_tree

CATALOGUE = "Sources/Heron/Heron.docc"
TUTORIAL = (
    '@Tutorial(time: 5) {\n  @Intro(title: "Build a nest") {\n    See <doc:Old-Eggs#How-many>.\n  }\n'
    '  @Section(title: "Twigs") {\n    @Steps {\n      @Step {\n        Begin.\n'
    '        @Code(name: "Nest.swift", file: nest-1.swift)\n      }\n    }\n  }\n}\n'
)
PACKAGE = {
    "Package.swift": "",
    "Sources/Heron/Heron.swift": "public struct Heron {}\n",
    f"{CATALOGUE}/Heron.md": "# ``Heron``\n\nFlies.\n\n## Topics\n\n- <doc:Nest>\n- <doc:Old-Eggs>\n",
    f"{CATALOGUE}/Guides/Old Eggs.md": (
        "# Eggs of `Heron`\n\n@Metadata {\n}\n\nBlue.\n\n## How many\n\nThree.\n"
    ),
    f"{CATALOGUE}/Tutorials/Nest.tutorial": TUTORIAL,
    f"{CATALOGUE}/Resources/nest-1.swift": "struct Nest {}\n",
    f"{CATALOGUE}/header.html": "<p>A header with several words in it.</p>\n",
}


def test_pages_and_tutorials_of_a_catalogue_are_read(tmp_path: Path) -> None:
    inputs, diagnostics = read(write_tree(tmp_path / "heron", PACKAGE))
    docs = {each.id: each for each in inputs.records["docs"]}
    assert titles(list(docs.values())) == {
        "Guides/Old Eggs.md": "Eggs of Heron",
        "Heron.md": "Heron",
        "Tutorials/Nest.tutorial": "Build a nest",
    }
    assert docs["Heron.md"].text.endswith(
        "\n- [Build a nest](Tutorials/Nest.tutorial)\n- [Eggs of Heron](Guides/Old%20Eggs.md)\n"
    )
    assert docs["Guides/Old Eggs.md"].text == (
        "# Eggs of `Heron`\n\nBlue.\n\n## How many\n\nThree.\n"
    )
    assert docs["Tutorials/Nest.tutorial"].text == (
        "# Build a nest\n\nSee [How many](../Guides/Old%20Eggs.md#how-many).\n\n## Twigs\n\n"
        "1. Begin.\n\n   `Nest.swift`:\n\n   ```swift\n   struct Nest {}\n   ```\n"
    )
    assert [each.id for each in inputs.records["code"] if ".docc" in each.path] == []
    assert [each for each in diagnostics if each.path.startswith(CATALOGUE)] == []


def test_headings_that_links_name_must_be_there(tmp_path: Path) -> None:
    linking = (
        "# Linking\n\nSee <doc:Old-Eggs#How-many>, <doc:Old-Eggs#How-few> and [here](#Own-Part).\n\n"
        "## Own part\n\nX.\n"
    )
    files = PACKAGE | {f"{CATALOGUE}/Linking.md": linking}
    _, diagnostics = read(write_tree(tmp_path / "heron", files))
    (found,) = [each for each in diagnostics if each.code == "dead-anchor"]
    assert "#How-few" in found.message
    assert found.line == 3


def test_code_that_no_step_finds_is_counted_once(tmp_path: Path) -> None:
    other = TUTORIAL.replace("nest-1", "gone").replace("a nest", "another")
    files = PACKAGE | {f"{CATALOGUE}/Tutorials/Other.tutorial": other}
    _, diagnostics = read(write_tree(tmp_path / "heron", files))
    (found,) = [each for each in diagnostics if each.path.startswith(CATALOGUE)]
    assert (found.code, found.line) == ("unresolved-directive", 9)
    assert "@Code (1)" in found.message


def test_a_catalogue_of_tutorials_alone_is_documentation(tmp_path: Path) -> None:
    files = {name: text for name, text in PACKAGE.items() if not name.endswith(".md")}
    inputs, _ = read(write_tree(tmp_path / "heron", files))
    assert titles(inputs.records["docs"]) == {"Tutorials/Nest.tutorial": "Build a nest"}


def test_what_stands_above_and_below_pages_is_no_page(tmp_path: Path) -> None:
    files = {f"Heron.docc/{name}.html": "<p>Words about herons.</p>" for name in "abc"}
    root = write_tree(tmp_path / "heron", files | {"Heron.docc/Heron.md": page("Heron")})
    assert [each.name for each in recognised(root).project.collections] == ["docs"]
    more = {f"old/{name}.html": "<main><h1>Old</h1><p>Words.</p></main>" for name in "abc"}
    pages = {f"Heron.docc/{name}.md": page(name) for name in ("Heron", "Nest", "Egg", "Pond")}
    inputs, _ = read(write_tree(tmp_path / "more", files | more | pages))
    assert sorted(filter(None, (each.path for each in inputs.records["pages"]))) == [*more]


def test_other_files_with_the_ending_of_tutorials_are_left_out(tmp_path: Path) -> None:
    files = {"a.md": page("A"), "b.tutorial": "Fly to the nest.\n", "c.tutorial": TUTORIAL}
    files["d.tutorial"] = "<!---->" * 500 + "<p>"
    inputs, _ = read(write_tree(tmp_path / "heron", files))
    assert titles(inputs.records["docs"]) == {"a.md": "A", "c.tutorial": "Build a nest"}


def test_pages_of_a_catalogue_that_no_other_names_are_listed_by_docc(tmp_path: Path) -> None:
    names = [f"P{number}" for number in range(30)]
    files = {f"Heron.docc/{name}.md": f"# {name}\n\nText of {name}.\n" for name in names}
    files |= {
        "Heron.docc/All.md": "# All\n\n" + "".join(f"- <doc:{each}>\n" for each in names[:25])
    }
    _, diagnostics = read(write_tree(tmp_path / "heron", files | {"Package.swift": ""}))
    assert [each for each in diagnostics if each.code == "orphan-page"] == []
