"""What is run in a process that suffers: each function gives an exit code."""

from __future__ import annotations

import hashlib
import io
import json
import os
import warnings
from collections.abc import Callable
from contextlib import ExitStack, redirect_stderr, suppress
from pathlib import Path
from types import SimpleNamespace

from kb_runtime.cli import runner
from kb_runtime.errors import KbcError

_MODULES = [
    *(
        "kbc.cli.main",
        "kbc.cli.options",
        "kbc.cli.workspace",
        "kbc.cli.model",
    ),
    *("kbc.cli.importing", "kbc.cli.packages", "kbc.pipeline.build", "kbc.pipeline.resident"),
    *("kbc.following.ingestion", "kbc.following.source_index", "kbc.shipping.wheel", "onnx"),
    *("kbc.shipping.bundle.folder", "kbc.importing.running", "kbc.evaluation.answers"),
    *(
        "kbc.cli.tune",
        "kbc.cli.trying",
        "kbc.cli.cache",
        "kbc.shipping.export",
        "kbc.recognition.detection",
    ),
    *(
        "kbc.following.pruning",
        "kbc.following.follower",
        "huggingface_hub",
        "pyarrow.parquet",
        "kb_runtime.cli.lookup",
    ),
    *("kb_runtime.api", "kb_runtime.explorer.files", "kb_runtime.clients.installation"),
]


def import_all() -> None:
    """Imports what commands import, so that a forked process does not."""
    import importlib

    from kbc.cache import store
    from kbc.cache.toolchain import source_hash

    # A cache dates the use of its entries: equal states are equal bytes at any time.
    store.time = SimpleNamespace(time=lambda: 1_700_000_000.0)  # type: ignore[assignment]

    for name in _MODULES:
        importlib.import_module(name)
    from kb_runtime.search.onnx_engine import onnxruntime

    onnxruntime()
    source_hash()  # is remembered
    for name in ("usearch.index", "tantivy", "tokenizers"):
        importlib.import_module(name)
    with suppress(ModuleNotFoundError):
        importlib.import_module("lancedb")
        # It starts its threads again in a forked process, and warns of that.
        warnings.filterwarnings("ignore", "lancedb fork support")


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


def install(client: str, instructions: str = "") -> int:
    """`kbc install` without the start of the server; with `instructions`, that what tells the agent."""
    from kb_runtime.clients import installation
    from kb_runtime.clients.installation import InstallTarget
    from kb_runtime.clients.machine import Machine
    from kb_runtime.clients.server import Server
    from kb_runtime.clients.table import CLIENTS

    server = Server("demo", "Demo", "About.", ("/opt/bin/kbc", "serve", "/data"), ("/data",))
    place = InstallTarget(
        Machine("linux", str(Path("home").absolute()), {}), "user", str(Path.cwd())
    )

    def apply() -> None:
        if instructions:
            change = installation.add_instructions(CLIENTS[client], place, "demo", server)
            assert change is not None
        else:
            change = installation.add(CLIENTS[client], place, "demo", server, force=False)
        change.apply()

    return _explained(apply)


def label(path: str, query: str, name: str) -> int:
    """What the explorer does for a labelled hit."""
    from kbc.evaluation.labels import add_label

    return _explained(lambda: add_label(Path(path), query, name))


def tune(path: str, text: str) -> int:
    """What `kbc tune --apply` does with the settings that it has chosen."""
    from kbc.cli.tune import write_settings

    return _explained(lambda: write_settings(Path(path), text))


def accept(folder: str, key: str) -> int:
    """What a server with --key remembers of the artifact that it opens. It serves without a record, too,
    and says so: 1 stands for that."""
    from kb_runtime.knowledge.artifact import Artifact
    from kb_runtime.store.signature import read_public_key
    from kb_runtime.store.trust import TrustedKey

    state = Path("state").absolute()
    os.environ["XDG_STATE_HOME"] = str(state)

    def open_it() -> None:
        Artifact.open(folder, TrustedKey(read_public_key(key)).check).close()

    return _explained(open_it) or int(not (state / "kbc/accepted.json").exists())


def serve_model(model: str, models: str) -> None:
    """What `fetch_model` needs, whose files are none of its own: a hub in this process, which answers from
    memory, and the pinned hashes."""
    del models
    from huggingface_hub import constants
    from tests.compiler.encoding.hub_server import Hub, serving

    from kbc.encoding import hub

    files = {name: Path(model, name).read_bytes() for name in MODEL_FILES}

    class Kept(Hub):
        def content(self, name: str) -> bytes | None:
            return files.get(name)

    hub.FILES = MODEL_FILES  # type: ignore[assignment]
    hub.HASHES = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    os.environ["NO_PROXY"] = "127.0.0.1"
    served = _LIVING.enter_context(serving(Kept(Path(model))))
    constants.ENDPOINT = served.url
    constants.HUGGINGFACE_CO_URL_TEMPLATE = (
        f"{served.url}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
    )


def fetch_model(model: str, models: str) -> int:
    """`kbc model fetch` of a small model from the hub of `serve_model`."""
    del model
    from kbc.encoding import hub

    return _explained(lambda: hub.fetch(Path(models), quiet=True))


def follow(workspace: str, tree: str, model: str) -> int:
    """`kbc workspace follow` until it says that the index is complete, or that something failed."""
    from kb_runtime.live.workspace import Workspace
    from kbc.cli import failures
    from kbc.encoding.model import resolve_model
    from kbc.following.follower import Follower
    from kbc.following.source_index import SourceIndex

    said: list[_Statuses] = []

    def run() -> None:
        opened, real = Workspace.open(workspace), Path(tree).resolve()
        weights = resolve_model(Path(model)).weights_sha256
        place, cache = opened.code(str(real)), Path(opened.cache)
        index = SourceIndex(real, place, cache, model=Path(model), weights_sha256=weights)
        build = ["workspace", "index", opened.root, "--code", str(real), "--model", model]
        follower = Follower(
            index, [*build, "--exit-with-parent", "--json"], Path(opened.root), report=True
        )
        said.append(_Statuses(follower.stop))
        with redirect_stderr(said[0]):
            follower.run()

    return _explained(run, failures.explain) or int(said[0].state != "ready")


class _Statuses(io.StringIO):
    """What a follower says, which is stopped when it is ready or has failed."""

    state = ""

    def __init__(self, stop: Callable[[], None]) -> None:
        super().__init__()
        self._stop = stop

    def write(self, text: str) -> int:
        if text.startswith("{"):
            self.state = json.loads(text)["state"]
            if self.state in ("ready", "failed"):
                print(text)
                self._stop()
        return len(text)


def _explained(
    action: Callable[[], object],
    explain: Callable[[BaseException], KbcError | None] = runner.explain,
) -> int:
    """The exit code of an action, whose expected error is printed."""
    try:
        action()
    except Exception as error:
        explained = explain(error)
        if explained is None:
            raise
        print(explained.message)
        return explained.exit_code
    return 0


MODEL_FILES = (
    *("config.json", "tokenizer.json", "modules.json", "sentence_bert_config.json"),
    *("1_Pooling/config.json", "model.safetensors"),
)


def export_model(model: str, folder: str) -> int:
    """`kbc model export` of a small model."""
    from kbc.cli import model as command
    from kbc.encoding import pinned

    pinned.FILES = MODEL_FILES  # type: ignore[assignment]
    command._used = lambda: SimpleNamespace(folder=Path(model), licence_files=[])
    return kbc("model", "export", folder)


_LIVING = ExitStack()  # ends with the process
BEFORE: dict[str, Callable[..., None]] = {"fetch_model": serve_model}
"""What is done with a call's arguments before operations count."""
