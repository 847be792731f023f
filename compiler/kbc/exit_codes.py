"""The exit codes of `kbc`, documented in docs/cli.md; scripts may rely on them."""

from __future__ import annotations

OK = 0
USAGE = 2  # click's own code for a wrong option or argument
INPUT = 3  # the knowledge base has errors; nothing was published
ARTIFACT = 4  # not an artifact, damaged, or of another format version
OUTPUT = 5  # the output folder cannot be written, or is full or locked
MODEL = 6  # the encoder's model is missing or not the pinned one
NOT_FOUND = 7  # `get`: no record of that name
EXTRA = 8  # a compile command without the compiler's dependencies
BELOW = 9  # `eval`: a measure is below its --fail-under
INTERNAL = 70  # a defect of kbc (EX_SOFTWARE)
INTERRUPTED = 130
