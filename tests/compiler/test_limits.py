"""Files that would take minutes, gigabytes or the process: each is one diagnostic that names it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kbc.diagnostics import Diagnostics, guarded
from kbc.errors import InputError
from kbc.formats import convert
from kbc.frontends import FRONTENDS
from kbc.limits import MAX_COLLECTIONS, MAX_LINE_CHARS, MAX_TITLE_CHARS, short_title, toml_excess
from kbc.pipeline.inputs import Inputs
from kbc.pipeline.reading import read_inputs
from kbc.project.include_tree import IncludeTree
from kbc.project.toml_file import key_lines
from kbc.recognition.configuration import read_json_with_comments, read_toml, syntax_problem

KB = "[kb]\nname = 'limits'\n"


def read(root: Path, files: dict[str, str], toml: str = "") -> tuple[Inputs | None, Diagnostics]:
    """Reads `files` and a sound page, as a collection of pages."""
    if not toml:
        toml = f"{KB}[[collection]]\nname = 'p'\nkind = 'pages'\npaths = ['p']\n"
    for name, content in {"kb.toml": toml, "p/sound.md": "# Sound\n\nText.\n", **files}.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content)
    diagnostics = Diagnostics()
    return read_inputs(root, diagnostics), diagnostics


def only(diagnostics: Diagnostics) -> tuple[str, str, int | None]:
    (found,) = diagnostics
    return found.code, found.path, found.line


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("a = " + "[" * 20_000 + "]" * 20_000, 1),
        ("b = 1\na = " + "{a=" * 20_000, 2),
        ("a = " + "[\n" * 20_000, 101),
        ("a = 1\nb = " + "9" * 20_000, 2),
        (".".join(["a"] * 50_000) + " = 1", 1),
        ("[" + ".".join(['"a"'] * 50_000) + "]", 1),
        ("a = {" + ".".join(["a"] * 50_000) + " = 1}", 1),
    ],
)
def test_toml_beyond_the_bounds_is_one_error_with_its_line(
    tmp_path: Path, content: str, line: int
) -> None:
    _, diagnostics = read(tmp_path, {"p/source.toml": content})
    assert only(diagnostics) == ("toml-too-complex", "p/source.toml", line)
    _, diagnostics = read(tmp_path, {}, f"{KB}{content}")
    code, path, _ = only(diagnostics)
    assert (code, path) == ("toml-too-complex", "kb.toml")


@pytest.mark.parametrize(
    "content",
    [
        'a = "' + "[" * 500 + '"',
        "a = '" + "a.b." * 500 + "'",
        'a = """\n' + ". " * 500 + '\n"""',
        "a = [\n" + "  [1, 2],\n" * 500 + "]",
        "[a.b.c]\nd.e.f = 1.5",
        'a = "' + "9" * 5_000 + '"',
        '\\"' * 200_000,  # no TOML, which the parser says
    ],
)
def test_sound_toml_is_within_the_bounds(content: str) -> None:
    assert toml_excess(content) is None


def test_lines_of_keys_are_found_in_linear_time() -> None:
    array = "a = [\n" + "  [1, 'x', \"]\"],\n" * 50_000 + "]\n"
    text = array + 'b = """\n' + "[ x\n" * 50_000 + '"""\nc = 1\n'
    lines = key_lines(text)
    assert lines["b",] == 50_003
    assert lines["c",] == 100_005


@pytest.mark.parametrize(
    "source", ["x = {" + "a\n.\n" * 200_000 + "b = 1}", '\\"' * 500_000, "/*a" * 300_000]
)
def test_configurations_are_refused_in_linear_time(tmp_path: Path, source: str) -> None:
    (tmp_path / "heron").write_text(source, encoding="utf-8")
    assert read_toml(IncludeTree(tmp_path), "heron") == {}
    assert read_json_with_comments(IncludeTree(tmp_path), "heron") == {}


def test_a_configuration_beyond_the_bounds_is_a_problem_with_its_line() -> None:
    problem, line = syntax_problem("hugo.toml", b"a = 1\nb = " + b"[" * 400 + b"]" * 400) or ("", 0)
    assert "nested more than" in problem
    assert line == 2


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", ["pass:[", "(*a ", "x **a"])
def test_marks_that_nothing_closes_stay_in_a_listing(piece: str) -> None:
    source = f"T\n\n[subs=normal]\n----\n{piece * 30_000}\n----\n"
    (found,) = convert("a.adoc", source.encode(), lambda _: None)
    assert (piece * 30_000).strip() in found.text


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", [" ", ", ", "(version "])
def test_a_title_of_texinfo_without_values_ends(piece: str) -> None:
    source = f"@settitle a{piece * 50_000}b\n@chapter C\nneedle\n"
    (found,) = convert("a.texi", source.encode(), lambda _: None)
    assert "needle" in found.text


def test_html_of_700_levels_keeps_its_text(tmp_path: Path) -> None:
    for tag in ("div", "blockquote", "table", "b", "ul><li"):
        inputs, diagnostics = read(tmp_path, {"p/deep.html": f"<{tag}>" * 700 + "needle"})
        assert only(diagnostics)[:2] == ("html-too-deep", "p/deep.html")
        assert inputs is not None
        assert any("needle" in record.text for record in inputs.records["p"])


@pytest.mark.parametrize("value", ["9" * 100_000, "[" * 100_000])
def test_json_lines_beyond_the_bounds_are_one_error_with_the_line(
    tmp_path: Path, value: str
) -> None:
    line = f'{{"url": "https://a.example/", "text": "x", "more": {value}'
    _, diagnostics = read(
        tmp_path, {"p/a.jsonl": '{"url": "https://b.example/", "text": "y"}\n' + line}
    )
    assert only(diagnostics) == ("page-line-invalid", "p/a.jsonl", 2)


@pytest.mark.parametrize(
    "heading", ["# " + "word " * 180_000, "# " + "w" * 900_000, "a\n" * 100_000 + "==="]
)
def test_a_heading_of_a_megabyte_has_a_title_and_keeps_its_text(
    tmp_path: Path, heading: str
) -> None:
    inputs, _ = read(tmp_path, {"p/long.md": f"{heading}\n\nneedle\n"})
    assert inputs is not None
    (record,) = [each for each in inputs.records["p"] if each.path == "p/long.md"]
    assert len(record.title) <= MAX_TITLE_CHARS
    assert heading in record.text


def test_marks_that_combine_take_no_time(tmp_path: Path) -> None:
    marks = "a" + "\u0301" * 100_000
    inputs, diagnostics = read(tmp_path, {"p/marks.md": f"# {marks}\n\n{marks}\n"})
    assert list(diagnostics) == []
    assert inputs is not None


@pytest.mark.parametrize("name", ["data.md", "data.txt", "data.mdx"])
def test_a_line_of_data_leaves_its_file_out_with_a_warning(tmp_path: Path, name: str) -> None:
    inputs, diagnostics = read(tmp_path, {f"p/{name}": "a\n" + "x" * (MAX_LINE_CHARS + 1)})
    assert only(diagnostics) == ("file-line-too-long", f"p/{name}", 2)
    assert inputs is not None
    assert inputs.accounting.reasons("not readable") == {"file-line-too-long": 1}


def test_front_matter_of_a_megabyte_is_refused(tmp_path: Path) -> None:
    matter = "".join(f"key{number}: value\n" for number in range(60_000))
    _, diagnostics = read(tmp_path, {"p/a.md": f"---\n{matter}---\n\nText.\n"})
    assert only(diagnostics) == ("front-matter-invalid", "p/a.md", 1)


def test_more_collections_than_anybody_has_are_one_error(tmp_path: Path) -> None:
    tables = "".join(
        f"[[collection]]\nname = 'c{number}'\nkind = 'docs'\npaths = ['p']\n"
        for number in range(3_000)
    )
    _, diagnostics = read(tmp_path, {}, KB + tables)
    assert only(diagnostics) == ("too-many-collections", "kb.toml", 3 + 4 * MAX_COLLECTIONS)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (RecursionError(), "file-too-complex"),
        (MemoryError(), "file-too-complex"),
        (IndexError("pop from empty list"), "file-not-understood"),
    ],
)
def test_whatever_a_front_end_raises_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, code: str
) -> None:
    def failing(collection: object, files: list[object], diagnostics: Diagnostics) -> list[object]:
        for file in files:
            file.text(diagnostics)  # type: ignore[attr-defined]
        raise error

    read_with: Callable[..., object] = failing
    monkeypatch.setitem(FRONTENDS, "pages", read_with)  # type: ignore[arg-type]
    _, diagnostics = read(tmp_path, {"p/z-last.md": "x"})
    assert only(diagnostics) == (code, "p/z-last.md", None)


def test_errors_that_explain_themselves_pass() -> None:
    diagnostics = Diagnostics()
    with pytest.raises(InputError), guarded(diagnostics):
        raise InputError("the file is no artifact")
    assert len(diagnostics) == 0


def test_a_title_of_usual_length_stays() -> None:
    assert short_title("a" * MAX_TITLE_CHARS) == "a" * MAX_TITLE_CHARS
