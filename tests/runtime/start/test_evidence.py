"""What the explorer shows beside an artifact is checked before it is served."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kb_runtime.errors import KbcError
from kb_runtime.explorer.quality import facts, form_of
from kb_runtime.explorer.tools import Field, arguments_of
from kb_runtime.start.evidence import read_report, read_runs

PHASE = {"name": "read", "seconds": 0.5, "count": 3, "unit": "files"}
REPORT = {"build_id": "0" * 16, "phases": [PHASE], "diagnostics": [{"code": "a", "message": "b"}]}
RUN = {
    "measures": {"mrr@10": {"mean": 0.5, "low": 0.25, "high": 1}},
    "answers": [{"query": "wind", "scope": "", "rank": 1}, {"query": "", "rank": None}],
}


def test_what_commands_printed_is_read(tmp_path: Path) -> None:
    report, run = tmp_path / "report.json", tmp_path / "runs" / "a.json"
    report.write_text(json.dumps(REPORT))
    run.parent.mkdir()
    run.write_text(json.dumps(RUN))
    assert read_report(str(report)) == REPORT
    runs = read_runs(str(run.parent))
    assert runs == [("a", RUN)]
    assert facts(RUN, runs)["worst_count"] == 1
    assert read_report("") is None
    assert read_runs("") == []


@pytest.mark.parametrize(
    "content",
    [
        "[" * 100_000,
        "x",
        "[]",
        "{}",
        json.dumps({**REPORT, "phases": 7}),
        json.dumps({**REPORT, "phases": [{**PHASE, "seconds": "1"}]}),
        json.dumps({**REPORT, "diagnostics": ["a"]}),
    ],
)
def test_another_file_is_no_report(tmp_path: Path, content: str) -> None:
    (tmp_path / "report.json").write_text(content)
    with pytest.raises(KbcError, match=r"report\.json (cannot be read as JSON|does not hold)"):
        read_report(str(tmp_path / "report.json"))


@pytest.mark.parametrize(
    "changes",
    [
        {"answers": [{"query": "wind"}]},
        {"answers": [{"query": 7, "rank": 1}]},
        {"answers": {"query": "wind"}},
        {"measures": [0.5]},
        {"measures": {"mrr@10": 0.5}},
    ],
)
def test_another_file_is_no_evaluation(tmp_path: Path, changes: dict[str, object]) -> None:
    (tmp_path / "a.json").write_text(json.dumps({**RUN, **changes}))
    with pytest.raises(KbcError, match=r"does not hold what `kbc eval --json` prints\.$"):
        read_runs(str(tmp_path))


def test_a_link_that_leads_nowhere_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.json").symlink_to("gone.json")
    with pytest.raises(KbcError, match=r"a\.json cannot be read as JSON"):
        read_runs(str(tmp_path))


@pytest.mark.parametrize(
    ("query", "form"), [("", "keywords"), ("?", "a question"), ("setTo", "a name")]
)
def test_the_form_of_a_query(query: str, form: str) -> None:
    assert form_of(query) == form


@pytest.mark.parametrize(
    ("control", "value"), [("number", "1e400"), ("number", "nan"), ("json", "[" * 100_000)]
)
def test_what_is_no_value_of_an_argument_is_said(control: str, value: str) -> None:
    arguments, problem = arguments_of([Field("n", control, "", (), False, value, "")])
    assert arguments == {}
    assert problem.startswith("n: ")
