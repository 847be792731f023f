"""Admits Dask workers to a build: those that prove equal encoders get a resource that its tasks need.

This module is pickled by value: a worker without kbc must be able to say so.
"""

from __future__ import annotations

import asyncio
from typing import Any

from distributed import WorkerPlugin


class Admission(WorkerPlugin):  # type: ignore[misc, unused-ignore]
    """Runs on every worker, also those that join later. `refusal` is "" where the worker is admitted."""

    def __init__(self, name: str, payload: bytes) -> None:
        self.name = name
        self.refusal = "it has not answered"
        self._payload = payload

    async def setup(self, worker: Any) -> None:
        self.refusal = await asyncio.get_running_loop().run_in_executor(None, self._admit)
        self._payload = b""
        if not self.refusal:
            # Tasks need 1 of it: its threads limit a worker, not this.
            await worker.set_resources(**{self.name: 1e6})

    def _admit(self) -> str:
        try:
            from kbc.execution.worker import admit
        except ImportError as error:
            return f"kbc is not installed there, or is another version ({error})"
        try:
            return admit(self.name, self._payload)
        except Exception as error:
            return f"it failed: {type(error).__name__}: {error}"

    async def teardown(self, worker: Any) -> None:
        if not self.refusal:
            from kbc.execution.worker import forget

            forget(self.name)
            await worker.set_resources(**{self.name: 0})


def refusal(name: str, dask_worker: Any = None) -> str:
    """What the worker that runs this was refused for."""
    found = dask_worker.plugins.get(name)
    return "it has not answered" if found is None else str(found.refusal)
