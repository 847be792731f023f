"""Pages of the explorer, without a browser."""

from __future__ import annotations

import asyncio
import re
from html import unescape
from typing import Any

import pytest

import kbc
from kb_runtime.explorer.app import build_app
from kb_runtime.explorer.bases import Bases
from kb_runtime.explorer.visit import Explorer


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A knowledge base with pages, and one with test cases alone."""
    root = tmp_path_factory.mktemp("explored")
    for name, path, text in (
        ("lamps", "docs/oil.md", "# Oil\n\nLamps burn oil.\n"),
        ("pumps", "tests/all.json", '[{"uid": "P-1", "title": "Starts", "steps": ["Press"]}]'),
    ):
        (root / name / path).parent.mkdir(parents=True)
        (root / name / path).write_text(text)
        (root / name / "kb.toml").write_text(f'[kb]\nname = "{name}"\n')
        kbc.build(root / name, kbc.BuildOptions(out=root / "out", cache=None, embed=False))
    return [str(root / "out" / name) for name in ("lamps", "pumps")]


def page(app: Any, address: str, root: str = "") -> tuple[int, str]:
    """The status and the text of what a GET of an address answers; `root` is where the app is mounted."""
    path, _, query = address.partition("?")
    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "root_path": root,
        "query_string": query.encode(),
        "headers": [(b"host", b"127.0.0.1:80")],
    }
    answers: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b""}

    async def send(message: dict[str, Any]) -> None:
        answers.append(message)

    asyncio.run(app(scope, receive, send))
    text = b"".join(each.get("body", b"") for each in answers[1:]).decode()
    return int(answers[0]["status"]), text


@pytest.mark.parametrize("root", ["", "/explorer"])
@pytest.mark.parametrize(
    ("address", "others"),
    [
        ("/?q=oil&scope=docs", ["/?q=oil&scope=docs", "/?q=oil&scope=docs&kb=2"]),
        ("/tools/lamps_get", ["/tools/lamps_get", "/tools/pumps_get?kb=2"]),
        ("/tools/lamps_get_doc", ["/tools/lamps_get_doc", "/tools?kb=2"]),
        (
            "/tools/pumps_info?kb=2&run=1",
            ["/tools/lamps_info?run=1", "/tools/pumps_info?kb=2&run=1"],
        ),
        ("/tools/search_tests?kb=2", ["/tools", "/tools/search_tests?kb=2"]),
        ("/record?name=kb://lamps/docs/docs/oil.md", ["/", "/?kb=2"]),
    ],
)
def test_a_page_leads_to_the_same_page_of_other_knowledge_bases(
    artifacts: list[str], address: str, others: list[str], root: str
) -> None:
    bases = Bases(artifacts)
    app = build_app(Explorer(bases))
    status, text = page(app, root + address, root)
    assert status == 200
    (links,) = re.findall(r'class="bases".*?</nav>', text, re.DOTALL)
    found = [unescape(each) for each in re.findall(r'href="([^"]*)"', links)]
    assert found == [root + each for each in others]
    assert {page(app, each, root)[0] for each in found} == {200}
    bases.close()
