"""Tests of check.sh with the real tool: `QUINT="npx quint" python3 -m unittest`."""

import os
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
QUINT = os.environ.get("QUINT", "quint")

COUNTER = """
module counter {
  var x: int
  action init = x' = 0
  action step = any { x' = x + 1, all { x > 5, x' = 0 } }
  val small = x < 4
  val never = x < 0
  run stepTest = init.then(step).expect(x == 1)
}
"""


@unittest.skipIf(shutil.which(shlex.split(QUINT)[0]) is None, "quint is not installed")
class Check(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def check(self, line, *arguments, source=COUNTER, **environment):
        """The exit code of check.sh for one specification and its line in the list."""
        (self.folder / "counter.qnt").write_text(source, encoding="utf-8")
        (self.folder / "checks.txt").write_text(f"# a list\n\n{line}\n", encoding="utf-8")
        return self.run_script(*arguments, self.folder / "checks.txt", **environment)

    def run_script(self, *arguments, **environment):
        known = {k: v for k, v in os.environ.items() if k not in ("SEED", "SAMPLES", "STEPS")}
        done = subprocess.run(
            ["sh", HERE / "check.sh", *arguments],
            env=known | {"SAMPLES": "20", "STEPS": "10"} | environment,
            capture_output=True,
            text=True,
            check=False,
        )
        self.output = done.stdout + done.stderr
        return done.returncode

    def test_the_specifications_of_this_folder_are_as_expected(self):
        status = self.run_script(HERE / "checks.txt", SAMPLES="500", STEPS="20")
        self.assertEqual(status, 0, self.output)
        self.assertIn("2 specifications, 0 failures", self.output)

    def test_a_type_error_fails(self):
        wrong = COUNTER.replace("x < 4", "x < true")
        self.assertEqual(self.check("counter.qnt ok - -", source=wrong), 1)
        self.assertIn("FAIL typecheck counter.qnt", self.output)

    def test_a_failing_run_fails(self):
        wrong = COUNTER.replace("x == 1", "x == 2")
        self.assertEqual(self.check("counter.qnt ok - -", "--only", "test", source=wrong), 1)
        self.assertIn("stepTest", self.output)

    def test_a_specification_without_runs_fails(self):
        without = COUNTER.replace("stepTest", "step_")
        self.assertEqual(self.check("counter.qnt ok - -", "--only", "test", source=without), 1)
        self.assertIn("no test has run", self.output)

    def test_an_unexpected_violation_fails_and_its_trace_is_kept(self):
        traces = self.folder / "traces"
        line = "counter.qnt ok small -"
        self.assertEqual(self.check(line, "--only", "run", TRACES=str(traces)), 1)
        self.assertIn("expected ok, got violation", self.output)
        self.assertIn('"violation"', (traces / "counter.itf.json").read_text("utf-8"))

    def test_a_violation_that_does_not_come_fails(self):
        self.assertEqual(self.check("counter.qnt violation - -", "--only", "run"), 1)
        self.assertIn("expected violation, got ok", self.output)

    def test_an_unknown_invariant_is_no_violation(self):
        self.assertEqual(self.check("counter.qnt violation smal -", "--only", "run"), 1)
        self.assertIn("expected violation, got an error", self.output)

    def test_a_witness_that_is_not_reached_fails(self):
        self.assertEqual(self.check("counter.qnt ok - small,never", "--only", "run"), 1)
        self.assertIn("not reached: never", self.output)

    def test_a_list_that_cannot_be_used_is_no_failure_of_a_specification(self):
        for line in ("", "counter.qnt ok -", "counter.qnt good - -", "absent.qnt ok - -"):
            with self.subTest(line=line):
                self.assertEqual(self.check(line), 2)
        self.assertEqual(self.run_script(self.folder / "absent.txt"), 2)
        self.assertEqual(self.run_script("--only", "verify"), 2)

    def test_without_quint_nothing_is_said(self):
        self.assertEqual(self.check("counter.qnt ok - -", QUINT="no-such-command"), 2)
        self.assertIn("the command 'no-such-command' does not work", self.output)

    @unittest.skipIf(shutil.which("make") is None, "make is not installed")
    def test_make_runs_a_part(self):
        done = subprocess.run(
            ["make", "--silent", "typecheck"], cwd=HERE, capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("ok   typecheck"), 2)
        self.assertNotIn("run", done.stdout)


if __name__ == "__main__":
    unittest.main()
