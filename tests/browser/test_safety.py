"""Hostile records, hostile sites, and who may ask: nothing is executed, nothing is told to strangers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.browser.conftest import Open, Serve
from tests.waiting import PATIENCE_S

import kb_runtime
from kb_runtime.explorer import markup
from kb_runtime.explorer.app import COOKIE, POLICY

FIRED = "window.fired || 0"
LOADED = "performance.getEntriesByType('resource').map((each) => each.name)"
TOKEN = "correct horse battery staple".replace(" ", "-")


def pages(artifact: Path) -> Iterator[str]:
    """Addresses that show every record of an artifact, each in every way."""
    with kb_runtime.open(artifact) as kb:
        addresses = [record.address for record in kb.records()]
    assert len(addresses) >= 100
    for address in addresses:
        name = str(httpx2.URL("http://x/", params={"name": address}).query, "ascii")
        yield f"/record?{name}"
        yield f"/record?{name}&view=stored"
        yield f"/record?{name}&view=agent"
        yield f"/record?{name}&view=data"
    yield from (
        "/?q=harm&limit=50",
        "/?q=harm&limit=50&compare=1&mode2=lexical",
        "/health",
        "/tools",
    )
    yield from ("/?q=harm&view=agent", "/record?collection=docs", "/versions", "/quality", "/map")
    yield "/tools/hostile_hybrid_search?run=1&a.query=harm"
    for payload in ("<script>window.fired=1</script>", "'\"><img src=x onerror=window.fired=1>"):
        query = str(httpx2.URL("http://x/", params={"q": payload, "name": payload}).query, "ascii")
        yield f"/?{query}"
        yield f"/record?{query}"
        yield f"/map?{query}"


@pytest.mark.slow
def test_100_hostile_records_do_nothing(serve: Serve, open_page: Open, hostile: Path) -> None:
    url = serve(hostile)
    page = open_page(url, expect_errors=True)
    for path in pages(hostile):
        page.goto(url + path)
        page.evaluate(
            "document.querySelectorAll('details').forEach((each) => { each.open = true; })"
        )
        for link in page.locator("main a").all()[:3]:
            assert (
                not (link.get_attribute("href") or "").lower().startswith(("javascript:", "data:"))
            )
        assert page.evaluate(FIRED) == 0, path
        assert page.url.startswith(url), path
        assert all(each.startswith(url) for each in page.evaluate(LOADED)), path
        assert page.locator("footer.foot").count() == 1, f"{path}: the page is whole"


def test_one_hostile_page_does_nothing(serve: Serve, open_page: Open, hostile: Path) -> None:
    url = serve(hostile)
    page = open_page(f"{url}/?q=harm&limit=50", expect_errors=True)
    assert page.locator(".hit").count() > 20
    assert page.evaluate(FIRED) == 0
    assert page.locator("main script, main img, main iframe, main [onclick]").count() == 0
    page.locator(".hit h2 a").first.click()
    page.wait_for_selector(".chunk")
    assert page.evaluate(FIRED) == 0


@pytest.mark.parametrize(
    ("source", "kept"),
    [
        ("[x](javascript:alert(1))", False),
        ("[x](JaVaScRiPt:alert(1))", False),
        ("[x](vbscript:x)", False),
        ("[x](data:text/html,x)", False),
        ('<a href="javascript:alert(1)">x</a>', False),
        ("[x](https://example.org/)", True),
        ("<https://example.org/>", True),
    ],
)
def test_links_keep_harmless_addresses_only(source: str, kept: bool) -> None:
    html = str(markup.markdown(source, lambda _: ""))
    assert ('href="http' in html) is kept
    assert "script:" not in html.replace("[x](", "") or "href" not in html


def test_a_line_of_a_step_keeps_code_and_nothing_that_runs() -> None:
    html = markup.inline(
        "`x` [a](javascript:b) [c](d.md) ![e](https://f.example/) <script>g()</script>"
    )
    assert html.startswith("<code>x</code>")
    for each in ("javascript", "d.md", "<img", "<script", "g()"):
        assert f'href="{each}' not in html
        assert not each.startswith("<") or each not in html


def test_a_word_is_marked_without_touching_the_rest() -> None:
    assert markup.marked("<b> seed & Seed", ["seed", "<b>"]) == (
        "<mark>&lt;b&gt;</mark> <mark>seed</mark> &amp; <mark>Seed</mark>"
    )


def test_headings_skip_no_level() -> None:
    outline = markup.HeadingLevels()
    html = str(markup.markdown("# a\n\n##### b\n", lambda _: "", outline))
    html += str(markup.markdown("### c\n\n# d\n\n## e\n", lambda _: "", outline))
    assert [html[at + 2] for at in range(len(html)) if html.startswith("<h", at)] == list("12312")


def test_code_blocks_go_on_over_chunks() -> None:
    assert markup.open_fence("a\n```python\nx = 1\n") == "```python"
    assert markup.open_fence("x = 2\n```\nend", "```python") == ""
    assert markup.open_fence("~~~\n```\n") == "~~~"


@pytest.mark.parametrize(
    "path",
    ["/", "/record", "/map", "/map/points", "/health", "/nothing", "/static/explorer.js", "/state"],
)
def test_every_answer_has_the_policy(serve: Serve, everything: Path, path: str) -> None:
    answer = httpx2.get(serve(everything) + path, timeout=PATIENCE_S)
    assert answer.headers["content-security-policy"] == POLICY
    assert "unsafe" not in POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_foreign_names_and_foreign_sites_are_refused(serve: Serve, everything: Path) -> None:
    url = serve(everything)
    assert httpx2.get(url, headers={"host": "evil.example"}).status_code == 421
    assert httpx2.get(url, headers={"host": "127.0.0.1.evil.example"}).status_code == 421
    for headers in (
        {"origin": "https://evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"origin": "null"},
    ):
        assert httpx2.post(f"{url}/label", data={"query": "x"}, headers=headers).status_code == 403


def test_nothing_is_written_without_a_file_of_questions(serve: Serve, everything: Path) -> None:
    answer = httpx2.post(f"{serve(everything)}/label", data={"query": "x", "name": "toSet"})
    assert answer.status_code == 400
    assert "--questions" in answer.text


def test_the_token_opens_the_pages(serve: Serve, open_page: Open, everything: Path) -> None:
    url = serve(everything, accepts=TOKEN.__eq__)
    assert httpx2.get(url).status_code == 401
    assert httpx2.get(f"{url}/map/points").status_code == 401
    assert httpx2.get(url, headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert httpx2.get(url, headers={"authorization": "Bearer wrong"}).status_code == 401
    assert httpx2.get(url, headers={"cookie": f"{COOKIE}=wrong"}).status_code == 401
    page = open_page(f"{url}/?q=harm", expect_errors=True)
    assert httpx2.URL(page.url).path.endswith("/login")
    page.get_by_label("Token").fill("wrong")
    page.get_by_role("button", name="Open").click()
    page.wait_for_selector("text=That is not the token.")
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button", name="Open").click()
    page.wait_for_selector("[name=q]")
    assert page.url == f"{url}/?q=harm"
    (cookie,) = [each for each in page.context.cookies() if each["name"] == COOKIE]
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Strict"


def test_an_artifact_that_breaks_meanwhile_is_explained(
    serve: Serve, open_page: Open, tmp_path: Path
) -> None:
    page = open_page(serve(tmp_path / "nothing"), expect_errors=True)
    assert "cannot be read" in page.inner_text("h1")


def test_a_line_of_a_megabyte_is_shown(serve: Serve, open_page: Open, hostile: Path) -> None:
    page: Any = open_page(f"{serve(hostile)}/record?name=docs/line.md")
    assert page.locator(".chunk").count() > 0
