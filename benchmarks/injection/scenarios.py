"""The commands that write: where each begins, what it does, and in what state a folder is then."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.injection import commands
from kb_runtime.errors import KbcError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.examination.verification import verify
from kb_runtime.store.manifest import CURRENT
from kbc.cli.cache_contents import read_contents

PROJECT = """\
[kb]
name = "demo"
version = "1.0"
[[collection]]
name = "pages"
kind = "docs"
paths = ["docs"]
"""
ARTIFACT = "out/demo"
CASES = [{"uid": "A-1", "title": "Open a gate", "tags": ["gate"], "steps": ["Turn the wheel"]}]
MORE = [{"uid": "B-1", "title": "Close a gate", "tags": ["gate"], "steps": ["Turn it back"]}]
QUESTIONS = '[[question]]\nquery = "gate"\nexpect = ["docs/gate.md"]\n'


@dataclass(frozen=True, slots=True)
class Scenario:
    """`call` is a function of `benchmarks.injection.commands` and its arguments, run in the folder.
    `prepare` makes the folder's first state by running calls; `state` tells in what state it is, as text
    that begins with "broken" for one that no user may meet. `again` is the call that heals. A command that
    works `by_file` may get part of the way, and leaves out a file that cannot be read, and counts it.
    What is below `resumed` is for the next run, which goes on there after a failure. A command that says
    `left_out`, a pattern, succeeds without a file that it cannot read (EIO)."""

    name: str
    call: tuple[str, ...]
    prepare: Callable[[Path, Run], None]
    state: Callable[[Path], str]
    again: tuple[str, ...] = ()
    by_file: bool = False
    resumed: str = ""
    left_out: str = ""


Run = Callable[[tuple[str, ...]], None]


def kbc(*arguments: str) -> tuple[str, ...]:
    return ("kbc", *arguments)


BUILD = kbc(
    *("build", "kb", "--out", "out", "--cache", "cache", "--model", "model", "--keep", "2"),
    *("--quiet", "--no-draft"),
)


def _knowledge(folder: Path, run: Run) -> None:
    """A small model, a knowledge base of three pages, and its first build."""
    _model(folder, run)
    (folder / "kb/docs").mkdir(parents=True)
    (folder / "kb/kb.toml").write_text(PROJECT)
    for name in ("gate", "water", "weir"):
        (folder / f"kb/docs/{name}.md").write_text(f"# {name.title()}\n\nAll about a {name}.\n")
    run(BUILD)


def _edited(folder: Path, run: Run) -> None:
    _knowledge(folder, run)
    (folder / "kb/docs/gate.md").write_text("# Gate\n\nAn edit of the gate.\n")


def _questions(folder: Path, run: Run) -> None:
    _knowledge(folder, run)
    (folder / "q.toml").write_text(QUESTIONS)


def _tunable(folder: Path, run: Run) -> None:
    del run
    (folder / "kb").mkdir()
    (folder / "kb/kb.toml").write_text(PROJECT)


def _key(folder: Path, run: Run) -> None:
    _knowledge(folder, run)
    run(kbc("keygen", "key"))


def _signed_build(folder: Path, run: Run) -> None:
    _key(folder, run)
    run(kbc("sign", ARTIFACT, "--key", "key"))


def _packed(folder: Path, run: Run) -> None:
    _model(folder, run)
    with zipfile.ZipFile(folder / "docs.zip", "w") as archive:
        for name in ("gate", "weir"):
            archive.writestr(f"docs/{name}.md", f"# {name.title()}\n\nAll about a {name}.\n")


def _labels(folder: Path, run: Run) -> None:
    del run
    (folder / "q.toml").write_text(QUESTIONS)


def _mirror(folder: Path, run: Run) -> None:
    for name in ("a", "b", "c"):
        page = folder / f"mirror/{name}.html"
        page.parent.mkdir(exist_ok=True)
        page.write_text(f"<title>{name}</title><main><h1>{name}</h1><p>Text of {name}.</p></main>")


def _pages(folder: Path, run: Run) -> None:
    (folder / "docs").mkdir()
    (folder / "docs/index.md").write_text("# Home\n\nText.\n")


def _configured(folder: Path, run: Run) -> None:
    (folder / "home").mkdir()
    run(("install", "cursor"))
    path = folder / "home/.cursor/mcp.json"
    path.write_text(json.dumps({"mcpServers": {"other": {"command": "x"}}}))


def _tests(folder: Path, run: Run) -> None:
    _model(folder, run)
    (folder / "a.json").write_text(json.dumps({"tests": CASES}))
    (folder / "b.json").write_text(json.dumps({"tests": MORE}))
    run(kbc("workspace", "ingest", "ws", "a.json", "--model", "model"))


def _tree(folder: Path, run: Run) -> None:
    _model(folder, run)
    (folder / "tree").mkdir()
    (folder / "tree/a.py").write_text("def open_gate():\n    return 1\n")
    run(kbc("workspace", "index", "ws", "--code", "tree", "--model", "model"))
    (folder / "tree/a.py").write_text("def close_gate():\n    return 2\n")


def _model(folder: Path, run: Run) -> None:
    from tests.compiler.encoding.conftest import write_model

    write_model(folder / "model", max_seq_length=64, positions=80)


def artifact(folder: Path, place: str = ARTIFACT) -> str:
    """The texts of the live build, which must open and verify."""
    if not (folder / place / CURRENT).exists():
        return "none"
    try:
        report = verify(folder / place)
        with Artifact.open(folder / place) as opened:
            texts = [opened.chunks[row]["text"] for row in range(len(opened.chunks))]
    except KbcError as error:
        return f"broken: {error.message}"
    return "\n".join(sorted(texts)) if report.ok else f"broken: {report.problems[0]}"


def _signed(folder: Path) -> str:
    public = folder / "key.pub"
    try:
        return "signed" if verify(folder / ARTIFACT, [public]).ok else "broken"
    except KbcError as error:
        return "unsigned" if error.code == "unsigned" else f"broken: {error.message}"


def _keys(folder: Path) -> str:
    """Both halves or none; a secret without its public half is half of what was asked for."""
    found = {
        name: (folder / name).read_bytes()
        for name in ("key", "key.pub")
        if (folder / name).exists()
    }
    whole = {"key": b"-----END", "key.pub": b"-----END"}
    if any(whole[name] not in data for name, data in found.items()):
        return f"broken: {found}"
    return "none" if "key.pub" not in found else "keys" if "key" in found else "broken: no secret"


_DOTTED = (".claude-plugin", ".mcp.json")


def _zips(folder: Path) -> str:
    said = []
    for path in sorted(folder.glob("dist/**/*")):
        if any(part.startswith(".") and part not in _DOTTED for part in path.parts):
            continue  # unfinished: counts as debris
        if path.suffix in (".whl", ".mcpb"):
            try:
                with zipfile.ZipFile(path) as archive:
                    broken = archive.testzip()
            except zipfile.BadZipFile as error:
                return f"broken: {path.name}: {error}"
            if broken:
                return f"broken: {path.name}: {broken}"
        if path.suffix == ".json":
            try:
                json.loads(path.read_bytes())
            except ValueError:
                return f"broken: {path.name}"
        said.append(path.name)
    return " ".join(said)


def _file(name: str, end: bytes) -> Callable[[Path], str]:
    def state(folder: Path) -> str:
        path = folder / name
        if not path.exists():
            return "none"
        data = path.read_bytes()
        return "whole" if data.rstrip().endswith(end) else f"broken: {len(data)} bytes of {name}"

    return state


def _config(folder: Path) -> str:
    path = folder / "home/.cursor/mcp.json"
    try:
        return " ".join(json.loads(path.read_bytes())["mcpServers"])
    except (OSError, ValueError, KeyError) as error:
        return f"broken: {error}"


def _imported(folder: Path) -> str:
    """What a second run would make of it counts: pages are whole or not there."""
    pages = sorted(folder.glob("new/**/*.md"))
    broken = [page.name for page in pages if "Text of" not in page.read_text()]
    return f"broken: {broken}" if broken else f"{len(pages)} pages"


def _folder(name: str, of: str) -> Callable[[Path], str]:
    def state(folder: Path) -> str:
        if not (folder / name).exists():
            return "none"
        wanted = _hashes(folder / of)
        return "whole" if _hashes(folder / name) == wanted else f"broken: {name} is not {of}"

    return state


def _hashes(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def _instructed(folder: Path, run: Run) -> None:
    del run
    (folder / "home/.claude").mkdir(parents=True)
    (folder / "home/.claude/CLAUDE.md").write_text("Be kind.\n")


def _instructions(folder: Path) -> str:
    text = (folder / "home/.claude/CLAUDE.md").read_text()
    if not text.startswith("Be kind.\n") or text.count("kbc:demo") not in (0, 2):
        return f"broken: {text!r}"
    return "told" if "kbc:demo" in text else "not told"


def _labelled(folder: Path) -> str:
    text = (folder / "q.toml").read_text()
    return "labelled" if text.endswith('water.md"]\n') else text if text == QUESTIONS else "broken"


def _tuned(folder: Path) -> str:
    text = (folder / "kb/kb.toml").read_text()
    return "tuned" if text.endswith(TUNED) else text if text == PROJECT else f"broken: {text!r}"


def _accepted(folder: Path) -> str:
    path = folder / "state/kbc/accepted.json"
    try:
        return "accepted" if len(json.loads(path.read_bytes())) == 1 else "broken"
    except FileNotFoundError:
        return "none"
    except ValueError as error:
        return f"broken: {error}"


def _fetched(folder: Path) -> str:
    (found, *_) = [*(folder / "models").glob("[!.]*"), None]
    if found is None:
        return "none"
    got, wanted = _hashes(found), _hashes(folder / "model")
    missing = [name for name in commands.MODEL_FILES if got.get(name) != wanted[name]]
    return f"broken: {missing}" if missing or "NOTICE" not in got else "whole"


def _sample(folder: Path) -> str:
    """The files of a starter, each whole or not there; kb.toml is the last."""
    texts = {path.name: path.read_text() for path in sorted(folder.glob("new/**/[!.]*.*"))}
    broken = [name for name, text in texts.items() if not text.endswith("\n")]
    return f"broken: {broken}" if broken else " ".join(texts)


def _trees(folder: Path) -> str:
    """A tree that is indexed is whole; one set aside to be removed is no longer indexed."""
    return _code_there(folder) if any(folder.glob("ws/code/[!.]*/index/code")) else "none"


def _cached(folder: Path) -> str:
    """Whether the cache holds anything; it may hold anything but what a build stumbles over."""
    contents = read_contents(folder / "cache")
    return "empty" if not contents.entries else "full"


def _tests_there(folder: Path) -> str:
    return artifact(folder, "ws/tests/index/tests")


def _tried(folder: Path) -> str:
    found = list((folder / "cache/try").glob("[!.]*")) if (folder / "cache/try").exists() else []
    return artifact(folder, os.fspath(found[0].relative_to(folder))) if found else "none"


def _code_there(folder: Path) -> str:
    (place,) = folder.glob("ws/code/[!.]*/index/code")
    return artifact(folder, os.fspath(place.relative_to(folder)))


def _followed(folder: Path) -> str:
    """The texts that a server shows: those of the edited files, or else of the index."""
    edits = list(folder.glob("ws/code/[!.]*/edits/code/CURRENT"))
    if not edits:
        return _code_there(folder)
    return artifact(folder, os.fspath(edits[0].parent.relative_to(folder)))


def _table(folder: Path) -> str:
    if not (folder / "q.lance").exists():
        return "none"
    import lancedb

    try:
        rows = lancedb.connect(folder).open_table("q").to_arrow().num_rows
    except (OSError, ValueError, RuntimeError) as error:
        return f"broken: {error}"
    return f"{rows} rows"


def _nothing(folder: Path, run: Run) -> None:
    del folder, run


_MODEL = ("--model", "model")
_CODE = ("--code", "tree")
_BASE = ("--base", "https://a.example", "--quiet")
_ASKED = ("--questions", "q.toml", "--html", "q.html")
_PRUNE = ("cache", "prune", "--cache", "cache", "--max-size", "0B")
TRY = kbc("try", "docs.zip", "--cache", "cache", *_MODEL)
_PENDING = "ws/tests/pending"
TUNED = "\n[search]\nweights = { docs = 2.0 }\n"
_ALL = (
    Scenario("keygen", kbc("keygen", "key"), _nothing, _keys),
    Scenario("init", kbc("init", "docs"), _pages, _file("docs/kb.toml", b"are present")),
    Scenario("install", ("install", "cursor"), _configured, _config),
    Scenario("sign", kbc("sign", ARTIFACT, "--key", "key"), _key, _signed),
    Scenario("wheel", kbc("wheel", ARTIFACT), _knowledge, _zips),
    Scenario("bundle", kbc("bundle", ARTIFACT), _knowledge, _zips),
    Scenario(
        "import", kbc("import", "mirror", "--out", "new", *_BASE), _mirror, _imported, by_file=True
    ),
    Scenario("export", ("export_model", "model", "new"), _model, _folder("new", "model")),
    Scenario("eval", kbc("eval", ARTIFACT, *_ASKED), _questions, _file("q.html", b"</html>")),
    Scenario("build", BUILD, _edited, artifact),
    Scenario("watch", ("rebuild", "kb", "out", "cache", "model"), _edited, artifact),
    Scenario(
        "ingest",
        kbc("workspace", "ingest", "ws", "b.json", *_MODEL),
        _tests,
        _tests_there,
        resumed=_PENDING,
    ),
    Scenario(
        "remove", kbc("workspace", "remove", "ws", "A-1"), _tests, _tests_there, resumed=_PENDING
    ),
    Scenario("index", kbc("workspace", "index", "ws", *_CODE, *_MODEL), _tree, _code_there),
    Scenario("sample", kbc("init", "new", "--kind", "tests"), _nothing, _sample, by_file=True),
    Scenario(
        "instructions", ("install", "claude-code", "instructions"), _instructed, _instructions
    ),
    Scenario("label", ("label", "q.toml", "water", "docs/water.md"), _labels, _labelled),
    Scenario("tune", ("tune", "kb/kb.toml", PROJECT + TUNED), _tunable, _tuned),
    Scenario(
        "inspect",
        kbc("inspect", ARTIFACT, "--html", "q.html"),
        _knowledge,
        _file("q.html", b"</html>"),
    ),
    Scenario(
        "ndjson",
        kbc("export", ARTIFACT, "--to", "ndjson", "--out", "q.nd"),
        _knowledge,
        _file("q.nd", b"]}"),
    ),
    Scenario(
        "parquet",
        kbc("export", ARTIFACT, "--to", "parquet", "--out", "q.pq"),
        _knowledge,
        _file("q.pq", b"PAR1"),
    ),
    Scenario(
        "lance",
        kbc("export", ARTIFACT, "--to", "lance", "--out", "q.lance"),
        _knowledge,
        _table,
    ),
    Scenario("follow", ("follow", "ws", "tree", "model"), _tree, _followed, resumed="ws/code"),
    Scenario("accept", ("accept", ARTIFACT, "key.pub"), _signed_build, _accepted),
    Scenario("fetch", ("fetch_model", "model", "models"), _model, _fetched, resumed="models"),
    Scenario("try", TRY, _packed, _tried, left_out=r"[1-9]\d* not readable"),
    Scenario("prune", kbc("workspace", "prune", "ws"), _tree, _trees),
    Scenario("cache", kbc(*_PRUNE), _knowledge, _cached, resumed="cache/graphs"),
)
SCENARIOS = {each.name: each for each in _ALL}


def names(folder: Path) -> set[str]:
    """What lies in a folder, but for a cache's entries and the names of builds, which are hashes."""
    found = set()
    for path in folder.rglob("*"):
        parts = path.relative_to(folder).parts
        is_cached = not {"cache", ".cache"}.isdisjoint(parts)
        if is_cached and not any(each in path.name for each in ("tmp", "new", "unfinished")):
            continue
        if "q.lance" in parts[:-1]:
            parts = (*parts[:-1], f"any{path.suffix}")  # LanceDB draws the names of its files
        found.add("/".join("BUILD" if _is_build(part) else part for part in parts))
    return found


def _is_build(name: str) -> bool:
    return len(name) == 16 and not set(name) - set("0123456789abcdef")


def restore(folder: Path, kept: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(kept, folder, symlinks=True)
