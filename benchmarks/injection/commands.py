"""What is run in a process that suffers: each function gives an exit code."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

_MODULES = [
    *(
        "kbc.cli.main",
        "kbc.cli.build_options",
        "kbc.cli.workspace",
        "kbc.cli.model",
    ),
    *("kbc.cli.importing", "kbc.cli.packages", "kbc.pipeline.build", "kbc.pipeline.resident"),
    *("kbc.following.ingestion", "kbc.following.source_index", "kbc.shipping.wheel", "onnx"),
    *("kbc.shipping.bundle.folder", "kbc.importing.running", "kbc.evaluation.questions"),
    *("kb_runtime.api", "kb_runtime.explorer.files", "kb_runtime.clients.installation"),
]


def import_all() -> None:
    """Imports what commands import, so that a forked process does not."""
    import importlib

    for name in _MODULES:
        importlib.import_module(name)
    from kb_runtime.search.onnx_engine import onnxruntime

    onnxruntime()
    for name in ("usearch.index", "tantivy", "tokenizers"):
        importlib.import_module(name)


def kbc(*arguments: str) -> int:
    from kbc.cli.main import run

    return run(list(arguments))


def rebuild(*arguments: str) -> int:
    """What `kbc watch` does: a resident compiler that builds, and after a failure once more."""
    from kbc.cli import failures
    from kbc.pipeline.build import BuildOptions, build
    from kbc.pipeline.resident import Engines, Resident

    root, out, cache, model = map(Path, arguments)
    resident = Resident(Engines())
    options = BuildOptions(out=out, cache=cache, model=model, keep=2)
    code = 0
    for _ in range(2):
        try:
            build(root, options, None, resident)
        except Exception as error:
            explained = failures.explain(error)
            if explained is None:
                raise
            print(explained.message)
            code = explained.exit_code
        else:
            return 0
    return code


def install(client: str) -> int:
    """`kbc install` without the start of the server."""
    from kb_runtime.cli.runner import explain
    from kb_runtime.clients import installation
    from kb_runtime.clients.installation import InstallTarget
    from kb_runtime.clients.machine import Machine
    from kb_runtime.clients.server import Server
    from kb_runtime.clients.table import CLIENTS

    server = Server("demo", "Demo", "About.", ("/opt/bin/kbc", "serve", "/data"), ("/data",))
    place = InstallTarget(
        Machine("linux", str(Path("home").absolute()), {}), "user", str(Path.cwd())
    )
    try:
        installation.add(CLIENTS[client], place, "demo", server, force=False).apply()
    except Exception as error:
        explained = explain(error)
        if explained is None:
            raise
        print(explained.message)
        return explained.exit_code
    return 0


_FILES = (
    *("config.json", "tokenizer.json", "modules.json", "sentence_bert_config.json"),
    *("1_Pooling/config.json", "model.safetensors"),
)


def export_model(model: str, folder: str) -> int:
    """`kbc model export` of a small model."""
    from kbc.cli import model as command
    from kbc.encoding import pinned

    pinned.FILES = _FILES  # type: ignore[assignment]
    command._used = lambda: SimpleNamespace(folder=Path(model), licence_files=[])
    return kbc("model", "export", folder)
