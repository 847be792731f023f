"""`completion/complete`: completes the `{id}` of a resource template with ids of its collection."""

from __future__ import annotations

from kb_runtime.errors import ProtocolError
from kb_runtime.mcp import revisions
from kb_runtime.text.addresses import address_template

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from kb_runtime.knowledge.interface import Knowledge
    from kb_runtime.mcp.answers import Answers

MAX_VALUES = 100
"""The protocol's limit."""


def complete(
    answers: Answers, artifact: Knowledge, params: dict[str, Any], _: str
) -> dict[str, Any]:
    """Values for one argument. Raises ProtocolError for an unknown prompt or template.

    Ids that begin with what was typed come first, then ids that hold it; case does not matter.
    Arguments of prompts are free text, so nothing is proposed for them.
    """
    reference, argument = params["ref"], params["argument"]
    values: list[str] = []
    if reference["type"] == "ref/prompt":
        if all(prompt["name"] != reference["name"] for prompt in answers.prompts["prompts"]):
            raise ProtocolError(revisions.INVALID_PARAMS, f"Unknown prompt: {reference['name']}")
    else:
        collections = _collections(artifact, reference["uri"])
        if argument["name"] == "id":
            ids = [id for name in collections for id in artifact.catalog(name).ids()]
            values = matching(list(dict.fromkeys(ids)), argument["value"])
    return {
        "completion": {
            "values": values[:MAX_VALUES],
            "total": len(values),
            "hasMore": len(values) > MAX_VALUES,
        }
    }


def matching(ids: list[str], typed: str) -> list[str]:
    wanted = typed.casefold()
    found = [each for each in ids if wanted in each.casefold()]
    return sorted(found, key=lambda each: (not each.casefold().startswith(wanted), each))


def _collections(artifact: Knowledge, template: str) -> Sequence[str]:
    """The collections of a template, by their names here. Raises ProtocolError."""
    for part in artifact.parts:
        kb = part.manifest["name"]
        for info in part.collections:
            if template == address_template(kb, info.name):
                return artifact.addressed(kb, info.name)
    raise ProtocolError(
        revisions.INVALID_PARAMS, f"Unknown resource template: {template}", {"uri": template}
    )
