"""Each view in a real browser: what one types, clicks and sees."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.browser.conftest import PATIENCE_MS, Open, Serve
from tests.browser.views import shows
from tests.end_to_end.knowledge import write_knowledge
from tests.waiting import until

import kb_runtime
import kbc
from kbc.cli.explore import _Questions as Questions


def settled(page: Any) -> None:
    page.wait_for_load_state("networkidle")


def test_hits_appear_as_one_types_and_the_address_is_the_search(
    serve: Serve, open_page: Open, quint_artifact: Path
) -> None:
    page = open_page(serve(quint_artifact))
    page.keyboard.type("map from a set", delay=20)
    shows(page, "location.search.includes('q=map+from+a+set')")
    page.wait_for_selector(".hit mark")
    titles = page.locator(".hit h2 a").all_inner_texts()
    with kb_runtime.open(quint_artifact) as kb:
        assert titles == [hit.title for hit in kb.search("map from a set")]
    page.reload()
    assert page.locator(".hit h2 a").all_inner_texts() == titles
    page.locator(".hit h2 a").first.click()
    page.wait_for_selector(".chunk.is-hit")
    page.go_back()
    page.wait_for_selector(".hit mark")
    assert page.locator("[name=q]").input_value() == "map from a set"


def test_a_bar_and_its_figures_explain_each_hit(
    serve: Serve, open_page: Open, quint_artifact: Path
) -> None:
    page = open_page(f"{serve(quint_artifact)}/?q=map+from+a+set")
    hits = page.locator(".hit")
    assert hits.count() == page.locator(".hit svg.stack").count() > 3
    widths = [
        sum(float(each.get_attribute("width")) for each in hit.locator("rect").all())
        for hit in hits.all()
    ]
    assert all(0 < width <= 100.1 for width in widths)
    hits.first.locator("summary").click()
    figures = hits.first.locator("table").inner_text()
    with kb_runtime.open(quint_artifact) as kb:
        facts = kb.search("map from a set")[0].explain()
    assert f"{facts['bm25']:g}" in figures
    assert f"{facts['cosine']:g}" in figures


def test_filters_narrow_the_search_down(
    serve: Serve, open_page: Open, quint_artifact: Path
) -> None:
    page = open_page(f"{serve(quint_artifact)}/?q=map")
    page.locator("[name=scope]").select_option("patterns")
    shows(page, "location.search.includes('scope=patterns')")
    shows(
        page,
        "[...document.querySelectorAll('.hit .tag')].every((each) => each.textContent === 'patterns')",
    )
    page.get_by_role("radio", name="Words").check()
    shows(page, "location.search.includes('mode=lexical')")
    shows(page, "!document.querySelector('.keys').innerText.includes('meaning')")


def test_two_settings_stand_side_by_side(
    serve: Serve, open_page: Open, quint_artifact: Path
) -> None:
    page = open_page(f"{serve(quint_artifact)}/?q=map+from+a+set")
    page.get_by_label("compare").check()
    page.wait_for_selector(".columns.two")
    page.locator("[name=mode2]").select_option("lexical")
    shows(page, "location.search.includes('mode2=lexical')")
    shows(page, "document.querySelector('.columns.two').innerText.includes('lexical')")
    left, right = page.locator(".columns > section").all()
    with kb_runtime.open(quint_artifact) as kb:
        words = [hit.title for hit in kb.search("map from a set", mode="lexical")]
    until(lambda: right.locator(".hit h2 a").all_inner_texts() == words, "others were found")
    assert left.locator(".move").count() == left.locator(".hit").count()


def test_two_artifacts_stand_side_by_side(
    serve: Serve, open_page: Open, quint_artifact: Path, everything: Path
) -> None:
    page = open_page(f"{serve(everything, quint_artifact)}/?q=map&compare=1&kb2=2")
    left, right = page.locator(".columns > section").all()
    assert "demo" in left.inner_text()
    assert "quint" in right.inner_text()
    with kb_runtime.open(quint_artifact) as kb:
        assert right.locator(".hit h2 a").all_inner_texts() == [
            hit.title for hit in kb.search("map")
        ]
    right.locator(".hit h2 a").first.click()
    page.wait_for_selector(".chunk")
    assert "kb=2" in page.url


def test_what_an_agent_receives_is_what_the_tool_answers(
    serve: Serve, open_page: Open, everything: Path
) -> None:
    page = open_page(f"{serve(everything)}/?q=lantern")
    page.get_by_role("link", name="What an agent receives").click()
    page.wait_for_selector(".agent pre")
    with kb_runtime.open(everything) as kb:
        text = kb.call_tool("demo_hybrid_search", {"query": "lantern"}).text
    assert page.locator(".agent pre").first.text_content() == text


def test_a_search_without_a_hit_says_what_to_do(
    serve: Serve, open_page: Open, everything: Path
) -> None:
    page = open_page(f"{serve(everything)}/?q=zzxyzzy&mode=lexical&scope=docs")
    assert "Nothing found" in page.inner_text("main")
    page.get_by_role("link", name="Search everything").click()
    page.wait_for_url(lambda url: "scope" not in url)


def test_keys_do_everything(serve: Serve, open_page: Open, quint_artifact: Path) -> None:
    page = open_page(f"{serve(quint_artifact)}/?q=map")
    page.keyboard.press("/")
    shows(page, "document.activeElement.name === 'q'")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".hit h2 a").nth(1)).to_be_focused(timeout=PATIENCE_MS)
    page.keyboard.press("e")
    assert page.locator(".hit details[open]").count() == 1
    page.keyboard.press("?")
    assert page.locator("dialog[open]").count() == 1
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0
    theme = page.evaluate("document.documentElement.dataset.theme || ''")
    page.locator(".hit h2 a").nth(1).focus()
    page.keyboard.press("t")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark" != theme
    page.keyboard.press("Enter")
    page.wait_for_selector(".chunk")
    assert page.inner_text("h1")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark", "the choice is kept"
    page.keyboard.press("4")
    page.wait_for_url(re.compile("/health"))


@pytest.mark.parametrize(
    "name",
    ["toSet", "docs/lanterns.md", "ferry.qnt", "one-at-a-time", "boat", "pump.py", "tides.md"],
)
def test_a_record_of_each_kind_shows_its_chunks(
    serve: Serve, open_page: Open, everything: Path, name: str
) -> None:
    page = open_page(f"{serve(everything)}/record?name={name}")
    with kb_runtime.open(everything) as kb:
        chunks, record = kb.chunks(name), kb.get(name)
    assert page.inner_text("h1") == record.title
    assert page.locator(".chunk").count() == len(chunks)
    for chunk, shown in zip(chunks, page.locator(".chunk .prose").all(), strict=True):
        words = set(re.findall(r"[a-z]{4,}", chunk.text.lower()))
        assert (
            len(words - set(re.findall(r"[a-z]{4,}", shown.inner_text().lower())))
            <= len(words) // 4
        )
    if chunks:
        page.locator(".chunk .why summary").first.click()
        page.wait_for_selector(".chunk .why table")
        neighbours = page.locator(".chunk .why table").nth(1).locator("a").count()
        assert neighbours > 0
    for view in ("As stored", "As the agent sees it", "Fields"):
        page.get_by_role("link", name=view).click()
        page.wait_for_selector(".body .code")
    settled(page)


def test_links_lead_from_record_to_record(serve: Serve, open_page: Open, tmp_path: Path) -> None:
    files = {
        "kb.toml": '[kb]\nname = "linked"\nversion = "1.0"\n',
        "docs/a.md": "# First\n\nSee [the second](guide/b.md#x) and ![a picture](p.png).\n",
        "docs/guide/b.md": "# Second\n\nNothing here.\n",
    }
    for name, text in files.items():
        path = tmp_path / "kb" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    report = kbc.build(tmp_path / "kb", kbc.BuildOptions(out=tmp_path / "out", embed=False))
    url = serve(report.path.parent)
    page = open_page(f"{url}/record?name=docs/a.md")
    assert page.locator("img").count() == 0
    page.locator(".prose").get_by_role("link", name="the second").click()
    shows(page, "document.querySelector('h1').innerText === 'Second'")
    page.wait_for_selector(".side .plain a")
    assert page.locator(".side .plain a").all_inner_texts() == ["First"]
    page.locator(".side .plain a").click()
    shows(page, "document.querySelector('h1').innerText === 'First'")


def test_an_unknown_record_suggests_those_alike(
    serve: Serve, open_page: Open, everything: Path
) -> None:
    page = open_page(f"{serve(everything)}/record?name=docs/lantern.md", expect_errors=True)
    assert "Not found" in page.inner_text("h1")
    page.get_by_role("link", name="docs/lanterns.md").click()
    page.wait_for_selector(".chunk")


def test_a_tool_is_called_by_a_form_made_from_its_schema(
    serve: Serve, open_page: Open, everything: Path
) -> None:
    page = open_page(f"{serve(everything)}/tools")
    with kb_runtime.open(everything) as kb:
        assert page.locator(".tools li").count() == len(kb.tools)
        text = kb.call_tool("demo_get_builtin", {"name": "asSet"}).text
    page.get_by_role("link", name="demo_get_builtin", exact=True).click()
    page.get_by_label("name").fill("asSet")
    page.get_by_role("button", name="Call").click()
    page.wait_for_selector("[aria-label=Answer] pre")
    assert page.locator("[aria-label=Answer] pre").first.text_content() == text
    snippets = page.locator(".snip pre").all_text_contents()
    assert '"method": "tools/call"' in snippets[0]
    assert "curl" in snippets[1]
    assert '"asSet"' in snippets[1]
    assert '"mcpServers"' in snippets[2]
    page.get_by_label("name").fill("asSot")
    page.get_by_role("button", name="Call").click()
    page.wait_for_selector("[role=alert]")
    expect(page.locator("main")).to_contain_text("toSet", timeout=PATIENCE_MS)


def test_health_shows_what_was_read_and_left_out(
    serve: Serve, open_page: Open, tmp_path: Path
) -> None:
    write_knowledge(tmp_path / "kb")
    (tmp_path / "kb" / "docs" / "copy.md").write_text(
        (tmp_path / "kb" / "docs" / "lanterns.md").read_text()
    )
    (tmp_path / "kb" / "docs" / "broken.md").write_text("# Broken\n\nSee [nothing](nothing.md).\n")
    (tmp_path / "kb" / "docs" / "notes.xyz").write_text("not read")
    report = kbc.build(tmp_path / "kb", kbc.BuildOptions(out=tmp_path / "out", embed=False))
    page = open_page(f"{serve(report.path.parent, report=report.as_dict())}/health")
    page.wait_for_selector("text=Longest answers")
    text = page.inner_text("main")
    assert f"{report.records}\nrecords" in text
    for phase in report.phases:
        assert phase.name in text
    for found in report.diagnostics:
        assert found.code in text
    assert "2 records: Lanterns docs/copy.md, Lanterns docs/lanterns.md" in text
    assert "format not read: .xyz" in text
    assert "A voyage" in page.locator(".panel", has_text="nothing links").inner_text()
    page.get_by_role("link", name="docs/broken.md:3").click()
    page.wait_for_selector("#L3:target")


def test_questions_are_measured_and_hits_are_labelled(
    serve: Serve, open_page: Open, everything: Path, tmp_path: Path
) -> None:
    file = tmp_path / "questions.toml"
    file.write_text(
        '# Kept as it is.\n[[question]]\nquery = "how do I light a lantern?"\n'
        'expect = ["doc:docs/lanterns.md"]\n\n[[question]]\nquery = "rudder"\nexpect = ["toSet"]\n'
    )
    url = serve(everything, questions=Questions(file))
    page = open_page(f"{url}/quality")
    page.get_by_role("link", name="Measure this build").click()
    page.wait_for_selector("text=Worst questions")
    assert "2 questions" in page.inner_text("main")
    worst = page.locator(".panel", has_text="Worst questions")
    worst.get_by_role("link", name="rudder").click()
    page.wait_for_selector(".hit")
    page.locator(".hit summary").first.click()
    page.get_by_role("button", name="This answers the query").first.click()
    page.wait_for_selector("text=Written to the questions.")
    with kb_runtime.open(everything) as kb:
        (hit, *_) = kb.search("rudder")
        name = f"{hit.collection}:{kb.get(hit.address).id}"
    assert file.read_text().endswith(f'query = "rudder"\nexpect = ["toSet", "{name}"]\n')
    assert file.read_text().startswith("# Kept as it is.\n")


def test_runs_show_history_and_what_moved(serve: Serve, open_page: Open, everything: Path) -> None:
    def run(rank: int | None) -> dict[str, Any]:
        score = 1 / rank if rank else 0.0
        answer = {"query": "where is north", "scope": "docs", "rank": rank, "first": ["doc:x"]}
        each = {"mean": score, "low": score / 2, "high": min(1, score * 1.5)}
        return {
            "build_id": "0" * 16,
            "questions": 1,
            "tokens_per_answer": 10,
            "answers": [answer],
            "measures": dict.fromkeys(("mrr@10", "success@1"), each),
            "latency_ms": {"p50": 1, "p95": 2, "p99": 3},
        }

    url = serve(everything, runs=[("monday", run(None)), ("tuesday", run(2))])
    page = open_page(f"{url}/quality?against=monday")
    assert page.locator(".chart .point").count() == 2
    moved = page.locator(".panel", has_text="What moved").inner_text()
    assert re.search(r"where is north\s+none\s+2", moved)
    page.locator("[name=run]").select_option("monday")
    page.wait_for_selector("text=Nobody can answer")


def test_versions_differ_record_by_record(serve: Serve, open_page: Open, tmp_path: Path) -> None:
    write_knowledge(tmp_path / "kb")
    options = kbc.BuildOptions(out=tmp_path / "out", embed=False)
    kbc.build(tmp_path / "kb", options)
    page_file = tmp_path / "kb" / "docs" / "lanterns.md"
    page_file.write_text(page_file.read_text().replace("burns oil", "burns wax"))
    (tmp_path / "kb" / "docs" / "new.md").write_text("# New\n\nA new page.\n")
    report = kbc.build(tmp_path / "kb", options)
    page = open_page(f"{serve(report.path.parent)}/versions")
    changes = page.locator(".changes").inner_text()
    assert "docs/new.md" in changes
    page.get_by_role("link", name="docs/lanterns.md").click()
    page.wait_for_selector(".code .gi")
    assert "burns wax" in page.locator(".code .gi").last.inner_text()


def test_the_map_draws_every_chunk_and_a_query(
    serve: Serve, open_page: Open, quint_artifact: Path
) -> None:
    url = serve(quint_artifact)
    with kb_runtime.open(quint_artifact) as kb:
        chunks = sum(each.chunks for each in kb.collections)
    page = open_page(f"{url}/map")
    page.wait_for_selector(f"[data-map][data-ready='{chunks}']")
    page.wait_for_selector("text=Isolated chunks")
    page.wait_for_selector("[data-cluster-list] li")
    painted = (
        "(() => { const c = document.querySelector('canvas'); const d = c.getContext('2d')"
        ".getImageData(0, 0, c.width, c.height).data; let n = 0;"
        " for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; })()"
    )
    until(lambda: page.evaluate(painted) > chunks, "nothing was drawn")
    before = page.evaluate(painted)
    page.locator("canvas").focus()
    for _ in range(4):
        page.keyboard.press("+")
    until(lambda: page.evaluate(painted) != before, "zooming changed nothing")
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-tip] a")
    page.locator("[name=q]").fill("map from a set")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-map][data-drawn='10']")


def test_a_page_without_vectors_says_why_there_is_no_map(
    serve: Serve, open_page: Open, hostile: Path
) -> None:
    page = open_page(f"{serve(hostile)}/map")
    assert "no vectors" in page.inner_text("main")


def test_a_new_build_is_shown_without_a_click(
    serve: Serve, open_page: Open, tmp_path: Path
) -> None:
    write_knowledge(tmp_path / "kb")
    options = kbc.BuildOptions(out=tmp_path / "out", embed=False)
    report = kbc.build(tmp_path / "kb", options)
    page = open_page(f"{serve(report.path.parent)}/?q=zeppelin")
    assert "Nothing found" in page.inner_text("main")
    (tmp_path / "kb" / "docs" / "new.md").write_text("# Zeppelin\n\nIt flies.\n")
    kbc.build(tmp_path / "kb", options)
    page.wait_for_selector("text=A new build is live")
    expect(page.locator(".hit h2").first).to_contain_text("Zeppelin", timeout=PATIENCE_MS)


def test_pages_as_files_stand_alone(open_page: Open, everything: Path, tmp_path: Path) -> None:
    from kbc.cli.main import run

    questions = tmp_path / "questions.toml"
    questions.write_text('[[question]]\nquery = "lantern"\nexpect = ["doc:docs/lanterns.md"]\n')
    health, quality = tmp_path / "health.html", tmp_path / "quality.html"
    assert run(["inspect", str(everything), "--html", str(health)]) == 0
    assert (
        run(["eval", str(everything), "--questions", str(questions), "--html", str(quality)]) == 0
    )
    page = open_page(health.as_uri())
    assert "Longest answers" in page.inner_text("main")
    assert (
        page.evaluate("getComputedStyle(document.querySelector('.panel')).borderTopWidth") == "1px"
    )
    page = open_page(quality.as_uri())
    assert "1 question" in page.inner_text("main")
    assert page.locator("script, a[href], link").count() == 0
