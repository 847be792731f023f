"""Builds on other processes: the bytes of a serial build, whatever happens to the workers."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import psutil
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from tests.compiler.encoding.conftest import write_model
from tests.waiting import until

from kb_runtime.errors import exit_codes
from kbc.cli.main import run
from kbc.execution.errors import ClusterError
from kbc.pipeline.build import BuildOptions, BuildReport, build, differing_files
from kbc.pipeline.progress import Progress

ROOT = Path(__file__).parents[3]
PAGES, SECTIONS = 40, 10
NO_PAGES = ("--no-dashboard", "--dashboard-address", "127.0.0.1:0")


class Cluster:
    """Real `dask scheduler` and `dask worker` processes on loopback."""

    def __init__(self, folder: Path, stack: ExitStack, *arguments: str) -> None:
        self._folder = folder
        self._stack = stack
        self.file = folder / "scheduler.json"
        self.scheduler = self._start(
            "scheduler",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--scheduler-file",
            str(self.file),
            *arguments,
        )
        until(self.file.exists, lambda: (folder / "scheduler.log").read_text())

    @property
    def executor(self) -> str:
        return f"dask:{self.file}"

    def worker(self, name: str, *arguments: str, source: Path = ROOT) -> subprocess.Popen[bytes]:
        """A worker of one thread that has the compiler of `source`; it is there when this returns."""
        started = self._start(
            *("worker", "--scheduler-file", str(self.file), "--name", name, "--nthreads", "1"),
            *("--host", "127.0.0.1", "--no-nanny", *arguments),
            log=name,
            source=source,
        )
        log = self._folder / f"{name}.log"
        until(lambda: "Starting established connection" in log.read_text(), log.read_text)
        return started

    def _start(
        self, role: str, *arguments: str, log: str = "", source: Path = ROOT
    ) -> subprocess.Popen[bytes]:
        paths = [str(source / "compiler"), str(source / "runtime")]
        module = f"distributed.cli.dask_{role}"
        with (self._folder / f"{log or role}.log").open("wb") as output:
            started = subprocess.Popen(
                [sys.executable, "-m", module, *arguments, *NO_PAGES],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
                cwd=self._folder,
                stdout=output,
                stderr=output,
            )
        self._stack.callback(end, started)
        return started


def end(process: subprocess.Popen[bytes]) -> None:
    process.kill()  # also one that is stopped
    process.wait()


class Events(Progress):
    """Calls `at_begin` when a phase of embedding begins, and `at_first` when its first texts are done."""

    def __init__(self, at_begin: Callable[[], object], at_first: Callable[[], object]) -> None:
        self._at_begin = at_begin
        self._at_first: Callable[[], object] | None = at_first
        self._embeds = False

    def begin(self, name: str, total: int, unit: str) -> None:
        self._embeds = name == "embed"
        if self._embeds:
            self._at_begin()

    def advance(self, done: int, tokens: int = 0) -> None:
        if self._embeds and self._at_first is not None:
            self._at_first()
            self._at_first = None


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> BuildOptions:
    folder = tmp_path_factory.mktemp("model")
    return BuildOptions(model=write_model(folder, max_seq_length=64, positions=80), jobs=2)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kb")
    (folder / "kb.toml").write_text('[kb]\nname = "demo"\n')
    (folder / "docs").mkdir()
    for page in range(PAGES):
        sections = [f"## Part {part}\n\nMap {page} of set {part}.\n" for part in range(SECTIONS)]
        (folder / f"docs/page-{page}.md").write_text(f"# Page {page}\n\n" + "\n".join(sections))
    return folder


@pytest.fixture(scope="module")
def serial(
    kb: Path, options: BuildOptions, tmp_path_factory: pytest.TempPathFactory
) -> BuildReport:
    return build(kb, replace(options, out=tmp_path_factory.mktemp("serial")))


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    pytest.importorskip("distributed")
    with ExitStack() as stack:
        yield Cluster(tmp_path, stack)


def same(serial: BuildReport, other: BuildReport) -> bool:
    return serial.build_id == other.build_id and not differing_files(serial.path, other.path)


@pytest.mark.slow
def test_processes_give_the_bytes_of_a_serial_build(
    kb: Path, options: BuildOptions, serial: BuildReport, tmp_path: Path
) -> None:
    report = build(kb, replace(options, out=tmp_path, executor="processes"))
    assert same(serial, report)
    assert report.embedded == serial.embedded


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="SIGKILL")
def test_processes_end_with_a_build_that_is_killed(
    kb: Path, options: BuildOptions, tmp_path: Path
) -> None:
    arguments = ["build", str(kb), "--model", str(options.model), "--out", str(tmp_path)]
    arguments += ["--executor", "processes", "--jobs", "2", "--no-cache", "--quiet"]
    killed = subprocess.Popen([sys.executable, "-m", "kbc", *arguments])
    building = psutil.Process(killed.pid)
    # Two workers, and the process with which multiprocessing counts what they share.
    until(lambda: len(building.children()) == 3, "workers")
    workers = building.children()
    killed.kill()
    killed.wait()
    until(lambda: not any(map(psutil.Process.is_running, workers)), "the end of the workers")


@pytest.mark.slow
def test_a_local_cluster_gives_the_bytes_of_a_serial_build(
    kb: Path, options: BuildOptions, serial: BuildReport, tmp_path: Path
) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=2,
        dashboard_address="127.0.0.1:0",
        local_directory=str(tmp_path),
    ) as local:
        executor = f"dask:{local.scheduler_address}"
        report = build(kb, replace(options, out=tmp_path / "out", executor=executor))
    assert same(serial, report)
    assert report.embedded == serial.embedded


@pytest.mark.slow
def test_a_worker_killed_in_the_middle_changes_no_byte(
    kb: Path, options: BuildOptions, serial: BuildReport, tmp_path: Path, cluster: Cluster
) -> None:
    cluster.worker("stays")
    dies = cluster.worker("dies")
    # Stopped, it gets windows that it never finishes.
    events = Events(lambda: dies.send_signal(signal.SIGSTOP), dies.kill)
    report = build(kb, replace(options, out=tmp_path / "out", executor=cluster.executor), events)
    assert dies.wait() == -signal.SIGKILL
    assert same(serial, report)


@pytest.mark.slow
def test_a_worker_that_joins_later_does_its_part(
    kb: Path, options: BuildOptions, serial: BuildReport, tmp_path: Path, cluster: Cluster
) -> None:
    first = cluster.worker("first")

    def replace_it() -> None:
        first.send_signal(signal.SIGSTOP)
        cluster.worker("second")
        first.kill()

    events = Events(replace_it, lambda: None)
    report = build(kb, replace(options, out=tmp_path / "out", executor=cluster.executor), events)
    assert same(serial, report)


@pytest.mark.slow
def test_a_lost_scheduler_ends_the_build_and_the_next_one_continues(
    kb: Path, options: BuildOptions, serial: BuildReport, tmp_path: Path, cluster: Cluster
) -> None:
    import dask

    cluster.worker("works")
    stuck = cluster.worker("stuck")
    options = replace(options, out=tmp_path / "out", cache=tmp_path / "cache")
    events = Events(lambda: stuck.send_signal(signal.SIGSTOP), cluster.scheduler.kill)
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "2s"}),
        pytest.raises(ClusterError, match=r"the scheduler at .* was lost") as caught,
    ):
        build(kb, replace(options, executor=cluster.executor), events)
    assert caught.value.code == "scheduler-lost"
    assert not (tmp_path / "out/demo/CURRENT").exists()
    report = build(kb, options)
    assert 0 < report.cached < serial.embedded
    assert same(serial, report)


@pytest.mark.slow
def test_workers_that_would_compute_other_bytes_get_no_work(
    kb: Path, options: BuildOptions, serial: BuildReport, tmp_path: Path, cluster: Cluster
) -> None:
    other = tmp_path / "other"
    for package in ("compiler", "runtime"):
        # Python may just write a compiled module there for another test process.
        compiled = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, other / package, ignore=compiled)
    with (other / "compiler/kbc/limits.py").open("a") as file:
        file.write("# Another version.\n")
    cluster.worker("older", source=other)
    (tmp_path / "bare.py").write_text("import sys\n\nsys.modules['kbc'] = None\n")
    cluster.worker("bare", "--preload", str(tmp_path / "bare.py"))
    options = replace(options, out=tmp_path / "out", executor=cluster.executor)
    with pytest.raises(ClusterError) as caught:
        build(kb, options)
    assert caught.value.code == "workers-refused"
    assert "is refused: kbc's source is " in caught.value.message
    assert "is refused: kbc is not installed there" in caught.value.message

    cluster.worker("equal")
    report = build(kb, options)
    assert same(serial, report)
    notes = [each.message for each in report.diagnostics if each.code == "worker-refused"]
    assert len(notes) == 2
    assert all("the worker tcp://127.0.0.1:" in each for each in notes)


def test_no_cluster_at_the_address_ends_with_one_sentence(
    kb: Path,
    options: BuildOptions,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("kbc.execution.cluster.CONNECT_S", 0.5)
    where = ["--out", str(tmp_path), "--no-cache", "--model", str(options.model), "--quiet"]
    code = run(["build", str(kb), *where, "--executor", "dask:tcp://127.0.0.1:9"])
    assert code == exit_codes.CLUSTER
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in capsys.readouterr().err


@pytest.mark.slow
def test_a_cluster_with_tls_is_reached_with_the_configuration_of_dask(
    kb: Path, options: BuildOptions, serial: BuildReport, tmp_path: Path
) -> None:
    dask = pytest.importorskip("dask")
    pytest.importorskip("distributed")
    key, certificate = self_signed(tmp_path)
    tls = ("--protocol", "tls", "--tls-ca-file", certificate)
    keys = ("--tls-cert", certificate, "--tls-key", key)
    settings = {
        "distributed.comm.tls.ca-file": certificate,
        "distributed.comm.tls.client.cert": certificate,
        "distributed.comm.tls.client.key": key,
    }
    with ExitStack() as stack:
        cluster = Cluster(tmp_path, stack, *tls, *keys)
        cluster.worker("works", *tls, *keys)
        options = replace(options, out=tmp_path / "out", executor=cluster.executor)
        with pytest.raises(ClusterError) as caught:
            build(kb, options)
        assert caught.value.code == "scheduler-unreachable"
        with dask.config.set(settings):
            assert same(serial, build(kb, options))


def self_signed(folder: Path) -> tuple[str, str]:
    """The files of a new key and of its certificate for 127.0.0.1."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    names = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    (folder / "key.pem").write_bytes(
        key.private_bytes(encoding, form, serialization.NoEncryption())
    )
    (folder / "certificate.pem").write_bytes(certificate.public_bytes(encoding))
    return str(folder / "key.pem"), str(folder / "certificate.pem")
