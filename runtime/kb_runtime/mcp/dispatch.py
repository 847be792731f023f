"""The dispatch core: a method, its params and a protocol revision in, a result out.

Independent of the transport and of the SDK's types. Both front ends answer through it, so their answers
are the same.
"""

from __future__ import annotations

from kb_runtime.errors import ArtifactError, ProtocolError
from kb_runtime.mcp import correlation, failures, revisions
from kb_runtime.mcp.answers import (
    ALL,
    CODEBASE,
    Answers,
    ProfileError,
    answers_of,
    remaining_profile,
    with_change_notifications,
)
from kb_runtime.mcp.introduction import INGESTS, set_up
from kb_runtime.mcp.params import SUBSCRIBE, UNSUBSCRIBE, check_params
from kb_runtime.tools.session import DATA_FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import ModuleType
    from typing import Any

    from kb_runtime.knowledge.interface import Knowledge
    from kb_runtime.live.living_workspace import LivingWorkspace
    from kb_runtime.live.versions import LiveArtifact
    from kb_runtime.live.working_tree import WorkingTree, WorkingTrees

    Method = Callable[[Answers, Knowledge, dict[str, Any], str], dict[str, Any]]


class Dispatcher:
    """Answers requests from whatever version of the knowledge base is live. Thread-safe."""

    def __init__(
        self,
        live: LiveArtifact,
        profile: str = ALL,
        data_folder: str = DATA_FOLDER,
        working_tree: WorkingTree | WorkingTrees | None = None,
        read_only: bool = False,
        workspace: LivingWorkspace | None = None,
    ) -> None:
        """`data_folder` is the only folder whose files a call may name; `working_tree` is compared
        with what is indexed of source trees; with `read_only` no call reads or adds files, otherwise
        `workspace` is where tests are added. Raises ArtifactError and ProfileError, so that a server
        refuses before it serves."""
        self._live = live
        self._profile = profile
        self._data_folder = data_folder
        self._working_tree = working_tree
        self._read_only = read_only
        self._workspace = workspace
        self._announcing: Sequence[bool] = ()
        self._cache_scope = "public"
        with live.lease() as artifact:
            self._answers = self._read_answers(artifact, profile)
        live.check_swaps(self._offered_by)

    @property
    def answers(self) -> Answers:
        """The static answers last used."""
        return self._answers

    def announce_changes(self, *, handshake: bool) -> None:
        """From now on clients are promised notifications when a list or a resource changes, those of the
        handshake only with `handshake`: whoever calls this sends them."""
        self._announcing = [False, True] if handshake else [True]

    def forbid_shared_caches(self) -> None:
        """From now on answers are only for the client that asked."""
        self._cache_scope = self._answers.cache_scope = "private"

    @property
    def may_wait(self) -> bool:
        """Whether a call would wait for the index of a source tree that is being made."""
        return self._workspace is not None and not self._workspace.has_index

    def takes_long(self, params: Any) -> bool:
        """Whether the answer to a `tools/call` with these params waits for the compiler."""
        if self._workspace is None or self._read_only or not isinstance(params, dict):
            return False
        name = params.get("name")
        return isinstance(name, str) and self._answers.declared_names.get(name) == INGESTS

    def answers_for(self, knowledge: Knowledge) -> Answers:
        """The static answers of something that is, or was, live. Raises `ArtifactError`."""
        answers = self._answers
        if answers.build_id != knowledge.build_id:
            answers = self._answers = self._offered_by(knowledge)
        return answers

    def handle(self, method: str, params: dict[str, Any] | None, revision: str) -> dict[str, Any]:
        """The result of one request. `revision` is the connection's, or the request's own.

        Raises ProtocolError, and nothing else.
        """
        checked = check_params(method, params, revision)
        if method == "tools/call" and self._workspace is not None:
            self._workspace.wait_for_index()
        try:
            with self._live.lease() as artifact:
                answers = self.answers_for(artifact)
                result = _METHODS[method](answers, artifact, checked, revision)
                if method in _GREETINGS and revisions.is_stateless(revision) in self._announcing:
                    result = with_change_notifications(result)
        except ProtocolError:
            raise
        except Exception as error:
            said = "Internal server error"
            if short := failures.report(
                f"{method} failed", error, correlation.given_id(checked) or ""
            ):
                said = f"Try again later: {short}"
            elif isinstance(error, ArtifactError):
                said = f"The knowledge base cannot be read ({error.code})"
            raise ProtocolError(revisions.INTERNAL_ERROR, said) from error
        if revisions.is_stateless(revision):
            return answers.enveloped(result, cacheable=method in _CACHEABLE)
        return result

    def refused(
        self, method: str, params: Mapping[str, Any] | None, code: int, seconds: float
    ) -> None:
        """Learns of a request that its transport refused by itself; there is nothing to do about it."""

    def _offered_by(self, artifact: Knowledge) -> Answers:
        """The answers for another version. Raises ArtifactError where it offers nothing of the profile."""
        try:
            return self._read_answers(artifact, self._profile)
        except ProfileError:  # this version lacks a family that the one at the start had
            return self._read_answers(artifact, remaining_profile(self._profile, artifact))

    def _read_answers(self, artifact: Knowledge, profile: str) -> Answers:
        also = () if self._working_tree is None else (CODEBASE,)
        answers = answers_of(artifact, profile, self._data_folder, self._workspace, also)
        answers.working_tree = self._working_tree
        answers.workspace_problems = lambda: self._live.workspace_problems
        answers.read_only = self._read_only
        answers.cache_scope = self._cache_scope
        if self._live.can_change:
            answers.ttl_ms = revisions.LIVE_TTL_MS
        workspace = self._workspace
        ingests = (
            "" if workspace is None or self._read_only else answers.wire_names.get(INGESTS, "")
        )
        answers.state = set_up(
            follows=self._live.follows_builds,
            ingests=ingests,
            grows=workspace is not None and workspace.takes_tests,
            indexes=workspace is not None and workspace.follows_code,
            compares=self._working_tree is not None,
        )
        return answers


class ServerContext:
    """What a server process answers from: the live versions, the dispatcher over them, and the workspace
    where there is one."""

    def __init__(
        self, live: LiveArtifact, dispatcher: Dispatcher, workspace: LivingWorkspace | None
    ) -> None:
        self.live = live
        self.dispatcher = dispatcher
        self.workspace = workspace


def _only_page(result: dict[str, Any], params: dict[str, Any]) -> dict[str, Any]:
    """These lists have one page, so no cursor was ever handed out for them."""
    if params.get("cursor") is not None:
        raise ProtocolError(revisions.INVALID_PARAMS, "Invalid cursor: this list has one page")
    return result


def _from(module: str, function: str) -> Method:
    """`kb_runtime.mcp.<module>.<function>`, imported when it is first asked for."""
    loaded: list[ModuleType] = []

    def method(
        answers: Answers, artifact: Knowledge, params: dict[str, Any], revision: str
    ) -> dict[str, Any]:
        if not loaded:
            from importlib import import_module

            loaded.append(import_module(f"kb_runtime.mcp.{module}"))
        answer: Method = getattr(loaded[0], function)
        return answer(answers, artifact, params, revision)

    return method


_METHODS: dict[str, Method] = {
    "initialize": lambda answers, _, params, __: answers.initialize(params["protocolVersion"]),
    "server/discover": lambda answers, *_: answers.discover(),
    "ping": lambda *_: {},
    "tools/list": lambda answers, _, params, __: _only_page(answers.tools, params),
    "tools/call": _from("calls", "call_tool"),
    "resources/list": _from("resources", "list_resources"),
    "resources/templates/list": lambda answers, _, params, __: _only_page(
        answers.templates, params
    ),
    "resources/read": _from("resources", "read_resource"),
    SUBSCRIBE: _from("resources", "subscribe"),
    UNSUBSCRIBE: lambda *_: {},  # a resource that has gone can be given up, too
    "prompts/list": lambda answers, _, params, __: _only_page(answers.prompts, params),
    "prompts/get": _from("prompts", "get_prompt"),
    "completion/complete": _from("completions", "complete"),
}

_GREETINGS = frozenset({"initialize", "server/discover"})
_CACHEABLE = frozenset(
    {
        "server/discover",
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
        "resources/read",
    }
)
