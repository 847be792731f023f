"""Imports of mirrors, web archives and dumps that the tests make."""

from __future__ import annotations

import bz2
import gzip
import io
import random
import socket
import zipfile
from pathlib import Path
from typing import Any

import pytest
from benchmarks.mutations import HTML, mutated

from kb_runtime.errors import KbcError
from kbc.diagnostics import Diagnostics
from kbc.errors import OutputError
from kbc.importing import page as page_module
from kbc.importing import running
from kbc.importing.entries import ImportSourceError, file_path
from kbc.importing.journal import FILE_NAME, Journal
from kbc.importing.running import STAGED, ImportOptions, ImportReport, import_site
from kbc.languages import markdown
from kbc.pipeline.reading import read_inputs
from kbc.records import PageRecord


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any, **options: Any) -> None:
        raise AssertionError("an import opened a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def page(title: str, text: str, head: str = "") -> str:
    return (
        f"<!DOCTYPE html><html><head><title>{title}</title>{head}</head><body><nav><a href='/'>Home</a></nav>"
        f"<main><h1>{title}</h1><p>{text}</p></main></body></html>"
    )


def write(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def imported(source: Path, out: Path, **options: Any) -> ImportReport:
    return import_site(source, out, ImportOptions(**options), out.parent / "cache")


def pages(out: Path) -> dict[str, dict[str, Any]]:
    """Front matter by path."""
    return {
        path.relative_to(out / "pages").as_posix(): dict(markdown.parse(path.read_text()).data)
        for path in sorted((out / "pages").rglob("*.md"))
    }


def adds_up(report: ImportReport, entries: int) -> None:
    counts = report.files.counts()
    assert sum(counts.values()) == len(report.files) == entries
    assert counts["read"] == report.pages


WGET = {
    "docs.example.org/index.html": page("Heron", "A database."),
    "docs.example.org/guide/install.html": page(
        "Installing",
        'Download <a href="../index.html">Heron</a>; see <a href="https://other.example/">it</a>.',
    ),
    "docs.example.org/guide/copy.html": page(
        "Installing",
        'Download <a href="../index.html">Heron</a>; see <a href="https://other.example/">it</a>.',
    ),
    "docs.example.org/guide/tune.html?highlight=cache": page(
        "Tuning", "Now with <b>cache</b> marked."
    ),
    "docs.example.org/guide/tune.html": page("Tuning", "Now with cache."),
    "docs.example.org/logo.png": b"\x89PNG\r\n\x1a\n",
    "docs.example.org/private.html": page(
        "Private", "Nothing.", '<meta name="robots" content="noindex, follow">'
    ),
    "docs.example.org/robots.txt": "User-agent: *\n",
}


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


def warc(path: Path, records: list[tuple[str, str, dict[str, str], bytes]]) -> Path:
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    with path.open("wb") as stream:
        writer = WARCWriter(stream, gzip=path.name.endswith(".gz"))
        for url, status, headers, body in records:
            http = StatusAndHeaders(status, list(headers.items()), protocol="HTTP/1.1")
            record = writer.create_warc_record(
                url,
                "response",
                payload=io.BytesIO(body),
                http_headers=http,
                warc_headers_dict={"WARC-Date": "2024-03-05T10:11:12Z"},
            )
            writer.write_record(record)
    return path


RECORDS = [
    ("http://docs.example.org/a", "200 OK", {"Content-Type": "text/html; charset=latin-1"},
     page("Caf\u00e9", "Old.").encode("latin-1")),
    ("http://docs.example.org/a", "200 OK",
     {"Content-Type": "text/html; charset=latin-1", "Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"},
     page("Caf\u00e9", "New.").encode("latin-1")),
    ("http://docs.example.org/gone", "404 Not Found", {"Content-Type": "text/html"}, b"<p>no"),
    ("http://docs.example.org/old", "301 Moved", {"Location": "/a"}, b""),
    ("http://docs.example.org/x.css", "200 OK", {"Content-Type": "text/css"}, b"a{}"),
    ("http://docs.example.org/secret", "200 OK",
     {"Content-Type": "text/html", "X-Robots-Tag": "noindex"}, page("S", "s").encode()),
    ("http://docs.example.org/notes.md", "200 OK", {"Content-Type": "text/plain"}, b"# Notes\n\nHi.\n"),
]  # fmt: skip


@pytest.mark.parametrize("name", ["site.warc", "site.warc.gz"])
def test_a_web_archive_gives_the_last_good_response_of_each_address(
    tmp_path: Path, name: str
) -> None:
    pytest.importorskip("warcio")
    report = imported(warc(tmp_path / name, RECORDS), tmp_path / "kb")
    adds_up(report, len(RECORDS))
    assert report.files.reasons("left out") == {
        "format not read: .css": 1,
        "noindex": 1,
        "redirect to another page": 1,
        "saved again later in the archive": 1,
        "status 404": 1,
    }
    found = pages(tmp_path / "kb")
    assert found["docs.example.org/a.md"] == {
        "url": "https://docs.example.org/a",
        "title": "Caf\u00e9",
        "date": "2024-01-01T00:00:00Z",
        "retrieved": "2024-03-05T10:11:12Z",
    }
    assert "New." in (tmp_path / "kb/pages/docs.example.org/a.md").read_text()
    assert "docs.example.org/notes.md" in found


def test_a_web_archive_that_was_cut_short_is_read_up_to_there(tmp_path: Path) -> None:
    pytest.importorskip("warcio")
    whole = warc(tmp_path / "whole.warc.gz", RECORDS).read_bytes()
    source = write(tmp_path, {"cut.warc.gz": whole[:-40]}) / "cut.warc.gz"
    report = imported(source, tmp_path / "kb")
    assert "docs.example.org/a.md" in pages(tmp_path / "kb")
    assert len(report.files) == sum(report.files.counts().values())
    with pytest.raises(ImportSourceError, match="cannot be read as a web archive"):
        imported(
            write(tmp_path, {"no.warc.gz": gzip.compress(b"nonsense " * 99)}) / "no.warc.gz",
            tmp_path / "kb2",
        )


def test_a_zip_of_a_site_is_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "site.zip", "w") as archive:
        for name, content in WGET.items():
            archive.writestr(name, content)
    report = imported(tmp_path / "site.zip", tmp_path / "kb", base="https://docs.example.org")
    assert report.pages == 3
    assert "docs.example.org/guide/tune.md" in pages(tmp_path / "kb")


DUMP = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/">
<siteinfo><base>http://wiki.example.org/wiki/Main_Page</base></siteinfo>
<page><title>Heron setup</title><ns>0</ns><revision><timestamp>2023-01-01T00:00:00Z</timestamp>
<model>wikitext</model><text>old</text></revision><revision><timestamp>2024-01-01T00:00:00Z</timestamp>
<model>wikitext</model><text>== Steps ==\n\nRun '''heron''' &lt;code&gt;init&lt;/code&gt;.</text>
</revision></page><page><title>Setup</title><ns>0</ns>
<redirect title="Heron setup"/><revision><text>#REDIRECT</text></revision></page>
<page><title>Talk:Heron setup</title><ns>1</ns><revision><text>hm</text></revision></page>
<page><title>Template:Note</title><ns>10</ns><revision><text>n</text></revision></page>
<page><title>Drafts</title><ns>0</ns><revision><text>__NOINDEX__ later</text></revision></page>
</mediawiki>
"""


@pytest.mark.parametrize("ending", ["xml", "xml.bz2", "xml.gz"])
def test_a_dump_of_mediawiki_gives_the_last_revisions(tmp_path: Path, ending: str) -> None:
    pytest.importorskip("pypandoc")
    pack = {"xml": bytes, "xml.bz2": bz2.compress, "xml.gz": gzip.compress}[ending]
    source = tmp_path / f"dump.{ending}"
    source.write_bytes(pack(DUMP.encode()))
    report = imported(source, tmp_path / "kb")
    adds_up(report, 5)
    assert pages(tmp_path / "kb") == {
        "wiki.example.org/wiki/Heron_setup.md": {
            "url": "https://wiki.example.org/wiki/Heron_setup",
            "title": "Heron setup",
            "date": "2024-01-01T00:00:00Z",
        }
    }
    text = (tmp_path / "kb/pages/wiki.example.org/wiki/Heron_setup.md").read_text()
    assert "## Steps" in text
    assert "**heron**" in text
    assert "`init`" in text


def test_patterns_depth_and_limit_leave_pages_out(tmp_path: Path) -> None:
    source = write(tmp_path / "mirror", WGET)
    report = imported(source, tmp_path / "a", exclude=("guide/",))
    adds_up(report, len(WGET))
    assert list(pages(tmp_path / "a")) == ["docs.example.org/index.md"]
    report = imported(source, tmp_path / "b", include=("/docs.example.org/guide/tune*",))
    assert list(pages(tmp_path / "b")) == ["docs.example.org/guide/tune.md"]
    report = imported(source, tmp_path / "c", depth=0)
    assert list(pages(tmp_path / "c")) == ["docs.example.org/index.md"]
    report = imported(source, tmp_path / "d", limit=2)
    adds_up(report, len(WGET))
    assert report.pages == 2
    assert report.files.reasons("left out")[running.OVER_LIMIT] == 4


def test_a_second_run_continues_and_converts_nothing_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write(tmp_path / "mirror", WGET)
    read = running.read_page
    converted: list[str] = []

    def dying(entry: Any, *rest: Any) -> Any:
        if len(converted) == 3:
            raise KeyboardInterrupt
        converted.append(entry.key)
        return read(entry, *rest)

    monkeypatch.setattr(running, "read_page", dying)
    with pytest.raises(KeyboardInterrupt):
        imported(source, tmp_path / "kb")
    journal = tmp_path / "kb" / FILE_NAME
    journal.write_text(journal.read_text() + '\n{"key": "torn')
    again: list[str] = []

    def counting(entry: Any, *rest: Any) -> Any:
        again.append(entry.key)
        return read(entry, *rest)

    monkeypatch.setattr(running, "read_page", counting)
    report = imported(source, tmp_path / "kb")
    assert set(again).isdisjoint(converted)
    assert len(again) + len(converted) == 6
    adds_up(report, len(WGET))
    first = {path: path.read_bytes() for path in (tmp_path / "kb").rglob("*.*") if path.is_file()}
    again.clear()
    report = imported(source, tmp_path / "kb")
    assert again == []
    assert report.kept == report.pages == 3
    assert {
        path: path.read_bytes() for path in (tmp_path / "kb").rglob("*.*") if path.is_file()
    } == first
    clean = imported(source, tmp_path / "clean")
    assert clean.files.reasons("left out") == report.files.reasons("left out")
    assert pages(tmp_path / "clean") == pages(tmp_path / "kb")


def test_two_imports_into_one_folder_take_turns(tmp_path: Path) -> None:
    source = write(tmp_path / "mirror", WGET)
    (tmp_path / "kb").mkdir()
    busy = pytest.raises(OutputError, match="another import writes into")
    with Journal(tmp_path / "kb").writing(), busy:
        imported(source, tmp_path / "kb")
    (tmp_path / "kb" / STAGED).write_text("half a pa")  # what a killed run leaves
    assert imported(source, tmp_path / "kb").pages == 3
    assert not (tmp_path / "kb" / STAGED).exists()


def test_damaged_pages_are_counted_and_stop_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(1)
    files: dict[str, str | bytes] = {
        f"docs.example.org/{number}.html": mutated(HTML, chance) for number in range(40)
    }
    source = write(tmp_path / "mirror", files | {"docs.example.org/bad.html": page("Bad", "x")})
    read = page_module._html

    def failing(entry: Any, *rest: Any) -> Any:
        if entry.key.endswith("bad.html"):
            raise RecursionError
        return read(entry, *rest)

    monkeypatch.setattr(page_module, "_html", failing)
    report = imported(source, tmp_path / "kb")
    adds_up(report, 41)
    assert report.pages > 5
    assert report.files.reasons("not readable") == {"reading it failed (RecursionError)": 1}


def test_what_is_gone_or_changed_follows_and_other_files_stay(tmp_path: Path) -> None:
    source = write(tmp_path / "mirror", WGET)
    imported(source, tmp_path / "kb")
    write(
        tmp_path / "kb/pages",
        {"docs.example.org/mine.md": "---\nurl: https://x.example/\n---\nOwn.\n"},
    )
    (source / "docs.example.org/guide/tune.html").write_text(page("Tuning", "All new."))
    (source / "docs.example.org/guide/copy.html").unlink()
    report = imported(source, tmp_path / "kb")
    assert report.removed == 1
    assert sorted(pages(tmp_path / "kb")) == [
        "docs.example.org/guide/install.md",
        "docs.example.org/guide/tune.md",
        "docs.example.org/index.md",
        "docs.example.org/mine.md",
    ]
    assert "All new." in (tmp_path / "kb/pages/docs.example.org/guide/tune.md").read_text()


def test_a_folder_without_addresses_asks_for_one(tmp_path: Path) -> None:
    source = write(tmp_path / "plain", {"a.html": page("A", "a"), "sub/index.html": page("B", "b")})
    with pytest.raises(KbcError, match="nothing in 'plain' says") as caught:
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
