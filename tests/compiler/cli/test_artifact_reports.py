from __future__ import annotations

from kb_runtime.knowledge.examination.comparison import Diff
from kbc.cli.artifact_reports import SHOWN_CHARS, render_diff


def test_a_diff_names_models_and_no_vectors() -> None:
    encoder = {"model": "small", "self_test": {"entries": [{"vector": "A" * 2048}]}}
    vectors = ([{"vector": "A" * 2048}], [{"vector": "B" * 2048}])
    diff = Diff(
        old="1",
        new="2",
        collections={},
        settings={"description": ("", "long " * 100)},
        encoder={
            "encoder": (encoder, None),
            "encoder.queries": ("int8", "float32"),
            "encoder.self_test.entries": vectors,
        },
        sizes={},
        files=(),
    )
    first, description, *others = render_diff(diff).splitlines()
    assert first == "1 -> 2"
    assert len(description) < SHOWN_CHARS + 40
    assert others == ["encoder encoder: small -> None", "encoder encoder.queries: int8 -> float32"]
