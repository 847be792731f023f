"""What a server says of itself is true of the way it was set up, and is short enough to be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_runtime.live.living_workspace import LivingWorkspace
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.live.working_tree import WorkingTree
from kb_runtime.live.workspace import Workspace
from kb_runtime.mcp import revisions
from kb_runtime.mcp.dispatch import Dispatcher
from kb_runtime.mcp.introduction import MAX_INSTRUCTIONS, instructions

HELLO = {
    "protocolVersion": revisions.NEWEST_HANDSHAKE,
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
META = {revisions.REVISION_KEY: revisions.STATELESS_REVISIONS[0], revisions.CAPABILITIES_KEY: {}}
NEWER = "a newer build is served as soon as it is published"
ADDED = "tests that ingest_tests adds are found from the next call on"
GROWS = "tests that are added to its workspace are found from the next call on"
EDITED = "source files are found as they are edited"
COMPARED = "source files that were edited since are flagged as stale or left out"

SetUp = Callable[..., Dispatcher]


@pytest.fixture
def set_up(corpus: Any, tmp_path: Path) -> Iterator[SetUp]:
    """`set_up(one_build=..., workspace=..., code=..., ...)`: the dispatcher of a server."""
    opened: list[LiveArtifact] = []
    tree = tmp_path / "tree"
    tree.mkdir()

    def make(
        *, one_build: bool, workspace: bool = False, code: bool = False, **options: Any
    ) -> Dispatcher:
        build = corpus.path / (corpus.path / "CURRENT").read_text().strip()
        living = None
        if workspace:
            living = LivingWorkspace(Workspace.open(tmp_path / "ws"), str(tree) if code else "")
        live = LiveArtifact(
            build if one_build else corpus.path,
            workspaces=() if living is None else living.kb_folders,
        )
        opened.append(live)
        working_tree = WorkingTree(str(tree)) if code else None
        return Dispatcher(live, working_tree=working_tree, workspace=living, **options)

    yield make
    for live in opened:
        live.close()


def state(dispatcher: Dispatcher) -> str:
    """The sentence about the set-up, which both eras are told."""
    greeting = dispatcher.handle("initialize", HELLO, revisions.NEWEST_HANDSHAKE)
    discovered = dispatcher.handle("server/discover", {"_meta": META}, META[revisions.REVISION_KEY])
    assert discovered["instructions"] == greeting["instructions"]
    (line,) = (
        line for line in greeting["instructions"].splitlines() if line.startswith("The server is")
    )
    return str(line)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"one_build": True}, "is offline and read-only, and its content does not change."),
        ({"one_build": False}, f"is offline and read-only; {NEWER}."),
        ({"one_build": True, "code": True}, f"is offline and read-only; {COMPARED}."),
        ({"one_build": True, "workspace": True}, f"is offline; {ADDED}."),
        (
            {"one_build": True, "workspace": True, "read_only": True},
            f"is offline and read-only; {GROWS}.",
        ),
        (
            {"one_build": True, "workspace": True, "profile": "reference"},
            f"is offline and read-only; {GROWS}.",
        ),
        (
            {"one_build": False, "workspace": True, "code": True},
            f"is offline; {NEWER}; {ADDED}; {EDITED}.",
        ),
        ({"one_build": False, "code": True}, f"is offline and read-only; {NEWER}; {COMPARED}."),
    ],
)
def test_a_server_says_what_may_change(set_up: SetUp, options: Any, said: str) -> None:
    assert state(set_up(**options)) == f"The server {said}"


@pytest.mark.parametrize(
    ("options", "ttl_ms"),
    [
        ({"one_build": True}, 86_400_000),
        ({"one_build": True, "code": True}, 86_400_000),  # lists and resources are the build's
        ({"one_build": False}, 60_000),
        ({"one_build": True, "workspace": True}, 60_000),
        ({"one_build": True, "workspace": True, "read_only": True}, 60_000),  # others may add
        ({"one_build": True, "workspace": True, "code": True}, 60_000),
    ],
)
def test_answers_are_kept_no_longer_than_they_are_sure_to_hold(
    set_up: SetUp, options: Any, ttl_ms: int
) -> None:
    dispatcher = set_up(**options)
    for method in ("server/discover", "tools/list", "resources/list"):
        answer = dispatcher.handle(method, {"_meta": META}, META[revisions.REVISION_KEY])
        assert (answer["ttlMs"], answer["cacheScope"]) == (ttl_ms, "public")


def test_answers_that_need_a_token_are_for_no_shared_cache(set_up: SetUp, corpus: Any) -> None:
    dispatcher = set_up(one_build=False)
    dispatcher.forbid_shared_caches()
    for _ in range(2):  # of the version that was live, and of the next
        answer = dispatcher.handle("tools/list", {"_meta": META}, META[revisions.REVISION_KEY])
        assert answer["cacheScope"] == "private"
        corpus.publish("2")


LINES = st.lists(st.text(st.sampled_from("a é…"), max_size=1_500), min_size=1, max_size=5)


@given(LINES, st.text("b", max_size=400), st.lists(st.text("c", max_size=200), max_size=3))
def test_what_is_too_long_is_cut_from_what_authors_say(
    about: list[str], state: str, starts: list[str]
) -> None:
    last = "Reference material."
    text = instructions("\n".join([*about, last]), state, starts)
    assert len(text) <= MAX_INSTRUCTIONS
    whole = "\n".join([*about, *filter(None, [last, state, *starts])])
    if len(whole) <= MAX_INSTRUCTIONS:
        assert text == whole
    else:
        assert text.endswith("\n".join(filter(None, [last, state, *starts])))
        assert len(text) > MAX_INSTRUCTIONS - 1_500
