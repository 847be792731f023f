"""Folders of source with pages among it, by their manifests and by what most of their files are."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import page, read, recognised, write_tree

from kbc.recognition import code as code_of_repositories

CODE = "x = 1\n"


@pytest.mark.parametrize(
    ("manifest", "source"),
    [
        ("heron.cabal", "src/Heron.hs"),
        ("heron-1.0-1.rockspec", "src/heron.lua"),
        ("deps.edn", "src/heron.clj"),
        ("rebar.config", "src/heron.erl"),
        ("NAMESPACE", "R/heron.R"),
        ("main.tf", "modules/nest/main.tf"),
        ("build.zig", "src/heron.zig"),
    ],
)
def test_source_of_any_language_beside_a_few_pages_is_read(
    tmp_path: Path, manifest: str, source: str
) -> None:
    pages = {f"{name}.md": page(name) for name in ("README", "TUTORIAL", "INSTALL", "DESIGN")}
    tree = write_tree(tmp_path / "heron", {manifest: "", source: "heron = 1\n", **pages})
    assert recognised(tree).what == "repository"
    records = read(tree)[0].records
    assert source in {record.id for record in records["code"]}
    assert {record.id for record in records["readme"]} == set(pages)


def test_a_module_with_a_site_of_its_own_is_read_with_its_source(tmp_path: Path) -> None:
    site = {"mkdocs.yml": "site_name: Heron\n", "docs/index.md": page("Heron")}
    tree = write_tree(tmp_path / "heron", {"main.tf": 'variable "nest" {}\n', **site})
    records = read(tree)[0].records
    assert [record.id for record in records["docs"]] == ["index.md"]
    assert "main.tf" in [record.id for record in records["code"]]


def test_mostly_programs_without_a_manifest_are_source_whatever_pages_are_among_them(
    tmp_path: Path,
) -> None:
    programs = {f"src/bird{n}.c": f"int bird{n}(void);\n" for n in range(10)}
    pages = {f"deps/nest/{name}.md": page(name) for name in ("usage", "design", "guide")}
    tree = write_tree(tmp_path / "heron", {"Makefile": "all:\n\tcc\n", **programs, **pages})
    assert recognised(tree).what == "source tree"
    (tree / "src" / "bird9.c").unlink()
    assert recognised(tree).what == "folder of pages"


def test_programs_in_languages_without_a_grammar_are_source(tmp_path: Path) -> None:
    models = {f"models/bird{n}.als": f"sig Bird{n} {{}}\n" for n in range(4)}
    tree = write_tree(tmp_path / "heron", {"README.md": page("Heron"), **models})
    assert recognised(tree).what == "source tree"
    assert "models/bird0.als" in [record.id for record in read(tree)[0].records["code"]]


def test_examples_tell_in_what_language_a_tree_is_written(tmp_path: Path) -> None:
    site = {"docs/_config.yml": "theme: minima\n", "docs/index.md": page("Heron")}
    samples = {f"samples/bird{n}.heron": f"hatch {n}\n" for n in range(4)}
    printed = {f"samples/bird{n}.heron.printed": f"{n}\n" for n in range(9)}
    pictures = {f"samples/bird{n}.nest": "\0" for n in range(9)}
    files = {**site, **samples, **printed, **pictures, "lib/nest.heron": "nest\n"}
    tree = write_tree(tmp_path / "heron", files)
    records = {name: [each.id for each in held] for name, held in read(tree)[0].records.items()}
    assert records["docs"] == ["index.md"]
    assert {"samples/bird0.heron", "lib/nest.heron"} <= {*records["code"]}
    for name in samples:
        (tree / name).rename(tree / name.replace("samples", "lib"))
    assert [*read(tree)[0].records] == ["docs"]


def test_programs_in_a_language_of_their_own_are_read_beside_pages(tmp_path: Path) -> None:
    samples = {f"examples/bird{n}.heron": f"hatch {n}\n" for n in range(3)}
    pages = {f"{name}.md": page(name) for name in ("usage", "design", "guide", "nests")}
    tree = write_tree(tmp_path / "heron", {**samples, **pages})
    assert [record.id for record in read(tree)[0].records["code"]] == [*samples]
    (tree / "examples" / "bird2.heron").unlink()
    assert [*read(tree)[0].records] == ["docs"]


def test_what_is_large_or_outside_of_a_tree_is_not_read_to_tell_its_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = {f"examples/bird{n}.heron": f"hatch {n}\n" for n in range(3)}
    tree = write_tree(tmp_path / "heron", samples)
    assert code_of_repositories.ProgramFiles(tree, [*samples]).own_endings == {"heron"}
    (tree / "examples" / "bird0.heron").rename(tmp_path / "outside")
    (tree / "examples" / "bird0.heron").symlink_to(tmp_path / "outside")
    assert not code_of_repositories.ProgramFiles(tree, [*samples]).own_endings
    monkeypatch.setattr(code_of_repositories, "MAX_FILE_BYTES", 5)
    monkeypatch.setattr(Path, "read_bytes", lambda path: pytest.fail(f"{path} was read"))
    (tree / "examples" / "bird0.heron").unlink()
    write_tree(tree, {"examples/bird0.heron": samples["examples/bird0.heron"]})
    assert not code_of_repositories.ProgramFiles(tree, [*samples]).own_endings


def test_pages_that_tests_expect_are_no_documentation(tmp_path: Path) -> None:
    snapshots = {f"tests/testthat/_snaps/bird{n}.md": page(f"bird{n}") for n in range(25)}
    tree = write_tree(
        tmp_path / "heron", {"NAMESPACE": "", "R/heron.R": "heron <- 1\n", **snapshots}
    )
    assert list(read(tree)[0].records) == ["code"]


def test_features_of_gherkin_are_tests(tmp_path: Path) -> None:
    feature = "Feature: Nest {0}\n  Scenario: Built in {0}\n    When a heron builds\n    Then it is there\n"
    files = {
        "package.json": '{"name": "heron"}',
        "src/heron.js": "export const heron = 1;\n",
        "examples/features/other.feature": feature.format(0),
        "test/features/steps.js": "When('a heron builds', build);\n",
        **{f"test/features/nest/{n}.feature": feature.format(n) for n in range(1, 4)},
    }
    root = write_tree(tmp_path / "heron", files)
    records = read(root)[0].records
    assert [record.id for record in records["features"]] == [
        f"{n}: Built in {n}" for n in range(1, 4)
    ]
    code = [record.id for record in records["code"]]
    assert "test/features/steps.js" in code
    assert [name for name in code if name.endswith(".feature")] == [
        "examples/features/other.feature"
    ]
    (root / "test/features/nest/1.feature").write_text("Feature: Nest\n  Scenario Outl")
    assert [record.id for record in read(root)[0].records["features"]] == [
        f"{n}: Built in {n}" for n in (2, 3)
    ]
    (root / "test/features/nest/1.feature").unlink()
    assert [each.name for each in recognised(root).project.collections] == ["code"]


def test_a_folder_of_features_inside_another_is_read_once(tmp_path: Path) -> None:
    feature = "Feature: Nest {0}\n  Scenario: Built in {0}\n    When a heron builds\n"
    names = [f"core/{place}/{n}.feature" for place in ("a", "b/features", "c") for n in range(1, 4)]
    files = {name: feature.format(name) for name in names}
    root = write_tree(tmp_path / "heron", {"package.json": "{}", "b.js": "let a = 1;\n", **files})
    found = {each.name: each.paths for each in recognised(root).project.collections}
    assert found["features"] == ("core",)
    assert len(read(root)[0].records["features"]) == 9


def test_folders_of_dependencies_hold_no_documentation(tmp_path: Path) -> None:
    places = ("bower_components", "site-packages", "third_party", "web_modules")
    files = {f"app/{p}/heron/docs/{n}.md": page(f"Heron {n}") for p in places for n in range(25)}
    files |= {"package.json": "{}", "README.md": page("App"), "app.js": "let a = 1;\n"}
    found = recognised(write_tree(tmp_path / "app", files)).project.collections
    assert [each.name for each in found] == ["readme", "code"]


def test_requests_of_bruno_are_tests(tmp_path: Path) -> None:
    request = "meta {{\n  name: Pump {0}\n}}\n\nget {{\n  url: /pumps/{0}\n}}\n"
    files = {f"api/pumps/{n}.bru": request.format(n) for n in range(3)}
    others = {"api/environments/Local.bru": "vars {\n  host: x\n}\n", "app.js": "let a = 1;\n"}
    root = write_tree(tmp_path / "heron", {"package.json": "{}", **files, **others})
    inputs, diagnostics = read(root)
    assert [record.id for record in inputs.records["requests"]] == [
        f"api/pumps/Pump {n}" for n in range(3)
    ]
    assert not {record.id for record in inputs.records["code"]} & files.keys()
    assert not [each for each in diagnostics if each.code.startswith("tests-")]


def _suite(name: str) -> str:
    return f"*** Test Cases ***\n{name} Is Built\n    Build    {name}\n"


def test_suites_of_robot_framework_are_tests_and_their_keywords_are_code(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": "[project]\nname = 'heron'\n",
        "atest/keywords.robot": "*** Keywords ***\nBuild\n    Log    built\n",
        **{f"atest/nests/{name}.robot": _suite(name) for name in ("reed", "twig")},
        "atest/nests/deep/keywords.robot": "*** Keywords ***\nDig\n    Log    dug\n",
        "atest/nests/deep/hole.robot": _suite("hole"),
        "atest/testdata/other.robot": _suite("other"),
        "docs/one.robot": _suite("one"),
    }
    built, diagnostics = read(write_tree(tmp_path / "heron", files))
    assert [record.id for record in built.records["suites"]] == [
        "Hole::hole Is Built",
        "Reed::reed Is Built",
        "Twig::twig Is Built",
    ]
    code = {record.id for record in built.records["code"]}
    assert {each for each in files if each.endswith(".robot") and each not in code} == {
        *("atest/nests/reed.robot", "atest/nests/twig.robot", "atest/nests/deep/hole.robot")
    }
    assert not [each for each in diagnostics if each.code == "tests-none"]


def test_features_are_tests_in_any_folder_and_beside_pages_alone(tmp_path: Path) -> None:
    feature = "Feature: Nest {0}\n  Scenario: Built in {0}\n    When a heron builds\n    Then it is there\n"
    files = {f"Specs/Features/{n}.feature": feature.format(n) for n in range(1, 4)}
    files |= {f"{name}.robot": _suite(name) for name in ("reed", "twig", "hole")}
    found = recognised(write_tree(tmp_path / "heron", {"README.md": page("Heron"), **files}))
    assert [(each.name, each.paths) for each in found.project.collections] == [
        ("docs", (".",)),
        ("features", ("Specs/Features",)),
        ("suites", ("hole.robot", "reed.robot", "twig.robot")),
    ]


def test_html_among_more_source_is_no_built_site(tmp_path: Path) -> None:
    templates = {f"src/view{n}/view.html": "<h1>{{ title }}</h1>\n" for n in range(3)}
    programs = {f"src/view{n}/part{m}.go": "package view\n" for n in range(3) for m in range(5)}
    tree = write_tree(tmp_path / "heron", {"README.md": page("Heron"), **templates, **programs})
    records = read(tree)[0].records
    assert {name: len(each) for name, each in records.items()} == {"readme": 1, "code": 18}
    scripts = {f"assets/{n}.js": "let a = 1;\n" for n in range(20)}
    site = {f"{name}.html": f"<h1>{name}</h1><p>Of herons</p>\n" for name in ("nest", "reed")}
    assert recognised(write_tree(tmp_path / "site", {**site, **scripts})).what == "built site"


@pytest.mark.parametrize(
    ("parts", "name"), [(["reeds"], "the-reeds"), (["reeds", "water"], "pond")]
)
def test_a_repository_is_called_as_its_only_site(
    tmp_path: Path, parts: list[str], name: str
) -> None:
    files = {f"{part}/docs/index.md": page(part) for part in parts}
    files |= {f"{part}/mkdocs.yml": f"site_name: The {part}\n" for part in parts}
    files["CMakeLists.txt"] = "project(pond)\n"
    project = recognised(write_tree(tmp_path / "pond", files)).project
    assert (project.name, project.title) == (name, "The reeds" if len(parts) == 1 else name)


def test_much_code_is_left_out_only_beside_documentation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_of_repositories, "MAX_CODE_FILES", 3)
    code = {f"src/{name}.ts": CODE for name in "abcde"} | {"tests/one.ts": CODE}
    files = {"package.json": '{"name": "heron"}', "README.md": page("Heron"), **code}
    root = write_tree(tmp_path / "heron", files)
    inputs, _ = read(root)
    assert {each.id for each in inputs.records["code"]} == {*files} - {"README.md", "tests/one.ts"}
    assert recognised(root).notes == ("tests are left out: they would be too much code",)
    write_tree(root, {"docs/start.md": page("Start")})
    assert [each.name for each in recognised(root).project.collections] == ["docs", "readme"]
    (note,) = recognised(root).notes
    assert note.startswith("code is left out: more than 3 files or 40 MB")


@pytest.mark.parametrize(("own", "note"), [(2, "tests and `lib/` are"), (1, "code is")])
def test_the_largest_folder_of_much_code_is_left_out_before_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: int, note: str
) -> None:
    monkeypatch.setattr(code_of_repositories, "MAX_CODE_FILES", 4)
    files = {
        "docs/index.md": page("Heron"),
        "package.json": '{"name": "heron"}',
        "tests/a.ts": CODE,
    }
    files |= {f"lib/{name}.ts": CODE for name in "abcdefgh"}
    files |= {f"src/{name}.ts": CODE for name in "ab"[:own]}
    root = write_tree(tmp_path / "heron", files)
    inputs, _ = read(root)
    found = {each.id for each in inputs.records.get("code", ())} - {"package.json"}
    assert found == ({"src/a.ts", "src/b.ts"} if own == 2 else set())
    (said,) = recognised(root).notes
    assert said.startswith(f"{note} left out: ")


def test_of_much_code_the_folder_with_the_fewest_files_that_is_enough_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_of_repositories, "MAX_CODE_BYTES", 250)
    code = {f"src/{name}.ts": CODE * 8 for name in "abc"} | {"tools/a.ts": CODE}
    code |= {f"examples/{name}.ts": CODE * 3 for name in "abcd"} | {"demos/a.ts": CODE * 14}
    files = {"package.json": "{}", "docs/start.md": page("Start"), **code}
    inputs, _ = read(root := write_tree(tmp_path / "heron", files))
    folders = {each.id.partition("/")[0] for each in inputs.records["code"]}
    assert folders == {"package.json", "src", "examples", "tools"}
    assert recognised(root).notes[0].startswith("tests and `demos/` are left out")


def test_tests_that_are_called_as_such_are_left_out_before_all_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_of_repositories, "MAX_CODE_FILES", 2)
    folders = ("src", "integration-tests", "it_test", "e2e", "testfiles-x")
    code = {f"{folder}/a.ts": CODE for folder in folders}
    files = {"package.json": '{"name": "heron"}', "docs/start.md": page("Start"), **code}
    inputs, _ = read(write_tree(tmp_path / "heron", files))
    assert {each.id for each in inputs.records["code"]} == {"package.json", "src/a.ts"}
