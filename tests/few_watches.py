"""Programs for which the kernel watches few folders."""

from __future__ import annotations

import subprocess

from tests.required import give_up


def with_few_watches(limit: str) -> tuple[str, ...]:
    """A command that runs another after `echo LIMIT`, in a namespace of its own; skips where it may
    not. The limit is the namespace's: other programs keep theirs."""
    script = f'echo {limit} && exec "$0" "$@"'
    before = ("unshare", "--user", "--map-root-user", "/bin/sh", "-c", script)
    try:
        subprocess.run([*before, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        give_up("user namespaces are not available")
    return before
