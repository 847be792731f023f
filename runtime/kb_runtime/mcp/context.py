"""The parts that a server process answers from."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kb_runtime.live.living_workspace import LivingWorkspace
    from kb_runtime.live.versions import LiveArtifact
    from kb_runtime.mcp.dispatch import Dispatcher


class ServerContext:
    """The live versions, the dispatcher over them, and the workspace where there is one."""

    def __init__(
        self, live: LiveArtifact, dispatcher: Dispatcher, workspace: LivingWorkspace | None
    ) -> None:
        self.live = live
        self.dispatcher = dispatcher
        self.workspace = workspace
