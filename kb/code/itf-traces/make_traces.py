"""Writes the sample traces of this folder with Quint, or checks that they are up to date.

    python3 make_traces.py            write all traces
    python3 make_traces.py --check    exit code 1 when Quint makes other traces than the stored ones

Traces are stored for review and comparison: one state a line, keys sorted, and without the time and
the description that Quint adds, so that the same seed gives the same bytes. The command is `quint`,
or what the environment variable QUINT says (`QUINT="npx quint"`).
"""

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SEATS = "../../examples/workflows/seat-reservation.qnt"

# File, the status that Quint must report, and the arguments after `quint run --backend=typescript`.
# A goal is an invariant that says it is never reached: its violation is the trace to the goal.
TRACES = [
    ("values.itf.json", "ok", ["--seed=1", "--max-steps=1", "values.qnt"]),
    ("seats-random.itf.json", "ok", ["--mbt", "--seed=1", "--max-steps=10", SEATS]),
    (
        "seats-late-payment.itf.json",
        "violation",
        [
            "--mbt",
            "--seed=9",
            "--max-samples=5000",
            "--max-steps=8",
            "--invariant=not(refundWasNeeded)",
            SEATS,
        ],
    ),
    (
        "seats-sold-out.itf.json",
        "violation",
        [
            "--mbt",
            "--seed=2",
            "--max-samples=20000",
            "--max-steps=10",
            "--invariant=not(soldOut)",
            SEATS,
        ],
    ),
]


def generate(quint: list[str], arguments: list[str]) -> dict:
    """The trace that Quint writes. Exit code 1 is no failure here: it is how a goal is reported."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trace.itf.json"
        command = [*quint, "run", "--backend=typescript", f"--out-itf={file}", "--verbosity=0"]
        done = subprocess.run(
            [*command, *arguments], cwd=HERE, capture_output=True, text=True, check=False
        )
        if not file.exists():
            raise SystemExit(f"make_traces: Quint wrote no trace:\n{done.stdout}{done.stderr}")
        return json.loads(file.read_text("utf-8"))


def render(trace: dict) -> str:
    meta = {k: v for k, v in trace["#meta"].items() if k not in ("description", "timestamp")}
    states = ",\n".join(line(state) for state in trace["states"])
    return (
        f'{{\n"#meta": {line(meta)},\n"vars": {line(sorted(trace["vars"]))},\n'
        f'"states": [\n{states}\n]\n}}\n'
    )


def line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the sample traces with Quint.")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    check = parser.parse_args().check
    quint = shlex.split(os.environ.get("QUINT", "quint"))
    if shutil.which(quint[0]) is None:
        raise SystemExit(f"make_traces: there is no command {quint[0]!r}")
    stale = 0
    for name, status, arguments in TRACES:
        trace = generate(quint, arguments)
        if trace["#meta"]["status"] != status:
            raise SystemExit(f"make_traces: {name} has status {trace['#meta']['status']!r}")
        file, text = HERE / name, render(trace)
        if not check:
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text("utf-8") != text:
            print(f"make_traces: {name} is not what Quint makes now", file=sys.stderr)
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main())
