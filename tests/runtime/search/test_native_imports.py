from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kb_runtime.search import vectors
from kb_runtime.search.vectors import RowRange
from kbc.backends.vectors import write_vectors

RACE = """
import importlib._bootstrap as bootstrap, sys, time
from importlib.machinery import PathFinder
from threading import Thread
from kb_runtime.search.onnx_engine import onnxruntime
failures = []
def load():
    try:
        onnxruntime()
    except BaseException as error:
        failures.append(error)
other = Thread(target=load)
class Gate:
    "Whoever begins with numpy first goes on when the other thread waits for that."
    def find_spec(self, name, path=None, target=None):
        if name != "numpy" or other.ident:
            return None
        spec = PathFinder.find_spec(name, path, target)
        execute = spec.loader.exec_module
        def wait_and_execute(module):
            other.start()
            until = time.monotonic() + 600
            while not bootstrap._blocking_on.get(other.ident):
                assert other.is_alive() and time.monotonic() < until, failures
                time.sleep(0.001)
            execute(module)
        spec.loader.exec_module = wait_and_execute
        return spec
sys.meta_path.insert(0, Gate())
import numpy
other.join()
assert numpy.ones(3).sum() == 3 and not failures, failures
"""


def test_an_encoder_may_be_loaded_after_a_graph(tmp_path: Path) -> None:
    write_vectors(tmp_path, np.eye(4, dtype=np.float32), [RowRange("docs", 0, 4)])
    code = (
        "import sys, numpy; from kb_runtime.search.vectors import RowRange, VectorIndex;"
        "one = numpy.eye(4, dtype='f4')[1]; ranges = [RowRange('docs', 0, 4)];"
        "assert VectorIndex(sys.argv[1]).search(one, ranges, 1, exact_rows=0).rows == [1];"
        "import onnxruntime"
    )
    root = Path(vectors.__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code, tmp_path], env={"PYTHONPATH": str(root)})
    assert done.returncode == 0


def test_numpy_and_the_encoder_may_be_imported_by_two_threads_at_once() -> None:
    root = Path(vectors.__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", RACE],
        env={"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("module", ["composition.vectors", "federation.chunks", "sharding.order"])
def test_numpy_starts_no_threads_for_several_parts(module: str) -> None:
    code = f"""
import os, sys
class Spy:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            print(os.environ.get("OPENBLAS_NUM_THREADS"))
sys.meta_path.insert(0, Spy())
import kb_runtime.knowledge.{module}
"""
    root = Path(vectors.__file__).parents[2]
    told = subprocess.check_output(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(root)}, text=True
    )
    assert told == "1\n"
