"""Serves over HTTP, from one process or from several workers that share a listening socket."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from kb_runtime.errors import UsageError
from kb_runtime.http.listening import Listener, announce, listen
from kb_runtime.http.tokens import access_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kb_runtime.http.metrics import Metrics
    from kb_runtime.http.tokens import Access
    from kb_runtime.live.versions import LiveArtifact
    from kb_runtime.mcp.dispatch import ServerContext
    from kb_runtime.options.http import HttpSettings

_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
"""There is one worker for each thread that the machine should run, so none starts a pool of its own."""

_SHARED_MODULES = (
    "kb_runtime.http.app",
    "kb_runtime.knowledge.models",
    "kb_runtime.mcp.calls",
    "kb_runtime.search.lexical",
    "kb_runtime.search.ranking.cross_encoder",
    "kb_runtime.search.searcher",
    "kb_runtime.search.vectors",
    "kb_runtime.store.proofs",
    "tantivy",
    "tokenizers",
    "usearch.index",
)


def serve_alone(settings: HttpSettings, open_served: Callable[[], ServerContext]) -> None:
    """Serves until one of `terminations`. Raises UsageError and ArtifactError."""
    access = access_of(settings)
    metrics = None
    if settings.metrics:
        from kb_runtime.http.metrics import Metrics

        metrics = Metrics()
    listener = partial(_listen_and_announce, settings, access)
    _answer(settings, open_served(), access, metrics, listener)


def serve_with_workers(settings: HttpSettings, open_served: Callable[[], ServerContext]) -> None:
    """Serves until one of `terminations`, and returns when every worker has ended.

    The artifact is opened once here, to report errors at the start, and again by each worker; they share
    the mapped pages of its files. Raises UsageError and ArtifactError.
    """
    if not hasattr(os, "fork"):
        raise UsageError("--workers needs an operating system with fork.")
    access = access_of(settings)
    open_served().live.close()
    for variable in _ONE_THREAD:
        os.environ[variable] = "1"
    listener = _listen(settings)
    import_before_fork()
    folder = _metrics_folder() if settings.metrics else ""
    try:
        _run_workers(settings, open_served, listener, access, folder)
    finally:
        listener.close()
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


def _metrics_folder() -> str:
    """Raises UsageError."""
    try:
        return tempfile.mkdtemp(prefix="kbc-metrics-")
    except OSError as error:
        raise UsageError(
            f"--metrics of several workers needs a temporary folder: {error.strerror}."
        ) from None


def _run_workers(
    settings: HttpSettings,
    open_served: Callable[[], ServerContext],
    listener: Listener,
    access: Access,
    folder: str,
) -> None:
    from kb_runtime.http.workers import Workers

    parent = os.getpid()

    def work(place: int) -> int:
        metrics = None
        if folder:
            from kb_runtime.http.metrics import Metrics

            metrics = Metrics(place, folder)
        _answer(settings, open_served(), access, metrics, lambda: listener)
        if folder and os.getppid() != parent:  # the parent was killed and cannot remove it
            shutil.rmtree(folder, ignore_errors=True)
        return 0

    def when_dead(place: int) -> None:
        if folder:
            from kb_runtime.http.metrics import forget_gauges

            forget_gauges(folder, place)

    def when_ready() -> None:
        announce(listener, settings.host, has_token=not access.is_open)

    Workers(settings.workers, work, when_dead).run(when_ready)


def import_before_fork() -> None:
    """Imports the SDK, the tools and the engines' libraries before the fork: workers share 35 MB each,
    and one that replaces a dead one is ready sooner. No thread and no engine is started here."""
    import gc
    from importlib import import_module

    with suppress(OSError):
        tempfile.gettempdir()  # tries folders by writing into them, which nothing may interrupt

    with suppress(Exception):  # a worker reports what is missing when it needs it
        from kb_runtime.search.onnx_engine import onnxruntime

        onnxruntime()  # before usearch, as `kb_runtime.search.onnx_engine` says
        for name in _SHARED_MODULES:
            import_module(name)
        from kb_runtime.tools.registry import load_tools

        load_tools()
    gc.freeze()  # else a worker's garbage collector writes to, and so copies, every shared page


def _answer(
    settings: HttpSettings,
    served: ServerContext,
    access: Access,
    metrics: Metrics | None,
    listener: Callable[[], Listener],
) -> None:
    """Answers requests on the listener, which is opened when everything else is ready."""
    from kb_runtime.http.app import serve_http
    from kb_runtime.mcp.changes import Changes
    from kb_runtime.mcp.prefetch import prepare

    live, dispatcher, workspace = served.live, served.dispatcher, served.workspace
    if not access.is_open:
        dispatcher.forbid_shared_caches()
    try:
        if workspace is not None:
            workspace.start()
        prepared = prepare(live)
        _observe(settings, served, metrics)
        with listener() as accepting, _prefetching(live, prepared):
            changes = None
            if live.can_change:
                changes = Changes(live, dispatcher)
                # Without sessions there is no stream that could notify a client of the handshake.
                dispatcher.announce_changes(handshake=False)
            serve_http(dispatcher, accepting, settings, access, changes, metrics)
    finally:
        if workspace is not None:
            workspace.close()
        live.close()


@contextmanager
def _prefetching(live: LiveArtifact, prepared: str) -> Iterator[None]:
    from kb_runtime.mcp.prefetch import Prefetcher

    prefetcher = Prefetcher(live, prepared)
    prefetcher.start()
    prefetcher.follow()
    try:
        yield
    finally:
        prefetcher.stop()


def _observe(settings: HttpSettings, served: ServerContext, metrics: Metrics | None) -> None:
    """Reports requests to the log and the metrics, and each new version to the metrics."""
    if settings.json_log:
        from kb_runtime.mcp.observation import observe, write_log

        observe(served.dispatcher, write_log)
    if metrics is not None:
        from kb_runtime.mcp.observation import observe

        observe(served.dispatcher, metrics.observe)

        def report_version() -> None:
            with served.live.lease() as knowledge:
                manifest = knowledge.manifest
                metrics.serves(manifest["name"], manifest["version"], knowledge.build_id)

        report_version()
        served.live.on_swap(report_version)


def _listen_and_announce(settings: HttpSettings, access: Access) -> Listener:
    """A listener whose address has been logged. Raises UsageError."""
    listener = _listen(settings)
    announce(listener, settings.host, has_token=not access.is_open)
    return listener


def _listen(settings: HttpSettings) -> Listener:
    """Raises UsageError."""
    try:
        return listen(settings.host, settings.port)
    except OSError as error:
        # Python adds to the system's sentence what it tried.
        reason = f"{(error.strerror or str(error)).partition(' (while')[0]}."
        if error.errno == errno.EADDRINUSE:
            reason = "another process listens there. Choose another --port, or 0 for a free one."
        raise UsageError(
            f"cannot listen on {settings.host} port {settings.port}: {reason}"
        ) from None
