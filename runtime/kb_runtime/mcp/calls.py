"""`tools/call`: finds the tool, checks its arguments, runs it, and turns failures into answers."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from kb_runtime.errors import ArtifactError, ProtocolError, ToolError
from kb_runtime.mcp import correlation, failures, revisions
from kb_runtime.mcp.merged_answers import COLLECTION, KB, collection_names
from kb_runtime.text.names import known_as, quoted
from kb_runtime.tools import lookup
from kb_runtime.tools.answers import error_answer, with_warnings
from kb_runtime.tools.arguments import check, unknown
from kb_runtime.tools.budget import WARNING_MARGIN, within
from kb_runtime.tools.declaration import Answer
from kb_runtime.tools.parameter import MAX_CHARS
from kb_runtime.tools.refusal import bad_input
from kb_runtime.tools.registry import tool_named
from kb_runtime.tools.session import DEFAULT_CHARS, Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from kb_runtime.knowledge.artifact import Artifact
    from kb_runtime.knowledge.interface import Knowledge
    from kb_runtime.mcp.answers import Answers
    from kb_runtime.tools.declaration import Tool

_CALLED: WeakKeyDictionary[Knowledge, dict[str, Tool]] = WeakKeyDictionary()
"""The tools that were called, in the words of the knowledge base, by their declared names."""

_IF_CUT = "Ask for less: for one item by its name, or with narrower arguments."
"""How to get the rest of an answer that was shortened."""


def call_tool(
    answers: Answers, artifact: Knowledge, params: dict[str, Any], _: str
) -> dict[str, Any]:
    """The result of a call. A failure that the caller can mend is a result with `isError`.

    Raises ProtocolError for a tool that is not offered, and where a tool's contract wants one.
    """
    name = params["name"]
    tool = offered_tool(answers, artifact, name)
    if tool is None:
        raise ProtocolError(revisions.INVALID_PARAMS, f"Unknown tool: {name}")
    given = correlation.given_id(params)
    call_id = given or correlation.new_id()
    shown = {correlation.KEY: call_id} if given or tool.correlated else {}
    try:
        return _result(run_tool(tool, answers, artifact, params.get("arguments"), call_id), shown)
    except ToolError as error:
        failure = error
    except Exception as error:
        if short := failures.report(f"{name} failed", error, call_id):
            failure = ToolError("UNAVAILABLE", f"{name} failed: {short}. Try again later.")
        elif isinstance(error, ArtifactError):
            failure = ToolError(
                "UNAVAILABLE",
                f"The knowledge base cannot be read ({error.code}).",
                next_steps=["Ask whoever installed it to run `kbc verify`."],
            )
        else:
            failure = ToolError("INTERNAL", f"{name} failed because of a bug in the server.")
    failure.next_steps = tuple(map(answers.with_wire_names, failure.next_steps))
    try:
        told = within(
            (tool.on_error or error_answer)(failure), DEFAULT_CHARS, "Ask for another name."
        )
        return _result(told, shown, is_error=True)
    except ProtocolError as error:
        raise ProtocolError(
            error.rpc_code, error.message, {**(error.data or {}), **shown}
        ) from None


def offered_tool(answers: Answers, artifact: Knowledge, name: str) -> Tool | None:
    """The tool that this server offers under a name, with the argument `max_chars`."""
    declared = answers.declared_names.get(name)
    if declared is None:
        return None
    called = _CALLED.setdefault(artifact, {})
    tool = called.get(declared)
    if tool is None:
        tool = tool_named(declared)
        if MAX_CHARS not in tool.arguments:
            tool = tool._replace(arguments=(*tool.arguments, MAX_CHARS))
        settings = lookup.settings(artifact, tool.needs)
        tool = called[declared] = tool.with_settings(artifact.manifest["prefix"], settings)
    return tool


def run_tool(
    tool: Tool,
    answers: Answers,
    artifact: Knowledge,
    arguments: Mapping[str, Any] | None,
    call_id: str = "",
) -> Answer[Any]:
    """The answer of a tool. Raises `ToolError` and `ArtifactError`."""
    given = dict(arguments or {})
    session = Session(
        artifact,
        answers.wire_names,
        call_id,
        answers.data_folder,
        answers.working_tree,
        answers.read_only,
        answers.workspace,
        workspace_problems=answers.workspace_problems(),
    )
    if answers.choices and KB in given:
        session.artifact = chosen = _chosen(artifact, given.pop(KB), tool)
        session.kb = chosen.manifest["name"]
        if COLLECTION in given:
            given[COLLECTION] = _own_name(artifact, session.artifact, given[COLLECTION])
    try:
        return _answered(tool, session, given)
    except ToolError as error:
        ignored = (f"{each[0].upper()}{each[1:]}." for each in unknown(tool, given))
        error.next_steps = (*error.next_steps, *ignored)
        raise


def _answered(tool: Tool, session: Session, given: Mapping[str, Any]) -> Answer[Any]:
    """The answer of a tool, with what its caller should know about the arguments."""
    checked, warnings = check(tool, given)
    asked = checked.pop(MAX_CHARS.name)
    settings = session.artifact.parts[0].manifest.get("tools") or {}
    max_chars = asked or settings.get("max_chars") or DEFAULT_CHARS
    # What the tool gives in parts leaves room for the warnings: what `within` cuts, no cursor continues.
    session.max_chars = max_chars - sum(len(warning) + WARNING_MARGIN for warning in warnings)
    session.asked_chars = asked
    answer = with_warnings(tool.run(session, checked), [*warnings, *session.notes])
    if tool.has_own_limit:
        return answer
    kept = "content" if tool.gives_parts else ""
    return within(answer, max_chars, _IF_CUT, repeats=tool.repeats, kept=kept)


def _chosen(knowledge: Knowledge, name: Any, tool: Tool) -> Artifact:
    """The knowledge base of that name. Raises ToolError for a name that is not served, and for a
    knowledge base that has nothing of what the tool reads."""
    served = {part.manifest["name"]: part for part in knowledge.served}
    known = known_as(name, served) if isinstance(name, str) else None
    if known is None:
        raise bad_input(
            f"{KB} {quoted(str(name))} is not one of: {', '.join(served)}",
            suggestions=list(served),
            details={"allowed": list(served)},
        )
    part = served[known]
    if tool.needs and not _has(part, tool):
        others = [one for one, other in served.items() if _has(other, tool)]
        raise bad_input(
            f"the knowledge base {part.manifest['name']} has nothing that this tool reads",
            f"Leave {KB} out, or give one of: {', '.join(others)}.",
            suggestions=others,
        )
    return part


def _own_name(knowledge: Knowledge, part: Artifact, collection: Any) -> Any:
    """What a part itself calls a collection, of which the offer has the name among all."""
    for own, here in collection_names(knowledge, part).items():
        if isinstance(collection, str) and here.casefold() == collection.casefold():
            return own
    return collection


def _has(part: Artifact, tool: Tool) -> bool:
    return any(info.records and info.kind in tool.needs for info in part.collections)


def _result(answer: Answer[Any], meta: dict[str, str], is_error: bool = False) -> dict[str, Any]:
    result: dict[str, Any] = {"content": [{"type": "text", "text": answer.text}]}
    if answer.structured is not None:
        result["structuredContent"] = answer.structured
    result["isError"] = is_error
    if meta:
        result["_meta"] = meta
    return result
