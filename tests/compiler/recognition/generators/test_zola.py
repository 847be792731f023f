"""Sites of Zola: which pages are read, under which addresses, and what their shortcodes show."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import addresses, page, read, recognised, write_tree

from kbc.records import DocRecord

CONFIG = 'base_url = "https://heron.example"\ntitle = "Heron"\n'


@pytest.mark.parametrize("config", ["config.toml", "zola.toml"])
def test_pages_have_the_addresses_of_the_site(tmp_path: Path, config: str) -> None:
    files = {
        config: CONFIG + "[languages.fr]\n",
        "templates/index.html": "<html></html>",
        "content/_index.md": page("Home"),
        "content/docs/_index.md": page("Docs"),
        "content/docs/_index.fr.md": page("Documents"),
        "content/docs/Big Nests.md": page("Big nests"),
        "content/docs/eggs/index.md": "+++\ntitle = 'Eggs'\nslug = 'ignored'\n+++\n\nText.\n",
        "content/docs/old.md": "+++\ntitle = 'Old'\nslug = 'new'\n+++\n\nText.\n",
        "content/docs/far.md": "+++\ntitle = 'Far'\npath = 'away'\n+++\n\nText.\n",
        "content/blog/2024-03-02-first.md": page("First"),
    }
    root = write_tree(tmp_path / "tree", files)
    assert recognised(root).what == f"Zola site 'Heron' ({config})"
    assert addresses(read(root)[0]) == {
        "_index.md": "https://heron.example/",
        "blog/2024-03-02-first.md": "https://heron.example/blog/first/",
        "docs/Big Nests.md": "https://heron.example/docs/big-nests/",
        "docs/_index.md": "https://heron.example/docs/",
        "docs/eggs/index.md": "https://heron.example/docs/eggs/",
        "docs/far.md": "https://heron.example/away/",
        "docs/old.md": "https://heron.example/docs/new/",
    }


def test_shortcodes_with_a_body_keep_it(tmp_path: Path) -> None:
    text = (
        '# A\n\n{% note(title="Nests") %}\nLeave *them*.\n\n```sh\n{% end %}\n```\n{% end %}\n\n'
        "{% wide() %}\nText.\n{% end %}\n\nWrite `{% end %}` or {%/* note() */%}.\n"
        "\n```html\n{{/* nest(eggs=3) */}}\n```\n"
    )
    files = {"config.toml": CONFIG, "content/a.md": text}
    inputs, diagnostics = read(write_tree(tmp_path / "tree", files))
    (record,) = inputs.records["docs"]
    assert isinstance(record, DocRecord)
    assert "**Note: Nests**\nLeave *them*.\n\n```sh\n{% end %}\n```\n" in record.text
    assert "\nText.\n" in record.text
    assert "Write `{% end %}` or {% note() %}.\n" in record.text
    assert "```html\n{{ nest(eggs=3) }}\n```\n" in record.text
    (note,) = (each for each in diagnostics if each.code == "content-elsewhere")
    assert "{% wide %} (1)" in note.message


def test_front_matter_may_stand_below_blank_lines(tmp_path: Path) -> None:
    files = {
        "config.toml": 'base_url = "https://z.example"\ntitle = "Z"\n',
        "content/a.md": '\n\n+++\ntitle = "Awl"\n+++\n\nIt pricks holes.\n',
        "content/b.md": "\n---\n\nBelow a line.\n",
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    first, second = inputs.records["docs"]
    assert (first.title, first.summary) == ("Awl", "It pricks holes.")
    assert "+++" not in first.content
    assert "Below a line." in second.content


def test_a_path_alone_is_no_address_of_the_site(tmp_path: Path) -> None:
    files = {"zola.toml": 'base_url = "/nests/"\n', "content/_index.md": page("Home")}
    root = write_tree(tmp_path / "tree", {**files, "content/eggs.md": page("Eggs")})
    assert addresses(read(root)[0]) == {"_index.md": "", "eggs.md": ""}
