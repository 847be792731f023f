"""Imports of web archives, zipped sites and dumps of MediaWiki."""

from __future__ import annotations

import bz2
import gzip
import io
import zipfile
from pathlib import Path

import pytest
from tests.compiler.importing.saved_pages import WGET, adds_up, imported, page, pages, write

from kbc.importing.entries import ImportSourceError


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
