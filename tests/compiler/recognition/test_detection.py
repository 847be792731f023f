"""What a folder, file or archive is recognised as, and what is left out of it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
import zipfile
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Event, current_thread, main_thread
from typing import IO, Any

import pytest
from tests.compiler.recognition.trees import addresses, page, read, recognised, titles, write_tree

from kb_runtime.store import temporary_folders
from kbc.diagnostics import Diagnostics
from kbc.pipeline.reading import read_inputs
from kbc.project.include_tree import IncludeTree
from kbc.project.loading import load_project
from kbc.recognition import archives
from kbc.recognition.described import kb_toml
from kbc.recognition.detection import RecognitionError, recognise
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


NO_SPACE = """
import resource, signal, sys
from pathlib import Path
from kb_runtime.errors.shortages import shortage
from kbc.recognition.archives import extracted

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    extracted(Path(sys.argv[1]), Path(sys.argv[2]))
except OSError as error:
    print(shortage(error).kind)
"""


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
            "_sources/index.md.txt": page("Home"),
            "404.html": HTML.format("Not found"),
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
    assert inputs.accounting.reasons("left out") == {
        "excluded by '_sources/'": 1,
        "format not read: .css": 1,
        "redirect to another page": 2,
        "written by the generator, not a separate page": 1,
    }


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


def test_archives_are_read_as_the_folders_they_hold(tmp_path: Path) -> None:
    names = {"pkg-1.0/PKG-INFO": "Name: heron\nVersion: 1.0\nSummary: Birds\n"}
    names |= {"pkg-1.0/docs/a.md": page("A"), "pkg-1.0/heron.py": "x = 1\n"}
    with tarfile.open(tmp_path / "pkg-1.0.tar.gz", "w:gz") as archive:
        for name, text in names.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    with zipfile.ZipFile(tmp_path / "heron-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("heron/__init__.py", "x = 1\n")
        archive.writestr("heron-1.0.dist-info/METADATA", "Name: heron\nVersion: 1.0\n\n# Heron\n")
    sdist, _ = read(tmp_path / "pkg-1.0.tar.gz")
    assert list(addresses(sdist)) == ["a.md"]
    assert (sdist.project.name, sdist.project.version) == ("heron", "1.0")
    wheel, _ = read(tmp_path / "heron-1.0-py3-none-any.whl")
    assert "heron/__init__.py" in [each.id for each in wheel.records["code"]]


@pytest.mark.parametrize(
    "name", ["../out.md", "/etc/x.md", "a/../../b.md", "C:/x.md", "..\\x.md", ""]
)
def test_an_archive_that_would_write_outside_is_refused(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), page("Bad"))
    with pytest.raises(RecognitionError, match="outside its folder"):
        recognise(tmp_path / "bad.zip", tmp_path / "cache")
    assert not (tmp_path / "out.md").exists()
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []


def test_an_archive_whose_files_a_file_system_would_merge_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Simulates a file system that does not tell upper and lower case apart."""
    with zipfile.ZipFile(tmp_path / "case.zip", "w") as archive:
        archive.writestr("docs/Pump.md", page("Upper"))
        archive.writestr("docs/pump.md", page("Lower"))
    found, _ = read(tmp_path / "case.zip")
    assert len(addresses(found)) == 2

    def exists(path: Path) -> bool:
        beside = path.parent.iterdir() if path.parent.is_dir() else ()
        return path.name.casefold() in {each.name.casefold() for each in beside}

    monkeypatch.setattr(Path, "exists", exists)
    with pytest.raises(
        RecognitionError, match=r"'docs/Pump\.md' and 'docs/pump\.md', which are one"
    ):
        recognise(tmp_path / "case.zip", tmp_path / "other-cache")


def test_links_in_an_archive_are_not_unpacked(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "links.tar", "w") as archive:
        link = tarfile.TarInfo("docs/secret.md")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        info = tarfile.TarInfo("docs/a.md")
        info.size = len(page("A"))
        archive.addfile(info, io.BytesIO(page("A").encode()))
    inputs, _ = read(tmp_path / "links.tar")
    assert list(addresses(inputs)) == ["a.md"]


def test_an_archive_that_grows_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.md", "x" * 10_000)
    monkeypatch.setattr(archives, "MAX_BYTES", 5_000)
    with pytest.raises(RecognitionError, match="more than 5,000 bytes"):
        recognise(tmp_path / "bomb.zip", tmp_path / "cache")


@pytest.mark.parametrize("name", ["x.tar.gz", "x.tar", "x.zip"])
def test_a_damaged_archive_is_one_sentence(tmp_path: Path, name: str) -> None:
    start = b"PK\x03\x04" if name == "x.zip" else b"\x1f\x8b\x08"
    (tmp_path / name).write_bytes(start + b"nonsense")
    with pytest.raises(RecognitionError, match=r"^'x.*' cannot be unpacked: [^\n]+$") as caught:
        recognise(tmp_path / name, tmp_path / "cache")
    assert "copy it again" in caught.value.hint
    assert name != "x.zip" or "not a zip file" in caught.value.message


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a file's size are POSIX")
def test_an_archive_that_finds_no_space_is_not_called_damaged(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "large.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.md", "# A\n" * 10_000)
    said = subprocess.run(
        [sys.executable, "-c", NO_SPACE, tmp_path / "large.zip", tmp_path / "cache"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout == "there is no space left\n"
    assert list((tmp_path / "cache/archives").iterdir()) == []


def test_an_archive_that_two_processes_unpack_at_once_is_whole_for_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = {f"{number}.md": page(f"Page {number}") for number in range(5)}
    with zipfile.ZipFile(tmp_path / "site.zip", "w") as archive:
        for name, text in pages.items():
            archive.writestr(f"site/{name}", text)
    write = archives._write
    second_writes, first_is_done = Event(), Event()
    seconds: list[Future[dict[str, str]]] = []

    def taking_turns(stream: IO[bytes], place: Path, *rest: Any) -> None:
        if place.name == "2.md" and not seconds:
            seconds.append(pool.submit(unpacked))
            assert second_writes.wait(60)
        elif current_thread() is not main_thread() and not second_writes.is_set():
            second_writes.set()
            assert first_is_done.wait(60)
        write(stream, place, *rest)

    def unpacked() -> dict[str, str]:
        found = archives.extracted(tmp_path / "site.zip", tmp_path / "cache")
        return {each.name: each.read_text() for each in found.iterdir()}

    monkeypatch.setattr(archives, "_write", taking_turns)
    with ThreadPoolExecutor(1) as pool:
        try:
            assert unpacked() == pages
        finally:
            first_is_done.set()
        assert seconds[0].result() == pages
    assert len(list((tmp_path / "cache/archives").iterdir())) == 1


def test_what_killed_processes_were_unpacking_goes_with_the_next_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(temporary_folders, "LOCKED_WITHIN_S", 0.0)
    for name in (".new-killed", ".new-living"):
        write_tree(tmp_path / "cache/archives" / name, {"content/a.md": page("Half")})
    held = temporary_folders.lock_folder(str(tmp_path / "cache/archives/.new-living"))
    assert held is not None
    with zipfile.ZipFile(tmp_path / "site.zip", "w") as archive:
        archive.writestr("a.md", page("A"))
    archives.extracted(tmp_path / "site.zip", tmp_path / "cache")
    os.close(held)
    hidden = [path.name for path in (tmp_path / "cache/archives").glob(".*")]
    assert hidden == [".new-living"]


@pytest.mark.parametrize("damage", ["removed", "changed", "added", "unlisted"])
def test_an_unpacked_archive_that_lost_files_is_unpacked_again(tmp_path: Path, damage: str) -> None:
    pages = {"a.md": page("A"), "b/c.md": page("C")}
    with zipfile.ZipFile(tmp_path / "site.zip", "w") as archive:
        for name, text in pages.items():
            archive.writestr(name, text)
    found = archives.extracted(tmp_path / "site.zip", tmp_path / "cache")
    inode = found.stat().st_ino
    assert archives.extracted(tmp_path / "site.zip", tmp_path / "cache").stat().st_ino == inode
    match damage:
        case "removed":
            (found / "b/c.md").unlink()
        case "changed":
            (found / "a.md").write_text("B")
        case "added":
            (found / "d.md").write_text("D")
        case _:
            (found.parent / "files.json").unlink()
    again = archives.extracted(tmp_path / "site.zip", tmp_path / "cache")
    files = [each for each in again.rglob("*") if each.is_file()]
    assert {each.relative_to(again).as_posix(): each.read_text() for each in files} == pages
    assert [each.name[0] for each in (tmp_path / "cache/archives").iterdir()] != ["."]


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
