#!/bin/sh
# Rewrites requirements/*.txt from pyproject.toml: exact versions with hashes, and no addresses.
set -eu
cd "$(dirname "$0")/.."
compile() {
    out=$1
    shift
    python -m piptools compile --quiet --generate-hashes --allow-unsafe --strip-extras \
        --no-annotate --no-header --no-emit-index-url --no-emit-find-links \
        --no-emit-trusted-host --no-emit-options --output-file "requirements/$out" "$@"
}
compile runtime.txt pyproject.toml
compile dev.txt --extra compiler --extra explorer --extra formats --extra languages --extra dev pyproject.toml requirements/build.in
