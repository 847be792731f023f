"""What a folder, file or archive is recognised as, and what is left out of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import addresses, page, read, recognised, titles, write_tree

from kbc.diagnostics import Diagnostics
from kbc.pipeline.reading import read_inputs
from kbc.project.include_tree import IncludeTree
from kbc.project.loading import load_project
from kbc.recognition.described import kb_toml
from kbc.recognition.detection import RecognitionError
from kbc.records import PageRecord

HTML = (
    "<html><head><title>{0} - Site</title></head>"
    "<body><main><h1>{0}</h1><p>About {0}.</p></main></body></html>"
)
PROJECT = {
    "pyproject.toml": '[project]\nname = "heron"\nversion = "2.0"\ndescription = "Birds."\nlicense = "MIT"\n',
    "README.md": page("Heron"),
    "heron/bird.py": "def fly():\n    return 1\n",
    "docs/en/mkdocs.yml": "site_name: Heron\nsite_url: https://heron.example/\n",
    "docs/en/docs/index.md": page("Start"),
    "docs/de/mkdocs.yml": "site_name: Heron\n",
    "docs/de/docs/index.md": page("Anfang"),
    "node_modules/x/readme.md": page("X"),
}


def test_a_repository_is_docs_readme_and_code_in_one_language(tmp_path: Path) -> None:
    found = recognised(write_tree(tmp_path / "tree", PROJECT))
    assert found.what == "Python project heron with a MkDocs site 'Heron' (docs/en/mkdocs.yml)"
    assert found.notes == ("translations are left out: docs/de",)
    inputs, _ = read(tmp_path / "tree")
    assert {name: [each.id for each in found] for name, found in inputs.records.items()} == {
        "docs": ["index.md"],
        "readme": ["README.md"],
        "code": ["docs/en/mkdocs.yml", "heron/bird.py", "pyproject.toml"],
    }
    project = inputs.project
    assert (project.name, project.version, project.license) == ("heron", "2.0", "MIT")


def test_source_without_a_manifest_is_read_as_source(tmp_path: Path) -> None:
    tree = write_tree(
        tmp_path / "tool",
        {
            "tool/run.py": "def run():\n    return 1\n",
            "tool/settings.json": "{}\n",
            "requirements.txt": "click\n",
        },
    )
    recognition = recognised(tree)
    assert recognition.what == "source tree"
    assert "tool/run.py" in [record.id for record in read(tree)[0].records["code"]]
    (tree / "README.md").write_text(page("Tool"))
    inputs, _ = read(tree)
    assert [record.id for record in inputs.records["readme"]] == ["README.md"]
    assert "tool/run.py" in [record.id for record in inputs.records["code"]]


def test_programs_beside_pages_are_left_to_the_pages(tmp_path: Path) -> None:
    tree = write_tree(
        tmp_path / "notes", {"start.md": page("Start"), "conf/build.py": "def build(): ...\n"}
    )
    assert recognised(tree).what == "folder of pages"


def _man(name: str) -> str:
    return f".TH {name.upper()} 2\n.SH NAME\n{name} \\- one of the birds\n"


def test_a_tree_of_man_pages_with_a_few_programs_is_a_folder_of_pages(tmp_path: Path) -> None:
    pages = {f"man{n}/bird{n}.{n}": _man(f"bird{n}") for n in range(1, 8)}
    tree = write_tree(tmp_path / "man-pages", {**pages, "scripts/check.sh": "exit 0\n"})
    assert recognised(tree).what == "folder of pages"
    assert len(read(tree)[0].records["docs"]) == 7


def test_man_pages_in_their_folder_of_a_project_are_documentation(tmp_path: Path) -> None:
    files = {"src/heron.c": "int main(void) { return 0; }\n", "man/heron.1": _man("heron")}
    tree = write_tree(tmp_path / "heron", files | {"lib/libheron.so.1": "no man page"})
    inputs, _ = read(tree)
    assert [each.id for each in inputs.records["docs"]] == ["heron.1"]
    assert "src/heron.c" in [each.id for each in inputs.records["code"]]
    write_tree(tree, {f"book/{n}.md": page(f"Chapter {n}") for n in range(20)} | {"setup.py": ""})
    assert recognised(tree).project.collections[0].paths == ("book",)


def test_a_folder_with_nothing_but_man_pages_is_named_once(tmp_path: Path) -> None:
    pages = {f"man/man1/bird-{n}.1": _man(f"bird-{n}") for n in range(3)}
    source = {f"src/bird-{n}.c": "int main(void) { return 0; }\n" for n in range(12)}
    tree = write_tree(tmp_path / "birds", {**source, **pages})

    assert recognised(tree).project.collections[0].paths == ("man",)


def test_other_files_with_the_ending_of_a_man_page_are_no_documentation(tmp_path: Path) -> None:
    files = {"src/heron.c": "int main(void) { return 0; }\n", "man/heron.1": "1.0.1\n"}
    tree = write_tree(tmp_path / "heron", files)
    assert {each.name for each in recognised(tree).project.collections} == {"code"}


def test_what_init_writes_reads_the_same_records(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", PROJECT)
    before, _ = read(root)
    (root / "kb.toml").write_text(kb_toml(recognised(root)))
    diagnostics = Diagnostics()
    project = load_project(root, diagnostics)
    assert project is not None, [each.message for each in diagnostics]
    after = read_inputs(project, diagnostics)
    assert after is not None
    assert after.records["docs"] == before.records["docs"]
    assert after.records["readme"] == before.records["readme"]


def test_a_folder_of_pages_is_one_collection(tmp_path: Path) -> None:
    inputs, _ = read(write_tree(tmp_path / "Own notes", {"a.md": page("A"), "b/c.md": page("C")}))
    assert list(addresses(inputs)) == ["a.md", "b/c.md"]
    assert inputs.project.name == "own-notes"


def test_a_single_page_is_a_knowledge_base(tmp_path: Path) -> None:
    write_tree(tmp_path / "t", {"one.md": page("One"), "two.md": page("Two")})
    inputs, _ = read(tmp_path / "t/one.md")
    assert list(addresses(inputs)) == ["one.md"]
    assert inputs.project.name == "one"


def test_an_empty_folder_is_refused_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(RecognitionError, match="is not a knowledge base") as caught:
        recognised(tmp_path)
    assert "kbc init" in caught.value.hint


def test_a_bundle_of_any_name_is_many_pages(tmp_path: Path) -> None:
    text = "# One\nSource: https://x.example/one\n\nFirst.\n\n# Two\nSource: https://x.example/two\n\nNext.\n"
    inputs, _ = read(write_tree(tmp_path / "t", {"widget-llms-full.txt": text}))
    pages = [each for each in inputs.records["pages"] if isinstance(each, PageRecord)]
    assert [each.url for each in pages] == ["https://x.example/one", "https://x.example/two"]


def test_a_mirror_has_its_hosts_addresses_and_no_page_twice(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "mirror" / "docs.example.org",
        {
            "index.html": HTML.format("Home"),
            "guide/index.html": HTML.format("Guide"),
            "page.html?lang=en": HTML.format("Asked"),
            "plain": "<!DOCTYPE html>\n" + HTML.format("Plain"),
            "old.html": '<html><head><meta http-equiv="refresh" content="0; url=guide/"></head></html>',
            "moved.html": '<html><head><meta http-equiv="refresh" content="10; url=guide/"></head>'
            f"<body>This page has moved.<script>const parts = {'x' * 9_000!r}</script></body></html>",
            "alias.html": '<script>var redirects = {"":"guide/"};</script>',
            "_sources/index.md.txt": page("Home"),
            "404.html": HTML.format("Not found"),
            "book.epub": "PK",
            "style.css": "a{}",
        },
    )
    inputs, _ = read(root)
    pages = [each for each in inputs.records["pages"] if isinstance(each, PageRecord)]
    assert sorted(each.url for each in pages) == [
        "https://docs.example.org/",
        "https://docs.example.org/guide/",
        "https://docs.example.org/page.html?lang=en",
        "https://docs.example.org/plain",
    ]
    guide = next(each for each in pages if each.title == "Guide")
    assert "https://docs.example.org/old.html" in guide.aliases
    assert "https://docs.example.org/moved.html" in guide.aliases
    assert "https://docs.example.org/alias.html" in guide.aliases
    assert inputs.accounting.reasons("left out") == {
        "excluded by '*.epub'": 1,
        "excluded by '_sources/'": 1,
        "format not read: .css": 1,
        "redirect to another page": 3,
        "written by the generator, not a separate page": 1,
    }


def test_pages_of_a_mirror_are_html_whatever_it_calls_them(tmp_path: Path) -> None:
    names = ("kite.php?id=7", "kite.php?id=8.html", "sail.html.1", "sail.html.12", "sail.html")
    files = {name: HTML.format(f"Page {number}") for number, name in enumerate(names)}
    root = write_tree(tmp_path / "site", {"index.html": HTML.format("Home")} | files)
    inputs, _ = read(root)
    pages = [each for each in inputs.records["pages"] if isinstance(each, PageRecord)]
    assert {each.title for each in pages} >= {f"Page {number}" for number in range(len(names))}
    assert not any("<html" in each.text for each in pages)


def test_a_folder_of_hosts_has_addresses_with_a_scheme(tmp_path: Path) -> None:
    files = {f"{host}/index.html": HTML.format(host) for host in ("a.example.org", "b.example.org")}
    inputs, _ = read(write_tree(tmp_path / "t", files))
    pages = [each for each in inputs.records["pages"] if isinstance(each, PageRecord)]
    assert [each.url for each in pages] == ["https://a.example.org/", "https://b.example.org/"]


def test_a_sitemap_below_a_path_misses_no_home_page(tmp_path: Path) -> None:
    locations = "".join(
        f"<url><loc>https://x.example/docs{path}</loc></url>" for path in ("/", "/a.html")
    )
    files = {
        "sitemap.xml": f"<urlset>{locations}</urlset>",
        "index.html": HTML.format("Home"),
        "a.html": HTML.format("A"),
    }
    inputs, diagnostics = read(write_tree(tmp_path / "t", files))
    assert [each.code for each in diagnostics] == []
    pages = [each for each in inputs.records["pages"] if isinstance(each, PageRecord)]
    assert [each.url for each in pages] == [
        "https://x.example/docs/",
        "https://x.example/docs/a.html",
    ]


def test_included_files_stay_within_the_tree_and_are_accounted_for(tmp_path: Path) -> None:
    write_tree(tmp_path, {"repo/code/a.py": "x", "secret": "s", "repo/docs/p.md": page("P")})
    (tmp_path / "repo/docs/link").symlink_to(tmp_path / "secret")
    tree = IncludeTree(tmp_path / "repo/docs", tmp_path / "repo")
    assert tree.read("../code/a.py", "p.md") == b"x"
    assert tree.read("../../secret", "p.md") is None
    assert tree.read("link", "p.md") is None
    assert tree.read("../code", "p.md") is None
    assert tree.included == {"../code/a.py": ("p.md",)}


def test_chapters_in_many_folders_of_a_repository_are_documentation(tmp_path: Path) -> None:
    chapters = {
        f"chapter_{name}/{part}.md": page(f"{name} {part}")
        for name in ("digging", "lining", "drawing")
        for part in range(8)
    }
    code = {"heron/a.py": "x = 1\n", "heron/b.py": "y = 2\n", "heron/notes.md": page("Notes")}
    top = {"setup.py": "", "README.md": page("Heron"), "index.md": page("Contents")}
    root = write_tree(tmp_path / "heron", {**chapters, **code, **top})
    inputs, _ = read(root)
    places = {each.name: each.paths for each in inputs.collections}
    assert places["docs"] == ("chapter_digging", "chapter_drawing", "chapter_lining", "index.md")
    assert places["readme"] == ("README.md",)
    assert {record.path for record in inputs.records["code"]} == code.keys()
    assert len(inputs.records["docs"]) == 25


def test_few_pages_in_a_folder_for_content_are_documentation(tmp_path: Path) -> None:
    files = {
        "package.json": '{"name": "pond"}',
        "lib/source.ts": "export const a = 1;\n",
        "content/docs/index.mdx": page("Pond"),
        "content/docs/nets.cheatmd": page("Nets"),
    }
    root = write_tree(tmp_path / "tree", files)
    inputs, _ = read(root)
    assert titles(inputs.records["docs"]) == {"index.mdx": "Pond", "nets.cheatmd": "Nets"}
    assert [each.id for each in inputs.records["code"]] == ["lib/source.ts", "package.json"]


def test_readme_files_beside_code_are_no_documentation_folders(tmp_path: Path) -> None:
    packages = {
        path: text
        for number in range(24)
        for path, text in {
            f"part{number}/README.md": page(f"Part {number}"),
            f"part{number}/a.py": "x = 1\n",
            f"part{number}/b.py": "y = 2\n",
        }.items()
    }
    root = write_tree(tmp_path / "heron", {**packages, "setup.py": "", "README.md": page("Heron")})
    assert {each.name for each in recognised(root).project.collections} == {"readme", "code"}


def test_what_a_generator_wrote_among_its_pages_is_a_built_site(tmp_path: Path) -> None:
    whole = "<!doctype html><title>{0}</title><main><h1>{0}</h1><p>About {0}.</p></main>"
    write_tree(
        tmp_path,
        {
            "docs/conf.py": "project = 'Kites'\n",
            "docs/index.rst": "Kites\n=====\n\nThey fly.\n",
            "docs/_build/html/index.html": whole.format("Kites"),
            "docs/_build/html/wind.html": whole.format("Wind"),
        },
    )
    inputs, _ = read(tmp_path / "docs/_build/html")
    assert "wind.html" in {record.path.rpartition("/")[2] for record in inputs.records["pages"]}


def test_a_folder_of_html_with_a_few_other_pages_is_a_built_site(tmp_path: Path) -> None:
    html = "<!doctype html><title>Page {0}</title><main><h1>Page {0}</h1><p>Text.</p></main>"
    files = {f"docs/{number}.html": html.format(number) for number in range(11)}
    files |= {"setup.py": "", "heron.py": "x = 1\n", "docs/notes.md": page("Notes")}
    collections = read(write_tree(tmp_path / "heron", files))[0].records
    assert [each.title for each in collections["docs"]] == ["Notes"]
    assert {each.title for each in collections["pages"]} >= {"Page 0", "Page 10"}
    (tmp_path / "heron/docs/more.md").write_text(page("More"))
    assert "pages" not in read(tmp_path / "heron")[0].records


def test_templates_of_html_are_no_built_site(tmp_path: Path) -> None:
    template = "{% for nest in nests %}\n<p>{{ nest }}</p>\n{% endfor %}\n"
    files = {f"gen/{name}.html": template for name in "abcd"}
    schema = '{"title": "Nest", "type": "object"}\n'
    root = write_tree(
        tmp_path / "tree", {"README.md": page("Nests"), "schema/nest.json": schema, **files}
    )
    (root / ".git").mkdir()
    inputs, _ = read(root)
    assert [each.path for each in inputs.records["docs"]] == ["README.md"]
    assert "schema/nest.json" in {each.path for each in inputs.records["code"]}


def test_a_built_site_is_called_as_the_version_that_its_first_page_leads_to(tmp_path: Path) -> None:
    leads = (
        '<!doctype html><title>Redirecting</title><meta http-equiv="refresh" content="1; url={}">'
    )
    html = "<!doctype html><title>{0} - Kites</title><main><h1>{0}</h1><p>Text.</p></main>"
    files = {f"latest/{name}.html": html.format(name.title()) for name in ("index", "use", "faq")}
    root = write_tree(tmp_path / "heron", {**files, "index.html": leads.format("latest/")})
    assert recognised(root).project.title == "Kites"
    (root / "index.html").write_text(leads.format("'latest&#47;'"))
    assert recognised(root).project.title == "Kites"
    write_tree(
        root,
        {"stable/index.html": leads.format("../latest/"), "index.html": leads.format("stable")},
    )
    assert recognised(root).project.title == "Kites"
    (root / "index.html").write_text(leads.format("https://kites.example.org/"))
    assert recognised(root).project.title == "heron"
    (root / "index.html").write_text("<!doctype html><title>All modules</title><main>A</main>")
    assert recognised(root).project.title == "heron"


def test_licences_of_javadoc_are_no_documentation(tmp_path: Path) -> None:
    html = '<!doctype html><meta name="generator" content="javadoc/21"><main><h1>{}</h1></main>'
    files = {f"docs/apidocs/{name}.html": html.format(name) for name in ("index", "Kite", "Nest")}
    licences = dict.fromkeys(("jquery", "jqueryUI", "dejavufonts"), "# License\n\nMIT.\n")
    files |= {f"docs/apidocs/legal/{name}.md": text for name, text in licences.items()}
    files |= {"pom.xml": "<project/>\n", "src/Kite.java": "class Kite {}\n"}
    inputs, _ = read(write_tree(tmp_path / "kites", files))
    assert "docs" not in inputs.records
    assert not any("legal" in each.path for each in inputs.records["pages"])


def test_folders_with_many_pages_beside_those_of_a_site_are_read_with_it(tmp_path: Path) -> None:
    files = {"hugo.toml": 'title = "Kites"\n'}
    files |= {f"content/{number}.md": page(f"News {number}") for number in range(30)}
    files |= {f"docs/{number}.md": page(f"Part {number}") for number in range(19)}
    root = write_tree(tmp_path / "kites", files)
    assert [each.paths for each in recognised(root).project.collections] == [("content",)]
    write_tree(root, {"docs/more.md": page("More")})
    paths = [each.paths for each in recognised(root).project.collections]
    assert paths == [("content",), ("docs",)]
