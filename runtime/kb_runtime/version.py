"""The version of the distribution, and of the artifact format that it reads and writes."""

__version__ = "0.1.0"

DISTRIBUTION = "kb-compiler"
"""The name to install by. `kbc`, the command, is also the name of another vendor's tool."""

FORMAT_VERSION = 2
"""The newest format that is read; goes up with every change that an older reader would misread."""

UNSHARDED_FORMAT_VERSION = 1
"""The format of artifacts without shards, and the oldest that is read."""

UNSTATED_VERSION = "0"
"""The version of content whose authors state none."""


def install_hint(extra: str) -> str:
    """The command that installs what the extra `extra` brings."""
    return f'pip install "{DISTRIBUTION}[{extra}]"'
