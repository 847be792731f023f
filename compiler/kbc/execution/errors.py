"""The error of workers that cannot be used, or were lost."""

from __future__ import annotations

from kb_runtime.errors import KbcError, exit_codes


class ClusterError(KbcError):
    """The workers of `--executor` cannot go on. What they embedded before is in the cache.

    Codes: `scheduler-unreachable`, `scheduler-lost`, `no-workers`, `workers-refused` and `workers-lost`.
    """

    exit_code = exit_codes.CLUSTER
