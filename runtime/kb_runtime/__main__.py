"""`python -m kb_runtime ARTIFACT`: serves a compiled knowledge base over stdio or HTTP."""

from __future__ import annotations

import sys

from kb_runtime.start.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
