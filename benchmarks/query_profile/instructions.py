"""Instructions of a stdio server for a hybrid query, by library: as many on a busy machine as on an idle one.

    python -m benchmarks.query_profile.instructions ARTIFACT QUESTIONS [--every 6]

Needs valgrind, which counts them fifty times slower. Every sixth question of QUESTIONS (as for the profile)
is asked once before counting begins. Valgrind has no AVX512: the encoder takes other instructions than
without it.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.query_profile.__main__ import read_questions
from benchmarks.stdio import process_environment, serving

_COUNTED = re.compile(r"\s*([\d,]+) \(.*?\)\s+.*\[(?:.*/)?(.*)\]$")
_TOTAL = re.compile(r"\s*([\d,]+) \(.*?\)\s+PROGRAM TOTALS$")
_LISTED = 12


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("artifact", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--every", type=int, default=6, help="ask every so manyth question")
    parser.add_argument("--tool", default="quint_hybrid_search")
    options = parser.parse_args(arguments)
    questions = read_questions(options.questions)[:: options.every]
    with tempfile.TemporaryDirectory() as folder:
        counts = Path(folder) / "counts"
        environment = {**process_environment(Path(folder) / "bytecode"), "PYTHONHASHSEED": "0"}
        valgrind = ["valgrind", "--tool=callgrind", "--instr-atstart=no", "-q"]
        server = [sys.executable, "-m", "kb_runtime", str(options.artifact), "--tools", "all"]
        command = [*valgrind, f"--callgrind-out-file={counts}", *server]
        with serving(command, environment) as asked:
            asked.initialize()
            for switch in ("on", "off"):
                for question in questions:
                    asked.call(options.tool, query=question)
                control = ["callgrind_control", "-i", switch, str(asked.process.pid)]
                subprocess.run(control, check=True, capture_output=True)
        table = subprocess.run(
            ["callgrind_annotate", "--threshold=100", counts], check=True, capture_output=True
        ).stdout.decode()
    by_library: Counter[str] = Counter()
    for line in table.splitlines():
        if found := _TOTAL.match(line) or _COUNTED.match(line):
            name = found[2] if found.re is _COUNTED else "all"
            by_library[name] += int(found[1].replace(",", ""))
    print("| library | thousand instructions |\n| --- | ---: |")
    for name, count in by_library.most_common(_LISTED):
        print(f"| {name} | {count / len(questions) / 1e3:,.0f} |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
