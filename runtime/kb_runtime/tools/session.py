"""The session that a tool works with: the artifact of this call and the names tools have on the wire."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kb_runtime.knowledge.interface import Knowledge
    from kb_runtime.live.living_workspace import LivingWorkspace
    from kb_runtime.live.working_tree import WorkingTree, WorkingTrees

DEFAULT_CHARS = 25_000
"""Characters of text in an answer, and of structure: about 6,000 tokens, which all clients show whole."""
DATA_FOLDER = "data"
"""Where a server reads files that a call names, unless it was started with another folder."""


class Session:
    """One tool call. `artifact` stays the same until the call ends, whatever is published meanwhile.

    `tool_names` maps declared names (`{prefix}_get_doc`) to the names under which this server offers
    them; a tool that the profile leaves out is not in it. `correlation_id` goes into every log record
    about the call. `data_folder` is the only folder whose files a call may name. `working_tree` is
    where the files of `code` collections are edited, None when the server does not know, and
    `workspace` where it adds what is not in the artifact, None for a server without one. In a `read_only`
    session no file of the data folder is read, and nothing is added. `workspace_problems` are codes of
    errors for which a workspace is not served. The text of the answer and its structure may each have
    `max_chars` characters; `asked_chars` is what the call asked for, if anything. `kb` is the knowledge base
    that the call chose among several. Whatever looks records up adds sentences to `notes`, which the answer
    then carries as warnings.
    """

    def __init__(
        self,
        artifact: Knowledge,
        tool_names: Mapping[str, str],
        correlation_id: str = "",
        data_folder: str = DATA_FOLDER,
        working_tree: WorkingTree | WorkingTrees | None = None,
        read_only: bool = False,
        workspace: LivingWorkspace | None = None,
        max_chars: int = DEFAULT_CHARS,
        workspace_problems: Sequence[str] = (),
    ) -> None:
        self.artifact = artifact
        self.tool_names = tool_names
        self.correlation_id = correlation_id
        self.data_folder = data_folder
        self.working_tree = working_tree
        self.read_only = read_only
        self.workspace = workspace
        self.max_chars = max_chars
        self.asked_chars: int | None = None
        self.workspace_problems = workspace_problems
        self.kb = ""
        self.notes: list[str] = []

    def name_of(self, declared: str) -> str:
        """What this server calls a tool; a tool that it leaves out keeps its declared name."""
        return self.tool_names.get(declared, declared)
