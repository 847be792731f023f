"""The routing front end: labels, confidences, mistakes."""

from __future__ import annotations

from kbc.diagnostics import Diagnostics
from kbc.frontends.routing import read
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.records import RoutingRecord

TABLE = """[[label]]
name = "choreo"
keywords = ["PBFT", "consensus", "view  change", "pbft"]
base = 0.7
step = 0.1
max = 0.99
reasoning = "Distributed."
docs = ["choreo/tutorial.mdx"]
examples = ["cosmos"]

[[label]]
name = "standard"
keywords = ["token"]
base = 0.8
default = true
default_confidence = 0.5
"""


def read_table(text: str) -> tuple[list[RoutingRecord], Diagnostics]:
    diagnostics = Diagnostics()
    collection = Collection("routing", "routing", ("routing.toml",))
    records = read(collection, [SourceFile("routing.toml", text.encode())], diagnostics)
    return [each for each in records if isinstance(each, RoutingRecord)], diagnostics


def test_labels_in_order_with_their_confidences() -> None:
    (choreo, standard), diagnostics = read_table(TABLE)
    assert not list(diagnostics)
    assert choreo.keywords == ("pbft", "consensus", "view change")
    assert (choreo.base_confidence, choreo.step_confidence, choreo.max_confidence) == (
        0.7,
        0.1,
        0.99,
    )
    assert (choreo.docs, choreo.examples) == (("choreo/tutorial.mdx",), ("cosmos",))
    assert (choreo.default, standard.default) == (False, True)
    assert (standard.base_confidence, standard.step_confidence) == (0.8, 0.0)
    assert standard.default_confidence == 0.5
    assert (choreo.line, standard.line) == (1, 11)
    assert choreo.text + standard.text == TABLE


def test_mistakes_have_their_lines() -> None:
    _, diagnostics = read_table(
        '[[label]]\nname = "a"\nkeywords = ["two-phase"]\nbase = 1.5\n'
        '[[label]]\nname = "b"\nkeywords = ["two phase"]\nstep = "x"\ndefault = 1\nkeyword = []\n'
        "[[label]]\nkeywords = []\n[other]\n"
    )
    assert [(each.line, each.code) for each in diagnostics] == [
        (4, "metadata-out-of-range"),
        (5, "routing-no-default"),
        (5, "routing-shared-keyword"),
        (8, "metadata-wrong-type"),
        (9, "metadata-wrong-type"),
        (10, "metadata-unknown-field"),
        (11, "metadata-missing-field"),
        (13, "metadata-unknown-field"),
    ]
    assert all(each.hint for each in diagnostics)


def test_one_label_is_the_default() -> None:
    _, diagnostics = read_table(TABLE.replace('name = "choreo"', 'name = "choreo"\ndefault = true'))
    assert [(each.line, each.code) for each in diagnostics] == [(12, "routing-two-defaults")]


def test_a_file_without_labels_is_an_error() -> None:
    records, diagnostics = read_table("label = 3\n")
    assert records == []
    assert [(each.line, each.code) for each in diagnostics] == [(1, "routing-no-labels")]
