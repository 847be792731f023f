"""Loads ONNX Runtime with telemetry and logging off; the only module that imports it.

Since 1.29 its Linux builds collect telemetry unless told not to: they write an identifier of the machine and
a queue of events below the home folder, and send them to a collector. An environment variable, read when
the library is loaded, switches that off.
"""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any

SILENCE = "ORT_DISABLE_TELEMETRY"


def onnxruntime() -> ModuleType:
    """The module `onnxruntime`, without its telemetry whatever the environment says.

    usearch makes the C++ library's symbols global, and onnxruntime crashes when it is imported after
    that: who needs usearch calls this first.
    """
    os.environ[SILENCE] = "1"
    # The library begins with a part of numpy. A thread that has the lock of the part and another that has
    # begun with the whole wait for each other, which Python ends by giving one of them half a module.
    import numpy  # noqa: F401
    import onnxruntime as module

    assert isinstance(module, ModuleType)
    return module


def session_options() -> Any:
    """Options of a session on one thread, of a graph as the compiler writes it: that is final, and optimising
    it again would make it slower."""
    engine = onnxruntime()
    options = engine.SessionOptions()
    options.graph_optimization_level = engine.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return options
