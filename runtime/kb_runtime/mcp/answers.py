"""`tools.json`: the answers that the compiler wrote, reduced to the profile that this server offers.

The file's layout, which `kbc.backends.tools` writes and `docs/format.md` describes:

    format        1
    initialize    the result of `initialize` at the newest revision, without instructions
    discover      the result of `server/discover`, without instructions
    instructions  {introduction, families: {family: how to start with its tools}}
    families      {family: {tools: [tools/list entries], prompts: [prompts/list entries]}}
    names         {name on the wire: declared name}, aliases included
    default       the profile of a server that is started without one; absent: all
    templates     the result of `resources/templates/list`
"""

from __future__ import annotations

import json

from kb_runtime.errors import ArtifactError, UsageError
from kb_runtime.mcp import revisions
from kb_runtime.mcp.introduction import instructions
from kb_runtime.store.integrity import REBUILD_WITH_THIS
from kb_runtime.store.manifest_schema import is_object, is_text, list_of, map_of, object_of
from kb_runtime.tools.session import DATA_FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from kb_runtime.knowledge.interface import Knowledge
    from kb_runtime.live.living_workspace import LivingWorkspace
    from kb_runtime.live.working_tree import WorkingTree, WorkingTrees

TOOLS_FILE = "tools.json"
TOOLS_FORMAT = 1
ALL = "all"
COMPACT = "compact"
"""The profile, and family, of a few general tools over every collection."""
CODEBASE = "codebase"
"""The family of tools that compare source files with the folder where they are edited."""
DEFAULT = ""
"""The profile that the knowledge base itself chooses."""
LISTED = ("tools", "prompts", "resources")
"""What a client can list, and be told of when it changes; also the capabilities for that."""


def greeting(server: dict[str, Any]) -> dict[str, Any]:
    """The first fields of the file, for a server that presents itself as `server`."""
    capabilities = {
        "completions": {},
        "prompts": {"listChanged": False},
        "resources": {"listChanged": False, "subscribe": False},
        "tools": {"listChanged": False},
    }
    return {
        "format": TOOLS_FORMAT,
        "initialize": {
            "protocolVersion": revisions.NEWEST_HANDSHAKE,
            "capabilities": capabilities,
            "serverInfo": server,
        },
        "discover": {
            "supportedVersions": list(revisions.STATELESS_REVISIONS),
            "capabilities": capabilities,
        },
    }


class ProfileError(UsageError):
    """`--tools` names a family that the artifact does not offer."""

    code = "unknown-family"


class Answers:
    """The static answers for one build and one profile."""

    def __init__(
        self, build_id: str, document: dict[str, Any], profile: str, data_folder: str = DATA_FOLDER
    ) -> None:
        """`profile` is `all`, families separated by commas, `compact` among them, or DEFAULT;
        `data_folder` is what the tools of this server get to read. `choices` are the knowledge bases
        between which a call can choose, where there are several. Raises ProfileError."""
        self.build_id = build_id
        self.data_folder = data_folder
        self.working_tree: WorkingTree | WorkingTrees | None = None
        self.read_only = False
        self.workspace: LivingWorkspace | None = None
        self.workspace_problems: Callable[[], Sequence[str]] = tuple
        self.ttl_ms = revisions.CACHE_TTL_MS
        self.cache_scope = "public"
        self.state = ""  # what the server says of how it was set up
        self.choices: tuple[str, ...] = ()
        families = document["families"]
        chosen = choose_families(profile or document.get("default", ALL), families)
        starts = document["instructions"]["families"]
        self._introduction: str = document["instructions"]["introduction"]
        self._starts: list[str] = [starts[family] for family in chosen if starts.get(family)]
        self._initialize: dict[str, Any] = document["initialize"]
        self._discover: dict[str, Any] = document["discover"]
        self.server_info: dict[str, Any] = document["initialize"]["serverInfo"]
        self.tools = {"tools": [tool for name in chosen for tool in families[name]["tools"]]}
        self.prompts = {
            "prompts": [prompt for name in chosen for prompt in families[name]["prompts"]]
        }
        self.templates: dict[str, Any] = document["templates"]
        self.declared_names: dict[str, str] = {
            tool["name"]: document["names"][tool["name"]] for tool in self.tools["tools"]
        }
        self.wire_names: dict[str, str] = {}
        for wire, declared in self.declared_names.items():
            self.wire_names.setdefault(declared, wire)

    def initialize(self, requested: str) -> dict[str, Any]:
        return {
            **self._initialize,
            "protocolVersion": revisions.negotiate(requested),
            "instructions": self._instructions(),
        }

    def discover(self) -> dict[str, Any]:
        return {**self._discover, "instructions": self._instructions()}

    def with_wire_names(self, text: str) -> str:
        """Text of the program, with the names under which this server offers the tools that it names."""
        changed = {
            declared: wire
            for declared, wire in self.wire_names.items()
            if declared != wire and "{" not in declared
        }
        if not changed:
            return text
        import re

        return re.sub(r"\b[a-z_]+\b", lambda found: changed.get(found[0], found[0]), text)

    def _instructions(self) -> str:
        return instructions(self._introduction, self.state, self._starts)

    def enveloped(self, result: dict[str, Any], *, cacheable: bool) -> dict[str, Any]:
        """`result` with what every result of a stateless revision carries."""
        envelope: dict[str, Any] = {"resultType": "complete"}
        if cacheable:
            envelope |= {"ttlMs": self.ttl_ms, "cacheScope": self.cache_scope}
        meta = {**result.get("_meta", {}), revisions.SERVER_INFO_KEY: self.server_info}
        return {**envelope, **result, "_meta": meta}


def with_change_notifications(result: dict[str, Any]) -> dict[str, Any]:
    """An answer to `initialize` or `server/discover` that promises notifications of changed lists and
    resources."""
    capabilities = dict(result["capabilities"])
    for kind in LISTED:
        if kind in capabilities:
            capabilities[kind] = {**capabilities[kind], "listChanged": True}
    capabilities["resources"] = {**capabilities["resources"], "subscribe": True}
    return {**result, "capabilities": capabilities}


def load_answers(build_id: str, data: bytes, profile: str) -> Answers:
    """Reads the content of `tools.json`. Raises ArtifactError and ProfileError."""
    return _answers(build_id, _document(build_id, data), profile, DATA_FOLDER)


def answers_of(
    knowledge: Knowledge,
    profile: str,
    data_folder: str = DATA_FOLDER,
    workspace: LivingWorkspace | None = None,
    also: tuple[str, ...] = (),
) -> Answers:
    """The answers for what is served, merged from those of its parts, with the tools that add to and
    read the workspace. `also` are families that a server started without a profile offers besides those
    of the knowledge base. Raises what `load_answers` does."""
    documents = [_document(part.build_id, part.read(TOOLS_FILE)) for part in knowledge.parts]
    document = documents[0]
    if len(documents) > 1:
        from kb_runtime.mcp.merged_answers import merged

        defaults = {each.get("default", ALL) for each in documents[: len(knowledge.served)]}
        document = {
            **merged(documents, knowledge),
            "default": defaults.pop() if len(defaults) == 1 else COMPACT,
        }
    if workspace is not None:
        from kb_runtime.mcp.workspace_answers import with_workspace

        document = with_workspace(document, workspace.families)
        also += tuple(workspace.families)
    if profile == DEFAULT:
        profile = _default_profile(document, also)
    answers = _answers(knowledge.build_id, document, profile, data_folder)
    answers.workspace = workspace
    if len(knowledge.served) > 1:
        answers.choices = tuple(part.manifest["name"] for part in knowledge.served)
    return answers


def _default_profile(document: dict[str, Any], also: tuple[str, ...]) -> str:
    """The profile of the knowledge base, with those families of `also` that it has."""
    default: str = document.get("default", ALL)
    if default == ALL:
        return ALL
    added = [name for name in also if name in document["families"]]
    return ",".join(dict.fromkeys([*default.split(","), *added]))


_has_answers = object_of(
    format=lambda value: value == TOOLS_FORMAT,
    initialize=object_of(
        capabilities=map_of(is_object),
        serverInfo=object_of(name=is_text, version=is_text, title=is_text),
    ),
    discover=object_of(capabilities=map_of(is_object)),
    instructions=object_of(introduction=is_text, families=map_of(is_text)),
    families=map_of(
        object_of(
            tools=list_of(
                object_of(
                    name=is_text,
                    description=is_text,
                    annotations=is_object,
                    inputSchema=object_of(properties=map_of(is_object), required_=list_of(is_text)),
                )
            ),
            prompts=list_of(object_of(name=is_text)),
        )
    ),
    names=map_of(is_text),
    default_=is_text,
    templates=object_of(resourceTemplates=list_of(object_of(uriTemplate=is_text))),
)


def _document(build_id: str, data: bytes) -> dict[str, Any]:
    try:
        document: dict[str, Any] = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _foreign(build_id) from error
    if not _has_answers(document):
        raise _foreign(build_id)
    return document


def _answers(build_id: str, document: dict[str, Any], profile: str, data_folder: str) -> Answers:
    try:
        return Answers(build_id, document, profile, data_folder)
    except KeyError as error:  # a tool without a declared name
        raise _foreign(build_id) from error


def _foreign(build_id: str) -> ArtifactError:
    return ArtifactError(
        "not-an-artifact",
        f"{TOOLS_FILE} of build {build_id} does not hold the answers of this kbc.",
        REBUILD_WITH_THIS,
    )


def remaining_profile(profile: str, knowledge: Knowledge) -> str:
    """What is left of a profile that was right once: the families that are still offered. Raises
    ArtifactError, `not-an-artifact`, when none is."""
    offered = {
        family
        for part in knowledge.parts
        for family in _document(part.build_id, part.read(TOOLS_FILE))["families"]
    }
    left = [name for name in profile.split(",") if name.strip() in offered | {ALL}]
    if not left:
        raise ArtifactError(
            "not-an-artifact",
            f"Build {knowledge.build_id} has no tools of the profile {profile}.",
            "Restart the server with other --tools.",
        )
    return ",".join(left)


def choose_families(profile: str, offered: dict[str, Any]) -> list[str]:
    """The families of a profile, in the order of the file. Raises ProfileError."""
    general = [name for name in offered if name != COMPACT]
    wanted = {name.strip() for name in profile.split(",")}
    if ALL in wanted:
        wanted = wanted - {ALL} | set(general)
    if unknown := sorted(wanted - set(offered)):
        raise ProfileError(
            f"--tools: {unknown[0]!r} is not {ALL}, nor one or several of"
            f" {', '.join([COMPACT, *general])}."
        )
    return [name for name in offered if name in wanted]
