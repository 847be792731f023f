"""An author who publishes numbered versions, and clients who never pause meanwhile."""

from __future__ import annotations

import json
import re
import threading
import time
from itertools import cycle
from pathlib import Path
from typing import Any

from benchmarks.swaps.clients import CALLS, Client
from benchmarks.swaps.outcome import Outcome
from kbc.pipeline.build import BuildOptions, build
from kbc.pipeline.resident import Engines, Resident

PAGES = 8
NUMBER = re.compile(r"release(\d+)x")


class Author:
    """Publishes versions of a knowledge base, whose number every text carries."""

    def __init__(self, folder: Path, *, embed: bool) -> None:
        self._root = folder
        self._embed = embed
        self._resident = Resident(Engines())
        self.published = 0
        self.published_at = 0.0
        (folder / "kb" / "docs").mkdir(parents=True)
        (folder / "kb" / "kb.toml").write_text(
            '[kb]\nname = "swaps"\ntitle = "Swaps"\nversion = "1"\nprefix = "swaps"\n'
        )

    def publish(self) -> Path:
        """The folder of the knowledge base, after another version of it was published."""
        number = self.published + 1
        for page in range(PAGES):
            (self._root / "kb" / "docs" / f"page{page}.md").write_text(
                f"# Page {page} of release{number}x\n\nThe lantern of release{number}x burns.\n\n"
                f"## Oil\n\nFill release{number}x with oil number {page * number}.\n"
            )
        options = BuildOptions(out=self._root / "out", embed=self._embed)
        path = build(self._root / "kb", options, None, self._resident).path
        self.published, self.published_at = number, time.perf_counter()
        return path.parent


class Traffic:
    """Clients that call without pause until they are stopped."""

    def __init__(self, clients: list[Client], author: Author, outcome: Outcome) -> None:
        self._author = author
        self._outcome = outcome
        self._guard = threading.Lock()
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(each,)) for each in clients]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def _run(self, client: Client) -> None:
        newest = 0
        for method, params in cycle(CALLS):
            if self._stopped.is_set():
                break
            expected, since = self._author.published, self._author.published_at
            begun = time.perf_counter()
            try:
                answer = client.call(method, params)
            except Exception as error:
                answer = {"error": f"{type(error).__name__}: {error}"}
            newest = self._judge(f"{method} {params}", answer, expected, begun - since, newest)
        with self._guard:
            self._outcome.told += client.told
        client.close()

    def _judge(self, what: str, answer: Any, expected: int, age_s: float, newest: int) -> int:
        """Counts an answer; gives the newest version that its client has seen."""
        text = json.dumps(answer)
        numbers = {int(number) for number in NUMBER.findall(text)}
        with self._guard:
            out = self._outcome
            out.calls += 1
            out.versions_seen |= numbers
            if "error" in answer or answer["result"].get("isError"):
                out.errors.append(f"{what}: {text[:300]}")
            elif len(numbers) > 1:
                out.mixed.append(f"{what}: {sorted(numbers)}")
            elif numbers:
                (number,) = numbers
                out.backwards += number < newest
                if number < expected:
                    out.late += 1
                    out.latest_ms = max(out.latest_ms, age_s * 1000)
                newest = max(newest, number)
        return newest
