"""Programs on a machine that has no network and no file that can be written: namespaces of the kernel."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache

from tests.required import needs

OFFLINE = ("unshare", "-rn")
"""Runs what follows it without network. Even its loopback device is down."""
SEALED = (
    *("unshare", "-rnm", "sh", "-c"),
    'mount --make-rprivate / && mount -o remount,bind,ro / && exec "$@"',
    "sh",
)
"""Runs what follows it without network, on a root that cannot be written."""


@cache
def can_unshare() -> bool:
    """Whether this user may make namespaces in which the root is mounted read-only."""
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*SEALED, "true"], capture_output=True, check=False).returncode == 0


def where_possible(before: tuple[str, ...], *command: object) -> list[str]:
    """The command behind `before` where namespaces may be made, else as it is."""
    return [*(before if can_unshare() else ()), *map(str, command)]


namespaces = needs(can_unshare(), "namespaces may not be made here")
