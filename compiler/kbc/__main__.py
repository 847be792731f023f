"""The console script `kbc`: the server's fast path, and the command line for everything else."""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    try:
        _main()
    except KeyboardInterrupt:  # while modules are imported, or as the process ends
        sys.stderr.write("interrupted\n")
        sys.exit(130)


def _main() -> None:
    """`kbc serve` must answer its client within milliseconds, so it never imports the command line."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["serve"]:
        from kb_runtime.start.main import main as serve

        sys.exit(serve(arguments[1:]))
    if arguments[:1] == ["workspace"]:  # servers start it, and need none of the other commands
        import click

        from kb_runtime.cli import runner
        from kbc.cli import failures, workspace

        alone = click.Group(commands={"workspace": workspace.workspace})
        sys.exit(runner.run(alone, arguments, "kbc", failures.explain, failures.INTERRUPTED))
    # No plugin of pydantic is ours; it looks for some in every installed distribution.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from kbc.cli.main import run
    from kbc.pipeline.memory import few_collections

    with few_collections():
        code = run()
    gc.freeze()  # what is left need not be looked through when the process ends
    sys.exit(code)


if __name__ == "__main__":
    main()
