"""Panics of the native libraries that are written in Rust: tantivy, tokenizers and safetensors."""

from __future__ import annotations

import os


def is_panic(error: BaseException) -> bool:
    """Whether a native library panicked: an exception outside of `Exception`, whose class cannot be
    named in an import because every library makes its own."""
    return type(error).__name__ == "PanicException"


def without_backtraces() -> None:
    """Keeps panics of this process and its children from writing a backtrace.

    Writing one takes memory under a lock. Where memory is what a library lacks, the attempt fails under
    that lock and waits for it: the process would hang instead of ending.
    """
    os.environ["RUST_BACKTRACE"] = os.environ["RUST_LIB_BACKTRACE"] = "0"
