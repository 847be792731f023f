"""Finding the input files: order, links, odd names, and files that are no text."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kb_runtime.errors.shortages import ShortageError
from kbc.diagnostics import Diagnostics
from kbc.formats.document import decode
from kbc.project.kinds import MAX_FILE_BYTES
from kbc.project.loading import load_project
from kbc.project.source_file import SourceFile
from kbc.sources.accounting import Accounting
from kbc.sources.discovery import discover
from kbc.sources.formats import is_wanted
from kbc.sources.globs import glob_base
from kbc.sources.ignore_files import read_patterns


def files_of(
    root: Path, toml: str = "", allow_outside: bool = False, accounting: Accounting | None = None
) -> tuple[dict[str, list[SourceFile]], Diagnostics]:
    (root / "kb.toml").write_text(f'[kb]\nname = "demo"\n{toml}')
    diagnostics = Diagnostics()
    project = load_project(root, diagnostics)
    assert project is not None, [str(found) for found in diagnostics]
    return discover(project, diagnostics, allow_outside, accounting=accounting), diagnostics


def write(path: Path, text: str = "# Title\n\nText.\n") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def codes(diagnostics: Diagnostics) -> list[tuple[str, str]]:
    return [(found.code, found.path) for found in diagnostics]


def docs(paths: str) -> str:
    return f'[[collection]]\nname = "docs"\nkind = "docs"\npaths = [{paths}]\n'


def test_files_come_sorted_and_without_hidden_ones(tmp_path: Path) -> None:
    for name in ("docs/b.md", "docs/a/z.mdx", "docs/.hidden/x.md", "docs/.x.md", "docs/c.png"):
        write(tmp_path / name)
    files, diagnostics = files_of(tmp_path)
    assert [file.path for file in files["docs"]] == ["docs/a/z.mdx", "docs/b.md"]
    assert [file.relative_path for file in files["docs"]] == ["a/z.mdx", "b.md"]
    assert not len(diagnostics)


def test_docsets_of_the_pages_beside_them_are_left_out(tmp_path: Path) -> None:
    inside = "Tank.docset/Contents/Resources/Documents/Tank.md"
    write(tmp_path / "docs" / "index.html")
    for name in ("Tank.md", f"docsets/{inside}", inside, f"more/{inside}"):
        write(tmp_path / "docs" / name)
    files, _ = files_of(tmp_path)
    assert [file.relative_path for file in files["docs"]] == ["Tank.md", f"more/{inside}"]


def test_files_folders_and_globs_are_paths(tmp_path: Path) -> None:
    for name in ("a.md", "more/b.md", "glob/x/c.md", "glob/y/d.md", "glob/y/e.txt"):
        write(tmp_path / name)
    files, diagnostics = files_of(tmp_path, docs('"a.md", "more", "glob/*/*.md"'))
    assert [(file.path, file.base) for file in files["docs"]] == [
        ("a.md", ""),
        ("glob/x/c.md", "glob"),
        ("glob/y/d.md", "glob"),
        ("more/b.md", "more"),
    ]
    assert not len(diagnostics)


@pytest.mark.parametrize(
    ("entry", "names"),
    [
        ("docs/**/*.md", ["docs/a.md", "docs/sub/a.md"]),
        ("docs/*", ["docs/a.md", "docs/sub/a.md"]),
        ("**/*.md", ["docs/a.md", "docs/sub/a.md"]),
        (".github/*.md", [".github/a.md"]),
        (".git*/**/*.md", [".github/a.md", ".github/sub/a.md"]),
        ("docs/.draft/*.md", ["docs/.draft/a.md"]),
        ("docs/.*", ["docs/.a.md", "docs/.draft/a.md"]),
        ("docs/../.github/*.md", [".github/a.md"]),
    ],
)
def test_a_glob_finds_hidden_files_only_where_it_names_them(
    tmp_path: Path, entry: str, names: list[str]
) -> None:
    for place in ("docs", "docs/sub", "docs/.draft", ".github", ".github/sub", ".github/.x"):
        write(tmp_path / ".above/kb" / place / "a.md")
    root = tmp_path / ".above/kb"
    write(root / "docs/.a.md")
    files, diagnostics = files_of(root, docs(f'"{entry}"'))
    assert [file.path for file in files["docs"]] == names
    assert not len(diagnostics)


def test_a_glob_of_a_source_tree_finds_hidden_files(tmp_path: Path) -> None:
    write(tmp_path / "src/.config/a.py", "x = 1\n")
    files, _ = files_of(tmp_path, docs('"src/**/*.py"').replace('"docs"', '"code"'))
    assert [file.path for file in files["code"]] == ["src/.config/a.py"]


def test_a_missing_path_is_an_error_in_kb_toml(tmp_path: Path) -> None:
    _, diagnostics = files_of(tmp_path, docs('"nowhere"'))
    (error,) = diagnostics.errors
    assert (error.code, error.path, error.line) == ("path-missing", "kb.toml", 6)
    assert "'nowhere'" in error.message


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        pytest.param(
            "docs/**.md",
            "'**' can only be an entire path component",
            marks=pytest.mark.skipif(sys.version_info >= (3, 13), reason="means `*` there"),
        ),
        ("docs/\\u0000", "null byte"),
        ("docs/\\u0000*.md", "null byte"),
        ("a" * 5000, "File name too long"),
        ("docs/" + "a" * 300 + "/*.md", "File name too long"),
    ],
)
@pytest.mark.parametrize("allow_outside", [False, True])
def test_a_path_that_no_file_can_have_is_a_problem_in_kb_toml(
    tmp_path: Path, entry: str, reason: str, allow_outside: bool
) -> None:
    write(tmp_path / "docs/a.md")
    _, diagnostics = files_of(tmp_path, docs(f'"{entry}"'), allow_outside)
    (found,) = diagnostics
    assert (found.path, found.line) == ("kb.toml", 6)
    assert reason in found.message
    assert len(found.message) < 500


def test_a_glob_may_be_an_absolute_path_outside(tmp_path: Path) -> None:
    (tmp_path / "kb").mkdir()
    write(tmp_path / "other/x.md")
    write(tmp_path / "other/.hidden.md")
    entry = docs(f'"{tmp_path}/other/*.md"')
    files, diagnostics = files_of(tmp_path / "kb", entry, allow_outside=True)
    assert [(file.path, file.base) for file in files["docs"]] == [("other/x.md", "other")]
    assert not len(diagnostics)
    _, diagnostics = files_of(tmp_path / "kb", entry)
    assert codes(diagnostics) == [("path-outside", "kb.toml")]
    assert glob_base("/*.md") == "/"


def test_a_folder_without_a_fitting_file_is_a_warning(tmp_path: Path) -> None:
    write(tmp_path / "docs/image.png")
    _, diagnostics = files_of(tmp_path)
    (found,) = diagnostics.warnings
    assert (found.code, found.line) == ("collection-path-empty", None)
    assert ".md, " in found.hint
    assert found.hint.endswith(" .txt, or as docs/input-formats.md lists.")


def test_an_entry_without_a_fitting_file_is_told_on_the_line_of_paths(tmp_path: Path) -> None:
    write(tmp_path / "docs/image.png")
    _, diagnostics = files_of(tmp_path, docs('"docs"'))
    (found,) = diagnostics.warnings
    assert (found.code, found.line) == ("collection-path-empty", 6)


def test_a_file_is_counted_once_and_with_the_most_telling_reason(tmp_path: Path) -> None:
    write(tmp_path / "docs/a.md")
    write(tmp_path / "docs/data/a.yml", "")
    write(tmp_path / "docs/manual.doc", "\0")
    (tmp_path / "docs/again").symlink_to("data")
    accounting = Accounting()
    code = '[[collection]]\nname = "code"\nkind = "code"\npaths = ["."]\n'
    files_of(tmp_path, docs('"docs"') + code, accounting=accounting)
    assert {each.path: each.reason for each in accounting if each.path.startswith("docs/")} == {
        "docs/a.md": "",
        "docs/again": "links",
        "docs/data/a.yml": "empty",
        "docs/manual.doc": "format not read: .doc",
    }


def test_a_link_that_closes_a_circle_is_left_out(tmp_path: Path) -> None:
    write(tmp_path / "docs/a.md")
    (tmp_path / "docs/loop").symlink_to(tmp_path / "docs")
    (tmp_path / "docs/self.md").symlink_to(tmp_path / "docs/self.md")
    files, diagnostics = files_of(tmp_path)
    assert [file.path for file in files["docs"]] == ["docs/a.md"]
    assert codes(diagnostics) == [
        ("symlink-loop", "docs/loop"),
        ("file-unreadable", "docs/self.md"),
    ]


def test_what_links_make_of_a_file_is_read_once(tmp_path: Path) -> None:
    write(tmp_path / "docs/modules/a.md")
    write(tmp_path / "shared/b.md")
    (tmp_path / "docs/book").mkdir()
    (tmp_path / "docs/book/modules").symlink_to("../modules")
    (tmp_path / "docs/book/shared").symlink_to("../../shared")
    (tmp_path / "docs/again").symlink_to("../shared")
    (tmp_path / "docs/z.md").symlink_to("modules/a.md")
    files, diagnostics = files_of(tmp_path)
    assert [file.path for file in files["docs"]] == ["docs/again/b.md", "docs/modules/a.md"]
    assert not len(diagnostics)
    files, _ = files_of(tmp_path, docs('"docs/*/*.md", "docs/book/*/*.md"'))
    assert [file.path for file in files["docs"]] == ["docs/again/b.md", "docs/modules/a.md"]
    for entries in ('"docs/book/modules", "docs/modules"', '"docs/modules", "docs/z.md"'):
        files, _ = files_of(tmp_path, docs(entries))
        assert [file.path for file in files["docs"]] == ["docs/modules/a.md"]


@pytest.mark.parametrize("link", ["docs/out.md", "docs/folder"])
def test_a_link_out_of_the_root_is_refused_unless_allowed(tmp_path: Path, link: str) -> None:
    root, outside = tmp_path / "kb", tmp_path / "outside"
    write(root / "docs/a.md")
    write(outside / "secret.md")
    (root / link).symlink_to(outside / "secret.md" if link.endswith(".md") else outside)
    files, diagnostics = files_of(root)
    assert codes(diagnostics) == [("path-outside", link)]
    assert len(files["docs"]) == 1
    files, diagnostics = files_of(root, allow_outside=True)
    assert len(files["docs"]) == 2
    assert not len(diagnostics)


@pytest.mark.parametrize("entry", ["linked", "linked/*.md", "*/secret.md", "link*"])
def test_a_link_that_is_a_collections_folder_is_a_link(tmp_path: Path, entry: str) -> None:
    """Whether the entry names the link itself, leads through it, or meets it with a wildcard."""
    root, outside = tmp_path / "kb", tmp_path / "outside"
    root.mkdir()
    write(outside / "secret.md")
    (root / "linked").symlink_to(outside)
    files, diagnostics = files_of(root, docs(f'"{entry}"'))
    assert files["docs"] == []
    assert {code for code, _ in codes(diagnostics)} == {"path-outside"}
    files, diagnostics = files_of(root, docs(f'"{entry}"'), allow_outside=True)
    assert [file.path for file in files["docs"]] == ["linked/secret.md"]
    assert not len(diagnostics)


def test_exercises_that_are_a_link_are_not_followed(tmp_path: Path) -> None:
    root, outside = tmp_path / "kb", tmp_path / "outside"
    write(outside / "01.a/README.mdx")
    (root / "workshops/one").mkdir(parents=True)
    (root / "workshops/one/exercises").symlink_to(outside)
    files, _ = files_of(root)
    assert files["workshops"] == []


def test_a_path_out_of_the_root_is_refused_unless_allowed(tmp_path: Path) -> None:
    root = tmp_path / "kb"
    write(tmp_path / "other/x.md")
    root.mkdir()
    _, diagnostics = files_of(root, docs('"../other"'))
    assert codes(diagnostics) == [("path-outside", "kb.toml")]
    files, diagnostics = files_of(root, docs('"../other"'), allow_outside=True)
    assert [file.relative_path for file in files["docs"]] == ["x.md"]


OUTSIDE_2 = ["outside-2/docs/a.md", "outside-2/more/docs-2/a.md"]


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        ('"docs", "../docs"', ["docs-2/a.md", "docs/a.md"]),
        ('"../docs", "docs"', ["docs-2/a.md", "docs/a.md"]),
        ('"docs/*.md", "../docs/*.md"', ["docs-2/a.md", "docs/a.md"]),
        ('"d*/*.md", "../docs"', ["docs-2/a.md", "docs/a.md"]),
        ('"docs", "../docs", "more"', ["docs-2/a.md", "docs/a.md", "more/docs-2/a.md"]),
        ('"more/docs-2", "../more"', ["more-2/docs-2/a.md", "more/docs-2/a.md"]),
        ('"more", "../docs"', ["docs/a.md", "more/docs-2/a.md"]),
        ('"..", "docs"', ["docs/a.md", "more/docs-2/a.md", *OUTSIDE_2]),
    ],
)
def test_a_file_outside_never_has_the_name_of_one_inside(
    tmp_path: Path, paths: str, names: list[str]
) -> None:
    root = tmp_path / "kb"
    for place in ("kb/docs", "kb/more/docs-2", "docs", "more/docs-2"):
        write(tmp_path / place / "a.md", f"# {place}\n")
    toml = "".join(
        docs(entry).replace('"docs"', f'"part{number}"', 1)
        for number, entry in enumerate(paths.split(", "))
    )
    files, _ = files_of(root, toml, allow_outside=True)
    found = {(file.path, file.data) for each in files.values() for file in each}
    assert sorted(path for path, _ in found) == names
    assert len({data for _, data in found}) == len(names)


def test_a_folder_around_the_root_keeps_its_names_where_none_is_taken(tmp_path: Path) -> None:
    write(tmp_path / "docs/a.md")
    write(tmp_path / "kb/notes/b.md")
    files, _ = files_of(tmp_path / "kb", docs('".."'), allow_outside=True)
    assert [file.path for file in files["docs"]] == ["docs/a.md", "notes/b.md"]


def test_names_with_spaces_quotes_and_newlines_are_kept_and_shown_on_one_line(
    tmp_path: Path,
) -> None:
    name = 'docs/it\'s a "page"\nof two lines.md'
    write(tmp_path / name, "\0")
    files, diagnostics = files_of(tmp_path)
    assert [file.path for file in files["docs"]] == [name]
    assert files["docs"][0].text(diagnostics) is None
    (error,) = diagnostics.errors
    assert str(error).splitlines()[0].startswith('docs/it\'s a "page"\\nof two lines.md:1: ')


def test_a_name_that_is_not_utf8_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / "docs/a.md")
    with open(os.fsencode(tmp_path / "docs") + b"/\xff.md", "w") as stream:
        stream.write("# T\n")
    _, diagnostics = files_of(tmp_path)
    (error,) = diagnostics.errors
    assert error.code == "file-name-not-utf8"
    assert error.location.isprintable()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_text_in_utf_16_is_read_by_its_mark(encoding: str) -> None:
    """As shells of Windows write what a program prints."""
    text = "# Höhe\r\n\r\nUsage: heron\r\n"
    data = ("\ufeff" if encoding.endswith("be") else "").encode(encoding) + text.encode(encoding)
    diagnostics = Diagnostics()
    assert SourceFile("docs/a.md", data).text(diagnostics) == text
    assert not [*diagnostics]
    assert decode(data) == text.replace("\r", "")
    for broken in (data[:-1], data + "\0".encode("utf-16-le")):
        assert SourceFile("docs/a.md", broken).text(diagnostics) is None


@pytest.mark.parametrize(
    ("data", "code", "line", "column"),
    [
        (b"", "file-empty", None, None),
        (b"\xef\xbb\xbf \r\n", "file-empty", None, None),
        (b"# T\n\nab\xffc\n", "file-not-utf8", 3, 3),
        (b"# T\n\x00", "file-binary", 2, None),
    ],
)
def test_a_file_that_is_no_text_is_reported(
    data: bytes, code: str, line: int | None, column: int | None
) -> None:
    diagnostics = Diagnostics()
    assert SourceFile("docs/a.md", data).text(diagnostics) is None
    (found,) = diagnostics
    assert (found.code, found.line, found.column) == (code, line, column)


def test_newlines_stay_as_stored_and_the_byte_order_mark_goes() -> None:
    file = SourceFile("a.md", b"\xef\xbb\xbfa\r\nb\rc\n")
    assert file.text(Diagnostics()) == "a\r\nb\rc\n"


def test_a_file_of_50_megabytes_is_refused_without_reading_it(tmp_path: Path) -> None:
    write(tmp_path / "docs/a.md")
    with (tmp_path / "docs/huge.md").open("wb") as stream:
        stream.truncate(50_000_000)
    files, diagnostics = files_of(tmp_path)
    assert [file.path for file in files["docs"]] == ["docs/a.md"]
    (error,) = diagnostics.errors
    assert (error.code, error.path) == ("file-too-large", "docs/huge.md")
    assert f"{MAX_FILE_BYTES:,}" in error.message


def test_a_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    write(tmp_path / "docs/a.md")
    os.mkfifo(tmp_path / "docs/pipe.md")
    _, diagnostics = files_of(tmp_path)
    assert codes(diagnostics) == [("file-special", "docs/pipe.md")]


def test_one_file_can_be_in_two_collections(tmp_path: Path) -> None:
    write(tmp_path / "docs/builtin.md")
    files, _ = files_of(
        tmp_path,
        docs('"docs"')
        + '[[collection]]\nname = "api"\nkind = "builtins"\npaths = ["docs/builtin.md"]\n',
    )
    assert files["docs"][0].data is files["api"][0].data


@pytest.mark.parametrize(
    ("owner", "opens", "read", "code"),
    [
        (Path, "open", lambda root: files_of(root)[1], "file-unreadable"),
        (os, "scandir", lambda root: files_of(root)[1], "folder-unreadable"),
        (Path, "open", lambda root: is_wanted(root / "docs/page", (".html",)), False),
        (Path, "open", lambda root: read_patterns(root / "docs/page"), []),
    ],
)
def test_no_file_is_left_out_for_want_of_descriptors(
    owner: Any, opens: str, read: Callable[[Path], object], code: object, tmp_path: Path
) -> None:
    """Of other errors a file is reported, or passed over."""
    for name in ("a.md", "page"):
        write(tmp_path / "docs" / name)
    real = getattr(owner, opens)

    def failing(number: int) -> Callable[..., Any]:
        def fails(path: Path, *args: Any, **options: Any) -> Any:
            if "docs" in Path(path).parts:
                raise OSError(number, os.strerror(number), str(path))
            return real(path, *args, **options)

        return fails

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(owner, opens, failing(errno.EIO))
        found = read(tmp_path)
    assert found == code or codes(found)[0][0] == code  # type: ignore[arg-type]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(owner, opens, failing(errno.EMFILE))
        with pytest.raises(
            ShortageError, match=r"docs.*: this process has no file descriptor left"
        ):
            read(tmp_path)
