"""`check_health`: checks the index of test cases and reports its content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from kb_runtime.errors import ArtifactError
from kb_runtime.records.cases import PRIORITIES, TEST_TYPES
from kb_runtime.text.tables import count_of
from kb_runtime.tools import lookup
from kb_runtime.tools.cases.family import case_tools
from kb_runtime.tools.declaration import Answer

if TYPE_CHECKING:
    from kb_runtime.tools.cases.answers import Embedder, Health, HealthStatus
    from kb_runtime.tools.session import Session

HEALTHY: HealthStatus = "HEALTHY"
DEGRADED: HealthStatus = "DEGRADED"
UNHEALTHY: HealthStatus = "UNHEALTHY"
PROVIDER = "onnxruntime"
NONE = "none"


TOOLS = case_tools()


@TOOLS.tool(
    "State of the test index: whether it is whole, how many tests and steps it holds,"
    " which embedder answers."
)
def check_health(session: Session, _: dict[str, Any]) -> Answer[Health]:
    manifest = session.artifact.manifest
    broken = _broken(session)
    problems = _unusable(session) if broken is None else [broken]
    status: HealthStatus = UNHEALTHY if broken else DEGRADED if problems else HEALTHY
    points = {"test_docs": 0, "test_steps": 0}
    points |= {info.name: info.records for info in session.artifact.collections}
    totals: dict[str, dict[str, int]] = {"byPriority": {}, "byTestType": {}}
    if broken is None:
        points["test_docs"], points["test_steps"], totals = _totals(session)
    encoder = manifest["encoder"]
    embedder: Embedder = {
        "provider": NONE if encoder is None else PROVIDER,
        "model": NONE if encoder is None else encoder["model"],
    }
    structured: Health = {
        "status": status,
        "qdrant": {"status": "disconnected" if broken else "connected", "collections": points},
        "index": {"status": "damaged" if broken else "loaded", "collections": points},
        "embedder": embedder,
        "buildId": session.artifact.build_id,
        "builtAt": manifest["built_at"],
        "stale": session.artifact.is_replaced,
        "tests": points["test_docs"],
        "steps": points["test_steps"],
        "byPriority": totals["byPriority"],
        "byTestType": totals["byTestType"],
    }
    if problems:
        structured["problems"] = problems
    return Answer(_text(structured), structured)


def _broken(session: Session) -> str | None:
    """Why the tests cannot be searched: a section that is damaged or gone. Sizes are compared at each
    call, and the hash of each file when it is first asked for."""
    artifact = session.artifact
    try:
        artifact.check_sizes()
        for info in lookup.collections(session, "tests"):
            artifact.catalog(info.name)
            artifact.facets(info.name)
        _ = artifact.chunks, artifact.lexical
        if artifact.manifest["encoder"] is not None:
            _ = artifact.vectors
    except ArtifactError as error:
        return f"the index is damaged ({error.code}): run `kbc verify` on it"
    return None


def _unusable(session: Session) -> list[str]:
    """What is missing although searches work."""
    problems = []
    if session.artifact.manifest["encoder"] is not None:
        try:
            encoder = session.artifact.encoder
            assert encoder is not None
            encoder.warm()
        except Exception as error:
            # Whatever a native library raises; its text may name paths of this machine.
            problems.append(f"the embedder cannot be used ({type(error).__name__})")
    if session.artifact.is_replaced:
        problems.append("a newer build is published, and this server has not opened it")
    problems += [
        f"the workspace is not served ({code}): the server's log says why"
        for code in session.workspace_problems
    ]
    # Those of other collections say nothing about the tests, and would never go away with them.
    warnings = session.artifact.manifest["warnings"]
    count = sum(warning["code"].startswith(("test-", "tests-")) for warning in warnings)
    if count:
        problems.append(
            f"the build had {count_of(count, 'warning')} about tests: `kbc inspect` lists them"
        )
    return problems


def _totals(session: Session) -> tuple[int, int, dict[str, dict[str, int]]]:
    """Tests, their steps, and how many tests have each priority and type."""
    priorities: Counter[str] = Counter()
    types: Counter[str] = Counter()
    tests = steps = 0
    for info in lookup.collections(session, "tests"):
        facets = session.artifact.facets(info.name)
        tests += info.records
        steps += sum(int(value) * count for value, count in facets.values("steps"))
        priorities.update(_spelled(facets.values("priority"), PRIORITIES))
        types.update(_spelled(facets.values("testtype"), TEST_TYPES))
    return tests, steps, {"byPriority": dict(priorities), "byTestType": dict(types)}


def _spelled(counts: Iterable[tuple[str, int]], names: Sequence[str]) -> dict[str, int]:
    """Counts by known names instead of their folded values."""
    known = {name.casefold(): name for name in names}
    return {known.get(value, value): count for value, count in counts}


def _text(health: Health) -> str:
    lines = [
        f"**Service Health: {health['status']}**",
        "",
        "**Qdrant Collections:**",
        f"- test_docs: {health['tests']} points",
        f"- test_steps: {health['steps']} points",
        "",
        "**Embedder:**",
        f"- Provider: {health['embedder']['provider']}",
        f"- Model: {health['embedder']['model']}",
    ]
    if "problems" in health:
        lines += ["", "**Problems:**", *(f"- {problem}" for problem in health["problems"])]
    return "\n".join(lines)
