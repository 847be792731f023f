"""The pages of an artifact of 100,000 chunks."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.browser.conftest import Open, Serve
from tests.browser.large import COLLECTIONS, publish_large

import kb_runtime

CHUNKS = 100_000


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory, quint_artifact: Path) -> Path:
    model = Path(kb_runtime.builds(quint_artifact)[0])
    return publish_large(tmp_path_factory.mktemp("large"), model, CHUNKS)


@pytest.mark.slow
def test_every_view_works_with_100_000_chunks(serve: Serve, open_page: Open, large: Path) -> None:
    url = serve(large)
    page = open_page(url, expect_errors=False)
    assert page.locator(".cards li").count() == len(COLLECTIONS)
    page.keyboard.type("lantern", delay=30)
    page.wait_for_selector(".hit mark")
    page.locator(".hit h2 a").first.click()
    page.wait_for_selector(".chunk.is-hit")
    page.locator(".why summary").first.click()
    page.wait_for_selector(".why table >> nth=1")
    page.wait_for_selector(".side h3")
    page.goto(f"{url}/record?collection=posts&page=200")
    assert page.locator(".grid a").count() == 100
    page.goto(f"{url}/health")
    page.wait_for_selector("text=Longest answers")
    assert f"{CHUNKS:,}" in page.inner_text(".figures-row")
    page.goto(f"{url}/map?q=lantern")
    page.wait_for_selector(f"[data-map][data-ready='{CHUNKS}'][data-drawn='10']")
    page.wait_for_selector("[data-cluster-list] li")
    page.locator("canvas").focus()
    for key in ("+", "+", "ArrowLeft", "Enter"):
        page.keyboard.press(key)
    page.wait_for_selector("[data-tip] a")
    page.goto(f"{url}/versions")
    assert "Only one build" in page.inner_text("main")
