from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kb_runtime.errors import ToolError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.reading.hits import as_hit
from kb_runtime.tools.search.compact import get, list_records, outline
from kb_runtime.tools.session import Session
from kbc.linking.linker import Published


def test_hit_is_shown_with_its_address_and_passage(session: Any, make_hit: Any) -> None:
    hit = as_hit(session.artifact, make_hit("docs", 0, 5, title="The manual › Sets"))
    assert hit.as_dict() == {
        "address": "kb://small/docs/docs/manual.md",
        "title": "The manual › Sets",
        "lines": [5, 9],
        "score": 0.032787,
        "strategy": "fused",
        "snippet": "Builds a map of a set. " * 20,
    }


def test_hit_with_nothing_to_show_is_shown_by_its_summary(session: Any, make_hit: Any) -> None:
    hit = make_hit("posts", 0, 1)
    hit.reader.text = ""
    shown = as_hit(session.artifact, hit)
    assert (shown.snippet, shown.lines) == ("A page about soup.", (1, 5))


def test_only_a_newline_ends_a_line(publish: Callable[..., Published]) -> None:
    record = {"id": "a.md", "text": "one\fstill one\u2028\x85still\rone\r\ntwo\nthree", "line": 1}
    collection = {"name": "docs", "kind": "docs", "records": 1, "chunks": 1, "first_row": 0}
    published = publish({"docs": [record]}, collections=[collection])
    arguments = {"name": "a.md", "collection": None, "cursor": None, "max_chars": 1000}
    with Artifact.open(published.path) as artifact:
        answer = get(Session(artifact, {}), {**arguments, "start_line": 2, "end_line": 9})
    assert answer.text == "# a.md\nkb://small/docs/a.md, lines 2 to 3 of 1 to 3\n\ntwo\nthree"


PAGE = {
    "id": "guide/ropes.md",
    "title": "Ropes",
    "text": "# Ropes\n\n## Care\n\nDry.\n\n## Use\n\nPull.\n",
    "line": 1,
    "sections": [
        {"title": "Ropes", "level": 1, "line": 1, "end_line": 9, "anchor": "ropes", "chars": 9},
        {"title": "Care", "level": 2, "line": 3, "end_line": 6, "anchor": "care", "chars": 5},
    ],
}
PARTS = [
    ("ropes.md#care", (3, 6)),
    ("../guide/ropes.md#Care", (3, 6)),
    ("doc:guide/ropes.md#care:3", (3, 6)),
    ("`kb://small/docs/guide/ropes.md#care`", (3, 6)),
    ("kb://small/docs/guide/ropes.md lines 5-6 of 3-6", (5, 6)),
    ("./guide/ropes.md:7", (7, 9)),
    ("ropes.md:7-99", (7, 9)),
    ("ropes.md#nope", (1, 9)),
    ("ropes.md:70", (1, 9)),
]


@pytest.mark.parametrize(("name", "lines"), PARTS)
def test_a_name_may_say_which_part_is_meant(
    publish: Callable[..., Published], name: str, lines: tuple[int, int]
) -> None:
    collection = {"name": "docs", "kind": "docs", "records": 1, "chunks": 1, "first_row": 0}
    published = publish({"docs": [PAGE]}, collections=[collection])
    wanted = {"name": name, "collection": None, "cursor": None}
    shown = "lines {} to {}".format(*lines)
    with Artifact.open(published.path) as artifact:
        session = Session(artifact, {})
        answer = get(session, {**wanted, "start_line": None, "end_line": None})
        assert answer.text.splitlines()[1].startswith(f"kb://small/docs/guide/ropes.md, {shown}")
        note = '"guide/ropes.md" has no section "nope": all of it is shown'
        assert session.notes == ([note] if "nope" in name else [])
        # Lines that are asked for count more than those of the name.
        answer = get(session, {**wanted, "start_line": 2, "end_line": 4})
        assert "lines 2 to 4 of 1 to 9" in answer.text


def test_a_folder_or_collection_is_no_record_but_leads_on(
    publish: Callable[..., Published],
) -> None:
    records = [{**PAGE, "id": id} for id in ("guide/ropes.md", "guide/old/knots.md", "docs.md")]
    collection = {"name": "manual", "kind": "docs", "records": 3, "chunks": 3, "first_row": 0}
    published = publish({"manual": records}, collections=[collection])
    wanted = {"collection": None, "cursor": None, "start_line": None, "end_line": None}
    with Artifact.open(published.path) as artifact:
        for name in ("guide", "./Guide/"):
            with pytest.raises(ToolError) as refused:
                get(Session(artifact, {}), {**wanted, "name": name})
            assert refused.value.message.endswith(" is a folder with 2 records, not a record")
            assert refused.value.suggestions == ("guide/ropes.md", "guide/old/knots.md")
        for name in ("Manual", "manual/", "./manual", "kb://small/manual", "kb://small/Manual/"):
            with pytest.raises(ToolError) as refused:
                get(Session(artifact, {}), {**wanted, "name": name})
            assert refused.value.next_steps[0] == 'Call small_list with collection "manual".'


@pytest.mark.parametrize("name", ["./", "/", "../"])
def test_what_names_nothing_is_no_folder(publish: Callable[..., Published], name: str) -> None:
    records = [{**PAGE, "id": "https://example.org/a"}, {**PAGE, "id": "guide//b.md"}]
    collection = {"name": "manual", "kind": "docs", "records": 2, "chunks": 2, "first_row": 0}
    published = publish({"manual": records}, collections=[collection])
    wanted = {"collection": None, "cursor": None, "start_line": None, "end_line": None}
    with Artifact.open(published.path) as artifact, pytest.raises(ToolError) as refused:
        get(Session(artifact, {}), {**wanted, "name": name})
    assert refused.value.message == f'there is no record "{name}"'


def test_what_only_has_others_is_read_as_what_it_has(publish: Callable[..., Published]) -> None:
    record = {"id": "knots", "text": "", "content": "# Knots\n\n1. Bowline\n", "line": 1}
    collection = {"name": "school", "kind": "workshops", "records": 1, "chunks": 1, "first_row": 0}
    published = publish({"school": [record]}, collections=[collection])
    wanted = {"name": "knots", "collection": None, "cursor": None}
    with Artifact.open(published.path) as artifact:
        session = Session(artifact, {})
        answer = get(session, {**wanted, "start_line": None, "end_line": None})
        assert answer.text.endswith("lines 1 to 3\n\n# Knots\n\n1. Bowline\n")
        assert outline(session, wanted).structured == {
            "address": "kb://small/school/knots",
            "title": "knots",
            "entries": [],
        }
        assert session.notes == ["There is no outline of it: small_get shows its text."]


def test_the_outline_of_a_workshop_is_its_exercises_and_steps(
    publish: Callable[..., Published],
) -> None:
    steps = [{"number": 1, "title": "Tie it"}, {"number": 3}]
    content = "# Knots\n\nAt sea\n\n1. Bowline\n   1. Tie it\n   3. \n2. Splice\n"
    exercises = [
        {"number": 1, "title": "Bowline", "steps": steps},
        {"number": 2, "title": "Splice", "steps": []},
    ]
    record = {"id": "knots", "text": "", "content": content, "exercises": exercises, "line": 1}
    collection = {"name": "school", "kind": "workshops", "records": 1, "chunks": 1, "first_row": 0}
    published = publish({"school": [record]}, collections=[collection])
    with Artifact.open(published.path) as artifact:
        wanted = {"name": "knots", "collection": None, "cursor": None}
        assert outline(Session(artifact, {}), wanted).structured["entries"] == [
            {"title": "1. Bowline", "level": 1, "lines": [5, 7]},
            {"title": "1. Tie it", "level": 2, "lines": [6, 6]},
            {"title": "3.", "level": 2, "lines": [7, 7]},
            {"title": "2. Splice", "level": 1, "lines": [8, 8]},
        ]


def test_a_list_does_not_repeat_a_title_as_the_summary(publish: Callable[..., Published]) -> None:
    record = {"id": "T-1", "title": "Cast off", "summary": "Cast off", "text": "", "line": 1}
    collection = {"name": "docs", "kind": "docs", "records": 1, "chunks": 1, "first_row": 0}
    published = publish({"docs": [record]}, collections=[collection])
    wanted = {"collection": "docs", "cursor": None, "limit": 9}
    with Artifact.open(published.path) as artifact:
        answer = list_records(Session(artifact, {}), wanted)
    assert answer.structured["records"] == [{"id": "T-1", "title": "Cast off"}]
