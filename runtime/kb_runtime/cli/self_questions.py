"""The last check of `kbc verify`: an artifact is sound where a server opens it, and every tool answers."""

from __future__ import annotations

import os
import re
import string
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from kb_runtime.errors import ArtifactError, KbcError, ProtocolError, ToolError
from kb_runtime.knowledge.examination.verification import Problem, VerificationReport, verify
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp import revisions
from kb_runtime.mcp.calls import offered_tool, run_tool
from kb_runtime.mcp.dispatch import Dispatcher
from kb_runtime.search.request import SearchRequest

if TYPE_CHECKING:
    from kb_runtime.knowledge.interface import Knowledge

CHECK = "tools"
_RESOURCES = 200
_WORD_ROWS = 30
_WORD = re.compile(r"\w{1,40}")
_FAILED = ("INTERNAL", "UNAVAILABLE")


def verify_served(
    path: str | os.PathLike[str], keys: Sequence[str | os.PathLike[str]] = ()
) -> VerificationReport:
    """As `verify`, and asks every tool questions. Raises what it raises."""
    report = verify(path, keys, prove=True)
    if not report.ok:
        return report
    problem = _first_problem(report.path)
    if problem is None:
        return replace(report, checks=(*report.checks, CHECK))
    return replace(report, problems=(problem,))


def _first_problem(build: str) -> Problem | None:
    asked = "opening it"
    try:
        live = LiveArtifact(build)
        try:
            dispatcher = Dispatcher(live)
            with live.lease() as knowledge:
                asked = "a search"
                _look_up_words(knowledge)
                for asked, error in _failures(dispatcher, knowledge):
                    return _problem(asked, error)
        finally:
            live.close()
    except Exception as error:  # whatever a reader makes of files that contradict each other
        return _problem(asked, error)
    return None


def _look_up_words(knowledge: Knowledge) -> None:
    """Searches for every word of the first chunks, and for words that do not occur, which are looked up by
    their beginnings."""
    rows = min(sum(info.chunks for info in knowledge.collections), _WORD_ROWS)
    texts = [knowledge.chunks[row].get("text", "") for row in range(rows)]
    words = {word.casefold() for text in texts for word in _WORD.findall(text)}
    absent = [f"{letter}{letter}zq" for letter in string.ascii_lowercase]
    for word in [*sorted(words), *absent]:
        knowledge.searcher.search(SearchRequest(word, mode="lexical"))


def _failures(dispatcher: Dispatcher, knowledge: Knowledge) -> Iterator[tuple[str, Exception]]:
    answers = dispatcher.answers
    words = list(dict.fromkeys(_words(knowledge)))
    for listed in answers.tools["tools"]:
        name = listed["name"]
        tool = offered_tool(answers, knowledge, name)
        assert tool is not None
        for word in words:
            try:
                run_tool(tool, answers, knowledge, _arguments(listed["inputSchema"], word))
            except (ToolError, ProtocolError) as error:
                if error.code in _FAILED:
                    yield name, error
            except Exception as error:
                yield name, error
    resources = dispatcher.handle("resources/list", {}, revisions.NEWEST_HANDSHAKE)["resources"]
    for each in islice(resources, _RESOURCES):
        try:
            dispatcher.handle("resources/read", {"uri": each["uri"]}, revisions.NEWEST_HANDSHAKE)
        except ProtocolError as error:
            if error.rpc_code == revisions.INTERNAL_ERROR:
                yield each["uri"], error


def _words(knowledge: Knowledge) -> Iterator[str]:
    yield "how"
    for info in knowledge.collections:
        for record in islice(knowledge.catalog(info.name), 1):
            yield str(record["id"])


def _arguments(schema: dict[str, Any], word: str) -> dict[str, Any]:
    """What a tool needs, with `word` wherever there is text."""
    return {name: _value(schema["properties"][name], word) for name in schema.get("required", ())}


def _value(schema: dict[str, Any], word: str) -> Any:
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type", "string")
    values: dict[str, Any] = {"integer": 1, "number": 1, "boolean": True, "object": {}}
    return values.get(kind, [word] if kind == "array" else word)


def _problem(asked: str, error: Exception) -> Problem:
    if isinstance(error, ArtifactError):
        return Problem(error.code, "", f"{asked}: {error.message}")
    said = error.message if isinstance(error, KbcError) else f"{type(error).__name__}: {error}"
    return Problem("inconsistent", "", f"{asked} fails: {said}")
