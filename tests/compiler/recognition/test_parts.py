"""Documentation in a part of a repository with code."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import addresses, page, read, recognised, write_tree

from kbc.recognition import detection

CODE = {f"packages/pond/{name}.ts": "export const a = 1;\n" for name in "abcdefghij"}
PAGES = {f"docs/{number}.mdx": page(str(number)) for number in range(20)}


def test_pages_in_an_application_of_a_repository_are_documentation(tmp_path: Path) -> None:
    files = {
        "package.json": '{"name": "pond"}',
        **CODE,
        **{f"apps/docs/content/{name}": text for name, text in PAGES.items()},
        **{f"apps/docs/content/people/{number}.yaml": "name: Ann\n" for number in range(30)},
        **{f"apps/docs/app/{number}.tsx": "export default 1;\n" for number in range(30)},
        **{f"examples/one/content/{name}": text for name, text in PAGES.items()},
        "packages/pond/docs/a.md": page("Few"),
    }
    project = recognised(write_tree(tmp_path / "tree", files)).project
    docs = next(each for each in project.collections if each.name == "docs")
    assert (docs.paths, docs.strip) == (("apps/docs/content",), "apps/docs/content")


def test_the_documentation_of_the_packages_of_a_repository_counts_together(tmp_path: Path) -> None:
    counts = {"pond": 12, "lake": 9, "weir": 2}
    files = {
        f"packages/{package}/docs/{number}.md": page(f"{package} {number}")
        for package, count in counts.items()
        for number in range(count)
    }
    others = {f"tools/{number}/docs/{name}.md": page(name) for number in "12" for name in "abc"}
    others["docs-assets/app/README.md"] = page("Pictures")
    code = {f"packages/weir/src/{number}.ts": "export default 1;\n" for number in range(30)}
    tree = {"package.json": '{"name": "pond"}', **code, **files, **others}
    project = recognised(write_tree(tmp_path / "tree", tree)).project
    docs = next(each for each in project.collections if each.name == "docs")
    assert docs.paths == ("packages/lake/docs", "packages/pond/docs")


def test_the_site_of_a_package_does_not_hide_the_documentation_of_the_repository(
    tmp_path: Path,
) -> None:
    site = {
        "packages/pond/mkdocs.yml": "site_name: Pond for Python\n",
        **{f"packages/pond/docs/{number}.md": page(str(number)) for number in range(3)},
    }
    content = {f"web/docs/content/{name}": text for name, text in PAGES.items()}
    beside = {f"docs/{number}.md": page(str(number)) for number in range(4)}
    places = {}
    for name, files in {"in a part": content, "at the root": beside, "fewer": {}}.items():
        tree = {"package.json": '{"name": "pond"}', **CODE, **site, **files}
        project = recognised(write_tree(tmp_path / name, tree)).project
        places[name] = [(each.name, each.paths) for each in project.collections][:-1]
    own = ("packages/pond/docs",)
    assert places == {
        "in a part": [("docs", ("web/docs/content",)), ("docs-2", own)],
        "at the root": [("docs", ("docs",)), ("docs-2", own)],
        "fewer": [("docs", own)],
    }


def test_a_small_site_in_a_folder_of_documentation_does_not_hide_what_is_beside_it(
    tmp_path: Path,
) -> None:
    site = {
        "doc/api/conf.py": "project = 'Pond API'\n",
        "doc/api/index.rst": "Pond API\n========\n\nText.\n",
    }
    guide = {f"doc/guide/{number}.rst": f"G{number}\n==\n\nText.\n" for number in range(3)}
    tree = {"setup.py": "", **CODE, **site, **guide, "doc/guide/tool.py": "x = 1\n"}
    inputs, _ = read(write_tree(tmp_path / "tree", tree))
    read_as = {name: {each.id for each in found} for name, found in inputs.records.items()}
    assert read_as == {
        "docs": {"guide/0.rst", "guide/1.rst", "guide/2.rst"},
        "docs-2": {"doc/api/index.rst"},
        "code": {"doc/guide/tool.py", *CODE},
    }


@pytest.mark.parametrize(("pages", "generators"), [(3, ["docfx"]), (1, ["site"])])
def test_pages_of_a_site_are_read_whatever_html_is_published_with_them(
    tmp_path: Path, pages: int, generators: list[str]
) -> None:
    config = '{"build": {"content": [{"files": ["**/*.md"]}], "resource": [{"files": ["old/**"]}]}}'
    html = "<html><head><title>T</title></head><body><main><p>Old text.</p></main></body></html>"
    files = {
        "docs/docfx.json": config,
        **{f"docs/{number}.md": page(str(number)) for number in range(pages)},
        **{f"docs/old/{number}.html": html for number in range(9)},
    }
    project = recognised(write_tree(tmp_path / "tree", files)).project
    assert [each.generator for each in project.collections] == generators


@pytest.mark.parametrize(("folder", "is_read"), [("packages", True), ("docs", False)])
def test_source_beside_the_pages_of_a_site_in_it_is_read(
    tmp_path: Path, folder: str, is_read: bool
) -> None:
    files = {
        "package.json": '{"name": "pond"}',
        f"{folder}/.vitepress/config.ts": "export default { title: 'Pond' }\n",
        f"{folder}/index.md": page("Pond"),
        f"{folder}/pond/package.json": '{"name": "@pond/pond"}',
        f"{folder}/pond/index.md": page("Weir"),
        **{f"{folder}/pond/{name}.ts": "export const a = 1;\n" for name in "abc"},
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert {each.id for each in inputs.records["docs"]} == {"index.md", "pond/index.md"}
    source = {f"{folder}/pond/{name}.ts" for name in "abc"}
    code = {each.path for each in inputs.records["code"]}
    assert code & source == (source if is_read else set())


@pytest.mark.parametrize("manifest", [{}, {"package.json": '{"name": "pond"}'}])
def test_a_site_that_gets_its_pages_from_a_folder_beside_it_does_not_hide_them(
    tmp_path: Path, manifest: dict[str, str]
) -> None:
    files = {
        **manifest,
        "README.md": page("Pond"),
        "website/_config.yml": "title: Pond\ntheme: minima\n",
        "website/index.md": "---\ntitle: Home\n---\nAll of it.\n",
        "website/scripts/prepare.py": "a = 1\n",
        "tools/a.py": "a = 1\n",
        **{f"tools/{number}.md": page(f"Tool {number}") for number in range(30)},
        **{f"document/{number // 9}/{number}.md": page(str(number)) for number in range(30)},
        **{f"changes.d/{number}.feature.md": page(str(number)) for number in range(30)},
    }
    project = recognised(write_tree(tmp_path / "tree", files)).project
    assert [each.paths for each in project.collections][:3] == [
        ("document",),
        ("website",),
        ("README.md",),
    ]
    more = {f"website/{number}.md": f"---\na: 1\n---\n{page(str(number))}" for number in range(20)}
    project = recognised(write_tree(tmp_path / "tree", more)).project
    assert project.collections[0].paths == ("website",)


def test_older_versions_and_translations_of_a_site_do_not_join_it(tmp_path: Path) -> None:
    files = {
        "package.json": '{"name": "pond"}',
        "src/a.js": "export const a = 1;\n",
        "website/docusaurus.config.js": "export default {presets: [['classic', {docs: {}}]]}",
        "website/docs/start.md": page("Start"),
        **{f"website/versioned_docs/version-1/{n}.md": page(str(n)) for n in range(30)},
        **{f"website/i18n/fr/docs/{n}.md": page(str(n)) for n in range(30)},
    }
    project = recognised(write_tree(tmp_path / "tree", files)).project
    assert [each.paths for each in project.collections] == [("website/docs",), (".",)]


def test_more_pages_left_out_than_read_are_told(tmp_path: Path) -> None:
    site = {
        "docusaurus.config.js": "export default {presets: [['classic', {docs: {}}]]}",
        "docs/start.md": page("Start"),
        "tests/data/page.md": page("Data"),
        **{f"versioned_docs/version-1/{n}.md": page(str(n)) for n in range(30)},
        "notes/one.md": page("One"),
    }
    assert recognised(write_tree(tmp_path / "site", site)).notes == (
        "more pages are left out than read: 30 in versioned_docs, 1 in notes; a kb.toml can name what to"
        " compile",
    )
    site |= {f"docs/{number}.md": page(str(number)) for number in range(30)}
    assert recognised(write_tree(tmp_path / "large", site)).notes == ()
    assert recognised(write_tree(tmp_path / "one", site) / "notes/one.md").notes == ()


def test_what_is_left_of_a_gitbook_gives_way_to_the_site_of_another_generator(
    tmp_path: Path,
) -> None:
    files = {
        ".gitbook.yaml": "structure:\n  summary: docs/README.md\n",
        "package.json": '{"name": "pond"}',
        "src/a.js": "export const a = 1;\n",
        "docs/start.md": page("Start"),
    }
    root = write_tree(tmp_path / "tree", files)
    assert recognised(root).project.collections[0].generator == "gitbook"
    config = "export default {presets: [['classic', {docs: {path: '../docs'}}]]}"
    write_tree(root, {"website/docusaurus.config.js": config})
    places = {each.name: each.paths for each in recognised(root).project.collections}
    assert places == {"docs": ("docs",), "code": (".",)}


INDEX = """<div id="app"></div>
<script>
  // All of it:
  window.$docsify = {
    name: 'Sluice', loadSidebar: true, subMaxLevel: 2,
    plugins: [function (hook) { hook.ready(function () {}) }],
  }
</script>
<script src="//cdn.example/docsify.js"></script>
"""


def test_docsify_takes_its_sidebar_links_and_embedded_files(tmp_path: Path) -> None:
    text = (
        "# Gates\n\n!> Mind *them*.\n\n[part](../_media/part.md ':include')\n\n"
        "[code](../_media/a.js ':include :type=code :fragment=one')\n\n"
        "[start](quick.md?id=one) [far](guide/far.md) [route](#/quick) [gone](gone.md)\n"
    )
    files = {
        "package.json": '{"name": "sluice"}',
        "docs/index.html": INDEX,
        "docs/README.md": page("Sluice"),
        "docs/_sidebar.md": "- [Gates](guide/gates.md)\n- [Quick start](quick)\n",
        "docs/guide/_sidebar.md": "- [Far](guide/far.md)\n",
        "docs/_coverpage.md": "# Sluice\n\n[Start](#sluice)\n",
        "docs/quick.md": "Be quick.\n",
        "docs/guide/gates.md": text,
        "docs/guide/far.md": page("Far"),
        "docs/_media/part.md": "Both of them.\n",
        "docs/_media/a.js": "let a;\n/// [one]\nlet b;\n/// [one]\nlet c;\n",
    }
    root = write_tree(tmp_path / "tree", files)
    assert (
        recognised(root).what == "npm package sluice with a Docsify site 'Sluice' (docs/index.html)"
    )
    inputs, diagnostics = read(root)
    docs = inputs.records["docs"]
    assert [(each.id, each.title) for each in docs] == [
        ("README.md", "Sluice"),
        ("guide/gates.md", "Gates"),
        ("quick.md", "Quick start"),
        ("guide/far.md", "Far"),
    ]
    assert "**Important**\n\nMind *them*.\n\nBoth of them.\n\n```js\nlet b;\n```" in docs[1].text
    dead = [each.message.split("'")[1] for each in diagnostics if each.code.startswith("dead")]
    assert dead == ["gone.md"]


@pytest.mark.parametrize(
    ("config", "domain"), [("", "s.example"), ("site_url: https://t.example\n", "t.example")]
)
def test_a_site_without_an_address_has_that_of_its_domain(
    tmp_path: Path, config: str, domain: str
) -> None:
    files = {
        "mkdocs.yml": f"site_name: S\n{config}",
        "docs/CNAME": "s.example\n",
        "docs/a.md": page("A"),
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert addresses(inputs) == {"a.md": f"https://{domain}/a/"}


def test_documentation_is_found_behind_more_files_than_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detection, "MAX_LOOKED_AT", 60)
    files = {
        "package.json": '{"name": "pond"}',
        **CODE,
        **{f"crates/pond/tests/cases/{number}/a.js": "a;\n" for number in range(90)},
        **{f"website/{name}": text for name, text in PAGES.items()},
    }
    project = recognised(write_tree(tmp_path / "tree", files)).project
    assert [each.paths for each in project.collections] == [("website/docs",), (".",)]


def test_a_page_that_adapts_another_shows_it_with_its_own_parts_and_words(tmp_path: Path) -> None:
    shared = (
        "---\nid: knots\ntitle: Knots\n---\n\nA hook of Reef ties knots.\n\n"
        "[//]: # 'Example'\n\n```tsx\ntie(<Reef />)\n```\n\n[//]: # 'Example'\n\n"
        "## Untying\n\n[//]: # 'Untie'\n\nPull `useKnot(`.\n\n[//]: # 'Untie'\n[//]: # 'End'\n"
    )
    adapts = (
        "---\ntitle: Knots\nref: docs/reef/knots.md\n"
        "replace: { 'Reef': 'Sail', 'hook': 'function', 'useKnot[(]': 'knot(() => ' }\n---\n\n"
        "[//]: # 'Example'\n\n```vue\n<Mast of='Reef' />\n```\n\n[//]: # 'Example'\n"
    )
    files = {
        "docs/reef/knots.md": shared,
        "docs/sail/knots.md": adapts,
        "docs/oar/knots.md": "---\ntitle: Oars\nref: docs/sail/knots.md\n---\n"
        "[//]: # (New)\nRow.\n[//]: # (New)\n",
        "docs/raft/knots.md": "---\nref: docs/reef/knots.md\n---\n",
        "docs/own/text.md": "---\ntitle: Own\nref: docs/reef/knots.md\n---\n\nText of its own.\n",
        "docs/own/missing.md": "---\ntitle: Missing\nref: docs/reef/none.md\n---\n",
        "docs/own/itself.md": "---\ntitle: Itself\nref: docs/own/itself.md\n---\n",
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    pages = {each.id.removeprefix("docs/"): each.text for each in inputs.records["docs"]}
    whole = "\n".join(pages["sail/knots.md"].split("\n")[5:])
    assert " ".join(whole.split()) == (
        "A function of Sail ties knots. ```vue <Mast of='Reef' /> ``` ## Untying Pull `knot(() => `."
    )
    assert pages["sail/knots.md"].startswith("---\ntitle: Knots\nref: docs/reef/knots.md\n")
    titles = {each.id.removeprefix("docs/"): each.title for each in inputs.records["docs"]}
    assert (titles["raft/knots.md"], titles["oar/knots.md"]) == ("Knots", "Oars")
    assert "<Mast of='Reef' />" in pages["oar/knots.md"]
    assert pages["oar/knots.md"].endswith("Row.\n")
    assert "knots" not in pages["own/text.md"].partition("\n---\n")[2]
    assert not pages["own/missing.md"].partition("\n---\n")[2].strip()
    assert not pages["own/itself.md"].partition("\n---\n")[2].strip()


def test_sites_that_a_generator_is_tested_with_are_no_documentation(tmp_path: Path) -> None:
    def site(folder: str) -> dict[str, str]:
        pages = {f"{folder}/docs/{name}.md": page(name) for name in ("a", "b", "c")}
        return {f"{folder}/mkdocs.yml": f"site_name: {folder}\n", **pages}

    tree = {"Cargo.toml": '[package]\nname = "pond"\n', **CODE, **site("test_site")}
    for name, more, expected in (
        ("with", site("manual"), {"manual/docs"}),
        ("packages", site("manual") | site("test-utils"), {"manual/docs", "test-utils/docs"}),
        ("alone", {}, {"test_site/docs"}),
    ):
        project = recognised(write_tree(tmp_path / name, {**tree, **more})).project
        docs = [each.paths for each in project.collections if each.kind == "docs"]
        assert {path for paths in docs for path in paths} == expected


@pytest.mark.parametrize("place", ["src/main/asciidoc", "src/docs/asciidoc", "src/spec/doc"])
def test_pages_where_builds_of_java_look_for_them_are_documentation(
    tmp_path: Path, place: str
) -> None:
    classes = "src/main/java/org/pond"
    programs = {
        f"pond-{part}/{classes}/{name}.java": "class A {}\n" for part in "ab" for name in "CDE"
    }
    pages = {f"pond-{part}/{place}/index.adoc": f"= Pond {part}\n\nIt fills.\n" for part in "ab"}
    tests = {f"pond-a/test/{place}/index.adoc": "= A test\n\nIt fills.\n"}
    files = {"pom.xml": "<project/>", **programs, **pages, **tests}
    project = recognised(write_tree(tmp_path / "tree", files)).project
    docs = next(each for each in project.collections if each.name == "docs")
    assert docs.paths == (f"pond-a/{place}", f"pond-b/{place}")


def test_what_tells_programs_how_to_work_on_pages_is_none_of_them(tmp_path: Path) -> None:
    pages = {"docs/index.md": page("Pond"), "docs/agents.md": page("Agents in the pond")}
    notes = {f"docs/{name}.md": page("How to write") for name in ("AGENTS", "part/CLAUDE")}
    plain = write_tree(tmp_path / "plain", {**CODE, **pages, **notes})
    site = write_tree(tmp_path / "site", {"mkdocs.yml": "site_name: Pond\n", **pages, **notes})
    listed = "site_name: Pond\nnav: [index.md, AGENTS.md]\n"
    named = write_tree(tmp_path / "named", {"mkdocs.yml": listed, **pages, **notes})
    for root, also in ((plain, []), (site, []), (named, ["AGENTS.md"])):
        found = [each.path for each in read(root)[0].records["docs"]]
        assert sorted(found) == sorted(f"docs/{name}" for name in ["agents.md", "index.md", *also])


@pytest.mark.parametrize(
    ("folder", "pages", "is_read"),
    [
        ("content", 12, True),
        ("book", 12, True),
        ("nest-docs", 12, True),
        ("eggs", 12, False),
        ("content", 3, False),
        ("content", 9, False),
    ],
    ids=["content", "book", "called docs", "another name", "fewer pages", "more programs"],
)
def test_a_folder_that_is_called_as_documentation_is_and_holds_more_is_read_as_well(
    tmp_path: Path, folder: str, pages: int, is_read: bool
) -> None:
    own = {f"{folder}/part/{number}.mdx": page(f"Part {number}") for number in range(pages)}
    shown = {f"{folder}/{'examples/' * (pages > 9)}{n}.py": "x = 1\n" for n in range(10)}
    notes = {f"docs/{number}.md": page(f"Note {number}") for number in range(4)}
    tree = {"package.json": '{"name": "pond"}', **CODE, **notes, **own, **shown}
    docs, *_, code = recognised(write_tree(tmp_path / "tree", tree)).project.collections
    assert docs.paths == (("docs", folder) if is_read else ("docs",))
    assert code.kind == "code"


def test_a_site_of_a_page_or_two_does_not_hide_manuals_in_plain_text_around_it(
    tmp_path: Path,
) -> None:
    site = {"doc/lua/conf.py": "project = 'Lua'\n", "doc/lua/index.rst": "Lua\n===\n\nCall.\n"}
    texts = {f"doc/{name}.txt": "How birds fly.\n" for name in ("intro", "management", "wings")}
    no_texts = {f"doc/{name}.txt": "birds\n" for name in ("gpl", "CMakeLists", "requirements")}
    more = {f"doc/lua/{number}.rst": "Fly\n===\n\nUp.\n" for number in range(3)}
    tree = {"Makefile": "all:\n", "heron.c": "int main(void) { return 0; }\n", **site}
    tree |= {f"src/{number}.c": "int a;\n" for number in range(9)}
    for name, files, is_read in (
        ("texts", texts, True),
        ("no texts", no_texts, False),
        ("a larger site", {**texts, **more}, False),
    ):
        found = recognised(write_tree(tmp_path / name / "heron", {**tree, **files}))
        places = [each.paths for each in found.project.collections if each.kind == "docs"]
        assert places == ([("doc",), ("doc/lua",)] if is_read else [("doc/lua",)])
        assert (found.project.title == "heron") is is_read


def test_text_beside_less_html_than_a_site_has_is_documentation(tmp_path: Path) -> None:
    files = {"doc/syntax.txt": "How to write birds.\n", "doc/syntax.html": "<h1>Birds</h1>"}
    tree = {"Makefile.am": "all:\n", "src/heron.c": "int a;\n", **files}
    inputs, _ = read(write_tree(tmp_path / "heron", tree))
    assert [each.id for each in inputs.records["docs"]] == ["syntax.txt"]


@pytest.mark.parametrize("programs", [3, 12])
def test_folders_of_html_beside_documentation_are_read(tmp_path: Path, programs: int) -> None:
    html = "<html><body><h1>{0}</h1><p>How {0} works.</p></body></html>"
    for folder in ("docs", "docs-nest"):
        pages = {f"{folder}/{number}.html": html.format(number) for number in range(5)}
        write_tree(tmp_path / "tree", pages)
    tree = {f"docs-nest/lib/{number}.py": "x = 1\n" for number in range(programs)}
    root = write_tree(tmp_path / "tree", {"package.json": '{"name": "pond"}', **CODE, **tree})
    found = [each.paths for each in recognised(root).project.collections if each.kind == "pages"]
    assert found == [("docs",), ("docs-nest",)][: 2 if programs < 5 else 1]


def test_a_specification_that_is_written_is_documentation(tmp_path: Path) -> None:
    proposals = {f"proposal/{number}.md": page(f"Plan {number}") for number in range(22)}
    spec = {f"spec/{number}.md": page(f"Rule {number}") for number in range(12)}
    tree = {"package.json": '{"name": "heron"}', "index.ts": "export const a = 1;\n", **proposals}
    tests = {f"spec/{name}_spec.rb": "it 1\n" for name in "abcdef"}
    for name, files, found in (
        ("written", spec, ("proposal", "spec")),
        ("tests", {**spec, **tests}, ("proposal",)),
    ):
        docs = recognised(write_tree(tmp_path / name, {**tree, **files})).project.collections[0]
        assert docs.paths == found
