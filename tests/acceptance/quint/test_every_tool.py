"""What all sixteen tools have in common, and the vectors that they search."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.acceptance.quint.failures import error

from kb_runtime.knowledge.artifact import Artifact


def test_the_sixteen_tools_are_offered(quint: Any, small: Any) -> None:
    assert set(MINIMAL) <= set(quint.tools)
    assert set(MINIMAL_SMALL) <= set(small.tools)
    assert len(MINIMAL) + len(MINIMAL_SMALL) == 16
    assert "quint_get_template" not in quint.tools
    assert "quint_get_builtin" not in small.tools


MINIMAL: dict[str, dict[str, Any]] = {
    "quint_get_builtin": {"name": "map"},
    "quint_list_builtins": {},
    "quint_get_doc": {"filename": "lang.md"},
    "quint_list_docs": {},
    "quint_doc_outline": {"path": "lang.md"},
    "quint_get_pattern": {"patternId": "thin-actions"},
    "quint_list_patterns": {},
    "quint_search_patterns": {"query": "x"},
    "quint_hybrid_search": {"query": "x"},
    "quint_search_docs": {"query": "x"},
}
MINIMAL_SMALL: dict[str, dict[str, Any]] = {
    "quint_get_example": {"path": "x"},
    "quint_list_examples": {},
    "quint_example_info": {"path": "x"},
    "quint_get_template": {"templateId": "x"},
    "quint_list_templates": {},
    "quint_suggest_framework": {"description": "x"},
}


@pytest.mark.parametrize("name", [*MINIMAL, *MINIMAL_SMALL])
def test_unexpected_exception_leaks_nothing(
    name: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = request.getfixturevalue("quint" if name in MINIMAL else "small")

    def fail(*_: object) -> None:
        raise RuntimeError("/secret/place: token 1234")

    monkeypatch.setattr(Artifact, "catalog", fail)
    reply = client.call(name, **{**MINIMAL, **MINIMAL_SMALL}[name])
    error(reply, "INTERNAL")
    assert "secret" not in json.dumps(reply)
    assert "RuntimeError" not in reply.text


def test_unknown_arguments_are_ignored_with_a_warning(quint: Any) -> None:
    reply = quint.call("quint_list_builtins", categroy="map")
    assert reply.structured["total"] == 77
    assert "did you mean category?" in reply.structured["warnings"][0]
    assert json.loads(reply.text) == reply.structured


def test_every_text_has_a_vector(quint: Any) -> None:
    with quint.artifact() as artifact:
        dimensions = artifact.manifest["encoder"]["dimensions"]
        rows = np.fromfile(Path(artifact.root) / "vectors" / "rows.f32", dtype="<f4")
        vectors = rows.reshape(-1, dimensions)
        assert len(vectors) == sum(info.chunks for info in artifact.collections)
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
        for info in artifact.collections:
            assert info.chunks >= info.records
