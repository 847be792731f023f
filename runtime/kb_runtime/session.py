"""What a tool gets to work with: the artifact of this call and the names tools have on the wire."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from kb_runtime.artifact import Artifact


class Session:
    """One tool call. `artifact` stays the same until the call ends, whatever is published meanwhile.

    `tool_names` maps declared names (`{prefix}_get_doc`) to the names under which this server offers
    them; a tool that the profile leaves out is not in it. `correlation_id` goes into every log record
    about the call.
    """

    __slots__ = ("artifact", "correlation_id", "tool_names")

    def __init__(
        self, artifact: Artifact, tool_names: Mapping[str, str], correlation_id: str = ""
    ) -> None:
        self.artifact = artifact
        self.tool_names = tool_names
        self.correlation_id = correlation_id
