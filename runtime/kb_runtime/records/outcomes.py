"""Says how tests ended, in the same words for every runner: the field `expectedResults` of `cases`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from kb_runtime.records.gherkin import numbered
from kb_runtime.records.written import case_words

COLOUR = re.compile(r"\x1b\[[0-9;]*m")

FAILED, PASSED, SKIPPED = "failed", "passed", "skipped"
FLAKY = "flaky"
"""Said of a test that passed, and failed before that in the same run."""

_WORDS: Mapping[str, str] = {
    **dict.fromkeys(("broken", "error", "fail", "failure"), FAILED),
    **dict.fromkeys(("ignored", "notexecuted", "skip"), SKIPPED),
    **dict.fromkeys(("ok", "pass", "success"), PASSED),
    "aborted": "failed, aborted",
    "notrunnable": "failed, not runnable",
    **dict.fromkeys(("timedout", "timeout"), "failed, timed out"),
}
"""What runners write, in lower case and without blanks, and what it is called here."""

_OF_PEOPLE = frozenset(
    ["blocked", "inprogress", "na", "notrun", "onhold", "retest", "todo", "unexecuted", "untested"]
)
"""What people write as the outcome of a test that neither passed nor failed, as the words above."""

_MESSAGE_LINES = 3
"""Of the message of a failure: what follows are a code frame and a stack trace."""
_PREFIX = "last outcome: "


def called(status: Any) -> str:
    """What a runner's word for an outcome is called here; a word that is not known stays, "" for none."""
    stated = str(status or "").lower()
    return _WORDS.get(re.sub(r"[ _-]", "", stated), stated)


def stated(text: str) -> str:
    """The outcome that people wrote into a table, perhaps with a mark (`✅ Pass`); "" for another text."""
    if known := case_words.OUTCOMES.get(re.sub(r"[\W\d_]", "", text.lower())):
        return known
    word = re.sub(r"[^a-z]", "", text.lower())
    if word in (FAILED, PASSED, SKIPPED) or word in _WORDS:
        return called(word)
    return " ".join(re.sub(r"[^a-z/ ]", "", text.lower()).split()) if word in _OF_PEOPLE else ""


def beginning(message: str) -> str:
    """The first lines of the message of a failure, as one and without colours."""
    lines = COLOUR.sub("", message).strip().split("\n")
    return " ".join(" ".join(lines[:_MESSAGE_LINES]).split())


def outcome(
    status: Any, messages: Iterable[Any] = (), *, where: str = "", is_flaky: bool = False
) -> str:
    """`status` as it is called here, with the beginnings of the messages of failures; `where` is named if
    the test did not pass there."""
    told = called(status) or "not run"
    if where and told != PASSED:
        told += f" ({where})"
    said = [beginning(each) for each in messages if isinstance(each, str) and each.strip()]
    return ", ".join([told, *([FLAKY] if is_flaky and told == PASSED else []), *said])


def last_outcome(outcomes: Iterable[str]) -> str:
    """The field `expectedResults` of a test that ran with `outcomes`."""
    return f"{_PREFIX}{'; '.join(dict.fromkeys(outcomes)) or 'not run'}"


def is_failed(expected_results: str | None) -> bool:
    """Whether the field `expectedResults` says that a test failed."""
    return (expected_results or "").startswith(f"{_PREFIX}{FAILED}")


def ended(status: Any, messages: Iterable[Any] = (), *, is_flaky: bool = False) -> str:
    """The field `expectedResults` of a test that ran once."""
    return last_outcome([outcome(status, messages, is_flaky=is_flaky)])


def of_each_test(tests: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """One record for each test of a report, which may have a test several times.

    What passed after it had only failed is one test, which is flaky. Others of one uid may be different
    tests, such as the rows of a table, and are numbered.
    """
    by_uid: dict[str, list[dict[str, Any]]] = {}
    for test in tests:
        by_uid.setdefault(" ".join((test["uid"] or "").split()), []).append(test)
    found: list[dict[str, Any]] = []
    for uid, runs in by_uid.items():
        *earlier, last = (str(run.get("expectedResults") or "") for run in runs)
        if uid and earlier and all(map(is_failed, earlier)) and last == last_outcome([PASSED]):
            reason = earlier[0].removeprefix(f"{_PREFIX}{FAILED}").removeprefix(", ")
            found.append({**runs[-1], "expectedResults": ended(PASSED, [reason], is_flaky=True)})
        else:
            found += numbered(runs)
    return found
