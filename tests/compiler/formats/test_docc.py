"""Pages and tutorials of DocC as Markdown."""

from __future__ import annotations

import time
from collections.abc import Mapping

import pytest
from tests.compiler.formats.samples import samples

from kbc.formats import convert
from kbc.formats.docc import catalogue_of, expand_page, named_files
from kbc.formats.docc.page import CataloguePage
from kbc.formats.document import Converted

FILES = {
    "Pond.docc/Pond.md": "# ``Pond``\n\n@Metadata {\n  @TechnologyRoot\n}\n",
    "Pond.docc/Guides/Feeding Herons.md": (
        "# Feed `herons` [daily]\n\n## Fish, frogs & mice\n\n"
        "@Row {\n    @Column {\n        ### In a column\n    }\n}\n"
    ),
    "Pond.docc/Guides/Nests1.2.md": "## No title\n",
    "Pond.docc/Guides/Brackets.md": "# a\\](b) [c]\n",
    "Pond.docc/Guides/Start.md": "# Start by hand\n",
    "Pond.docc/Tutorials/Start.tutorial": (
        '@Tutorial {\n  @Intro(title: "Start with steps") {}\n  @Section(title: "Find *it*") {}\n}\n'
    ),
    "Pond.docc/Resources/nest-1.swift": "struct Nest {\n}\n",
    "Pond.docc/Resources/nest-2.swift": "struct Nest {\n    let eggs = 3\n}\n",
    "Snippets/egg.swift": (
        "//! Lays an egg.\n\n// snippet.setup\nlet nest = Nest()\n// snippet.hide\nlet secret = 1\n"
        "// snippet.show\n// snippet.end\n// snippet.lay\nif true {\n    nest.lay()\n}\n"
    ),
}
NAMED = {path.rpartition("/")[2]: path for path in FILES if ".docc/" in path}

FISH = "[Fish, frogs & mice](Feeding%20Herons.md#fish-frogs--mice)"


def _read(path: str) -> bytes | None:
    found = FILES.get(path)
    return None if found is None else found.encode()


def _shown(text: str) -> str:
    expanded, problems = expand_page(text, "Pond.docc/Guides/Page.md", _read, NAMED)
    assert problems == ()
    return expanded


def _tutorial(text: str | bytes, named: Mapping[str, str] = NAMED) -> Converted:
    data = text if isinstance(text, bytes) else text.encode()
    (found,) = convert("Pond.docc/a.tutorial", data, _read, named=named)
    return found


def test_sample_keeps_title_summary_and_every_text() -> None:
    found = _tutorial(samples()["docc"][1])
    assert found.title == "Build a nest [now]"
    assert found.problems == ()
    assert found.text == (
        "# Build a nest [now]\n\nLearn to *build*, with ``Nest``.\n\nA heron in the reeds\n\n"
        "[Xcode 15](https://pond.example/xcode)\n\n"
        "## Find twigs\n\nTwigs lie about.\n\nFirst, the twigs.\n\n"
        "1. Make a file.\n\n   `Nest.swift`:\n\n   ```swift\n   struct Nest {\n   }\n   ```\n\n"
        "   An empty nest\n\nThen the eggs.\n\n"
        '2. Lay `3` eggs:\n   ```swift\n   @Image(source: "in code")\n   }\n   ```\n\n'
        "   `Nest.swift`:\n\n   ```swift\n   struct Nest {\n       let eggs = 3\n   }\n   ```\n\n"
        "## Check Your Understanding\n\nHow many eggs?\n\n- **Incorrect:** One.\n\n"
        "- **Correct:** Three.\n\n  As above.\n"
    )


def test_an_overview_of_tutorials() -> None:
    found = _tutorial(
        '@Tutorials(name: "Pond") {\n@Intro(title: "Meet the pond") {\nWater.\n}\n'
        '@Volume(name: "Birds") {\n@Chapter(name: "Herons") {\nLong legs.\n'
        '@TutorialReference(tutorial: "doc:tutorials/Start")\n'
        '@TutorialReference(tutorial: "doc:Gone")\n}\n}\n'
        '@Chapter(name: "Fish") {}\n'
        '@Resources {\nMore:\n@SampleCode(destination: "https://pond.example/code") {\nA project.\n}\n'
        "@Forums {\nAsk.\n}\n}\n}\n"
    )
    assert found.text == (
        "# Meet the pond\n\nWater.\n\n## Birds\n\n### Herons\n\nLong legs.\n\n"
        "- [Start with steps](Tutorials/Start.tutorial)\n\n- `Gone`\n\n## Fish\n\n"
        "## Resources\n\nMore:\n\n[Sample Code](https://pond.example/code)\n\nA project.\n\n"
        "**Forums**\n\nAsk.\n"
    )


def test_an_article_that_is_not_closed_and_has_no_title() -> None:
    found = _tutorial("@Article {\n  @Stack {\n    @ContentAndMedia {\n      Text.\n")
    assert (found.title, found.text) == ("a", "# a\n\nText.\n")


def test_code_that_is_not_there_is_counted() -> None:
    found = _tutorial("@Tutorial {\n@Steps {\n@Step {\n@Code(file: gone.swift)\n}\n}\n}\n", {})
    assert "1. (not included: `gone.swift`)\n" in found.text
    (problem,) = found.problems
    assert (problem.code, problem.name, problem.line) == ("unresolved-directive", "@Code", 4)


@pytest.mark.parametrize("text", ["A tutorial about herons.\n", "", "<topic/>\n", "mail@Pond {\n"])
def test_what_begins_with_no_directive_is_no_tutorial(text: str) -> None:
    found = _tutorial(text)
    (problem,) = found.problems
    assert (problem.code, found.text) == ("docc-invalid", "")


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("<doc:Feeding-Herons>", "[Feed herons \\[daily\\]](Feeding%20Herons.md)"),
        ("<doc:Pond/Feeding-Herons>", "[Feed herons \\[daily\\]](Feeding%20Herons.md)"),
        ("<doc://com.pond/documentation/Pond>", "[Pond](../Pond.md)"),
        ("<doc:Feeding-Herons#Fish,-frogs-&-mice>", FISH),
        ("<doc:Feeding-Herons#Fish-frogs-mice>", FISH),
        ("<doc:Feeding-Herons#In-a-column>", "[In a column](Feeding%20Herons.md#in-a-column)"),
        ("<doc:Feeding-Herons#Gone-Fishing>", "[Gone Fishing](Feeding%20Herons.md#Gone-Fishing)"),
        ("<doc:Feeding-Herons#Overview>", "[Feed herons \\[daily\\]](Feeding%20Herons.md)"),
        ("<doc:Brackets>", "[a\\](b) \\[c\\]](Brackets.md)"),
        ("<doc:Nests1.2>", "[Nests1.2](Nests1.2.md)"),
        ("<doc:Start>", "[Start by hand](Start.md)"),
        ("<doc:/tutorials/Start>", "[Start with steps](../Tutorials/Start.tutorial)"),
        ("<doc:tutorials/Start#Find-it>", "[Find \\*it\\*](../Tutorials/Start.tutorial#find-it)"),
        ("<doc:#Own-words>", "[Own words](#own-words)"),
        ("<doc:Own-words>", "[Own words](#own-words)"),
        ("<doc:Nest/lay(_:)>", "`Nest/lay(_:)`"),
        ("<doc:Nest/lay(_:)->Egg>", "`Nest/lay(_:)->Egg`"),
        ("<doc:Gone-Away>", "Gone Away"),
        ("[so](doc:Start)", "[so](Start.md)"),
        ("[so `it`](<doc:Start#Gone> \"x\")", "[so `it`](Start.md#Gone)"),
        ("[](<doc:Nest()>)", "`Nest()`"),
        ("[so](doc:Gone)", "so"),
        ("[so](#Own-words)", "[so](#own-words)"),
        ("[so](#Other-words)", "[so](#Other-words)"),
        ("[so][a] [b][] [c]\n\n[b]: <doc:Gone>\n[a]: doc:Start", "[so][a] b [c]\n\n\n[a]: Start.md"),
        ("[`so`][b]\n\n[b]: <doc:Gone>", "`so`"),
        ("`<doc:Start>` ``<doc:Start>``", "`<doc:Start>` ``<doc:Start>``"),
        ("```\n<doc:Start>\n```", "```\n<doc:Start>\n```"),
        ("<!--\n```\n--> \n<doc:Start>", "<!--\n```\n--> \n[Start by hand](Start.md)"),
        ("![doc](doc:Start) https://doc:80", "![doc](doc:Start) https://doc:80"),
    ],
)  # fmt: skip
def test_links(link: str, shown: str) -> None:
    assert _shown(f"# Page\n\n## Own words\n\n{link}\n") == f"# Page\n\n## Own words\n\n{shown}\n"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("@Metadata {\n    @PageKind(article)\n}", ""),
        ("@Metadata { @TechnologyRoot }", ""),
        (
            '@Metadata {\n@CallToAction(url: "https://pond.example", purpose: link, label: "Visit us")\n}',
            "[Visit us](https://pond.example)",
        ),
        ("@Options(scope: local) {\n@AutomaticSeeAlso(disabled)\n}", ""),
        ("@Comment { Not said. }", ""),
        ("@Comment { Not\n  said }", ""),
        ('@Redirected(from: "old/path")', ""),
        ("@DeprecationSummary {\n  Use ``Nest``.\n}", "> Deprecated: Use ``Nest``."),
        ("@Small { Fine print. }", "Fine print."),
        ('@Image(source: "a", alt: "A (grey) heron") {\n  Caption.\n}', "A (grey) heron\n\nCaption."),
        ('@Video(source: "a.mov", poster: "b")', ""),
        ("@Links(visualStyle: list) {\n  - <doc:Start>\n}", "- [Start by hand](Start.md)"),
        (
            '@TabNavigator {\n   @Tab("Swift") {\n      One\n\n          code\n   }\n   @Tab("C") { Two }\n}',
            "**Swift**\n\nOne\n\n    code\n\n**C**\n\nTwo",
        ),
        (
            "@Row(numberOfColumns: 2) {\n\t@Column {\n\t\tA\n\t}\n\t@Column(size: 2) {\n"
            "```\n@Row {\n```\n\t}\n}",
            "A\n\n```\n@Row {\n```",
        ),
        ('@Snippet(path: "pond/Snippets/egg", slice: "lay")', "```swift\nif true {\n    nest.lay()\n}\n```"),
        (
            '@Snippet(\n  path: "pond/Snippets/egg"\n)',
            "```swift\nlet nest = Nest()\nif true {\n    nest.lay()\n}\n```",
        ),
    ],
)  # fmt: skip
def test_directives_in_pages(source: str, shown: str) -> None:
    expected = f"Before.\n\n{shown}\n\nAfter.\n" if shown else "Before.\n\nAfter.\n"
    assert _shown(f"Before.\n\n{source}\n\nAfter.\n") == expected


@pytest.mark.parametrize(
    "text",
    [
        "@State var heron = 1\n",
        "@MainActor {\n}\n",
        "```swift\n@Image(source: \"a\")\n@Row {\n```\n",
        "    @Row {\n    }\n",
        "@Tab is a key, and @Row {\n",
        "@Row {\n  Never closed.\n",
        '@Image(source: "a" and no more\n\nText.\n',
        "<!--\n@Row {\n-->\n",
        "@Tutorial { Not in pages. }\n",
        "@Image(source: a) beside text\n",
    ],
)  # fmt: skip
def test_what_is_no_directive_of_a_page_stays(text: str) -> None:
    assert _shown(f"# Page\n\n{text}") == f"# Page\n\n{text}"


def test_directives_that_are_not_known_close_themselves() -> None:
    assert _shown("@Row {\n  @Heron {\n    a\n  }\n  b\n}\n") == "@Heron {\n  a\n}\nb\n"


def test_directives_nest_only_so_deep() -> None:
    deep = 100
    text = "@Row {\n" * deep + "Text.\n" + "}\n" * deep
    assert "Text." in _shown(text)


def test_snippets_that_are_not_there_are_counted() -> None:
    text = '@Snippet(path: "a/Snippets/egg", slice: "b")\n@Snippet(path: "gone")\n'
    shown, problems = expand_page(text, "Pond.docc/Page.md", _read, NAMED)
    assert shown == "(not included: `a/Snippets/egg`)\n\n(not included: `gone`)\n"
    assert [(each.name, each.line) for each in problems] == [("@Snippet", 1), ("@Snippet", 2)]


def test_malformed_pages_take_no_longer() -> None:
    parts = [
        "@Row {\n",
        "@Image(\n",
        '@Row(a: "\n',
        "@Row(a:    )\n",
        "[a](doc:(\n",
        "[[`a\n",
        "<doc:a->",
        "[a](#b-c)\n\n# d\n\n",
    ]
    started = time.process_time()
    for part in parts:
        expand_page(part * 20_000, "Pond.docc/Page.md", _read, NAMED)
    for page in (f"doc: {'`' * 20_000}a{'b' * 20_000}", "@Row { " + '\\"' * 50_000):
        expand_page(page, "Pond.docc/Page.md", _read, NAMED)
    convert("Pond.docc/a.tutorial", b"a\n" + b"<!--\n" * 100_000, _read)
    assert time.process_time() - started < 20


def test_files_are_named_without_their_folders() -> None:
    tree = {
        "a/Pond.docc": ["B", "C", "a.md"],
        "a/Pond.docc/B": ["a.md", "b.png"],
        "a/Pond.docc/C": ["D"],
        "a/Pond.docc/C/D": ["d.tutorial"],
    }
    named = named_files("a/Pond.docc", lambda folder: tree.get(folder, []))
    assert named == {
        "a.md": "a/Pond.docc/a.md",
        "b.png": "a/Pond.docc/B/b.png",
        "d.tutorial": "a/Pond.docc/C/D/d.tutorial",
    }
    assert CataloguePage.of("a/Pond.docc/a.md", "", _read, named).names is named
    assert catalogue_of("a/Pond.docc/B/a.md") == "a/Pond.docc"
    assert catalogue_of("a/Pond.doccs/B/a.md") == catalogue_of("Pond.docc") == ""


def test_a_folder_that_leads_to_itself_ends() -> None:
    found = named_files("Pond.docc", lambda path: [] if path.endswith("md") else ["again", "a.md"])
    assert found == {"a.md": "Pond.docc/a.md"}
