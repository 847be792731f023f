"""Imports of mirrored sites: addresses, duplicates, sitemaps and anchors."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.importing.saved_pages import WGET, adds_up, imported, page, pages, write

from kb_runtime.errors import KbcError
from kbc.diagnostics import Diagnostics
from kbc.importing import running
from kbc.importing.entries import file_path, https
from kbc.pipeline.reading import read_inputs
from kbc.records import PageRecord


def test_a_mirror_by_wget_keeps_addresses_and_loses_duplicates(tmp_path: Path) -> None:
    report = imported(write(tmp_path / "mirror", WGET), tmp_path / "kb")
    adds_up(report, len(WGET))
    found = pages(tmp_path / "kb")
    assert {path: fields["url"] for path, fields in found.items()} == {
        "docs.example.org/index.md": "https://docs.example.org/",
        "docs.example.org/guide/copy.md": "https://docs.example.org/guide/copy.html",
        "docs.example.org/guide/tune.md": "https://docs.example.org/guide/tune.html",
    }
    assert found["docs.example.org/index.md"]["title"] == "Heron"
    assert report.files.reasons("left out") == {
        running.SAME_TEXT: 1,
        running.VARIANT: 1,
        "describes the site": 1,
        "format not read: .png": 1,
        "noindex": 1,
    }
    text = (tmp_path / "kb/pages/docs.example.org/guide/copy.md").read_text()
    assert "[Heron](https://docs.example.org/)" in text
    assert "[it](https://other.example/)" in text


def test_what_is_written_is_a_knowledge_base_with_these_addresses(tmp_path: Path) -> None:
    imported(write(tmp_path / "mirror", WGET), tmp_path / "kb")
    diagnostics = Diagnostics()
    inputs = read_inputs(tmp_path / "kb", diagnostics)
    assert inputs is not None
    assert list(diagnostics) == []
    assert inputs.project.name == "docs-example-org"
    assert {record.url for record in inputs.records["pages"] if isinstance(record, PageRecord)} == {
        "https://docs.example.org/",
        "https://docs.example.org/guide/copy.html",
        "https://docs.example.org/guide/tune.html",
    }


def test_a_page_is_the_copy_of_its_canonical_page_if_it_has_its_title(tmp_path: Path) -> None:
    link = '<link rel="canonical" href="https://docs.example.org/latest/a.html">'
    files: dict[str, str | bytes] = {
        "docs.example.org/latest/a.html": page("Caching", "Fresh.", link),
        "docs.example.org/1.0/a.html": page("Caching", "Stale.", link),
        "docs.example.org/1.0/other.html": page("Removed later", "Only here.", link),
        "docs.example.org/b-saved.html": page(
            "Backup", "Daily.", '<link rel="canonical" href="https://docs.example.org/b">'
        ),
    }
    report = imported(write(tmp_path / "mirror", files), tmp_path / "kb")
    adds_up(report, 4)
    assert report.files.reasons("left out") == {running.CANONICAL: 1}
    assert {fields["url"] for fields in pages(tmp_path / "kb").values()} == {
        "https://docs.example.org/latest/a.html",
        "https://docs.example.org/1.0/other.html",
        "https://docs.example.org/b",
    }


def test_httrack_says_in_each_page_where_it_is_from(tmp_path: Path) -> None:
    mark = (
        "\n<!-- Mirrored from docs.example.org/guide/{} by HTTrack Website Copier/3.x [XR&CO'2014],"
        " Tue, 05 Mar 2024 10:11:12 GMT -->\n"
    )
    files: dict[str, str | bytes] = {
        "index.html": "<html><head><meta name='generator' content='HTTrack Website Copier/3.x'></head>"
        "<body>Local index - HTTrack Website Copier</body></html>",
        "hts-log.txt": "HTTrack3.49-2 launched",
        "guide/a5f1.html": "<html>" + mark.format("?page=2") + page("Second", "Two.")[21:],
        "guide/index.html": "<html>" + mark.format("index.html") + page("First", "One.")[21:],
    }
    report = imported(write(tmp_path / "mirror", files), tmp_path / "kb")
    adds_up(report, 4)
    assert report.files.reasons("left out") == {"written by httrack": 2}
    found = pages(tmp_path / "kb")
    assert sorted(fields["url"] for fields in found.values()) == [
        "https://docs.example.org/guide/?page=2",
        "https://docs.example.org/guide/index.html",
    ]
    assert found["docs.example.org/guide/index.md"]["retrieved"] == "2024-03-05T10:11:12Z"


def test_a_sitemap_gives_addresses_and_dates(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "sitemap.xml": "<urlset><url><loc>https://docs.example.org/en/install/</loc>"
        "<lastmod>2024-02-01</lastmod></url><url><loc>https://docs.example.org/en/</loc></url></urlset>",
        "index.html": page("Heron", "Home."),
        "install/index.html": page("Install", "Here."),
    }
    report = imported(write(tmp_path / "site", files), tmp_path / "kb")
    adds_up(report, 3)
    found = pages(tmp_path / "kb")
    assert found["docs.example.org/en/install/index.md"] == {
        "url": "https://docs.example.org/en/install/",
        "title": "Install",
        "date": "2024-02-01",
    }


def test_a_tree_with_llms_txt_has_titles_and_the_addresses_of_the_pages(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "llms.txt": "# Heron\n\n> A database.\n\n## Docs\n\n"
        "- [Install it](https://docs.example.org/guide/install.md): how\n"
        "- [Home](https://docs.example.org/index.html.md)\n",
        "guide/install.md": "# Installing\n\nDownload it.\n",
        "index.html.md": "---\ntitle: Heron\ndate: 2024-01-02\n---\n\nThe home.\n",
    }
    report = imported(write(tmp_path / "tree", files), tmp_path / "kb")
    adds_up(report, 3)
    found = pages(tmp_path / "kb")
    assert found["docs.example.org/guide/install.md"] == {
        "url": "https://docs.example.org/guide/install",
        "title": "Install it",
    }
    assert found["docs.example.org/index.md"]["url"] == "https://docs.example.org/"
    assert found["docs.example.org/index.md"]["date"] == "2024-01-02"


def test_a_folder_without_addresses_asks_for_one(tmp_path: Path) -> None:
    source = write(tmp_path / "plain", {"a.html": page("A", "a"), "sub/index.html": page("B", "b")})
    with pytest.raises(KbcError, match="nothing in 'plain' states") as caught:
        imported(source, tmp_path / "kb")
    assert "--base" in caught.value.hint
    imported(source, tmp_path / "kb", base="https://docs.example.org/v2")
    assert {fields["url"] for fields in pages(tmp_path / "kb").values()} == {
        "https://docs.example.org/v2/a.html",
        "https://docs.example.org/v2/sub/",
    }


def test_a_mirror_of_a_server_of_ones_own_gets_the_address_of_the_site(tmp_path: Path) -> None:
    source = write(tmp_path / "mirror", {"127.0.0.1:8000/guide/a.html": page("A", "a")})
    imported(source, tmp_path / "kb", base="https://docs.example.org/v2/")
    assert [fields["url"] for fields in pages(tmp_path / "kb").values()] == [
        "https://docs.example.org/v2/guide/a.html"
    ]


def test_anchors_of_headings_stay(tmp_path: Path) -> None:
    text = page("Heron", "x").replace("</main>", '<h2 id="sec-setup">Set up</h2><p>y</p></main>')
    imported(write(tmp_path / "m", {"docs.example.org/a.html": text}), tmp_path / "kb")
    diagnostics = Diagnostics()
    inputs = read_inputs(tmp_path / "kb", diagnostics)
    assert inputs is not None
    record = next(each for each in inputs.records["pages"] if isinstance(each, PageRecord))
    assert [(each.title, each.anchor) for each in record.sections] == [
        ("Heron", "heron"),
        ("Set up", "sec-setup"),
    ]


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://docs.example.org:80/a", "https://docs.example.org/a"),
        ("http://wiki/a#b", "http://wiki/a"),
        ("http://Wiki.corp:8080/a", "http://wiki.corp:8080/a"),
        ("http://10.1.2.3/a", "http://10.1.2.3/a"),
        ("https://wiki/a", "https://wiki/a"),
    ],
)
def test_hosts_of_a_private_network_keep_http(url: str, address: str) -> None:
    assert https(url) == address


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("https://a.example/", "a.example/index.md"),
        ("https://a.example/x/", "a.example/x/index.md"),
        ("https://a.example/x.html?v=../../2", "a.example/x-v=..-..-2.md"),
        ("https://a.example/%2e%2e/%2e%2e/etc/passwd", "a.example/_/_/etc/passwd.md"),
        ("https://a.example/con/.git/b", "a.example/_con/git/b.md"),
        ("https://a.example/" + "x" * 300, f"a.example/{'x' * 100}.md"),
    ],
)
def test_an_address_becomes_a_path_within_the_folder(url: str, path: str) -> None:
    assert file_path(url) == path


def test_a_page_keeps_the_language_that_it_says(tmp_path: Path) -> None:
    source = page("Caching", "Fresh.").replace("<html>", '<html lang="vi">')
    assert 'lang="vi"' in source
    imported(write(tmp_path / "mirror", {"docs.example.org/a.html": source}), tmp_path / "kb")
    assert pages(tmp_path / "kb")["docs.example.org/a.md"]["lang"] == "vi"
