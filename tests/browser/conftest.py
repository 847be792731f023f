"""Chromium, the explorer served by this process, and what it shows."""

from __future__ import annotations

import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from playwright import sync_api as playwright
from tests.browser.hostile import write_hostile
from tests.browser.views import shows
from tests.end_to_end.knowledge import MORE_FILES, write_knowledge
from tests.end_to_end.npm import node_with
from tests.once import once
from tests.required import BROWSER, give_up
from tests.waiting import until

import kbc
from kb_runtime.explorer.app import build_app
from kb_runtime.explorer.bases import Bases
from kb_runtime.explorer.visit import Explorer

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent
PATIENCE_MS = 600_000
Serve = Callable[..., str]
Open = Callable[..., Any]


def chromium() -> str:
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    return found or give_up("there is no chromium", BROWSER)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """For one module: while it runs, no other event loop can run on this thread."""
    path = chromium()
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def open_page(browser: Any) -> Iterator[Open]:
    """`open_page(url, width, theme)`: a page that must log no error and ask no other server."""
    contexts: list[Any] = []
    problems: list[str] = []

    def opened(
        url: str, width: int = 1280, theme: str = "light", expect_errors: bool = False
    ) -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=theme, accept_downloads=False
        )
        contexts.append(context)
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        own = "/".join(url.split("/")[:3]) if "://" in url else url
        if not expect_errors:
            page.on("console", lambda each: each.type == "error" and problems.append(each.text))
        page.on("pageerror", lambda each: problems.append(str(each)))
        page.on("dialog", lambda each: problems.append(f"dialog: {each.message}") or each.dismiss())
        page.on(
            "request",
            lambda each: (
                each.url.startswith((own, "data:", "about:", "file:")) or problems.append(each.url)
            ),
        )
        page.goto(url)
        # A browser moves the focus when it draws the page, perhaps after it has been loaded.
        focused = "document.activeElement.matches('[autofocus]')"
        shows(page, f"!document.querySelector('[autofocus]') || {focused}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert problems == []


@contextmanager
def served(explorer: Explorer) -> Iterator[str]:
    """The address of the explorer, without a slash at its end."""
    config = uvicorn.Config(build_app(explorer), log_config=None, access_log=False)
    server = uvicorn.Server(config)
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        until(lambda: server.started, "the explorer did not start")
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
        explorer.bases.close()


@pytest.fixture
def serve() -> Iterator[Serve]:
    """`serve(artifact, ..., questions=..., runs=...)` gives an address."""
    from contextlib import ExitStack

    with ExitStack() as stack:

        def start(*artifacts: Path, **more: Any) -> str:
            return stack.enter_context(
                served(Explorer(Bases([str(each) for each in artifacts]), **more))
            )

        yield start


@pytest.fixture(scope="session")
def everything(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Path:
    """A small artifact with a record of every kind."""
    assert pytestconfig.cache is not None
    cache = Path(pytestconfig.cache.mkdir("kbc"))

    def make(folder: Path) -> None:
        write_knowledge(folder / "kb", **MORE_FILES)
        kbc.build(folder / "kb", kbc.BuildOptions(out=folder / "out", cache=cache))

    return once(tmp_path_factory, "explored", make) / "out" / "demo"


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An artifact whose every record tries to do harm."""

    def make(folder: Path) -> None:
        write_hostile(folder / "kb")
        kbc.build(folder / "kb", kbc.BuildOptions(out=folder / "out", embed=False))

    return once(tmp_path_factory, "hostile", make) / "out" / "hostile"


@pytest.fixture(scope="session")
def own_kb(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Path:
    """The knowledge base of this repository, compiled."""
    assert pytestconfig.cache is not None
    cache = Path(pytestconfig.cache.mkdir("kbc"))

    def make(out: Path) -> None:
        kbc.build(ROOT / "kb", kbc.BuildOptions(out=out, cache=cache))

    return once(tmp_path_factory, "own-kb", make) / "quint"


@pytest.fixture(scope="session")
def node(pytestconfig: pytest.Config) -> Path:
    """Node, with axe-core and Lighthouse in this folder."""
    return node_with(FOLDER, pytestconfig)


@pytest.fixture(scope="session")
def screens(pytestconfig: pytest.Config) -> Path:
    """Where screenshots are kept: .pytest_cache/d/explorer."""
    assert pytestconfig.cache is not None
    return Path(pytestconfig.cache.mkdir("explorer"))
