"""Where a project without a site has its documentation."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import page, read, recognised, titles, write_tree

CODE = "x = 1\n"


@pytest.mark.parametrize(
    ("manifest", "source"),
    [
        ("NAMESPACE", "R/bird.R"),
        ("Project.toml", "src/Bird.jl"),
        ("heron.cabal", "src/Bird.hs"),
        ("dune-project", "src/bird.ml"),
        ("heron-1.0-1.rockspec", "heron/bird.lua"),
        ("cpanfile", "lib/Bird.pm"),
        ("pubspec.yaml", "lib/bird.dart"),
        ("Eask", "heron.el"),
        ("typst.toml", "src/bird.typ"),
    ],
)
def test_the_source_of_a_project_in_any_language_is_read(
    tmp_path: Path, manifest: str, source: str
) -> None:
    files = {manifest: "heron\n", source: CODE, "docs/start.md": page("Start")}
    inputs, _ = read(write_tree(tmp_path / "heron", files | {"README.md": page("Heron")}))
    assert titles(inputs.records["docs"]) == {"start.md": "Start"}
    assert source in [each.id for each in inputs.records["code"]]


def test_the_pages_of_a_project_in_julia_are_no_project(tmp_path: Path) -> None:
    files = {"Project.toml": "[deps]\n", "make.jl": CODE, "src/index.md": page("Heron")}
    inputs, _ = read(write_tree(tmp_path / "docs", files))
    assert titles(inputs.records["docs"]) == {"src/index.md": "Heron"}


def test_a_folder_of_documentation_beside_more_source_makes_a_project(tmp_path: Path) -> None:
    files = {
        "Makefile": "all:\n",
        "LICENSE.md": page("Licence"),
        "docs/manual.org": "* Manual\n\nFly.\n",
        **{f"lisp/heron-{number}.el": "(defun fly ())\n" for number in range(3)},
    }
    root = write_tree(tmp_path / "heron", files)
    assert recognised(root).what == "source tree"
    assert [each.paths for each in recognised(root).project.collections] == [("docs",), (".",)]
    write_tree(root, {f"docs/part-{number}.md": page(f"Part {number}") for number in range(3)})
    assert recognised(root).what == "folder of pages"


def test_a_folder_of_documentation_without_pages_is_source(tmp_path: Path) -> None:
    files = {"setup.py": "", "docs/build.py": CODE, "README.md": page("Heron")}
    root = write_tree(tmp_path / "heron", files)
    assert [each.name for each in recognised(root).project.collections] == ["readme", "code"]


def test_html_in_the_folder_of_documentation_is_pages(tmp_path: Path) -> None:
    html = "<html><body><h1>{0}</h1><p>About {0}.</p></body></html>"
    files = {
        "setup.py": "",
        "heron.py": CODE,
        **{f"docs/{name}.html": html.format(name) for name in ("birds", "eggs", "nests")},
    }
    root = write_tree(tmp_path / "heron", files)
    inputs, diagnostics = read(root)
    assert {"birds", "eggs", "nests"} < {each.title for each in inputs.records["pages"]}
    assert "heron.py" in [each.id for each in inputs.records["code"]]
    assert not [each for each in diagnostics if each.code == "collection-path-empty"]
    write_tree(root, {"docs_topics/start.md": page("Start")})
    inputs, _ = read(root)
    assert titles(inputs.records["docs"]) == {"start.md": "Start"}
    assert {"birds", "eggs", "nests"} < {each.title for each in inputs.records["pages"]}


def test_a_set_of_pages_with_a_long_title_is_called_as_its_folder(tmp_path: Path) -> None:
    title = "Heron: a general-purpose system for the observation of birds"
    html = (
        f"<html><head><title>{title}</title></head><body><h1>{{0}}</h1><p>{{0}}.</p></body></html>"
    )
    files = {f"{name}.html": html.format(name) for name in ("birds", "index", "nests")}
    inputs, _ = read(write_tree(tmp_path / "heron", files))
    assert {each.id.partition("/")[0] for each in inputs.records["pages"]} == {"heron"}
    assert inputs.project.name == "heron"


def test_several_folders_of_documentation_are_read(tmp_path: Path) -> None:
    files = {
        "Package.swift": "",
        "docs/start.md": page("Start"),
        "guides/flying.md": page("Flying"),
        "Sources/Heron/Heron.docc/Nests.md": page("Nests"),
        "Sources/Heron/Nest.swift": "struct Nest {}\n",
        "Tests/Heron.docc/Data.md": page("Data"),
        "src/site/markdown/eggs.md": page("Eggs"),
    }
    inputs, _ = read(write_tree(tmp_path / "heron", files))
    titles_found = sorted(each.title for each in inputs.records["docs"])
    assert titles_found == ["Eggs", "Flying", "Nests", "Start"]


def test_pages_that_sbt_checks_are_documentation_with_those_above_a_folder_called_docs(
    tmp_path: Path,
) -> None:
    start = "modules/docs/src/main/mdoc"
    pages = {f"{start}/{name}.md": page(name) for name in ("index", "moving", "docs/a", "docs/b")}
    files = {"build.sbt": "", "src/main/scala/A.scala": "object A\n", **pages}
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert {each.id for each in inputs.records["docs"]} == {
        "index.md",
        "moving.md",
        "docs/a.md",
        "docs/b.md",
    }


def test_pages_in_the_source_of_middleman_are_documentation(tmp_path: Path) -> None:
    files = {
        "Gemfile": "",
        "config.rb": "set :a, 1\n",
        "lib/a.rb": "A = 1\n",
        "source/index.html.md": "---\ntitle: API\n---\n\n# Birds\n\nAll.\n",
        "source/includes/_errors.md": page("Errors"),
    }
    project = recognised(write_tree(tmp_path / "heron", files)).project
    assert [each.paths for each in project.collections if each.name == "docs"] == [("source",)]


@pytest.mark.parametrize(
    ("own", "count", "is_read"), [(2, 25, True), (2, 10, False), (24, 30, False)]
)
def test_a_small_folder_of_documentation_does_not_hide_a_larger_one_of_a_part(
    tmp_path: Path, own: int, count: int, is_read: bool
) -> None:
    files = {f"markdown/docs/bird-{number}.md": page(f"Bird {number}") for number in range(count)}
    files |= {f"docs/how-{number}.md": page(f"How {number}") for number in range(own)}
    files |= {"package.json": "{}", "a.ts": CODE}
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    found = {each.path for each in inputs.records["docs"]}
    assert "docs/how-1.md" in found
    assert ("markdown/docs/bird-3.md" in found) == is_read


@pytest.mark.parametrize(("count", "is_read"), [(101, True), (99, False)])
def test_folders_of_pages_alone_with_far_more_than_the_documentation_are_read_as_well(
    tmp_path: Path, count: int, is_read: bool
) -> None:
    files = {f"commands/bird-{number}.md": page(f"Bird {number}") for number in range(count)}
    files |= {f"guides/how-{number}.md": page(f"How {number}") for number in range(20)}
    files |= {"composer.json": "{}", "bin/a.php": "<?php\n"}
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    found = {each.path for each in inputs.records["docs"]}
    assert "guides/how-1.md" in found
    assert ("commands/bird-3.md" in found) == is_read


def test_a_larger_folder_of_a_part_is_read_as_the_site_that_it_is(tmp_path: Path) -> None:
    files = {f"part/docs/source/bird-{number}.rst": "Bird\n====\n\nText.\n" for number in range(25)}
    files |= {"part/docs/source/conf.py": "project = 'Birds'\nextensions = []\n"}
    files |= {"part/docs/_templates/bird.rst": "{{ name }}\n====\n"}
    files |= {"mkdocs.yml": "site_name: Herons\n", "docs/index.md": page("Start")}
    files |= {"pyproject.toml": "[project]\nname = 'herons'\n"}
    found = recognised(write_tree(tmp_path / "tree", files)).project.collections
    assert [(each.paths, each.generator) for each in found if each.name.startswith("docs")] == [
        (("docs",), "mkdocs"),
        (("part/docs/source",), "sphinx"),
    ]


def test_a_folder_beside_documentation_with_a_readme_alone_does_not_hide_it(tmp_path: Path) -> None:
    files = {"CMakeLists.txt": "", "docs-other/README.md": page("Others"), "tools/build.py": CODE}
    root = write_tree(
        tmp_path / "heron", files | {f"src/{n}.md": page(f"Part {n}") for n in range(20)}
    )
    assert recognised(root).project.collections[0].paths == ("src",)


def test_examples_for_documentation_are_no_documentation(tmp_path: Path) -> None:
    files = {f"src/main/docs/guide/bird-{number}.adoc": "= Bird\n\nText.\n" for number in range(30)}
    files |= {"build.gradle": "", "doc-examples/a/A.java": "class A {}\n"}
    files["doc-examples/a/logback.xml"] = "<configuration/>\n"
    root = write_tree(tmp_path / "tree", files)
    assert recognised(root).project.collections[0].paths == ("src/main/docs/guide",)


def test_pages_among_tests_are_data(tmp_path: Path) -> None:
    data = {f"tests/testthat/_snaps/{number}.md": page(f"{number}") for number in range(25)}
    files = {"NAMESPACE": "", "R/bird.R": CODE, "vignettes/start.Rmd": page("Start")}
    root = write_tree(tmp_path / "heron", files | data)
    inputs, _ = read(root)
    assert titles(inputs.records["docs"]) == {"start.Rmd": "Start"}
    (root / "vignettes/start.Rmd").unlink()
    assert [each.name for each in recognised(root).project.collections] == ["code"]


def test_a_readme_that_is_rendered_to_another_is_read_once(tmp_path: Path) -> None:
    files = {"README.Rmd": page("Heron"), "README.md": page("Heron"), "NEWS.md": page("News")}
    inputs, _ = read(write_tree(tmp_path / "heron", files | {"NAMESPACE": "", "R/bird.R": CODE}))
    assert [each.id for each in inputs.records["readme"]] == ["NEWS.md", "README.md"]


def test_guides_at_the_top_are_beside_the_readme_but_not_what_only_its_makers_need(
    tmp_path: Path,
) -> None:
    guides = {"UPGRADE.md": page("Upgrades"), "ADVANCED.md": page("Scripts")}
    others = "AGENTS LICENSE-MIT code-of-conduct RELEASE api.api AI_POLICY CONDUCT CLA ANTITRUST"
    others += " RELEASE-CHECKLIST cran-comments"
    programs = dict.fromkeys(("a.php", "b.php", "c.php"), "<?php\n")
    files = {"composer.json": "{}", **programs, **guides}
    root = write_tree(tmp_path, files | {f"{name}.md": "# A\n" for name in others.split()})
    assert titles(read(root)[0].records["readme"]) == {
        "UPGRADE.md": "Upgrades",
        "ADVANCED.md": "Scripts",
    }


def test_a_readme_with_a_logo_for_a_heading_is_called_as_the_project(tmp_path: Path) -> None:
    logo = '<p align="center"><img src="logo.svg" alt="Build"></p>\n\nCounts birds.\n'
    files = {"package.json": '{"name": "heron"}', "a.js": CODE, "docs/a.md": page("A")}
    root = write_tree(tmp_path / "tree", {"README.md": logo, **files})
    assert titles(read(root)[0].records["readme"]) == {"README.md": "heron"}
    write_tree(root, {"README.md": f"{logo}\n# Herons\n"})
    assert titles(read(root)[0].records["readme"]) == {"README.md": "Herons"}


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("README.md", "<h1><img src='a.svg'></h1>\n\n# Features\n\nFast.\n\n# Usage\n", "heron"),
        ("README.md", "# News\n\nNew.\n\n# The Heron project\n\nCounts.\n", "The Heron project"),
        ("README.md", "# Heron\n\nCounts.\n\n# Usage\n", "Heron"),
        ("README.md", "# A\n\nFast.\n\n# B\n\nB.\n\n# Heron for teams\n\nC.\n", "heron"),
        ("README.md", "# Features\n\nFast.\n\n## Usage\n", "Features"),
        ("CHANGELOG.md", "# 2.1.0\n\nNew.\n\n# 2.0.0\n", "CHANGELOG"),
        ("CHANGELOG.md", "# main\n\nNew.\n\n# 2.0.0\n", "CHANGELOG"),
        ("CHANGELOG.md", "## 2.0.0\n\n### New\n\nAll.\n\n# Chores\n\nDone.\n", "CHANGELOG"),
        ("CHANGELOG.md", "Change Log\n==========\n\n## 2.0.0\n\nAll.\n", "Change Log"),
        ("NEWS.md", "# heron (development version)\n\nNew.\n\n# heron 2.0.0\n", "NEWS"),
        (
            "CHANGELOG.md",
            "# @nest/heron\n\n## 2.1.0\n\n### Minor\n\n## 2.0.0\n",
            "@nest/heron CHANGELOG",
        ),
        ("CHANGELOG.md", "# Heron\n\n## 2.1.0\n\n## Plans\n", "Heron"),
        ("CHANGELOG.md", "# Change Log\n\nNew.\n\n# 2.0.0\n", "Change Log"),
        ("CHANGELOG.md", "# Table of Contents\n\n* 2\n\n# Log for 2.0\n\nNew.\n", "CHANGELOG"),
    ],
)
def test_the_first_part_of_a_page_about_the_project_is_no_title(
    tmp_path: Path, name: str, text: str, title: str
) -> None:
    files = {"package.json": '{"name": "heron"}', "a.js": CODE, "docs/a.md": page("A")}
    root = write_tree(tmp_path / "tree", {name: text, **files})
    assert titles(read(root)[0].records["readme"]) == {name: title}


def test_pod_among_source_is_documentation(tmp_path: Path) -> None:
    files = {
        "Makefile.PL": CODE,
        "lib/Heron.pm": "package Heron;\n1;\n",
        "lib/Heron/Guide.pod": "=head1 NAME\n\nHeron::Guide - How to fly\n\n=head1 WINGS\n\nFlap.\n",
        "t/page.pod": "=head1 NAME\n\nData\n",
    }
    inputs, _ = read(write_tree(tmp_path / "heron", files))
    assert titles(inputs.records["docs"]) == {"lib/Heron/Guide.pod": "Heron::Guide - How to fly"}
    assert "lib/Heron.pm" in [each.id for each in inputs.records["code"]]


def test_pages_of_odoc_among_source_are_documentation(tmp_path: Path) -> None:
    page = "{0 Nests}\n\nText.\n"
    files = {
        "dune-project": CODE,
        "src/nest.ml": CODE,
        "src/index.mld": page,
        "test/page.mld": page,
    }
    inputs, _ = read(write_tree(tmp_path / "heron", files))
    assert titles(inputs.records["docs"]) == {"src/index.mld": "Nests"}


def test_modules_of_a_distribution_with_pod_are_documentation_and_code(tmp_path: Path) -> None:
    program = "package Heron::Nest;\n" + "sub build { 1 }\n" * 500
    files = {
        "Makefile.PL": CODE,
        "Heron.pm": "package Heron;\n1;\n\n=head1 NAME\n\nHeron - Flies\n\n=head1 WINGS\n\nTwo.\n",
        "lib/Heron/Nest.pm": f"{program}1;\n__END__\n\n=head1 SYNOPSIS\n\n  build;\n",
        "lib/Heron/Egg.pm": "package Heron::Egg;\n1;\n",
        "inc/Other.pm": "=head1 NAME\n\nOther - Is bundled\n",
        "doc/Draft.pm": "=head1 NAME\n\nDraft - Is beside pages\n\n=head1 USE\n\nNone.\n",
        "doc/start.md": page("Start"),
    }
    root = write_tree(tmp_path / "heron", files)
    inputs, _ = read(root)
    modules = {"Heron.pm": "Heron - Flies", "lib/Heron/Nest.pm": "Heron::Nest"}
    assert titles(inputs.records["modules"]) == modules
    assert {*modules, "doc/Draft.pm"} < {each.id for each in inputs.records["code"]}
    (root / "Makefile.PL").unlink()
    assert "modules" not in read(root)[0].records
    single = recognised(root / "Heron.pm").project.collections
    assert [each.name for each in single] == ["docs", "code"]


def test_a_folder_of_a_few_pages_and_no_program_is_documentation(tmp_path: Path) -> None:
    pages = {f"spec/{part}.md": page(part) for part in ("Syntax", "Types", "Errors")}
    files = {"package.json": '{"name": "heron"}', "build.js": CODE, "README.md": page("Heron")}
    root = write_tree(tmp_path / "heron", {**files, **pages, "notes/one.md": page("One")})
    inputs, _ = read(root)
    assert sorted(each.title for each in inputs.records["docs"]) == ["Errors", "Syntax", "Types"]
    assert "notes/one.md" in [each.id for each in inputs.records["code"]]
    write_tree(root, {"spec/heron_spec.rb": CODE})
    assert [each.name for each in recognised(root).project.collections] == ["readme", "code"]


def test_the_pages_beside_a_manifest_are_documentation_without_programs(tmp_path: Path) -> None:
    pages = {f"{name}.md": page(name.title()) for name in ("build", "input", "window")}
    root = write_tree(
        tmp_path / "heron", {"CMakeLists.txt": "", "SUPPORT.md": page("Support"), **pages}
    )
    assert recognised(root).project.collections[0].paths == ("SUPPORT.md", *pages)
    write_tree(root, {"heron.c": "int fly;\n"})
    readme, code = recognised(root).project.collections
    assert (readme.name, readme.paths, code.name) == ("readme", ("SUPPORT.md", *pages), "code")


@pytest.mark.parametrize("site", [{}, {"mkdocs.yml": "site_name: Heron\n"}])
def test_notebooks_beside_source_are_documentation(tmp_path: Path, site: dict[str, str]) -> None:
    notebook = '{{"cells": [{{"cell_type": "markdown", "source": "# {0}\\n\\nText."}}]}}'
    files = {
        "pyproject.toml": '[project]\nname = "heron"\n',
        "heron.py": CODE,
        "README.ipynb": notebook.format("Heron"),
        "docs/start.md": page("Start"),
        "docs/inside.ipynb": notebook.format("Inside"),
        "examples/nests/build.ipynb": notebook.format("Building nests"),
        "examples/nests/build.py": CODE,
        "tests/data.ipynb": notebook.format("Data"),
    }
    inputs, _ = read(write_tree(tmp_path / "heron", files | site))
    assert titles(inputs.records["notebooks"]) == {"examples/nests/build.ipynb": "Building nests"}
    assert titles(inputs.records["docs"]) == {"inside.ipynb": "Inside", "start.md": "Start"}
    assert "examples/nests/build.py" in [each.id for each in inputs.records["code"]]


def test_a_folder_with_nearly_all_pages_does_not_hide_another_with_many(tmp_path: Path) -> None:
    sizes = {"www/apps/reference": 200, "www/apps/book": 25, "www/apps/blog": 5, "tools": 10}
    files = {
        f"{folder}/{number}/page.mdx": page(f"{folder} {number}")
        for folder, size in sizes.items()
        for number in range(size)
    }
    root = write_tree(tmp_path / "heron", {"package.json": '{"name": "heron"}', **files})
    assert recognised(root).project.collections[0].paths == ("www/apps",)


def test_pages_that_all_packages_have_do_not_show_where_documentation_is(tmp_path: Path) -> None:
    files = {
        f"packages/site/src/routes/{name}/index.mdx": page(name) for name in map(str, range(30))
    }
    files |= {
        f"packages/p{number}/{name}.md": page(name)
        for number in range(10)
        for name in ("CHANGELOG", "LICENSE", f"p{number}.api")
    }
    root = write_tree(tmp_path / "heron", {"package.json": '{"name": "heron"}', **files})
    assert recognised(root).project.collections[0].paths == ("packages/site/src/routes",)


def test_licences_of_packages_make_no_documentation(tmp_path: Path) -> None:
    files = {"composer.json": '{"name": "heron/nest"}', "README.md": page("Heron")}
    for number in range(30):
        files |= {f"src/P{number}/LICENSE.md": page("Terms"), f"src/P{number}/a.php": "<?php\n"}
    files["src/P1/README.md"] = page("One")
    root = write_tree(tmp_path / "heron", files)
    assert [each.name for each in recognised(root).project.collections] == ["readme", "code"]


def test_the_manual_of_an_r_package_is_documentation(tmp_path: Path) -> None:
    files = {
        "DESCRIPTION": "Package: heron\n",
        "NAMESPACE": "export(fly)\n",
        "R/fly.R": "fly <- function() 1\n",
        "man/fly.Rd": "\\name{fly}\n\\title{Let it fly}\n\\description{Flaps.}\n",
        "man/macros/own.Rd": "\\newcommand{\\heron}{heron}\n",
        "man/rmd/part.Rmd": "A part of pages.\n",
        "vignettes/start.Rmd": page("Start"),
    }
    root = write_tree(tmp_path / "heron", files)
    inputs, diagnostics = read(root)
    assert titles(inputs.records["docs"]) == {
        "man/fly.Rd": "Let it fly",
        "vignettes/start.Rmd": "Start",
    }
    assert [each.id for each in inputs.records["code"] if each.id.startswith("man/")] == []
    assert [each.message for each in diagnostics if "man/" in each.path] == []


def test_rd_in_a_project_that_is_no_r_package_is_left_where_it_is(tmp_path: Path) -> None:
    files = {"setup.py": "", "man/fly.Rd": "\\name{fly}\n\\title{Fly}\n", "docs/a.md": page("A")}
    inputs, _ = read(write_tree(tmp_path / "heron", files))
    assert titles(inputs.records["docs"]) == {"a.md": "A"}


def test_man_pages_beside_source_are_documentation(tmp_path: Path) -> None:
    man = ".Dd May 1, 2026\n.Dt {0} 1\n.Os\n.Sh NAME\n.Nm {0}\n.Nd count birds\n"
    files = {
        "heron.c": "int main(void) { return 0; }\n",
        "heron.1": man.format("heron"),
        "egret/egret.1": man.format("egret"),
        "tests/crane.1": man.format("crane"),
        "docs/stork.1.md": page("stork"),
        "stork.1": man.format("stork"),
        "lib/libheron.so.1": "no man page",
        "configure.ac": "AC_INIT([heron])\n",
    }
    root = write_tree(tmp_path / "heron", files)
    inputs, _ = read(root)
    assert [each.id for each in inputs.records["man"]] == ["egret/egret.1", "heron.1"]
    assert not {each.path for each in inputs.records["code"]} & {"heron.1", "egret/egret.1"}
    write_tree(root, {f"docs/{number}.md": page(f"Chapter {number}") for number in range(20)})
    assert "man" not in read(root)[0].records


def test_man_pages_in_other_markup_beside_source_are_documentation(tmp_path: Path) -> None:
    files = {
        "heron.c": "int main(void) { return 0; }\n",
        "egret/egret.8.adoc": "//po4a: entry man manual\n= egret(8)\n\n== NAME\n\negret - count birds\n",
        "heron.1.md": "# heron(1) -- count birds\n\n## SYNOPSIS\n\nheron\n",
        "notes/release-1.2.md": "# Release (2)\n\nFaster.\n",
        "configure.ac": "AC_INIT([heron])\n",
    }
    inputs, _ = read(write_tree(tmp_path / "heron", files))
    assert titles(inputs.records["man"]) == {
        "egret/egret.8.adoc": "egret(8)",
        "heron.1.md": "heron(1) -- count birds",
    }


def test_a_folder_of_a_standard_may_have_a_test(tmp_path: Path) -> None:
    pages = {f"specs/part-{number}.md": page(f"Part {number}") for number in range(5)}
    files = {"package.json": "{}", "build.js": CODE, "notes/a.md": page("A"), **pages}
    root = write_tree(tmp_path / "heron", {**files, "specs/meta/schema.test.js": CODE})
    inputs, _ = read(root)
    assert sorted(each.title for each in inputs.records["docs"]) == [f"Part {n}" for n in range(5)]
    assert "specs/meta/schema.test.js" in [each.id for each in inputs.records["code"]]
