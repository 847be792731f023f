"""Notebooks, API descriptions, the formats of pandoc, PDF, Python modules, inventories."""

from __future__ import annotations

import json
import sys
from functools import partial

import pytest
from tests.compiler.formats.samples import (
    INVENTORY,
    NOTEBOOK,
    OPENAPI,
    PYTHON,
    pdf_file,
    read,
    samples,
)

from kbc.formats import FORMATS, Converted, FormatError, convert, program
from kbc.formats.inventory import InventoryEntry, read_inventory
from kbc.formats.pandoc.writer import PandocWriter
from kbc.formats.python.module_pages import module_page
from kbc.formats.registry import INSTALL_HINT
from kbc.formats.rst import Context, embedded
from kbc.project.kinds import CONVERTED, KINDS


def one(name: str) -> Converted:
    path, data = samples()[name]
    (found,) = convert(path, data, read, format=name)
    return found


def python_page(name: str, data: bytes) -> Converted:
    path = f"{name.replace('.', '/')}.py"
    prose = partial(embedded, around=Context(path, read))
    found = module_page(name, path, data, prose, has_private=False)
    assert found is not None
    return found


def test_kinds_list_the_endings_of_all_formats() -> None:
    assert set(CONVERTED) == set(FORMATS)
    assert set(FORMATS) <= set(KINDS["docs"].suffixes) & set(KINDS["pages"].suffixes)


def test_missing_library_is_one_error_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypandoc", None)
    (found,) = convert("a.org", b"* Head\n", read)
    assert [(each.code, each.hint, each.is_error) for each in found.problems] == [
        ("format-library-missing", INSTALL_HINT, True)
    ]
    wiki = "====== Nests ======\n\n  * one\n"
    (found,) = convert("a.txt", wiki.encode(), read, format="dokuwiki")
    assert (found.text, found.problems) == (wiki, ())


def test_notebook_keeps_cells_and_short_text_output() -> None:
    found = one("notebook")
    assert (found.title, found.author) == ("Title", "Jane")
    assert found.text == (
        "# Title\n\nText x\n\n```python\nx = 1\nprint(x)\n```\n\n```text\n1\n```\n\n"
        "```\nleft open\n```\n\n```bash\n%%bash\nls\n```\n"
    )


def test_notebook_with_half_of_a_surrogate_pair_is_read() -> None:
    cells = [{"cell_type": "markdown", "source": "# Half \ud83d of\n\nand a whole \U0001f600"}]
    data = json.dumps({"cells": cells, "metadata": {"title": "T \udc00"}}).encode()
    (found,) = convert("a.ipynb", data, read)
    assert not found.problems
    assert found.text == "# Half \ufffd of\n\nand a whole \U0001f600\n"
    assert found.title == "T \ufffd"


def test_a_notebook_is_without_the_list_of_its_headings() -> None:
    listed = {"cell_type": "markdown", "metadata": {"toc": True}, "source": "<div>Nests</div>"}
    cells = [listed, {"cell_type": "markdown", "metadata": {}, "source": "# Nests"}]
    (found,) = convert("a.ipynb", json.dumps({"cells": cells}).encode(), read)
    assert found.text == "# Nests\n"


def test_a_comment_in_code_is_no_title_of_a_notebook() -> None:
    code = {"cell_type": "code", "source": "x = 1\n# {\n"}
    text = {"cell_type": "markdown", "source": "```\n# no\n```\n\n## Yes ##"}
    titles = [
        convert("a.ipynb", json.dumps({"cells": cells}).encode(), read)[0].title
        for cells in ([code], [code, text])
    ]
    assert titles == ["", "Yes"]


def test_notebook_output_is_cut() -> None:
    book = json.loads(NOTEBOOK)
    book["cells"][1]["outputs"] = [{"output_type": "stream", "text": "line\n" * 500}]
    (found,) = convert("a.ipynb", json.dumps(book).encode(), read)
    assert found.text.count("line\n") == 20


def test_notebook_output_is_markdown_or_text_but_no_bare_object() -> None:
    texts = ("<a.B object>", "| K |\n"), ("<a.B at 0x7f>", None), ("k", "")
    outputs = [{"data": {"text/plain": plain, "text/markdown": own}} for plain, own in texts]
    cells = [{"cell_type": "code", "source": "x", "outputs": outputs}]
    (found,) = convert("a.ipynb", json.dumps({"cells": cells}).encode(), read)
    assert found.text == "```python\nx\n```\n\n```text\n| K |\n\nk\n```\n"


@pytest.mark.parametrize(
    ("data", "line"), [(b'{\n"cells": [}', 2), (b"[]", 0), (b'{"cells": 3}', 0), (b"[" * 90_000, 0)]
)
def test_broken_notebook_is_one_error(data: bytes, line: int) -> None:
    (found,) = convert("a.ipynb", data, read)
    assert [(each.code, each.line) for each in found.problems] == [("notebook-invalid", line)]


def test_openapi_has_a_document_for_each_operation_and_schema() -> None:
    found = convert("docs/openapi.yaml", OPENAPI, read)
    assert [each.name for each in found] == ["", "getPet", "POST /pets/{id}", "Pet"]
    assert all(each.problems == () for each in found)
    whole, get, post, pet = (each.text for each in found)
    assert "### Use" in whole
    assert "- `key` (apiKey, header, X-Key)" in whole
    assert "`GET /pets/{id}` (operation `getPet`)" in get
    assert "| `id` | path | integer | yes | Its number Minimum `1`. |" in get
    assert "| `kind` | string | no | One of `cat`, `dog`. |" in get
    assert '```json\n{\n  "name": "Rex"\n}\n```' in get
    assert "### 404 No such pet" in get
    assert "Authentication: `key`" in get
    assert "## Request body\n\nRequired." in post
    assert "| `size` | integer | no |" in post
    assert pet.startswith("# Pet\n\nSchema, object\n")


def test_operations_and_schemas_are_looked_up_by_name_and_call() -> None:
    source = OPENAPI + b"\nservers: [{url: https://x.org/v2}]\n"
    found = convert("docs/openapi.yaml", source, read)
    assert [each.index_names for each in found] == [
        (),
        ("getPet", "GET /pets/{id}", "GET /v2/pets/{id}"),
        ("POST /pets/{id}", "POST /v2/pets/{id}"),
        ("Pet",),
    ]


def test_operations_of_one_title_have_their_call_in_it() -> None:
    source = """
openapi: 3.0.0
paths:
  /kites/{id}: {get: {operationId: kite, summary: Get by id}, delete: {}}
  /lines/{id}: {get: {operationId: line, summary: get by ID}, put: {operationId: put, summary: Put it}}
"""
    _, *operations = convert("docs/openapi.yaml", source.encode(), read)
    assert [each.title for each in operations] == [
        "Get by id (GET /kites/{id})",
        "DELETE /kites/{id}",
        "get by ID (GET /lines/{id})",
        "Put it",
    ]
    assert operations[0].text.startswith("# Get by id (GET /kites/{id})\n\n`GET /kites/{id}`")


@pytest.mark.parametrize(
    ("api", "servers", "path"),
    [
        (
            "openapi: 3.0.0\nservers: [{url: 'https://x.org/v2/'}]",
            ["https://x.org/v2/"],
            "/v2/kites",
        ),
        (
            "openapi: 3.0.0\nservers: [{url: '{at}{base}', variables: {base: {default: /v3}}}]",
            ["{at}/v3"],
            "",
        ),
        (
            "openapi: 3.0.0\nservers: [{url: '//{at}{base}', variables: {base: {default: /v3}}}]",
            ["//{at}/v3"],
            "/v3/kites",
        ),
        ("openapi: 3.0.0\nservers: [{url: /api}, {url: /b}]", ["/api", "/b"], "/api/kites"),
        ("swagger: '2.0'\nbasePath: /v1", [], "/v1/kites"),
        ("swagger: '2.0'\nhost: x.org\nbasePath: /v1", ["https://x.org/v1"], "/v1/kites"),
        ("openapi: 3.0.0\nservers: [{url: 'https://x.org'}]", ["https://x.org"], ""),
    ],
)
def test_operations_have_the_path_with_that_of_the_server(
    api: str, servers: list[str], path: str
) -> None:
    source = f"{api}\npaths: {{/kites: {{get: {{operationId: kites}}}}}}\n"
    whole, operation = convert("docs/openapi.yaml", source.encode(), read)
    assert [line[3:-1] for line in whole.text.split("\n") if line.startswith("- `")] == servers
    shown = f"; in full `{path}`" if path else ""
    assert f"`GET /kites` (operation `kites`{shown})\n" in operation.text


def test_openapi_keeps_what_tags_and_schemes_are_described_with() -> None:
    source = """
openapi: 3.0.0
info: {title: Pond, version: '1'}
tags:
- {name: intro, x-displayName: Introduction, description: {$ref: 'intro.yaml#/text'}}
- {name: silent}
components:
  securitySchemes:
    short: {type: http, scheme: basic, description: A name and a word.}
    long:
      type: apiKey
      description: |
        Get a key.

        ```
        curl -X POST
          https://x.org/keys
        ```
paths: {}
"""
    files = {"docs/intro.yaml": b"text: |\n  # Limits\n\n  #60 calls.\n"}
    (whole,) = convert("docs/openapi.yaml", source.encode(), files.get)
    assert not whole.problems
    assert (
        whole.text.partition("## Authentication")[2]
        == (
            "\n\n- `short` (http, basic): A name and a word.\n\n### `long` (apiKey)\n\nGet a key.\n\n"
            "```\ncurl -X POST\n  https://x.org/keys\n```\n\n"
            "## Tags\n\n### Introduction\n\n#### Limits\n\n#60 calls.\n"  # the second is text to CommonMark
        )
    )


def test_openapi_ends_code_that_a_description_leaves_open() -> None:
    tags = r'[{name: a, description: "```\nx\n``` <p>"}, {name: b, description: B.}]'
    source = f"openapi: 3.0.0\ninfo: {{title: Pond, version: '1'}}\ntags: {tags}\npaths: {{}}\n"
    (whole,) = convert("openapi.yaml", source.encode(), read)
    assert whole.text.endswith("### a\n\n```\nx\n``` <p>\n```\n\n### b\n\nB.\n")


def test_openapi_in_yaml_has_words_that_older_yaml_takes_for_truth_values() -> None:
    schema = "{type: string, enum: [NO, SE, on], default: true}"
    data = f"openapi: 3.1.0\ninfo: {{title: T}}\ncomponents: {{schemas: {{Land: {schema}}}}}\n"
    text = "\n".join(each.text for each in convert("openapi.yaml", data.encode(), read))
    assert "`NO`, `SE`, `on`" in text
    assert "`true`" in text


def test_openapi_says_once_what_alternatives_share_and_where_a_table_is_cut() -> None:
    shared = {"size": {"type": "string"}}
    options = [{"properties": shared}, {"properties": shared | {"names": {"type": "integer"}}}]
    many = {f"p{number}": {"enum": [*range(60)]} for number in range(300)}
    schemas = {"Either": {"oneOf": options}, "Many": {"properties": many}}
    api = {"openapi": "3.0.0", "components": {"schemas": schemas}}
    _, either, cut = convert("openapi.json", json.dumps(api).encode(), read)
    assert (either.text.count("| `size` |"), either.text.count("| `names` |")) == (1, 1)
    parts = ("`49`, ... |", "| ... |  |  |  |\n", "| `p")
    assert [cut.text.count(each) for each in parts] == [200, 1, 200]


def test_openapi_may_have_its_maps_in_files_of_their_own() -> None:
    source = (
        b"openapi: 3.1.0\npaths:\n  $ref: paths.yaml\n"
        b"components:\n  schemas:\n    $ref: parts/all.yaml\n"
    )
    files = {
        "docs/paths.yaml": b"/kites:\n  get:\n    summary: List kites\n",
        "docs/parts/all.yaml": b"Kite:\n  $ref: kite.yaml\nLine:\n  type: string\n",
        "docs/parts/kite.yaml": b"type: object\nproperties: {area: {type: number}}\n",
    }
    _, operation, kite, line = convert("docs/openapi.yaml", source, files.get)
    assert (operation.title, kite.title, line.title) == ("List kites", "Kite", "Line")
    assert "area" in kite.text


def test_openapi_follows_references_in_circles_and_repeats_once() -> None:
    loop = b'{"openapi": "3.0.0", "paths": {"/a": {"$ref": "#/paths/~1a"}}}'
    (whole,) = convert("openapi.json", loop, read)
    assert whole.text == "# API\n"
    bomb = "openapi: 3.0.0\na0: &a0 [x, x]\n" + "".join(
        f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}, *a{i - 1}, *a{i - 1}]\n" for i in range(1, 40)
    )
    bomb += "components: {schemas: {S: {example: *a39}}}\n"
    found = convert("openapi.yaml", bomb.encode(), read)
    assert len(found[1].text) < 100_000


@pytest.mark.parametrize(
    ("data", "line"),
    [(b"openapi: 3\npaths: [}\n", 2), (b"a: b\n", 0), (b"openapi: " + b"[" * 500, 1)],
)
def test_broken_api_description_is_one_error(data: bytes, line: int) -> None:
    (found,) = convert("openapi.yaml", data, read)
    assert [(each.code, each.line) for each in found.problems] == [("openapi-invalid", line)]


@pytest.mark.parametrize("name", ["docx", "epub", "odt", "pptx"])
def test_office_documents_keep_title_code_and_tables(name: str) -> None:
    found = one(name)
    assert (found.title, found.problems) == ("The title", ())
    if name not in ("odt", "pptx"):  # whose code pandoc reads as plain text
        assert "def f():\n    return 1\n" in found.text
    assert "| a | b |\n| --- | --- |\n| 1 | 2 |" in found.text


def test_org_keeps_code_with_tabs_and_terms_that_pandoc_gives_up_on() -> None:
    found = one("org")
    assert (found.title, found.author, found.created_at) == ("The title", "Jane", "2024-05-06")
    assert found.anchors == ("", "head")
    assert "```python\ndef f():\n\treturn 1\n```" in found.text
    assert "Its meaning." in found.text


def test_org_keeps_backslashes_that_are_no_markup() -> None:
    source = """* Head
#+begin_quote
Press C-\\ or [[kbd:][C-\\]] now\\!
#+end_quote
Path C:\\Users\\me and \\alpha.
- C-\\ :: term

#+begin_example shell
#+begin_src c
\ta \\n
#+end_src
#+end_example
"""
    (found,) = convert("a.org", source.encode(), read)
    assert not found.problems
    assert "> Press C-\\\\ or [C-\\\\](kbd:) now\\\\!" in found.text
    assert "Path C:\\Users\\me and α." in found.text
    assert "**C-\\\\**" in found.text
    assert "```\n#+begin_src c\n\ta \\n\n#+end_src\n```" in found.text


def test_word_code_without_highlighting_is_a_block() -> None:
    code = {"t": "Code", "c": [["", [], []], "  a  b"]}
    lines = {"t": "Para", "c": [code, {"t": "LineBreak"}, {"t": "LineBreak"}, code]}
    assert PandocWriter({"blocks": [lines]}).write() == "```\n  a  b\n\n  a  b\n```\n"


def test_man_docbook_and_wikis() -> None:
    man = one("man").text
    assert "## OPTIONS" in man
    assert "```\nthing -v file\n```" in man
    docbook = one("docbook")
    assert docbook.title == "The title"
    assert "```c\nint main() {\n  return 0;\n}\n```" in docbook.text
    assert "> **Note**\n>\n> Beware." in docbook.text
    wiki = one("mediawiki").text
    assert "**strong** and [a link](https://example.org)" in wiki
    assert "```python\ndef f():\n    return 1\n```" in wiki
    found = one("dokuwiki")
    assert (found.title, found.problems) == ("Nests", ())
    assert "[the pond](/pond/start#Reeds)" in found.text
    assert "## Count\n\n1. First\n\n   - Inner\n\n```python\ncount = 1\n```" in found.text


def test_a_file_with_a_number_is_a_man_page_only_if_it_looks_like_one() -> None:
    (found,) = convert("notes-1.2.3", b"Release 1.2.3\n", read)
    assert [(each.code, each.is_error) for each in found.problems] == [("man-page-none", False)]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no limit that counts this")
def test_a_program_is_ended_by_the_processor_time_that_it_uses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(program, "SECONDS", 1)
    waits = "import time; time.sleep(1.5); print('done')"
    assert program.run("heron", [sys.executable, "-c", waits], b"").stdout == b"done\n"
    with pytest.raises(FormatError, match="heron did not read the file within 1 seconds"):
        program.run("heron", [sys.executable, "-c", "while True: pass"], b"")


@pytest.mark.parametrize("path", ["a.docx", "a.epub", "a.pdf", "a.docbook"])
def test_broken_files_of_programs_are_one_error(path: str) -> None:
    (found,) = convert(path, b"PK\x03\x04 <broken" if path != "a.pdf" else b"%PDF-1.7 broken", read)
    assert [each.is_error for each in found.problems] == [True]


def test_pdf_has_pages_headings_and_metadata() -> None:
    found = one("pdf")
    assert (found.title, found.author, found.created_at) == ("The title", "Jane", "2024-05-06")
    assert found.anchors == ("", "page=1", "page=1", "page=2")
    assert found.text == (
        "# The title\n\n## Page 1\n\n### Heading one\n\nSome plain text here\nand its second line.\n\n"
        "Another paragraph.\n\n## Page 2\n\nText of the second page, long enough to be the body.\n"
    )


def test_pdf_shows_code_whole_words_and_the_size_of_scaled_type() -> None:
    page = (
        b"BT /F1 1 Tf 18 0 0 18 72 720 Tm (On kites) Tj"
        b" 10 0 0 10 72 690 Tm (A kite needs wind, and the com-) Tj"
        b" 10 0 0 10 72 678 Tm (puter needs a non-) Tj"
        b" 10 0 0 10 72 666 Tm (zero speed, not a non-zero height.) Tj"
        b" /F2 1 Tf 10 0 0 10 72 640 Tm (def fly\\(\\):) Tj 10 0 0 10 96 628 Tm (up\\(1\\)) Tj"
        b" 10 0 0 10 72 604 Tm (fly\\(\\)) Tj /F1 1 Tf 10 0 0 10 72 570 Tm (It lands.) Tj ET"
    )
    (found,) = convert("a.pdf", pdf_file([page], b"Microsoft Word - kites.doc"), read)
    assert found.title == "On kites"
    assert found.text == (
        "# On kites\n\n## Page 1\n\n### On kites\n\nA kite needs wind, and the computer needs a non-zero"
        " speed, not a non-zero height.\n\n```\ndef fly():\n    up(1)\n\nfly()\n```\n\nIt lands.\n"
    )


def test_lines_far_apart_are_a_paragraph_in_a_pdf() -> None:
    lines = b"".join(b"0 -24 Td (Line %d of the text.) Tj " % number for number in range(4))
    page = b"BT /F1 10 Tf 72 720 Td %s 0 -44 Td (Another paragraph.) Tj ET" % lines
    (found,) = convert("a.pdf", pdf_file([page]), read)
    assert found.text.split("\n\n")[2:] == [
        "\n".join(f"Line {number} of the text." for number in range(4)),
        "Another paragraph.\n",
    ]


def test_a_page_of_labels_in_a_pdf_is_a_figure() -> None:
    labels = b"BT /F1 10 Tf 72 720 Td (0.25) Tj 0 -12 Td (Height of the kite) Tj ET"
    (found,) = convert("a.pdf", pdf_file([labels]), read)
    assert (found.text, [each.code for each in found.problems]) == ("", ["pdf-figure"])
    for pages in ([labels] * 2, [labels.replace(b"kite", b"kite.")]):
        (found,) = convert("a.pdf", pdf_file(pages), read)
        assert (bool(found.text), found.problems) == (True, ())


def test_python_module_is_read_without_running_it() -> None:
    found = python_page("pkg.a", PYTHON)
    assert (found.title, found.summary) == ("pkg.a", "A module.")
    assert found.anchors == ("pkg.a", "pkg.a.Cache", "pkg.a.Cache.get", "pkg.a.fetch")
    assert "## `class pkg.a.Cache(size: int = 10) of dict`" in found.text
    assert '### `Cache.get(key: str, /, *, default: bytes = b"") -> bytes`' in found.text.replace(
        "'", '"'
    )
    assert "- `size` (int): how many" in found.text
    assert "```pycon\n>>> Cache().get(\"a\")\nb''\n```" in found.text
    assert "## `async pkg.a.fetch(*urls: str) -> list[str]`" in found.text
    assert "_hidden" not in found.text
    with pytest.raises(FormatError) as broken:
        python_page("a", b"x = 1\ndef (:\n")
    assert broken.value.line == 2


def test_inventory_maps_names_to_addresses() -> None:
    found = read_inventory(INVENTORY)
    assert (found.project, found.version) == ("Thing", "1.2")
    assert found.entries == (
        InventoryEntry("json.dumps", "py:function", "library/json.html#json.dumps"),
        InventoryEntry("the title", "std:label", "a.html#x"),
    )
    with pytest.raises(FormatError, match="cut off"):
        read_inventory(INVENTORY[:-9])
