"""Says what kind of CPU this is, as far as the bytes of a vector depend on it."""

from __future__ import annotations

import platform
import re
from functools import cache
from pathlib import Path

# The engine chooses its kernels by these; other flags, such as those of virtual machines, change no byte.
_VECTOR_FLAGS = re.compile(r"sse|ssse|avx|fma|f16c|amx|gfni")


@cache
def processor() -> str:
    """The architecture, and on Linux the vendor and the vector instructions, sorted."""
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    facts = {name.strip(): value for name, _, value in (line.partition(":") for line in lines)}
    flags = filter(_VECTOR_FLAGS.match, facts.get("flags", "").split())
    found = {facts.get("vendor_id", "").strip(), *flags, *facts.get("Features", "").split()}
    return " ".join((platform.machine(), *sorted(found - {""})))
