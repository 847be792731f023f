"""What of a source tree is indexed: ignore files, and what is left out whatever they say."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest
from tests.required import needs

from kbc.diagnostics import Diagnostics
from kbc.project.loading import load_project
from kbc.project.model import Collection, Project
from kbc.sources import source_tree
from kbc.sources.discovery import discover
from kbc.sources.ignore_files import IgnoreFile
from kbc.sources.source_tree import MAX_FILE_BYTES, SourceTree


def write(root: Path, *names: str, text: str = "x = 1\n") -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def selected(root: Path, *exclude: str) -> tuple[list[str], dict[str, int]]:
    """The paths that are taken, and how many were left out by reason."""
    tree = SourceTree(exclude)
    kept = [path for path in tree.walk(root) if tree.admits(path, path.read_bytes())]
    return [path.relative_to(root).as_posix() for path in kept], dict(tree.left_out)


def test_ignore_files_nest_and_the_deepest_decides(tmp_path: Path) -> None:
    write(tmp_path, "a.gen.py", "src/a.gen.py", "src/keep.gen.py", "src/tmp/b.py", "tmp/c.py")
    write(tmp_path, "src/deep/keep.gen.py", "src/only/x.py", "only/y.py")
    (tmp_path / ".gitignore").write_text("# generated\n*.gen.py\n/tmp/\n")
    (tmp_path / "src" / ".gitignore").write_text("!keep.gen.py\n/only\n")
    paths, left_out = selected(tmp_path)
    assert paths == ["only/y.py", "src/deep/keep.gen.py", "src/keep.gen.py", "src/tmp/b.py"]
    assert left_out == {
        source_tree.IGNORED: 4,  # two files, two folders
        source_tree.DATA: 2,  # the ignore files themselves
    }


def test_of_places_and_patterns_the_last_decides(tmp_path: Path) -> None:
    write(tmp_path, "a b/x.py", "a b/y.py", "c/x.py", "c/d/x.py", "e/x.py", "f/x.py")
    (tmp_path / ".gitignore").write_text("/c/x.py\n!x.py\n/a b/x.py\n/e/\n/c/d\n/f/x.py/\n")
    assert selected(tmp_path)[0] == ["a b/y.py", "c/x.py", "f/x.py"]


def test_the_places_of_many_files_are_left_out_in_linear_time() -> None:
    """As of a folder of pages, whose files have all the ending of data."""
    places = [f"pages/{number}/page.xml" for number in range(20_000)]
    started = time.process_time()
    ignore = IgnoreFile.of(0, [f"/{each}" for each in places])
    assert all(map(ignore.verdict, places))
    assert time.process_time() - started < 20


def test_contextignore_overrules_gitignore_of_the_same_folder(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "b.py", "fixtures/c.py")
    (tmp_path / ".gitignore").write_text("b.py\n")
    (tmp_path / ".contextignore").write_text("!b.py\nfixtures/\n")
    assert selected(tmp_path)[0] == ["a.py", "b.py"]


def test_a_file_in_an_ignored_folder_cannot_be_brought_back(tmp_path: Path) -> None:
    write(tmp_path, "out/a.py", "b.py")
    (tmp_path / ".gitignore").write_text("out/\n!out/a.py\n")
    assert selected(tmp_path)[0] == ["b.py"]


def test_lines_that_are_no_patterns_are_passed_over(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "b.py")
    (tmp_path / ".gitignore").write_bytes(b"\xef\xbb\xbfa.py\n!\n\\\n\xff\n")
    assert selected(tmp_path)[0] == ["b.py"]


@needs(shutil.which("git"), "compares with Git itself")
@pytest.mark.parametrize(
    "patterns",
    [
        "b/**/d.sh\n/doc\ne\\ f.py\n\\#x.py\n**/keep/*\nq/*/s\n\\[g].py\nb/a.*\n!b/a.py\n",
        "*\n!*/\n!*.py\n",
        "*\n!*.*\n!*/\nkeep/\n",
        "b/*\n!b/c/\nb/c/*\n!b/c/keep/\n",
        "b/**\n!b/**/\n!d.sh\n",
        "/*\n!/b\n!q/\n/q/r/*\n!/q/r/s\n",
    ],
)
def test_the_same_files_are_ignored_as_by_git(tmp_path: Path, patterns: str) -> None:
    names = ["a.py", "b/a.py", "b/c/a.py", "b/c/d.sh", "doc/x.md", "b/doc/y.md", "e f.py", "#x.py"]
    write(tmp_path, *names, "b/c/keep/z.py", "[g].py", "q/r/s/t.py", "q/r/u.py", "Makefile")
    (tmp_path / ".gitignore").write_text(patterns)
    git = ["git", "-c", "safe.directory=*", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    listed = subprocess.run(
        [*git, "ls-files", "-z", "--others", "--exclude-standard"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    expected = sorted(set(listed.split("\0")) - {"", ".gitignore"})
    assert sorted(selected(tmp_path)[0]) == expected


def test_patterns_of_kb_toml_exclude_further_files(tmp_path: Path) -> None:
    write(tmp_path, "src/a.py", "docs/b.py", "src/c.sql")
    assert selected(tmp_path, "docs/", "*.sql")[0] == ["src/a.py"]
    (tmp_path / "src" / ".gitignore").write_text("!**\n")  # brings back only what Git ignores
    assert "src/c.sql" not in selected(tmp_path, "docs/", "*.sql")[0]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (".git/config", source_tree.VERSION_CONTROL),
        (".hg/store.py", source_tree.VERSION_CONTROL),
        ("node_modules/x/index.js", source_tree.DEPENDENCY),
        ("vendor/lib.go", source_tree.DEPENDENCY),
        ("third_party/zlib/inflate.c", source_tree.DEPENDENCY),
        ("src/3rdparty/tbb/sort.hpp", source_tree.DEPENDENCY),
        ("pkg.egg-info/top.txt", source_tree.DEPENDENCY),
        (".venv/lib/x.py", source_tree.DEPENDENCY),
        (".ssh/config", source_tree.SECRET),
        (".env", source_tree.SECRET),
        (".env.production", source_tree.SECRET),
        ("deploy/server.pem", source_tree.SECRET),
        ("keys/id_rsa", source_tree.SECRET),
        ("prod.tfvars", source_tree.SECRET),
        ("collection.bru", source_tree.SECRET),
        ("session.har", source_tree.SECRET),
        ("local.postman_environment.json", source_tree.SECRET),
        ("package-lock.json", source_tree.LOCK),
        ("Cargo.lock", source_tree.LOCK),
        ("go.sum", source_tree.LOCK),
        ("logo.PNG", source_tree.BINARY),
        ("rows.csv", source_tree.DATA),
        ("server.log", source_tree.DATA),
        ("tests/report.approved.txt", source_tree.DATA),
        ("examples/report.json.golden", source_tree.DATA),
        ("Tests/Lamp.Glows.verified.json", source_tree.DATA),
        ("app.min.js", source_tree.GENERATED),
        ("bundle.js.map", source_tree.GENERATED),
        ("api_pb2.py", source_tree.GENERATED),
        ("api.pb.go", source_tree.GENERATED),
        ("project.pbxproj", source_tree.GENERATED),
        ("core/api/core.klib.api", source_tree.GENERATED),
        ("src/PublicAPI.Unshipped.txt", source_tree.GENERATED),
    ],
)
def test_files_that_are_left_out_by_name(tmp_path: Path, name: str, reason: str) -> None:
    write(tmp_path, "kept.py", name)
    assert selected(tmp_path) == (["kept.py"], {reason: 1})


@pytest.mark.parametrize(
    "name",
    [
        *(".env.example", ".github/workflows/ci.yml", "build/steps.py", "id_rsa.pub", "key.py"),
        "events/order.approved.ts",
    ],
)
def test_files_that_only_look_like_it_are_kept(tmp_path: Path, name: str) -> None:
    write(tmp_path, name)
    assert selected(tmp_path) == ([name], {})


def test_a_generated_description_of_an_api_of_messages_is_kept(tmp_path: Path) -> None:
    write(tmp_path, "api.yaml", text="# Generated, DO NOT EDIT.\nasyncapi: 3.0.0\n")
    write(tmp_path, "mine.yaml", text="# Generated, DO NOT EDIT.\nnest: 3\n")
    assert selected(tmp_path) == (["api.yaml"], {source_tree.GENERATED: 1})


def test_copies_of_libraries_of_the_web_are_dependencies(tmp_path: Path) -> None:
    library = "function fly() {}\n" * 1200
    copies = [f"site/js/{name}" for name in ("_jquery.js", "jquery-3.2.1.custom.js", "lunr.js")]
    own = ["jquery.js", "site/js/jquery.nest.js", "site/src/lunr.js"]
    own.insert(1, f"site/js/jquery{'.1' * 100}.x")  # ways to read this name double with each number
    write(tmp_path, *copies, *own, text=library)
    write(tmp_path, "site/js/bootstrap.js", text="start();\n")
    kept = ["jquery.js", "site/js/bootstrap.js", *own[1:]]
    assert selected(tmp_path) == (kept, {source_tree.DEPENDENCY: 3})


def test_output_folders_of_a_project_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, "app/build/out.js", "app/src/build/keep.js", "app/package.json")
    write(tmp_path, "env/pyvenv.cfg", "env/lib/x.py")
    write(tmp_path, "app/build/lib/heron/__init__.py", "app/coverage/__init__.py")
    paths, left_out = selected(tmp_path)
    assert paths == ["app/coverage/__init__.py", "app/package.json", "app/src/build/keep.js"]
    assert left_out == {source_tree.DEPENDENCY: 2}


@pytest.mark.parametrize(
    ("project", "kept"),
    [
        ("package.json", ["bin/run"]),
        ("setup.py", ["bin/run"]),
        ("Tool.csproj", []),
        ("Tools.sln", []),
    ],
)
def test_programs_in_bin_are_output_of_msbuild_alone(
    tmp_path: Path, project: str, kept: list[str]
) -> None:
    write(tmp_path, project, "bin/run")
    assert selected(tmp_path)[0] == sorted([project, *kept])


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.py", b"", source_tree.EMPTY),
        ("a.py", b" \n\t\n", source_tree.EMPTY),
        ("a.py", b"x = '\0'\n", source_tree.BINARY),
        ("a.py", b"# caf\xe9\n", source_tree.NOT_UTF8),
        ("a.graphql", b"type A { a: B }\n" * 600_000, source_tree.LARGE),
        ("a.py", b"x" * (MAX_FILE_BYTES + 1), source_tree.LARGE),
        ("a.go", b"// Code generated by stringer. DO NOT EDIT.\n", source_tree.GENERATED),
        ("a.js", b"// @generated\nvar a\n", source_tree.GENERATED),
        ("a.h", b"/* auto-generated on 2026-01-02. Do not edit! */\n", source_tree.GENERATED),
        ("a.c", b"// This file is an amalgamation of many files.\n", source_tree.GENERATED),
        ("a.c", b'\n#line 1 "tap.rl"\n/* Taps. */\nint open;\n', source_tree.GENERATED),
        ("a.rb", b'# line 1 "tap.rl"\nopen = 1\n', source_tree.GENERATED),
        ("a.go", b"//line tap.rl:1\npackage tap\n", source_tree.GENERATED),
        ("a.c", b"/* A Bison parser, made by GNU Bison 3.8.2.  */\n", source_tree.GENERATED),
        ("a.js", b"// Generated from Tap.g4 by ANTLR 4.13\n", source_tree.GENERATED),
        ("a.info", b"This is a.info, produced by makeinfo version 7.1.\n", source_tree.GENERATED),
        ("a.js", b"var a=1;" * 5000, source_tree.GENERATED),
        ("a.h", b"const char tank[] = {\n" + b"  0x1f, 0x20,\n" * 2000 + b"};\n", source_tree.DATA),
        ("a.html", b"<html><head><meta name='generator' content='x'>", source_tree.GENERATED),
        ("a.html", b"<html>\n<!-- Generated by javadoc (1.8.0) -->", source_tree.GENERATED),
        ("a.html", b'<html>\n<script>var pathToRoot = "../";</script>', source_tree.GENERATED),
        ("a.html", b'<HTML>\n<META\ncontent="x" NAME=Generator>\n', source_tree.GENERATED),
        ("c.json", b'{"key": "-----BEGIN RSA PRIVATE KEY-----"}', source_tree.SECRET),
        ("c.yaml", b"aws: AKIA" + b"A1B2" * 4 + b"\n", source_tree.SECRET),
        (
            "a.postman_collection.json",
            b'{"header": [{"key": "X-API-Key", "value": "hunter2"}]}',
            source_tree.SECRET,
        ),
        *(
            ("a.postman_collection.json", data, source_tree.SECRET)
            for data in (
                b'{"url": {"raw": "https://x.example/a?api_key=hunter2"}}',
                b'{"url": "https://me:hunter2@x.example/"}',
                rb'{"body": {"raw": "{\n  \"password\": \"hunter2\"\n}"}}',
                rb'{"body": {"raw": "<login><password>hunter2<\/password></login>"}}',
            )
        ),
        (
            "calls.json",
            b'{"__export_format": 4, "headers": [{"name": "Cookie", "value": "a=b"}]}',
            source_tree.SECRET,
        ),
        (
            "calls.yaml",
            b"type: collection.insomnia.rest/5.0\nheaders:\n  - name: X-Api-Key\n    value: hunter2\n",
            source_tree.SECRET,
        ),
        ("c.toml", b'token = "ghp_' + b"abcd" * 9 + b'"\n', source_tree.SECRET),
    ],
)
def test_files_that_are_left_out_by_content(
    tmp_path: Path, name: str, data: bytes, reason: str
) -> None:
    write(tmp_path, "kept.py")
    (tmp_path / name).write_bytes(data)
    assert selected(tmp_path) == (["kept.py"], {reason: 1})


def test_requests_of_postman_with_variables_are_kept(tmp_path: Path) -> None:
    name = "a.postman_collection.json"
    (tmp_path / name).write_text(
        '{"key": "Authorization", "value": "Bearer {{token}}",'
        r' "raw": "{\"password\": \"{{password}}\"}", "url": "https://x.example/?token={{token}}",'
        ' "exec": ["var token = pm.response.json().token;"]}'
    )
    assert selected(tmp_path) == ([name], {})


@pytest.mark.parametrize(
    "index", ["crates.js", "doxygen.css", "element-list", "objects.inv", "package-list"]
)
def test_a_documentation_site_that_was_generated_is_left_out(tmp_path: Path, index: str) -> None:
    write(tmp_path, "docs/api/index.html", "docs/api/core/-column/index.html", f"docs/api/{index}")
    write(tmp_path, "docs/guide.md", "app/src/index.html", f"tests/data/{index}.html")
    paths, left_out = selected(tmp_path)
    assert paths == ["app/src/index.html", "docs/guide.md", f"tests/data/{index}.html"]
    assert left_out == {source_tree.GENERATED: 1}


def test_a_template_that_fills_in_the_generator_is_source(tmp_path: Path) -> None:
    write(tmp_path, "page.html", text='<meta name="generator" content="{{ version }}">\n')
    assert selected(tmp_path) == (["page.html"], {})


def test_a_comment_about_a_line_is_written_by_hand(tmp_path: Path) -> None:
    write(tmp_path, "taps.py", text="# line 1 is the main, line 2 the bath\nTAPS = 2\n")
    assert selected(tmp_path) == (["taps.py"], {})


def test_test_keys_in_a_program_do_not_hide_it(tmp_path: Path) -> None:
    write(tmp_path, "test_tls.py", text='KEY = "-----BEGIN PRIVATE KEY-----"\n')
    assert selected(tmp_path)[0] == ["test_tls.py"]


def test_links_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path, "tree/a.py", "outside/b.py")
    (tmp_path / "tree/link").symlink_to(tmp_path / "outside")
    (tmp_path / "tree/loop").symlink_to(tmp_path / "tree")
    (tmp_path / "tree/dangling.py").symlink_to("nowhere")
    assert selected(tmp_path / "tree") == (["a.py"], {source_tree.LINK: 3})


def discovered(root: Path, toml: str) -> tuple[list[str], Diagnostics]:
    (root / "kb.toml").write_text(f'[kb]\nname = "demo"\n{toml}')
    diagnostics = Diagnostics()
    project = load_project(root, diagnostics)
    assert project is not None
    (files,) = discover(project, diagnostics).values()
    return [file.relative_path for file in files], diagnostics


def test_a_build_tells_what_it_left_out_in_one_note(tmp_path: Path) -> None:
    write(
        tmp_path, "code/a.py", "code/.env", "code/node_modules/x.js", "code/b.lock", "code/c.lock"
    )
    (tmp_path / "code/latin.py").write_bytes(b"# \xe9\n")
    files, diagnostics = discovered(tmp_path, "")
    assert files == ["a.py"]
    (note,) = diagnostics
    assert (note.code, note.severity.label) == ("files-left-out", "note")
    assert note.message == (
        "source files in collection 'code': 1; left out: 2 lock files,"
        " 1 dependencies and build output, 1 not UTF-8, 1 secrets"
    )


def test_a_file_that_is_named_itself_obeys_the_same_rules(tmp_path: Path) -> None:
    write(tmp_path, "src/a.py", "src/.env", "src/b.py")
    toml = '[[collection]]\nname = "c"\nkind = "code"\npaths = ["src/.env", "src/?.py"]\n'
    files, diagnostics = discovered(tmp_path, toml)
    assert files == ["a.py", "b.py"]
    codes = {found.code: found for found in diagnostics}
    assert set(codes) == {"collection-path-empty", "files-left-out"}
    assert "1 secrets" in codes["files-left-out"].message


def test_a_tree_of_nothing_but_excluded_files_is_a_warning(tmp_path: Path) -> None:
    write(tmp_path, "code/.env")
    files, diagnostics = discovered(tmp_path, "")
    assert files == []
    assert "collection-path-empty" in {found.code for found in diagnostics}
    assert not diagnostics.errors


def test_neither_kb_toml_nor_labelled_questions_are_sources_of_their_knowledge_base(
    tmp_path: Path,
) -> None:
    write(tmp_path, "a.py", "sub/kb.toml", "sub/held-out.toml", "questions.toml", "faq.toml")
    questions = '[[question]]\nquery = "where is a?"\nexpect = ["a.py"]\n'
    write(tmp_path, "questions.toml", "sub/held-out.toml", text=questions)
    write(tmp_path, "faq.toml", text='[[question]]\ntext = "Why?"\nanswer = "So."\n')
    files, diagnostics = discovered(
        tmp_path, '[[collection]]\nname = "c"\nkind = "code"\npaths = ["."]\n'
    )
    assert files == ["a.py", "faq.toml", "sub/kb.toml"]
    (note,) = diagnostics
    assert "3 kb.toml and labelled questions" in note.message
    assert "questions.toml" in selected(tmp_path)[0]  # a tree that is followed without a kb.toml


def test_what_a_folder_without_kb_toml_leaves_out_is_not_said_of_that_file(tmp_path: Path) -> None:
    write(tmp_path, "a.py", ".env")
    project = Project(
        **dict.fromkeys(("name", "title", "version", "prefix", "description", "license"), "demo"),
        root=tmp_path,
        collections=(Collection("code", "code", (".",)),),
    )
    diagnostics = Diagnostics()
    discover(project, diagnostics)
    (note,) = diagnostics
    assert (note.code, note.path) == ("files-left-out", "")


def test_files_that_are_too_large_are_named(tmp_path: Path) -> None:
    write(tmp_path, "b/all.ts", "all.d.ts", "c.ts", "d.ts", text="x" * (MAX_FILE_BYTES + 1))
    write(tmp_path, "e.py", text="\n")
    tree = SourceTree()
    assert [path for path in tree.walk(tmp_path) if tree.admits(path, path.read_bytes())] == []
    assert tree.summary() == "4 too large (all.d.ts, all.ts, c.ts, ...), 1 empty"


def test_a_schema_may_be_larger_than_a_program(tmp_path: Path) -> None:
    write(tmp_path, "all.graphql", "all.ts", text="type A { a: B }\n" * 70_000)
    assert selected(tmp_path) == (["all.graphql"], {source_tree.LARGE: 1})
