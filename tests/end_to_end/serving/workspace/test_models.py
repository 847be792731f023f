"""The model that embeds what lies in a workspace."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.changing_folders import found_below
from tests.compiler.encoding.conftest import write_model
from tests.end_to_end.serving.workspace.files import Serve
from tests.end_to_end.talk import PAUSE_S
from tests.waiting import until

from kb_runtime.errors import ArtifactError
from kb_runtime.store.location import resolve
from kb_runtime.store.manifest import CURRENT, load
from kbc.encoding.pinned import PINNED_WEIGHTS_SHA256
from kbc.pipeline.build import BuildOptions, build


def encoders(folder: Path) -> set[str]:
    """The weights that made the vectors of what is live below a folder of a workspace; "" for a version
    that another replaces meanwhile."""
    try:
        return {
            load(resolve(current.parent))["encoder"]["weights_sha256"]
            for current in found_below(folder, CURRENT)
        }
    except ArtifactError:
        return {""}


@pytest.mark.slow
def test_a_workspace_is_embedded_with_the_model_of_the_artifact_where_it_is_named(
    serve: Serve, tree: Path, tmp_path: Path
) -> None:
    model = write_model(tmp_path / "tiny", positions=80, max_seq_length=64)
    (tmp_path / "kb" / "docs").mkdir(parents=True)
    (tmp_path / "kb" / "docs" / "anchors.md").write_text("# Anchors\n\nThey hold the ship.\n")
    (tmp_path / "kb" / "kb.toml").write_text('[kb]\nname = "sea"\n')
    options = BuildOptions(out=tmp_path / "out", cache=tmp_path / "cache", model=model)
    artifact = build(tmp_path / "kb", options).path
    weights = load(artifact)["encoder"]["weights_sha256"]

    def indexed(*options: str) -> str:
        """What the server complained of until all was embedded with the model that is named."""
        talk = serve(artifact, "--code", str(tree), *options)
        talk.facts("ingest_tests", functional_path="new.json")
        wanted = {weights} if options else {PINNED_WEIGHTS_SHA256}

        def is_embedded() -> bool:
            code = talk.facts("codebase_retrieval", query="queue")["metadata"]["indexStatus"]
            if code.get("embedding") != "complete":
                return False
            folders = (tmp_path / "ws" / "code", tmp_path / "ws" / "tests")
            return set().union(*map(encoders, folders)) == wanted

        until(is_embedded, f"vectors of {wanted}", PAUSE_S)
        talk.facts("check_health")
        talk.process.terminate()
        return talk.process.communicate()[1].decode()

    said = indexed()
    for name in ("tests", "code"):
        assert (
            f"the {name} of the workspace are searched by keyword only, because they were embedded with"
            f" another model than the knowledge base: name the folder of {model.name} with --model\n"
        ) in said
    indexed("--model", str(model))
