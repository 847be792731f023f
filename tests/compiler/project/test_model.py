"""kb.toml: defaults, validation, and the lines of its diagnostics."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbc.diagnostics import Diagnostics
from kbc.project.language_tags import LANGUAGES
from kbc.project.loading import load_project
from kbc.project.model import Project
from kbc.project.starter import write_starter


def load(folder: Path, toml: str | bytes | None) -> tuple[Project | None, Diagnostics]:
    if toml is not None:
        (folder / "kb.toml").write_bytes(toml if isinstance(toml, bytes) else toml.encode())
    diagnostics = Diagnostics()
    return load_project(folder, diagnostics), diagnostics


def only_error(diagnostics: Diagnostics) -> tuple[str, int | None, str]:
    (error,) = diagnostics.errors
    return error.code, error.line, error.message


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("Mon Éditeur", "mon-editeur"),
        ("Größen_und-Maße", "grossen-und-masse"),
        ("2024 notes", "kb-2024-notes"),
        ("日本語", "kb"),
    ],
)
def test_a_knowledge_base_is_called_after_its_folder(
    tmp_path: Path, folder: str, name: str
) -> None:
    root = tmp_path / folder
    (root / "docs").mkdir(parents=True)
    project, _ = load(root, '[[collection]]\nname = "docs"\nkind = "docs"\npaths = ["docs"]\n')
    assert project is not None
    assert project.name == name
    (root / "kb.toml").unlink()
    write_starter(root, None)
    started, _ = load(root, None)
    assert started is not None
    assert started.name == name


def test_only_a_kb_table_is_needed_in_the_conventional_layout(tmp_path: Path) -> None:
    for folder in ("docs", "posts", "examples"):
        (tmp_path / folder).mkdir()
    project, diagnostics = load(tmp_path, '[kb]\nname = "demo-kb"\n')
    assert project is not None
    assert not len(diagnostics)
    assert (project.name, project.title, project.prefix) == ("demo-kb", "demo-kb", "demo_kb")
    assert [(each.name, each.kind, each.group) for each in project.collections] == [
        ("docs", "docs", "core"),
        ("posts", "docs", "posts"),
        ("examples", "examples", ""),
    ]


def test_a_language_may_be_any_tag_of_it(tmp_path: Path) -> None:
    toml = (
        '[kb]\nname = "a"\nlanguage = "{}"\n[[collection]]\nname = "d"\nkind = "docs"\n'
        'paths = ["d"]\nlanguage = "nb"\n'
    )
    (tmp_path / "d").mkdir()
    project, diagnostics = load(tmp_path, toml.format("de-AT"))
    assert project is not None
    assert not diagnostics.errors
    assert (project.language, project.collections[0].language) == ("de", "no")
    _, diagnostics = load(tmp_path, toml.format("tlh"))
    assert only_error(diagnostics)[2] == "'tlh' is not a language that kbc knows"
    assert diagnostics.errors[0].hint.endswith("Known: " + ", ".join(LANGUAGES) + ".")


def test_a_listed_collection_gets_the_options_of_its_kind(tmp_path: Path) -> None:
    project, _ = load(
        tmp_path,
        '[kb]\nname = "a"\n[[collection]]\nname = "api"\nkind = "builtins"\npaths = ["x.md"]\n'
        'categories = { map = ["get"] }\nurl = "https://example.org/{stem}#{anchor}"\n',
    )
    assert project is not None
    (collection,) = project.collections
    assert collection.options == {"categories": {"map": ["get"]}}
    assert collection.source_url("docs/a b.md", "get") == "https://example.org/docs/a%20b#get"
    assert collection.source_url("docs/a.md") == "https://example.org/docs/a"


def test_a_folder_without_kb_toml_is_refused_with_a_way_on(tmp_path: Path) -> None:
    project, diagnostics = load(tmp_path, None)
    assert project is None
    (error,) = diagnostics.errors
    assert error.code == "kb-toml-missing"
    assert "kbc init" in error.hint


@pytest.mark.parametrize(
    ("path", "message", "hint"),
    [
        ("dcos", "there is no such folder or file: 'dcos'", "kbc init"),
        ("https://example.org/docs", "https://example.org/docs is a URL", "does not download"),
        ("git@example.org:a/b.git", "the address of a repository", "clone it"),
        ("github:a/b", "the address of a repository", "clone it"),
    ],
)
def test_what_is_not_there_is_named_with_what_may_be_there(
    path: str, message: str, hint: str
) -> None:
    diagnostics = Diagnostics()
    assert load_project(Path(path), diagnostics) is None
    (error,) = diagnostics.errors
    assert message in error.message
    assert hint in error.hint


@pytest.mark.parametrize(
    ("toml", "code", "line", "quoted"),
    [
        ("[kb\n", "toml-syntax", 1, "]"),
        ('[kb]\nname = "a\n', "toml-syntax", 2, ""),
        (b'[kb]\nname = "\xff"\n', "file-not-utf8", 2, "0xff"),
        ("", "kb-toml-empty", None, "empty"),
        ('[kb]\nname = "a"\ncolour = "red"\n', "toml-unknown-key", 3, "'colour'"),
        ('[kb]\nname = "a"\n\n[surch]\n', "toml-unknown-key", 4, "'surch'"),
        ('[kb]\nname = "a"\ntitle = 7\n', "toml-wrong-type", 3, "7"),
        ('[kb]\nname = "Ä"\n', "toml-bad-value", 2, "'Ä'"),
        ('[kb]\nname = "a"\nprefix = "9x"\n', "toml-bad-value", 3, "'9x'"),
        ('[kb]\nname = "a"\n[search]\nalpha = 2.0\n', "toml-bad-value", 4, "2.0"),
        (
            '[kb]\nname = "a"\n[search]\nfusion = "balanced"\nrrf_k = 20\n',
            "toml-conflict",
            5,
            '`rrf_k` has no effect together with `fusion = "balanced"`',
        ),
        (
            '[kb]\nname = "a"\n[search]\nrrf_k = 20\nalpha = 0.5\n',
            "toml-conflict",
            4,
            "`rrf_k` has no effect together with `alpha = 0.5`",
        ),
        (
            '[kb]\nname = "a"\n[search]\nalpha = 0\nfusion = "rrf"\n',
            "toml-conflict",
            5,
            "`fusion` has no effect together with `alpha = 0`",
        ),
        ('[kb]\nname = "a"\n[search]\ncandidates = true\n', "toml-wrong-type", 4, "True"),
        ('[kb]\nname = "a"\n[search.boosts]\ntittle = 2\n', "toml-unknown-key", 4, "'tittle'"),
        ('[kb]\nname = "a"\n[search.weights]\ndosc = 2\n', "toml-unknown-key", 4, "'dosc'"),
        ('[kb]\nname = "a"\n[package]\nmcp_name = "quint"\n', "toml-bad-value", 4, "'quint'"),
        ('[kb]\nname = "a"\n[package]\nhomepage = "here"\n', "toml-bad-value", 4, "'here'"),
        ('[kb]\nname = "a"\n[package]\nauthor = "a\\nb"\n', "toml-bad-value", 4, "`author`"),
        (
            '[kb]\nname = "a"\n[tools]\noffer = "all,tests"\n',
            "toml-conflict",
            4,
            "every family but `compact`",
        ),
        ('[kb]\nname = "a"\n[tools]\nfamilies = ["serch"]\n', "toml-bad-value", 4, "'serch'"),
        ('[kb]\nname = "a"\n[[tools.alias]]\nname = "x"\n', "toml-missing-key", 3, "tool"),
        ('[kb]\nname = "a"\n[[collection]]\nname = "d"\n', "toml-missing-key", 3, "kind"),
        ('[kb]\nname = "a"\n[[collection]]\nkind = "docs"\n', "toml-missing-key", 3, "name"),
        (
            '[kb]\nname = "a"\n[[collection]]\nname = "d"\nkind = "dox"\n',
            "unknown-kind",
            5,
            "'dox'",
        ),
        (
            '[kb]\nname = "a"\n[[collection]]\nname = "all"\nkind = "docs"\n',
            "reserved-name",
            4,
            "'all'",
        ),
        (
            '[kb]\nname = "a"\n[[collection]]\nname = "d"\nkind = "docs"\n'
            '[[collection]]\nname = "d"\nkind = "docs"\n',
            "duplicate-collection",
            7,
            "'d'",
        ),
        (
            f'[kb]\nname = "a"\ntitle = [{"7, " * 50}]\n',
            "toml-wrong-type",
            3,
            "7, 7, 7, 7, 7,…",
        ),
        (
            '[kb]\nname = "a"\n[[collection]]\nname = "d"\nkind = "docs"\npaths = []\n',
            "toml-bad-value",
            6,
            "paths",
        ),
    ],
)
def test_each_mistake_is_reported_with_its_line(
    tmp_path: Path, toml: str | bytes, code: str, line: int | None, quoted: str
) -> None:
    (tmp_path / "docs").mkdir()
    project, diagnostics = load(tmp_path, toml)
    assert project is None
    found_code, found_line, message = only_error(diagnostics)
    assert (found_code, found_line) == (code, line)
    assert quoted in message


def test_ranks_may_be_fused_with_a_constant(tmp_path: Path) -> None:
    table = '[kb]\nname = "a"\n[search]\nfusion = "rrf"\nrrf_k = 20\n'
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n")
    project, _ = load(tmp_path, table + '[[collection]]\nname = "docs"\nkind = "docs"\n')
    assert project is not None
    assert (project.search.fusion, project.search.rrf_k) == ("rrf", 20)


def test_a_name_is_taken_also_where_another_mistake_is_beside_it(tmp_path: Path) -> None:
    table = '[[collection]]\nname = "d"\nkind = "{}"\npaths = ["docs"]\n'
    kinds = ("docs", "dox", "docs")
    text = '[kb]\nname = "a"\n' + "".join(map(table.format, kinds))
    _, diagnostics = load(tmp_path, text)
    assert [(error.code, error.line) for error in diagnostics.errors] == [
        ("duplicate-collection", 8),
        ("unknown-kind", 9),
        ("duplicate-collection", 12),
    ]
    assert [error.message.endswith("on line 3") for error in diagnostics.errors] == [
        True,
        False,
        True,
    ]


def test_all_mistakes_are_reported_together(tmp_path: Path) -> None:
    _, diagnostics = load(
        tmp_path, '[kb]\nname = "A B"\nx = 1\n[search]\nrrf_k = 0\n[[collection]]\nkind = "q"\n'
    )
    assert [error.line for error in diagnostics.errors] == [2, 3, 5, 6, 7]


def test_a_misspelt_key_gets_a_suggestion(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    _, diagnostics = load(tmp_path, '[kb]\nname = "a"\ntitel = "t"\n')
    assert "'title'" in diagnostics.errors[0].hint


@pytest.mark.parametrize(
    ("toml", "hint"),
    [
        ('[KB]\nname = "a"\n', "Did you mean 'kb'?"),
        ('name = "a"\n', "Write it below a line [kb]."),
        ('[kb]\nname = "My Docs"\n', "Write 'my-docs'."),
        ('[[collection]]\nname = "My Docs"\nkind = "docs"\n', "Write 'my-docs'."),
        ("[kb]\nname = a\n", "Text needs quotes"),
        ("[kb]\nversion = 1.0\n", "Put it in quotes."),
        ("[kb]\nversion = 2026-01-02\n", "Put it in quotes."),
        ('[tools]\nprefix = "True"\n', "Write it without quotes: prefix = true."),
        ('[search]\ncandidates = "10"\n', "Write it without quotes: candidates = 10."),
        ('[collection]\nname = "a"\n', "Write its header with two brackets: [[collection]]."),
        ('[[collection]]\nname = "a"\nkind = "docs"\npaths = "b"\n', 'paths = ["b"].'),
        (
            '[[collection]]\nname = "a"\nkind = "docs"\nurl = "https://e.org/{slug}"\n',
            "Known: {path}, {stem}, {anchor}.",
        ),
    ],
)
def test_a_hint_says_how_to_write_it(tmp_path: Path, toml: str, hint: str) -> None:
    _, diagnostics = load(tmp_path, toml)
    assert hint in " ".join(error.hint for error in diagnostics.errors)


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ('[tools]\nprefix = "yes"\n', "`prefix` must be true or false, not 'yes'"),
        ('[search]\ncandidates = "x"\n', "`candidates` must be a whole number, not 'x'"),
    ],
)
def test_what_cannot_be_corrected_has_no_hint(tmp_path: Path, toml: str, message: str) -> None:
    (tmp_path / "docs").mkdir()
    _, diagnostics = load(tmp_path, '[kb]\nname = "a"\n' + toml)
    assert (diagnostics.errors[0].message, diagnostics.errors[0].hint) == (message, "")


@pytest.mark.parametrize("toml", [b"", b" \r\n", b"\xef\xbb\xbf\n"])
def test_an_empty_kb_toml_is_one_finding(tmp_path: Path, toml: bytes) -> None:
    _, diagnostics = load(tmp_path, toml)
    assert [found.code for found in diagnostics] == ["kb-toml-empty"]


def test_an_empty_folder_has_nothing_to_compile(tmp_path: Path) -> None:
    project, diagnostics = load(tmp_path, '[kb]\nname = "a"\n')
    assert project is None
    assert only_error(diagnostics)[0] == "no-collections"


@given(st.text(max_size=300))
def test_no_text_makes_the_reader_crash(
    tmp_path_factory: pytest.TempPathFactory, toml: str
) -> None:
    folder = tmp_path_factory.mktemp("kb")
    project, diagnostics = load(folder, toml.encode("utf-8", "surrogatepass"))
    assert (project is None) == bool(diagnostics.errors)


KEYS = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1, max_size=8)
VALUES = st.sampled_from(
    ['"text"', "'''\na = 1\n[x]\n'''", '"""\n[[y]]\n"""', "[\n 1, # ]\n 2]", '{ a = "}" }', "3"]
)


@given(st.lists(st.tuples(KEYS, VALUES), unique_by=lambda pair: pair[0], max_size=8))
def test_the_line_of_every_key_is_exact(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]
) -> None:
    """Unknown keys are reported at the line where they stand, whatever the values before look like."""
    known = {"name", "title", "version", "prefix", "description", "license"}
    pairs = [pair for pair in pairs if pair[0] not in known]
    text = "[kb]\n"
    expected = []
    for key, value in pairs:
        expected.append(text.count("\n") + 1)
        text += f"{key} = {value}\n"
    folder = tmp_path_factory.mktemp("kb")
    (folder / "docs").mkdir()
    _, diagnostics = load(folder, text)
    assert [error.line for error in diagnostics.errors] == expected


def test_search_settings_of_fusion_and_ranking_are_read(tmp_path: Path) -> None:
    (tmp_path / "kb.toml").write_text(
        '[kb]\nname = "a"\n[search]\nfusion = "rrf"\nwithout = ["places"]\nreranker = "mine"\n'
        "weights = { d = 0.5 }\n"
        '[[collection]]\nname = "d"\nkind = "docs"\npaths = ["d"]\n'
    )
    project = load_project(tmp_path, Diagnostics())
    assert project is not None
    assert (project.search.fusion, project.search.without, project.search.reranker) == (
        "rrf",
        ("places",),
        "mine",
    )
    assert project.search.weights == {"d": 0.5}


@pytest.mark.parametrize("line", ['fusion = "max"', 'without = ["place"]'])
def test_unknown_fusions_and_steps_are_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "kb.toml").write_text(f'[kb]\nname = "a"\n[search]\n{line}\n')
    diagnostics = Diagnostics()
    load_project(tmp_path, diagnostics)
    assert ("toml-bad-value", 4) in [(found.code, found.line) for found in diagnostics]


def test_what_packages_say_is_read(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    toml = '[kb]\nname = "a"\n[package]\nauthor = "Ann"\nmcp_name = "org.example/ab"\n'
    project, diagnostics = load(tmp_path, toml)
    assert project is not None
    assert not len(diagnostics)
    package = project.package
    assert (package.author, package.homepage, package.mcp_name) == ("Ann", "", "org.example/ab")
