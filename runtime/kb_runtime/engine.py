"""ONNX Runtime, silenced: the one place that imports it.

Since 1.29 its Linux builds collect telemetry unless told not to: they write an identifier of the machine and
a queue of events below the home folder, and send them to a collector. What decides is an environment
variable that is read when the library is loaded.
"""

from __future__ import annotations

import os
from types import ModuleType

SILENCE = "ORT_DISABLE_TELEMETRY"


def onnxruntime() -> ModuleType:
    """The module `onnxruntime`, without its telemetry whatever the environment says.

    usearch makes the C++ library's symbols global, and onnxruntime crashes when it is imported after
    that: who needs usearch calls this first.
    """
    os.environ[SILENCE] = "1"
    import onnxruntime as module

    assert isinstance(module, ModuleType)
    return module
