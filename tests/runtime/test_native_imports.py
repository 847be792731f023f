from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

from kb_runtime import vectors
from kb_runtime.vectors import RowRange
from kbc.backends.vectors import write_vectors


def test_an_encoder_may_be_loaded_after_a_graph(tmp_path: Path) -> None:
    write_vectors(tmp_path, np.eye(4, dtype=np.float32), [RowRange("docs", 0, 4)])
    code = (
        "import sys, numpy; from kb_runtime.vectors import RowRange, VectorIndex;"
        "one = numpy.eye(4, dtype='f4')[1]; ranges = [RowRange('docs', 0, 4)];"
        "assert VectorIndex(sys.argv[1]).search(one, ranges, 1, exact_rows=0).rows == [1];"
        "import onnxruntime"
    )
    root = Path(vectors.__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code, tmp_path], env={"PYTHONPATH": str(root)})
    assert done.returncode == 0
