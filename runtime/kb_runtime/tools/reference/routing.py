"""`suggest_framework`: recommends a framework for a task, by rules of the knowledge base."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from kb_runtime.errors import ToolError
from kb_runtime.tools import lookup, parameter
from kb_runtime.tools.answers import json_answer
from kb_runtime.tools.declaration import Answer, Tools
from kb_runtime.tools.reference import docs, examples

if TYPE_CHECKING:
    from kb_runtime.records.entries import RoutingEntry
    from kb_runtime.tools.reference.answers import FrameworkSuggestion
    from kb_runtime.tools.session import Session

KIND: lookup.RecordKind[RoutingEntry] = lookup.RecordKind("routing")
_LONGEST_PHRASE = 4
"""Words of the longest keyword."""


class Vote(NamedTuple):
    """A label's rule and those of its keywords that the description holds."""

    rule: RoutingEntry
    keywords: tuple[str, ...]


TOOLS = Tools("{prefix}_", family="routing", needs=(KIND,))


@TOOLS.tool(
    "Which framework suits a task, how sure that is and why, with the pages and"
    " examples to start from.",
    parameter.required("description", "What is to be specified or built.", 10_000),
)
def suggest_framework(session: Session, arguments: dict[str, Any]) -> Answer[FrameworkSuggestion]:
    rules = list(lookup.records(session, KIND))
    if not rules:
        raise ToolError(
            "UNAVAILABLE",
            "this knowledge base has no routing rules",
            next_steps=[f"Use {lookup.tool_name(session, 'hybrid_search')} instead."],
        )
    by_origin: dict[str, list[Vote]] = {}
    for rule in rules:
        vote = Vote(rule, matched_keywords(rule, arguments["description"]))
        by_origin.setdefault(session.artifact.origin(rule["collection"]), []).append(vote)
    decided = [(*decide(votes), votes) for votes in by_origin.values()]
    # Each knowledge base decides for itself; rules that found a keyword count before default ones.
    winner, confidence, votes = max(decided, key=lambda one: (bool(one[0].keywords), one[1]))
    return json_answer(
        {
            "framework": winner.rule["label"],
            "confidence": confidence,
            "reasoning": _reasoning(winner, votes),
            "docs": lookup.names_beside(session, winner.rule, docs.KIND, winner.rule.get("docs")),
            "examples": lookup.names_beside(
                session, winner.rule, examples.KIND, winner.rule.get("examples")
            ),
        }
    )


def matched_keywords(rule: RoutingEntry, description: str) -> tuple[str, ...]:
    """The rule's keywords in `description`: whole words, in singular or plural, hyphenated, apart or
    in one word. Spellings of one keyword count once."""
    words = singular_words(description)
    spans = {
        "".join(words[start : start + length])
        for length in range(1, _LONGEST_PHRASE + 1)
        for start in range(len(words) - length + 1)
    }
    found: dict[str, str] = {}
    for keyword in rule.get("keywords", ()):
        compact = "".join(singular_words(keyword))
        if compact in spans:
            found.setdefault(compact, keyword)
    return tuple(found.values())


def singular_words(text: str) -> list[str]:
    """Lower-case words in the singular; hyphens and all other punctuation separate words."""
    return [_singular(word) for word in re.findall(r"[^\W_]+", text.casefold())]


def _singular(word: str) -> str:
    """Without a plural ending. Applied to both sides, so that `consensus` still equals itself."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def decide(votes: Sequence[Vote]) -> tuple[Vote, float]:
    """The vote with the most keywords and its confidence, rounded to two decimals.

    A tie goes to the rule that comes first. Alone, a rule has its base confidence plus a step
    for each keyword; votes for other rules lower it in proportion, down to its default confidence.
    Without any keyword the default rule wins with its default confidence.
    """
    total = sum(len(vote.keywords) for vote in votes)
    if not total:
        fallback = next((vote for vote in votes if vote.rule["default"]), votes[0])
        return fallback, round(fallback.rule["default_confidence"], 2)
    winner = max(votes, key=lambda vote: len(vote.keywords))
    rule, hits = winner.rule, len(winner.keywords)
    alone = min(rule["base_confidence"] + rule["step_confidence"] * hits, rule["max_confidence"])
    shared = max(alone * hits / total, rule["default_confidence"])
    return winner, round(min(alone, shared), 2)


def _reasoning(winner: Vote, votes: Sequence[Vote]) -> str:
    label = winner.rule["label"]
    if not winner.keywords:
        return f"No keyword of any framework occurs in the description; {label} is the default."
    sentences = [f"Keywords for {label}: {', '.join(winner.keywords)}."]
    sentences += [
        f"Against it, keywords for {vote.rule['label']}: {', '.join(vote.keywords)}."
        for vote in votes
        if vote is not winner and vote.keywords
    ]
    if reasoning := winner.rule.get("reasoning"):
        sentences.append(reasoning)
    return " ".join(sentences)
