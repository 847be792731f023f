"""What an address says, where Back leads, and what the pages tell about a build that is not simple."""

from __future__ import annotations

import json
from base64 import b64decode
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pytest
from playwright.sync_api import expect
from tests.browser.conftest import PATIENCE_MS, Open, Serve
from tests.browser.views import shows
from tests.end_to_end.knowledge import write_knowledge
from tests.waiting import PATIENCE_S, until

import kb_runtime
import kbc

RST = """\
Tides
=====

They come and go, and come again.

.. include:: gone.txt
"""


def built(folder: Path, **files: str) -> tuple[Path, kbc.BuildReport]:
    """The artifact of the usual small knowledge base with more files, without vectors."""
    write_knowledge(folder / "kb", **files)
    report = kbc.build(folder / "kb", kbc.BuildOptions(out=folder / "out", embed=False))
    return report.path.parent, report


def test_back_leads_to_the_search_before(
    serve: Serve, open_page: Open, quint_artifact: Path
) -> None:
    page = open_page(serve(quint_artifact))
    for query in ("map", "seed"):
        page.locator("[name=q]").fill(query)
        shows(page, f"location.search === '?q={query}'")
        page.keyboard.press("Enter")
        shows(page, "document.activeElement.matches('.hit a')")
    page.locator("[name=limit]").select_option("5")
    shows(page, "location.search.includes('limit=5')")
    for query in ("seed", "map", ""):
        page.go_back()
        expect(page.locator("[name=q]")).to_have_value(query, timeout=PATIENCE_MS)
        expect(page.locator("[name=limit]")).to_have_value("10", timeout=PATIENCE_MS)
        assert page.url.partition("?")[2] == (f"q={query}" if query else "")


def test_another_artifact_is_asked_what_was_typed(
    serve: Serve, open_page: Open, quint_artifact: Path, everything: Path
) -> None:
    page = open_page(serve(everything, quint_artifact))
    page.keyboard.type("lantern")
    shows(page, "location.search === '?q=lantern'")
    page.locator(".bases a", has_text="quint").click()
    page.wait_for_selector(".hits")
    assert page.locator("[name=q]").input_value() == "lantern"
    assert "kb=2" in page.url


def test_a_hit_says_its_address(serve: Serve, open_page: Open, everything: Path) -> None:
    page = open_page(f"{serve(everything)}/?q=lantern")
    with kb_runtime.open(everything) as kb:
        addresses = [hit.address for hit in kb.search("lantern", scopes=["all"])]
    assert page.locator(".hit .where code").all_inner_texts() == addresses


def test_hits_are_of_the_language_that_is_chosen(
    serve: Serve, open_page: Open, everything: Path
) -> None:
    page = open_page(f"{serve(everything)}/?q=lantern+pump&scope=code")
    before = page.locator(".hit").count()
    page.locator("[name=language]").select_option("python")
    shows(page, "location.search.includes('language=python')")
    page.wait_for_selector(".hit")
    with kb_runtime.open(everything) as kb:
        titles = [
            hit.title for hit in kb.search("lantern pump", scopes=["code"], languages=["python"])
        ]
    until(lambda: page.locator(".hit h2").all_inner_texts() == titles, "others were found")
    assert 0 < len(titles) <= before


def test_the_scope_says_what_it_leaves_out(serve: Serve, open_page: Open, everything: Path) -> None:
    page = open_page(serve(everything))
    with kb_runtime.open(everything) as kb:
        left = [
            each.name
            for each in kb.collections
            if each.chunks and each.name not in kb.scopes["all"]
        ]
    said = page.locator("[name=scope] option").first.inner_text()
    assert left
    assert said == f"all but {', '.join(left)}"


def test_hits_are_of_the_path_that_is_typed(
    serve: Serve, open_page: Open, everything: Path
) -> None:
    page = open_page(f"{serve(everything)}/?q=lantern+pump&scope=code")
    page.locator("[name=path]").fill("*.py")
    shows(page, "location.search.includes('path=*.py')")
    with kb_runtime.open(everything) as kb:
        titles = [hit.title for hit in kb.search("lantern pump", scopes=["code"], paths=["*.py"])]
    until(lambda: page.locator(".hit h2").all_inner_texts() == titles, "others were found")
    assert titles
    page.locator("[name=path]").fill("/etc")
    expect(page.locator(".empty")).to_contain_text("must be relative", timeout=PATIENCE_MS)


def test_words_that_are_nowhere_are_not_said_to_have_no_meaning(
    serve: Serve, open_page: Open, everything: Path
) -> None:
    page = open_page(f"{serve(everything)}/?q=zzxyzzy&mode=lexical")
    assert "has these words." in page.inner_text(".empty")
    assert "meaning." not in page.inner_text(".empty")


def test_every_tool_that_takes_a_query_can_be_asked(
    serve: Serve, open_page: Open, everything: Path
) -> None:
    page = open_page(f"{serve(everything)}/?q=lantern&view=agent&mode=lexical&type=prose")
    assert page.locator(".choices [aria-current]").inner_text() == "demo_hybrid_search"
    assert "no argument for: mode, type" in page.inner_text(".agent .note")
    page.get_by_role("link", name="demo_search", exact=True).click()
    page.wait_for_url(lambda url: "tool=demo_search" in url)
    with kb_runtime.open(everything) as kb:
        text = kb.call_tool("demo_search", {"query": "lantern", "mode": "lexical"}).text
    answer = page.locator(".agent pre").first
    until(lambda: answer.text_content() == text, "another answer is shown")
    page.locator("[name=q]").fill("pump")
    shows(page, "location.search.includes('q=pump')")
    assert "tool=demo_search" in page.url


def test_tools_that_servers_do_not_offer_are_told_apart(
    serve: Serve, open_page: Open, tmp_path: Path
) -> None:
    artifact, _ = built(tmp_path, **{"kb.toml": '[kb]\nname = "demo"\nversion = "1.0"\n'})
    page = open_page(f"{serve(artifact)}/tools")
    with kb_runtime.open(artifact) as kb:
        offered, names = kb.offered_tools, kb.tools
    assert page.locator(".tools code").all_inner_texts()[: len(offered)] == list(offered)
    assert (
        page.locator(".tools li", has_text="not offered").count() == len(names) - len(offered) > 0
    )
    page.get_by_role("link", name="demo_get_builtin", exact=True).click()
    page.wait_for_selector(".snip")
    configuration = json.loads(page.locator(".snip pre").nth(2).text_content())
    assert configuration["mcpServers"]["demo"]["args"][2:] == ["--tools", "all"]


def test_the_map_is_shown_as_its_address_says(
    serve: Serve, open_page: Open, quint_artifact: Path
) -> None:
    url = serve(quint_artifact)
    page = open_page(f"{url}/map?q=map+from+a+set")
    page.wait_for_selector("[data-map][data-drawn='10']")
    with kb_runtime.open(quint_artifact) as kb:
        titles = [hit.title for hit in kb.search("map from a set")]
    assert page.locator("[data-hits] li").all_inner_texts() == titles
    page.get_by_label("patterns").uncheck()
    page.get_by_label("near duplicates").uncheck()
    page.locator("canvas").focus()
    for key in ("+", "+", "ArrowLeft", "Enter"):
        page.keyboard.press(key)
    page.wait_for_selector("[data-tip] a")
    said = "[...new URLSearchParams(location.search).keys()].sort().join()"
    shows(page, f"{said} === 'at,hide,q,row,unmarked'")
    other = open_page(page.url)
    other.wait_for_selector("[data-tip] a")
    assert other.inner_text("[data-tip]") == page.inner_text("[data-tip]")
    assert not other.get_by_label("patterns").is_checked()
    assert not other.get_by_label("near duplicates").is_checked()
    other.wait_for_selector("[data-map][data-drawn='10']")
    until(lambda: alike(page, other), "another view is drawn")
    other.locator("canvas").focus()
    other.keyboard.press("0")
    until(lambda: not alike(page, other), "the views cannot be told apart")
    other.locator("[name=q]").fill("seed")
    other.keyboard.press("Enter")
    other.wait_for_url(lambda each: "q=seed" in each)
    assert "hide=patterns" in other.url


PIXELS = """() => {
  const { data } = document.querySelector("canvas").getContext("2d").getImageData(0, 0, 900, 600)
  let text = ""
  for (let at = 0; at < data.length; at += 900) text += String.fromCharCode(...data.subarray(at, at + 900))
  return btoa(text)
}"""
"""What a map shows, as base64: two million numbers would be sent one by one."""


def alike(one: Any, two: Any) -> bool:
    """Whether two maps show nearly the same: coordinates in an address are rounded."""
    first, second = (
        np.frombuffer(b64decode(each.evaluate(PIXELS)), np.uint8) for each in (one, two)
    )
    differing = np.count_nonzero(np.abs(first.astype(int) - second) > 64)
    return differing < len(first) / 1000


def test_collections_of_one_colour_are_hidden_one_by_one(
    serve: Serve, open_page: Open, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    names = [f"part{at}" for at in range(14)]
    settings = '[kb]\nname = "many"\nversion = "1.0"\n' + "".join(
        f'[[collection]]\nname = "{name}"\nkind = "docs"\npaths = ["{name}"]\n' for name in names
    )
    (tmp_path / "kb").mkdir()
    (tmp_path / "kb" / "kb.toml").write_text(settings)
    for name in names:
        (tmp_path / "kb" / name).mkdir()
        (tmp_path / "kb" / name / "page.md").write_text(
            f"# Page of {name}\n\nIt tells of {name}.\n"
        )
    assert pytestconfig.cache is not None
    cache = Path(pytestconfig.cache.mkdir("kbc"))
    report = kbc.build(tmp_path / "kb", kbc.BuildOptions(out=tmp_path / "out", cache=cache))
    page = open_page(f"{serve(report.path.parent)}/map")
    page.wait_for_selector(f"[data-map][data-ready='{len(names)}']")
    painted = (
        "(() => { const c = document.querySelector('canvas'); const d = c.getContext('2d')"
        ".getImageData(0, 0, c.width, c.height).data; let n = 0;"
        " for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; })()"
    )
    for each in ("near duplicates", "isolated"):
        page.get_by_label(each).uncheck()
    counts = []
    for name in ("part0", "part12"):
        page.get_by_label(name, exact=False).first.scroll_into_view_if_needed()
        page.locator(f"[data-owner][data-name={name}]").uncheck()
        until(lambda: page.evaluate(painted) not in counts, "nothing was hidden")
        counts.append(page.evaluate(painted))
    assert counts[1] < counts[0]


def test_warnings_link_to_the_line_where_there_is_one(
    serve: Serve, open_page: Open, tmp_path: Path
) -> None:
    long = "# Long\n\n" + "A line of a long page about tides and boats.\n\n" * 2_000
    artifact, report = built(
        tmp_path,
        **{
            "docs/tides.rst": RST,
            "docs/long.md": f"{long}See [nothing](nothing.md).\n",
            "docs/page.xyz": "not read",
            "code/picture.py": "x = 1\n",
        },
    )
    url = serve(artifact, report=report.as_dict())
    page = open_page(f"{url}/health")
    found = {
        link.text_content(): link.get_attribute("href")
        for link in page.locator("main .plain li > a:has(code)").all()
    }
    places = {f"{each.path}:{each.line}" for each in report.diagnostics if each.path and each.line}
    assert any(name.startswith("docs/tides.rst:") for name in places)
    for name, href in found.items():
        answer = httpx2.get(url + href.partition("#")[0], timeout=PATIENCE_S)
        assert answer.status_code == 200, name
        assert f'id="{href.partition("#")[2]}"' in answer.text or "#" not in href, name
    converted = next(href for name, href in found.items() if name.startswith("docs/tides.rst:"))
    assert "#" not in converted, "the stored text has other lines than the file"
    line = long.count("\n") + 1
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.get_by_role("link", name=f"docs/long.md:{line}").click()
    page.wait_for_selector(f"#L{line}:target")
    assert "See [nothing]" in page.inner_text(f"#L{line}")
    assert "part of a long text" in page.inner_text("main")


def test_figures_stay_whole_and_panels_fill_the_page(
    serve: Serve, open_page: Open, quint_artifact: Path
) -> None:
    """No number goes over two lines on a phone; no column is empty on a wide screen."""
    runs = [(f"2026-11-{day:02d} nightly", a_run(day)) for day in range(1, 31)]
    url = serve(quint_artifact, runs=runs)
    page = open_page(f"{url}/quality?against={runs[0][0]}", 360)
    assert split_figures(page) == []
    labels = [each.bounding_box() for each in page.locator(".chart g .tick:visible").all()]
    ends = [(box["x"], box["x"] + box["width"]) for box in labels]
    assert len(ends) > 1
    assert all(left[1] < right[0] for left, right in pairwise(ends))
    page.goto(f"{url}/health")
    page.wait_for_selector("text=Longest answers")
    assert split_figures(page) == []
    page = open_page(f"{url}/quality", 2560)
    for path in ("/quality", "/health", "/map"):
        page.goto(url + path)
        page.wait_for_load_state("networkidle")
        gaps = page.evaluate(
            "[...document.querySelectorAll('.panels')].map((each) => each.getBoundingClientRect().right"
            " - Math.max(...[...each.children].map((one) => one.getBoundingClientRect().right)))"
        )
        assert gaps
        assert all(gap < 2 for gap in gaps), path


def test_the_same_measures_stand_before_and_after(
    serve: Serve, open_page: Open, quint_artifact: Path
) -> None:
    url = serve(quint_artifact, runs=[("old", a_run(1)), ("new", a_run(2))])
    page = open_page(f"{url}/quality?run=new&against=old")
    moved = page.locator(".panel", has_text="What moved")
    assert "mrr@10" in moved.inner_text()
    assert "+0.010" in moved.inner_text()
    assert "2 questions asked in one" in moved.inner_text()
    moved.get_by_role("link", name="where is north").click()
    page.wait_for_selector(".hits")


def a_run(number: int) -> dict[str, Any]:
    """What `kbc eval --json` prints of two questions, one of which no other run asks."""
    answers = [
        {"query": "where is north", "scope": "", "rank": number, "first": ["doc:docs/lang.md"]},
        {"query": f"only in {number}", "scope": "", "rank": None, "first": ["doc:x" * 20]},
    ]
    mean = 0.5 + number / 100
    each = {"mean": mean, "low": mean - 0.1, "high": mean + 0.1}
    return {
        "build_id": f"{number:016x}",
        "questions": 2,
        "tokens_per_answer": 10,
        "answers": answers,
        "measures": dict.fromkeys(("mrr@10", "success@1", "recall@100"), each),
        "latency_ms": {"p50": 1, "p95": 2, "p99": 3},
    }


def split_figures(page: Any) -> list[str]:
    """The figures in tables that do not stand on one line."""
    found: list[str] = page.evaluate(
        """[...document.querySelectorAll('.figures td')].filter((each) => {
            if (!/^[-+]?[0-9][0-9.,]*$/.test(each.innerText.trim())) return false;
            const range = document.createRange();
            range.selectNodeContents(each);
            return new Set([...range.getClientRects()].map((one) => one.top)).size > 1;
        }).map((each) => each.innerText)"""
    )
    return found


@pytest.mark.parametrize("path", ["/map/point?row=", "/record/chunk?row=", "/?q=a&limit=", "/?kb="])
def test_no_number_is_too_long(serve: Serve, everything: Path, path: str) -> None:
    answer = httpx2.get(serve(everything) + path + "9" * 5_000, timeout=PATIENCE_S)
    assert answer.status_code in (200, 404)


def test_a_difference_names_what_changed_and_not_what_follows_from_it(
    serve: Serve, open_page: Open, tmp_path: Path
) -> None:
    artifact, _ = built(tmp_path)
    lanterns = tmp_path / "kb" / "docs" / "lanterns.md"
    lanterns.write_text(lanterns.read_text().replace("burns oil", "burns wax " * 60))
    kbc.build(tmp_path / "kb", kbc.BuildOptions(out=tmp_path / "out", embed=False))
    page = open_page(
        f"{serve(artifact)}/versions/record?collection=docs&name=docs/lanterns.md", 360
    )
    text = page.inner_text(".diff")
    assert "burns wax" in text
    assert "sections:" not in text
    assert page.evaluate("document.querySelector('.diff .code').scrollWidth <= innerWidth")


def test_names_without_a_space_and_large_settings_fit_a_narrow_window(
    tmp_path: Path, serve: Serve, open_page: Open
) -> None:
    names = ["docs/" + "_".join([word] * 20) + ".md" for word in ("lantern", "beacon")]
    old, _ = built(tmp_path / "old")
    settings = '[kb]\nname = "demo"\nversion = "1.0"\n'
    new, _ = built(
        tmp_path / "new",
        **{"kb.toml": settings, **dict.fromkeys(names, "# Same\n\n" + "A text twice. " * 20)},
    )
    url = serve(old, new)
    for path, place in (("/health?kb=2", "[data-into] .panel"), ("/versions?kb=2", ".panel td")):
        page = open_page(url + path, width=360)
        page.wait_for_selector(place, state="attached")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
