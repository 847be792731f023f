"""What is read beside pages: code and data, roles, text without an ending, pages that others were made of."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import addresses, page, read, recognised, titles, write_tree

from kbc.recognition.detection import RecognitionError, recognise

CODE = "x = 1\n"


def test_code_and_data_beside_pages_are_read(tmp_path: Path) -> None:
    files = {
        **{f"part-{number}.md": page(f"Part {number}") for number in range(4)},
        "examples/nest.yml": "nest:\n  eggs: 3\n",
        "api.yaml": "openapi: 3.0.0\ninfo: {title: Nests, version: '1'}\npaths: {}\n",
    }
    root = write_tree(tmp_path / "heron", files)
    assert [each.name for each in recognised(root).project.collections] == ["docs"]
    (root / ".git").mkdir()
    assert [each.name for each in recognised(root).project.collections] == ["docs", "code"]
    (root / ".git").rmdir()
    write_tree(root, {"tools/check.py": CODE})  # as it comes out of an archive
    inputs, _ = read(root)
    assert [each.id for each in inputs.records["code"]] == ["examples/nest.yml", "tools/check.py"]
    assert "api.yaml" in {each.path for each in inputs.records["docs"]}


def test_many_pages_beside_programs_and_examples_are_documentation(tmp_path: Path) -> None:
    """As a site has them whose generator is a program that only its configuration tells."""
    pages = {"nests": 15, "rivers": 12, "examples": 20}
    files = {
        "deno.json": "{}\n",
        "site.ts": CODE,
        **{f"{top}/{n}.md": page(f"{top} {n}") for top, size in pages.items() for n in range(size)},
        **{f"examples/{n}.ts": CODE for n in range(20)},
        "rivers/_data.ts": CODE,
        **{f"tool/{n}.ts": CODE for n in range(9)},
        "tool/help.md": page("Help"),
    }
    root = write_tree(tmp_path / "heron", files)
    (root / ".git").mkdir()
    docs, *others = recognised(root).project.collections
    assert (docs.name, docs.paths) == ("docs", ("nests", "rivers"))
    assert [each.kind for each in others] == ["code"]


@pytest.mark.parametrize(("name", "is_read"), [("README", False), ("about", True)])
def test_pages_that_only_say_what_is_in_their_folders_are_no_documentation_beside_a_site(
    tmp_path: Path, name: str, is_read: bool
) -> None:
    files = {f"npm/bird-{number}/{name}.md": page(f"Bird {number}") for number in range(20)}
    files |= {"mkdocs.yml": "site_name: Birds\n", "docs/index.md": page("Start")}
    files |= {"pyproject.toml": "[project]\nname = 'birds'\n", "birds.py": CODE}
    docs = recognised(write_tree(tmp_path / "birds", files)).project.collections
    assert (("npm",) in [each.paths for each in docs]) is is_read


def test_a_folder_with_more_pages_than_the_site_is_read_as_well(tmp_path: Path) -> None:
    files = {f"g3doc/bird-{number}.md": page(f"Bird {number}") for number in range(5)}
    files |= {"website/mkdocs.yml": "site_name: Birds\n", "website/docs/index.md": page("Start")}
    files |= {"pyproject.toml": "[project]\nname = 'birds'\n", "birds.py": CODE}
    found = recognised(write_tree(tmp_path / "birds", files))
    assert [each.paths for each in found.project.collections][:2] == [("g3doc",), ("website/docs",)]
    assert found.what.endswith(" with a MkDocs site 'Birds' (website/mkdocs.yml) and 1 more")


def test_a_checkout_of_pages_alone_has_no_code(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "heron", {"a.md": page("A"), "b.md": page("B"), "a.css": "a {}\n"})
    (root / ".git").mkdir()
    assert [each.name for each in recognised(root).project.collections] == ["docs"]


def test_a_program_alone_is_read(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "heron", {"fly.py": CODE, "a.md": page("A")})
    found = recognise(root / "fly.py")
    assert found.what == "one program, fly.py"
    assert [(each.kind, each.paths) for each in found.project.collections] == [
        ("code", ("fly.py",))
    ]
    with pytest.raises(RecognitionError, match="in no format that kbc reads"):
        recognise(write_tree(tmp_path / "other", {"a.ini": "a = 1\n"}) / "a.ini")


def test_a_compiled_knowledge_base_is_no_input(tmp_path: Path) -> None:
    version = "0123456789abcdef"
    write_tree(tmp_path, {"CURRENT": version, f"{version}/manifest.json": "{}"})
    write_tree(tmp_path, {f"{version}/inputs.json": "{}", f"{version}/NOTICE.txt": "A notice.\n"})
    for folder in (tmp_path, tmp_path / version):
        with pytest.raises(RecognitionError, match="is a compiled knowledge base") as caught:
            recognised(folder)
        assert "kbc search" in caught.value.hint


DOCS = {f"docs/p{number}.md": page(f"Page {number}") for number in range(4)}
SUMMARY = "# Summary\n\n- [Page 0](p0.md)\n"


@pytest.mark.parametrize(
    ("site", "what"),
    [
        (
            {"docs/conf.py": "project = 'Heron'\n", "docs/index.rst": "Heron\n=====\n"},
            "Sphinx project",
        ),
        ({"mkdocs.yml": "site_name: Heron\n", **DOCS}, "MkDocs site"),
        (
            {"docs/.vitepress/config.js": "export default {title: 'Heron'}", **DOCS},
            "VitePress site",
        ),
        ({"_config.yml": "title: Heron\ntheme: minima\n", **DOCS}, "Jekyll site"),
        ({"book.toml": "[book]\nsrc = 'docs'\n", "docs/SUMMARY.md": SUMMARY, **DOCS}, "mdBook"),
    ],
)
def test_source_beside_a_site_is_read_without_a_build_file(
    tmp_path: Path, site: dict[str, str], what: str
) -> None:
    programs = {f"lib/part{number}.sh": "# Flies.\nfly() { echo; }\n" for number in range(5)}
    root = write_tree(tmp_path / "heron", {**site, **programs, "README.md": page("Heron")})
    found = recognised(root)
    assert f"repository with a {what}" in found.what
    inputs, _ = read(root)
    assert {each.id for each in inputs.records["code"]} >= {*programs}
    paths = [each.path for records in inputs.records.values() for each in records]
    assert "README.md" in paths
    assert len({*paths}) == len(paths)


@pytest.mark.parametrize(
    "programs",
    [
        {"tools/check.py": CODE},  # for more pages than it could be about
        {f"listings/{number}/main.rs": "fn main() {}\n" for number in range(9)},
        {f"theme/{number}.js": "export default 1\n" for number in range(9)},
    ],
)
def test_programs_that_pages_are_made_with_are_no_source(
    tmp_path: Path, programs: dict[str, str]
) -> None:
    pages = {f"docs/q{number}.md": page(f"Q {number}") for number in range(3)}
    book = {"book.toml": "[book]\nsrc = 'docs'\n", "docs/SUMMARY.md": SUMMARY}
    root = write_tree(tmp_path / "heron", {**book, **DOCS, **pages, **programs})
    assert [each.name for each in recognised(root).project.collections] == ["docs"]


@pytest.mark.parametrize(
    ("files", "what"),
    [
        ({"meta/main.yml": "a: 1\n", "defaults/main.yml": "b: 1\n"}, "repository"),
        ({"galaxy.yml": "name: heron\n"}, "Ansible collection heron"),
        ({"Chart.yaml": "name: heron\n"}, "Helm chart heron"),
        ({"handlers/main.yml": "a: 1\n"}, "folder of pages"),
    ],
)
def test_roles_and_charts_are_projects(tmp_path: Path, files: dict[str, str], what: str) -> None:
    own = {"tasks/main.yml": "- name: Fly\n", "README.md": page("Heron"), **files}
    root = write_tree(tmp_path / "heron", own)
    assert recognised(root).what == what
    assert ("code" in read(root)[0].records) is (what != "folder of pages")


def test_what_a_chart_prints_is_no_page(tmp_path: Path) -> None:
    files = {
        "charts/heron/Chart.yaml": "name: heron\n",
        "charts/heron/README.md": page("Heron"),
        "charts/heron/templates/NOTES.txt": "Run {{ .Release.Name }}.\n",
        "notes/templates/NOTES.txt": "These are notes.\n",
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert {each.path for each in inputs.records["docs"]} == {
        "charts/heron/README.md",
        "notes/templates/NOTES.txt",
    }
    (tmp_path / "tree/.git").mkdir()
    code = {each.path for each in read(tmp_path / "tree")[0].records["code"]}
    assert "charts/heron/templates/NOTES.txt" in code
    assert "notes/templates/NOTES.txt" not in code


def test_settings_among_pages_are_none(tmp_path: Path) -> None:
    settings = ["docs/CMakeLists.txt", "docs/requirements.txt", "docs/dev-requirements.txt"]
    files = {"docs/use.md": page("Use"), "docs/notes.txt": "Notes on birds.\n", "setup.py": CODE}
    root = write_tree(tmp_path / "heron", files | dict.fromkeys(settings, "heron\n"))
    inputs, _ = read(root)
    assert [each.id for each in inputs.records["docs"]] == ["notes.txt", "use.md"]
    (root / "docs/fly.py").write_text(CODE)  # now it has source, which has the settings as well
    code = {each.path for each in read(root)[0].records["code"]}
    assert {*settings[:2], "docs/fly.py"} <= code
    assert "docs/notes.txt" not in code


def test_text_without_an_ending_is_read_where_there_is_nothing_else(tmp_path: Path) -> None:
    files = {
        "tar": "# To pack a folder:\ntar -cf a.tar a\n",
        "apt-get": "---\ntags: [ packages ]\n---\n# To install:\napt-get install a\n",
        "LICENSE": "Free.\n",
        "run": "#!/bin/sh\ntrue\n",
        "blob": "a\0b",
        "empty": "",
    }
    inputs, _ = read(write_tree(tmp_path / "sheets", files))
    assert titles(inputs.records["docs"]) == {"apt-get": "apt-get", "tar": "tar"}
    (tar,) = (each for each in inputs.records["docs"] if each.id == "tar")
    assert tar.text == files["tar"]


def test_html_that_was_made_of_files_of_the_tree_is_left_out(tmp_path: Path) -> None:
    html = "<html><head><title>Heron</title></head><body><h1>{}</h1><p>Flies.</p></body></html>"
    files = {
        "heron-1.0-1.rockspec": "heron\n",
        "lua/heron.lua": CODE,
        **{f"topics/0{number}-guide.md": page(f"Guide {number}") for number in range(3)},
        **{f"docs/manual/0{number}-guide.md.html": html.format(number) for number in range(3)},
        **{f"docs/modules/{name}.html": html.format(name) for name in ("a", "b", "c")},
        "docs/source/heron.lua.html": html.format("heron"),
    }
    inputs, _ = read(write_tree(tmp_path / "heron", files))
    found = {
        name.rpartition("/")[2]
        for each in ("docs", "pages")
        for name in addresses(inputs, each)
        if "." in name
    }
    assert found == {"a.html", "b.html", "c.html", *(f"0{number}-guide.md" for number in range(3))}


def test_html_of_themes_is_no_page(tmp_path: Path) -> None:
    pages = {f"{name}.md": page(name) for name in ("one", "two", "three", "four")}
    theme = {f"site/theme/templates/{name}.html": "<p>{% block a %}</p>" for name in "abcd"}
    root = write_tree(tmp_path / "notes", {**pages, **theme, "_layouts/a.html": "<p>{{ a }}</p>"})
    assert [each.name for each in recognised(root).project.collections] == ["docs"]
    write_tree(root, {f"{name}.html": f"<h1>{name}</h1><p>Text.</p>" for name in ("x", "y", "z")})
    inputs, _ = read(root)
    assert {each.path for each in inputs.records["pages"] if each.path} >= {
        "x.html",
        "y.html",
        "z.html",
    }
    assert not any(
        "theme" in each.path or "_layouts" in each.path for each in inputs.records["pages"]
    )


def test_documentation_that_only_its_content_tells_is_no_code(tmp_path: Path) -> None:
    draft = '<rfc docName="draft-heron"><front><title>Heron</title></front><middle/></rfc>'
    files = {
        "package.json": "{}",
        "docs/draft.xml": draft,
        "docs/data.xml": "<data/>",
        "docs/check.py": CODE,
        "docs/one.md": page("One"),
    }
    inputs, _ = read(write_tree(tmp_path / "heron", files))
    assert titles(inputs.records["docs"]) == {"draft.xml": "Heron", "one.md": "One"}
    assert {"docs/check.py", "docs/data.xml", "package.json"} == {
        each.id for each in inputs.records["code"]
    }


def test_the_parts_of_a_log_of_changes_are_no_man_pages(tmp_path: Path) -> None:
    files = {
        **{f"docs/{name}.md": page(name) for name in ("one", "two")},
        "docs/CHANGELOG.1": "# -*- mode: org -*-\n* v1.0\n\n- Added ~fly~.\n",
        "docs/NEWS.2": "* Not a list of Markdown\n",
        "docs/ChangeLog-1.4": "Changes in 1.4.2\n o Flies.\n",
        "docs/news.3": ".TH NEWS 3\n.SH NAME\nnews - reads news\n",
    }
    inputs, reported = read(write_tree(tmp_path / "heron", {"package.json": "{}", **files}))
    found = {each.path: (each.language, each.text) for each in inputs.records["docs"]}
    assert "man-page-none" not in {each.code for each in reported}
    assert found["docs/CHANGELOG.1"] == ("org", "# v1.0\n\n- Added `fly`.\n")
    assert found["docs/NEWS.2"] == ("text", files["docs/NEWS.2"])
    assert found["docs/ChangeLog-1.4"] == ("text", files["docs/ChangeLog-1.4"])
    assert found["docs/news.3"][0] == "man"


def test_a_manual_is_read_with_all_of_its_sections_and_templates(tmp_path: Path) -> None:
    header = ".TH {} 8\n.SH NAME\n{} \\- a bird\n"
    names = [f"bird{number}" for number in range(25)]
    files = {f"man/man8/{name}.8": header.format(name, name) for name in names}
    files["man/man8/heron.8.in"] = header.format("heron", "heron")
    files["man/man5/nest.5"] = header.format("nest", "nest")
    files |= {f"src/{name}.c": "int fly(void) { return 0; }\n" for name in names}
    inputs, _ = read(write_tree(tmp_path / "heron", {"Makefile": "all:\n", **files}))
    found = {each.path for each in inputs.records["docs"]}
    assert {"man/man8/heron.8.in", "man/man5/nest.5", "man/man8/bird7.8"} <= found
    assert not any(each.id.startswith("man/") for each in inputs.records["code"])


def test_man_pages_in_scdoc_are_a_manual(tmp_path: Path) -> None:
    files = {
        "meson.build": "project('heron', 'c')\n",
        "src/heron.c": "int fly(void) { return 0; }\n",
        "src/heron.1.scd": "heron(1)\n\n# NAME\n\nheron - a bird\n",
        "synth/tone.scd": 'SynthDef("tone", { Out.ar(0, SinOsc.ar(440)) }).add;\n',
    }
    inputs, _ = read(write_tree(tmp_path / "heron", files))
    assert {each.path: each.title for each in inputs.records["man"]} == {
        "src/heron.1.scd": "heron(1)"
    }
    assert "src/heron.1.scd" not in {each.path for each in inputs.records["code"]}


@pytest.mark.parametrize(
    "log",
    [
        "# 0.5 (Beta)\n\nNew.\n\n# 0.4\n\nOld.\n",
        "# [Unreleased]\n\nNew.\n\n## v0.4\n\nOld.\n\n## v0.3\n\nOlder.\n",
    ],
)
def test_a_log_of_changes_of_a_site_is_called_as_its_navigation_has_it(
    tmp_path: Path, log: str
) -> None:
    files = {
        "mkdocs.yml": "site_name: Heron\nnav:\n  - index.md\n  - What is new: changelog.md\n",
        "docs/index.md": page("Heron"),
        "docs/changelog.md": log,
    }
    inputs, _ = read(write_tree(tmp_path / "heron", files))
    assert titles(inputs.records["docs"])["changelog.md"] == "What is new"


def test_pages_in_rdoc_are_documentation(tmp_path: Path) -> None:
    files = {
        "heron.gemspec": CODE,
        "lib/heron.rb": CODE,
        "README.rdoc": "= Heron\n\nCounts +birds+.\n",
        "History.rdoc": "= 1.1\n\n* New\n\n= 1.0\n\n* Old\n",
        "doc/usage.rdoc": "= Usage\n\n  heron count\n",
    }
    inputs, _ = read(write_tree(tmp_path / "heron", files))
    assert titles(inputs.records["docs"]) == {"usage.rdoc": "Usage"}
    assert titles(inputs.records["readme"]) == {"README.rdoc": "Heron", "History.rdoc": "History"}


def test_comments_of_doxygen_in_files_of_their_own_are_documentation(tmp_path: Path) -> None:
    files = {
        "CMakeLists.txt": CODE,
        "src/heron.cpp": CODE,
        "mainpage.dox": "/** \\mainpage The herons\n * They count.\n */\n",
        "doc/nests.dox": "/** \\page nests All nests\n * Of twigs.\n */\n",
    }
    inputs, _ = read(write_tree(tmp_path / "heron", files))
    assert titles(inputs.records["docs"]) == {"nests.dox": "All nests"}
    assert titles(inputs.records["readme"]) == {"mainpage.dox": "The herons"}


def test_a_link_out_of_a_folder_of_pages_does_not_stop_a_build(tmp_path: Path) -> None:
    write_tree(tmp_path / "modules", {"b.md": page("Eggs")})
    root = write_tree(tmp_path / "tree", {"a.md": page("Nests")})
    (root / "modules").symlink_to(tmp_path / "modules")
    inputs, diagnostics = read(root)
    assert [each.path for each in inputs.records["docs"]] == ["a.md"]
    assert "path-outside" in {each.code for each in diagnostics.warnings}


@pytest.mark.parametrize("manifest", ["Cask", "Eask", "Eldev"])
def test_a_package_of_emacs_lisp_is_a_project_although_its_tests_hold_pages(
    tmp_path: Path, manifest: str
) -> None:
    files = {f"tests/notes/bird-{number}.org": "* Bird\n\nIt flies.\n" for number in range(9)}
    files |= {manifest: "", "heron.el": "(defun fly ())\n", "doc/heron.org": "* Manual\n\nFly.\n"}
    inputs, _ = read(write_tree(tmp_path / "heron", files))
    assert titles(inputs.records["docs"]) == {"heron.org": "Manual"}


def test_a_page_of_html_that_is_the_manual_of_a_project_is_read(tmp_path: Path) -> None:
    sections = "".join(f"<h2 id='n{at}'>Nest {at}</h2><p>{'An egg. ' * 20}</p>" for at in range(4))
    files = {"README.md": page("Heron"), "package.json": '{"name": "heron"}', "heron.js": "egg()\n"}
    start = "<body><div id='app'></div><script>egg()</script></body>"
    root = write_tree(tmp_path / "heron", {**files, "index.html": start * 20})
    assert "manual" not in [each.name for each in recognised(root).project.collections]
    write_tree(root, {"index.html": f"<title>Heron</title><h1>Heron</h1>{sections}"})
    inputs, _ = read(root)
    assert "Heron" in [each.title for each in inputs.records["manual"]]
    write_tree(root, {"mkdocs.yml": "site_name: Heron\n", "docs/a.md": page("A")})
    assert "manual" not in [each.name for each in recognised(root).project.collections]


def test_documents_that_jekyll_copies_are_pages(tmp_path: Path) -> None:
    head = "<!DOCTYPE html>\n<html><body><h1>{0}</h1>\n<p>{0} is old.</p>"
    document = f"{head}<h2>Eggs</h2>\n<p>Blue.</p><h2>Nests</h2>\n<p>High.</p></body></html>\n"
    files = {
        "docs/_config.yml": "theme: minima\nexclude: [draft.html]\n",
        "docs/index.md": page("Heron"),
        **{f"docs/source/{name}.md": page(name) for name in ("guide", "eggs", "nests")},
        "docs/functions.html": document.format("Functions"),
        "docs/guide.html": document.format("Guide"),  # what guide.md was rendered to
        "docs/draft.html": document.format("Draft"),
        "docs/part.html": "<p>Shown by others.</p>\n",
        "docs/try.html": f"{head}</body></html>\n".format("Try"),
        "docs/api/all.html": document.format("All"),
        "docs/js/third_party/nest/README.md": page("Nest"),
    }
    records = read(write_tree(tmp_path / "heron", files))[0].records
    assert [*records] == ["docs", "pages"]
    assert {record.id.rpartition("/")[0] for record in records["docs"]} == {"", "source"}
    assert {record.title for record in records["pages"]} == {"heron", "Functions"}


def test_documents_that_jekyll_copies_change_no_name_of_another_site(tmp_path: Path) -> None:
    headings = "".join(f"<h2>{name}</h2>\n<p>{name}.</p>\n" for name in ("Eggs", "Nests", "Food"))
    for name in ("docs", "site"):
        files = {
            "_config.yml": "theme: minima\n",
            "index.md": page(name),
            "all.html": f"<!DOCTYPE html>\n<html><body>{headings}</body></html>\n",
        }
        write_tree(tmp_path / name, files)
    write_tree(tmp_path, {"pyproject.toml": '[project]\nname = "heron"\n'})
    names = [each.name for each in recognised(tmp_path).project.collections]
    assert names == ["docs", "docs-2", "pages", "pages-2", "code"]


@pytest.mark.parametrize(("programs", "is_read"), [(3, True), (9, False)])
def test_the_pages_of_a_website_are_documentation_beside_fewer_notes(
    tmp_path: Path, programs: int, is_read: bool
) -> None:
    """Its generator is a program of its own, as the parser or the language is what the project makes."""
    files = {
        "go.mod": "module birds\n",
        "birds.go": "package birds\n",
        "docs/building.md": page("Building"),
        **{f"website/learn/{number}.md": page(f"Lesson {number}") for number in range(5)},
        **{f"website/cmd/{number}.go": "package main\n" for number in range(programs)},
    }
    docs, *_, code = recognised(write_tree(tmp_path / "birds", files)).project.collections
    assert docs.paths == (("docs", "website") if is_read else ("docs",))
    assert code.kind == "code"
