"""How soon the explorer shows hits after a key, in a real browser, and how long its pages take.

    python -m benchmarks.explorer ARTIFACT [--query TEXT] [--rounds N]

Types the query letter by letter into the search page and takes the time from each key to the moment at
which its hits are on the page; then loads each page. Needs Chromium and Playwright for Python. The bar is
a median of 150 ms from key to hits.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import time
from typing import Any

MAX_MEDIAN_MS = 150.0
PAGES = ("/", "/?q=", "/record", "/tools", "/health", "/versions", "/map")
_WATCH = """
    window.shown = [];
    document.addEventListener('input', () => { window.typed = performance.now(); }, true);
    document.addEventListener('kbc:results', () => window.shown.push(performance.now() - window.typed));
"""


def type_ahead(page: Any, url: str, query: str) -> list[float]:
    """Milliseconds from each key of the query to its hits."""
    page.goto(url)
    page.evaluate(_WATCH)
    found: list[float] = []
    for at, letter in enumerate(query, 1):
        page.keyboard.type(letter)
        while page.evaluate("window.shown.length") < at:
            time.sleep(0.005)
    found.extend(page.evaluate("window.shown"))
    return found


def run(artifact: str, query: str, rounds: int) -> bool:
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "kbc", "explore", artifact, "--port", "0", "--no-open"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        url = server.stderr.readline().split()[2].rstrip("/")
        with sync_playwright() as driver:
            browser = driver.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            page = browser.new_page()
            page.goto(f"{url}/?q={query}")  # loads the engines
            times = [each for _ in range(rounds) for each in type_ahead(page, url, query)]
            median = statistics.median(times)
            print(
                f"key to hits: {len(times)} keys, median {median:.0f} ms, slowest {max(times):.0f} ms"
            )
            for path in PAGES:
                address = f"{url}{path}{query if path.endswith('=') else ''}"
                loads = []
                for _ in range(rounds):
                    start = time.perf_counter()
                    page.goto(address, wait_until="networkidle" if path == "/map" else "load")
                    loads.append((time.perf_counter() - start) * 1e3)
                print(
                    f"{path:<12}first {loads[0]:.0f} ms, median {statistics.median(loads):.0f} ms"
                )
            browser.close()
    finally:
        server.terminate()
        server.wait()
    return median <= MAX_MEDIAN_MS


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("artifact")
    parser.add_argument("--query", default="map from a set")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    return 0 if run(given.artifact, given.query, given.rounds) else 1


if __name__ == "__main__":
    sys.exit(main())
