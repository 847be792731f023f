"""Ranking by structure over a compiled source tree."""

from __future__ import annotations

import pytest

from kb_runtime.artifact import Artifact
from kb_runtime.search import SearchRequest
from kbc.pipeline import BuildOptions, build

FILES = {
    # The definition of Router is in both versions; that of Handler is not in the tree.
    "src/v1/router.ts": "/** Routes. */\nexport class Router {\n  old(): void {\n    go();\n  }\n}\n",
    "src/v2/router.ts": "/** Routes. */\nexport class Router {\n  now(): void {\n    go();\n  }\n}\n",
    "src/index.ts": 'export { Handler, Context } from "other-package";\n',
    **{
        f"src/use{n}.ts": f'import {{ Handler }} from ".";\n\n/** Handler number {n}: a Handler. */\n'
        f"export function use{n}(handler: Handler): Handler {{\n  return handler;\n}}\n"
        for n in range(6)
    },
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Artifact:
    kb = tmp_path_factory.mktemp("tree")
    for path, text in FILES.items():
        (kb / "code" / path).parent.mkdir(parents=True, exist_ok=True)
        (kb / "code" / path).write_text(text, encoding="utf-8")
    (kb / "kb.toml").write_text(
        '[kb]\nname = "tree"\n\n[[collection]]\nname = "code"\nkind = "code"\npaths = ["code"]\n',
        encoding="utf-8",
    )
    return Artifact.open(build(kb, BuildOptions(out=kb / "out")).path)


def found(tree: Artifact, query: str) -> list[str]:
    hits = tree.searcher.search(SearchRequest(query)).hits
    return [tree.catalog(hit.collection).id(hit.record) for hit in hits]


def test_a_name_that_is_defined_nowhere_is_found_where_it_is_passed_on(tree: Artifact) -> None:
    assert found(tree, "Handler")[0] == "src/index.ts"
    first = tree.searcher.search(SearchRequest("Handler")).hits[0]
    assert "definitions" in [step for step, _ in first.adjustments]


def test_of_versions_side_by_side_the_latest_comes_first(tree: Artifact) -> None:
    places = found(tree, "Router")
    assert places.index("src/v2/router.ts") < places.index("src/v1/router.ts")


def test_an_older_version_comes_first_for_who_names_it(tree: Artifact) -> None:
    places = found(tree, "v1 Router class")
    assert places.index("src/v1/router.ts") < places.index("src/v2/router.ts")
