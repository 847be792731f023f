"""How the pages look and read: every width, both themes, and what axe-core and Lighthouse find."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.browser.conftest import FOLDER, ROOT, Open, Serve, chromium
from tests.waiting import FETCH_S, PATIENCE_S

from kbc.cli.explore import _Questions as Questions

PAGES = {
    "start": "/",
    "search": "/?q=map+from+a+set",
    "compare": "/?q=map+from+a+set&compare=1&mode2=lexical",
    "agent": "/?q=map+from+a+set&view=agent",
    "nothing": "/?q=zzxyzzy&mode=lexical",
    "records": "/record",
    "record": "/record?name=docs/lang.md",
    "stored": "/record?name=docs/lang.md&view=stored",
    "missing": "/record?name=docs/langg.md",
    "tools": "/tools",
    "tool": "/tools/quint_hybrid_search?run=1&a.query=map",
    "health": "/health",
    "quality": "/quality?measure=1",
    "versions": "/versions",
    "map": "/map?q=map+from+a+set",
}
PICTURES = {
    "search": "/?q=fixed+seed",
    "record": "/record?name=docs/maps.md",
    "map": "/map?q=fixed+seed",
    "quality": "/quality?measure=1",
    "health": "/health",
    "tools": "/tools/quint_hybrid_search?run=1&a.query=seed",
}
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
BARS = {"performance": 95, "accessibility": 95, "best-practices": 95}


def questions_of(folder: Path) -> Questions:
    file = folder / "questions.toml"
    file.write_text(
        '[[question]]\nquery = "How do I create a map from a set?"\nexpect = ["setToMap"]\n\n'
        '[[question]]\nquery = "zebra"\nexpect = ["setToMap"]\n'
    )
    return Questions(file)


def keep(page: Any, path: Path) -> None:
    """A picture of what one sees."""
    session = page.context.new_cdp_session(page)
    shot = session.send("Page.captureScreenshot", {"format": "webp", "quality": 82})
    path.write_bytes(base64.b64decode(shot["data"]))


def ready(page: Any) -> None:
    page.wait_for_load_state("networkidle")
    page.evaluate("document.fonts.ready")


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1280, 2560])
def test_no_page_is_wider_than_the_screen(
    serve: Serve,
    open_page: Open,
    quint_artifact: Path,
    tmp_path: Path,
    screens: Path,
    width: int,
    theme: str,
) -> None:
    url = serve(quint_artifact, questions=questions_of(tmp_path))
    page = open_page(url, width, theme, expect_errors=True)
    for name, path in PAGES.items():
        page.goto(url + path)
        ready(page)
        wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wider <= 0, f"{name} at {width}"
        keep(page, screens / f"{name}-{width}-{theme}.webp")


@pytest.mark.parametrize("width", [360, 700, 1280])
def test_the_names_of_many_knowledge_bases_fit_on_the_screen(
    serve: Serve, open_page: Open, hostile: Path, width: int
) -> None:
    page = open_page(serve(*[hostile] * 6) + "/?q=a", width)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    for name in page.locator(".bases a").all():
        name.click(trial=True)


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_no_violation(
    serve: Serve,
    open_page: Open,
    quint_artifact: Path,
    tmp_path: Path,
    node: Path,
    width: int,
    theme: str,
) -> None:
    url = serve(quint_artifact, questions=questions_of(tmp_path))
    axe = (FOLDER / "node_modules" / "axe-core" / "axe.min.js").read_text()
    page = open_page(url, width, theme, expect_errors=True)
    found = []
    for name, path in PAGES.items():
        page.goto(url + path)
        ready(page)
        page.evaluate(
            "document.querySelectorAll('details').forEach((each) => { each.open = true; })"
        )
        ready(page)
        page.evaluate(axe)
        result = page.evaluate(
            f"axe.run(document, {{runOnly: {json.dumps(TAGS)}, resultTypes: ['violations']}})"
        )
        found += [
            f"{name}: {each['id']}: {node['target']} {node['failureSummary']}"
            for each in result["violations"]
            for node in each["nodes"][:3]
        ]
    assert found == []


def lighthouse(node: Path, url: str, out: Path) -> dict[str, Any]:
    """Its report on a page. Where Chromium is short of time, Lighthouse may miss the start of its own trace
    and asks to be run again."""
    command = [
        node,
        FOLDER / "node_modules" / "lighthouse" / "cli" / "index.js",
        url,
        "--quiet",
        "--output=json",
        f"--output-path={out}",
        "--preset=desktop",
        f"--only-categories={','.join(BARS)}",
        "--chrome-flags=--headless=new --no-sandbox",
    ]
    environment = {**os.environ, "CHROME_PATH": chromium()}
    for _ in range(3):
        run = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=FETCH_S, check=False
        )
        if run.returncode == 0:
            report: dict[str, Any] = json.loads(out.read_text())
            return report
    raise AssertionError(run.stderr[-2000:])


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["start", "search", "record", "tools", "tool", "health", "quality", "versions", "map"]
)
def test_lighthouse_is_satisfied(
    serve: Serve, quint_artifact: Path, tmp_path: Path, node: Path, name: str
) -> None:
    url = serve(quint_artifact, questions=questions_of(tmp_path))
    # What is computed once for a build is no part of a page.
    assert httpx2.get(url + PAGES[name], timeout=PATIENCE_S).status_code == 200
    report = lighthouse(node, url + PAGES[name], tmp_path / "lighthouse.json")
    scores = {key: round(100 * each["score"]) for key, each in report["categories"].items()}
    failed = [
        f"{key}: {each['title']}"
        for key, each in report["audits"].items()
        if each.get("score") is not None and each["score"] < 0.9
    ]
    assert all(scores[key] >= bar for key, bar in BARS.items()), (scores, failed)


@pytest.mark.slow
def test_the_pictures_of_the_documentation(
    serve: Serve, open_page: Open, own_kb: Path, tmp_path: Path, screens: Path
) -> None:
    """They are written into docs/assets where KBC_PICTURES is set, and else beside the other screens."""
    pictures = ROOT / "docs" / "assets" if os.environ.get("KBC_PICTURES") else screens
    url = serve(own_kb, questions=Questions(ROOT / "kb" / "questions.toml"))
    # The first search loads the engines: its latency is not that of a search.
    assert httpx2.get(url + PICTURES["search"], timeout=PATIENCE_S).status_code == 200
    for theme, folder in (("light", pictures), ("dark", screens)):
        page = open_page(url, 1280, theme)
        for name, path in PICTURES.items():
            page.goto(url + path)
            ready(page)
            keep(page, folder / f"explorer-{name}-{theme}.webp")
    page_text = (ROOT / "docs" / "explorer.md").read_text()
    for name in PICTURES:
        assert f"assets/explorer-{name}-light.webp" in page_text
