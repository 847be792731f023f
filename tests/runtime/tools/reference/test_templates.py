from __future__ import annotations

from collections.abc import Callable

import pytest

from kb_runtime.errors import ToolError
from kb_runtime.tools.declaration import Answer

Call = Callable[..., Answer]


@pytest.mark.parametrize("name", ["two-phase", "TWO-PHASE", "two_phase.qnt", "template:two-phase"])
def test_template_in_full(call: Call, name: str) -> None:
    assert call("get_template", templateId=name).structured == {
        "id": "two-phase",
        "name": "Two-phase commit",
        "description": "A coordinator and participants.",
        "framework": "choreo",
        "filename": "two_phase.qnt",
        "use_for": ["commit protocols"],
        "includes": [],
        "instructions": ["Rename it."],
        "content": "module two_phase {}\n",
        "lines": 1,
    }


def test_workflow_is_there_when_known(call: Call) -> None:
    found = call("get_template", templateId="basic").structured
    assert found is not None
    assert found["workflow"] == ["Edit."]


def test_unknown_template_lists_all_ids(call: Call) -> None:
    with pytest.raises(ToolError, match="Available templates: two-phase, basic") as caught:
        call("get_template", templateId="three-phase")
    assert caught.value.kind == "NOT_FOUND"
    assert caught.value.details == {"availableTemplates": ["two-phase", "basic"]}


def test_list_of_all_templates(call: Call) -> None:
    found = call("list_templates").structured
    assert found is not None
    assert found["total"] == 2
    assert [entry["id"] for entry in found["templates"]] == ["two-phase", "basic"]
    assert set(found["templates"][0]) == {"id", "name", "description", "framework", "filename"}


@pytest.mark.parametrize("framework", ["choreo", "Choreo"])
def test_list_of_a_framework(call: Call, framework: str) -> None:
    found = call("list_templates", framework=framework).structured
    assert found is not None
    assert (found["framework"], found["count"]) == ("choreo", 1)
    assert [entry["id"] for entry in found["templates"]] == ["two-phase"]


def test_unknown_framework_names_the_frameworks(call: Call) -> None:
    with pytest.raises(ToolError, match="Available frameworks: choreo, standard") as caught:
        call("list_templates", framework="xyz")
    assert caught.value.kind == "NOT_FOUND"
    assert caught.value.suggestions == ("choreo", "standard")
