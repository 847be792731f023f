"""The examples front end: categories, sidecars, metadata from the source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kbc.diagnostics import Diagnostics
from kbc.frontends.examples import MAX_KEYWORDS, read
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.records import ExampleRecord

SPEC = """// A token.
module token {
  import rules.* from "./rules"
  type Amount = int
  const LIMIT: int
  pure def cap(x: int): int = if (x > LIMIT) LIMIT else x
  action mint = supply' = Set(1).oneOf()
  run mintTest = mint
}
"""


def read_files(
    files: Mapping[str, str], extensions: Sequence[str] = (".qnt",)
) -> tuple[dict[str, ExampleRecord], Diagnostics]:
    diagnostics = Diagnostics()
    collection = Collection(
        "examples", "examples", ("examples",), options={"extensions": extensions}, line=4
    )
    sources = [SourceFile(f"examples/{p}", t.encode(), "examples") for p, t in files.items()]
    records = read(collection, sources, diagnostics)
    return {r.id: r for r in records if isinstance(r, ExampleRecord)}, diagnostics


def test_metadata_of_a_quint_file() -> None:
    records, diagnostics = read_files({"defi/tokens/token.qnt": SPEC})
    assert not list(diagnostics)
    record = records["defi/tokens/token.qnt"]
    assert record.path == "examples/defi/tokens/token.qnt"
    assert (record.category, record.subcategory, record.filename) == ("defi", "tokens", "token.qnt")
    assert (record.title, record.description, record.language) == ("token.qnt", "A token.", "quint")
    assert (record.modules, record.types, record.constants) == (("token",), ("Amount",), ("LIMIT",))
    assert (record.functions, record.actions, record.tests) == (("cap",), ("mint",), ("mintTest",))
    assert [(each.module, each.source) for each in record.imports] == [("rules", "./rules")]
    assert {"defi", "tokens", "token", "oneOf", "mint"} <= set(record.keywords)
    assert record.text == SPEC


def test_files_beside_the_folders_are_general_and_other_files_are_not_taken() -> None:
    records, _ = read_files({"a.qnt": SPEC, "sub/b.QNT": SPEC, "README.md": "# no"})
    assert {key: (r.category, r.subcategory) for key, r in records.items()} == {
        "a.qnt": ("general", ""),
        "sub/b.QNT": ("sub", ""),
    }


def test_an_empty_file_is_no_example_and_no_mistake() -> None:
    records, diagnostics = read_files({"a.qnt": SPEC, "pkg/b.qnt": "", "pkg/c.qnt": "\n"})
    assert list(records) == ["a.qnt"]
    assert not list(diagnostics)


def test_a_file_that_mentions_test_in_a_comment_has_no_tests() -> None:
    records, _ = read_files(
        {"a.qnt": 'module a {\n  // run fooTest = x, Test\n  val s = "Test"\n}'}
    )
    assert records["a.qnt"].tests == ()


def test_a_copy_names_the_first_file_with_its_text() -> None:
    records, _ = read_files({"a/x.qnt": SPEC, "b/x.qnt": SPEC, "c/x.qnt": SPEC + "\n"})
    assert {id: record.copy_of for id, record in records.items()} == {
        "a/x.qnt": "",
        "b/x.qnt": "examples/a/x.qnt",
        "c/x.qnt": "",
    }


def test_sidecars_describe_their_file() -> None:
    side = (
        'title = "Token"\ndescription = "Better."\ntags = ["t"]\nkeywords = ["erc20"]\ntitel = 1\n'
    )
    records, diagnostics = read_files(
        {"a.qnt": SPEC, "a.qnt.meta.toml": side, "b.qnt": SPEC, "b.meta.toml": 'title = "B"'}
    )
    record = records["a.qnt"]
    assert (record.title, record.description, record.tags) == ("Token", "Better.", ("t",))
    assert record.keywords[0] == "erc20"
    assert records["b.qnt"].title == "B"
    (found,) = diagnostics
    assert (found.code, found.line) == ("metadata-unknown-field", 5)
    assert "title" in found.hint


def test_wrong_sidecars_are_reported_on_their_lines() -> None:
    records, diagnostics = read_files(
        {"a.qnt": SPEC, "a.meta.toml": 'title = "x"\ntags = 3 = 4', "b.qnt": SPEC}
        | {"b.meta.toml": "\ntags = [[1]]", "gone.meta.toml": 'title = "x"'}
    )
    assert set(records) == {"a.qnt", "b.qnt"}
    assert [(each.path, each.line, each.code) for each in diagnostics] == [
        ("examples/a.meta.toml", 2, "toml-syntax"),
        ("examples/b.meta.toml", 2, "metadata-wrong-type"),
        ("examples/gone.meta.toml", 1, "sidecar-without-file"),
    ]


def test_other_languages_give_their_leading_comment() -> None:
    records, _ = read_files(
        {
            "a.py": "#!/usr/bin/env python\n# Says\n# hello.\nprint()\n",
            "b.tla": "(* Module. *)\n",
            "c.cs": "class C {}\n",
            "d.lean": "def d := 1\n",
        },
        ["py", ".tla", "cs", "lean"],
    )
    assert (records["a.py"].description, records["a.py"].language) == ("Says hello.", "python")
    assert (records["b.tla"].description, records["b.tla"].language) == ("Module.", "tla")
    assert [records[name].language for name in ("c.cs", "d.lean")] == ["csharp", "lean"]


def test_a_folder_without_examples_is_reported() -> None:
    _, diagnostics = read_files({"a.md": "x"})
    assert [(each.code, each.path, each.line) for each in diagnostics] == [
        ("examples-none", "kb.toml", 4)
    ]


def test_keywords_are_bounded() -> None:
    body = "\n".join(f"val name{n} = {n}" for n in range(500))
    records, _ = read_files({"a.qnt": f"module m {{\n{body}\n}}"})
    assert len(records["a.qnt"].keywords) == MAX_KEYWORDS
    assert len(records["a.qnt"].functions) == 500
