"""Reads how sentence-transformers describes a model: its modules, pooling, dense layers and prompts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kb_runtime.errors.shortages import raise_shortage
from kbc.encoding.errors import ModelError

_POOLING_NAMES = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
_MODULES = ("Transformer", "Pooling", "Dense", "Normalize")
# Class names of torch; what is not here is refused.
_ACTIVATIONS = {"Identity": "", "Tanh": "Tanh"}
# Names of prompts in the order in which sentence-transformers takes them for either side.
_QUERY_PROMPTS = ("query",)
_DOCUMENT_PROMPTS = ("document", "passage", "corpus")


@dataclass(frozen=True, slots=True)
class Prompts:
    """What stands before every query and every document: E5 wants `query: ` and `passage: `."""

    query: str = ""
    document: str = ""


@dataclass(frozen=True, slots=True)
class DenseLayer:
    """A dense layer behind the pooling. `activation` is an ONNX operator, or "" for none."""

    weights: Path
    sha256: str
    inputs: int
    outputs: int
    activation: str


@dataclass(frozen=True, slots=True)
class EncoderModules:
    """`max_tokens` is None where no file says it. `pooling` is "mean" or "cls", "" where no file says it."""

    max_tokens: int | None
    pooling: str
    dense: tuple[DenseLayer, ...]
    prompts: Prompts


def read_modules(folder: Path) -> EncoderModules:
    """What modules.json and the files that it names say; without it, what is said elsewhere. Raises
    `ModelError`."""
    if not (folder / "modules.json").is_file():
        return _without_modules(folder)
    modules = _read_json(folder / "modules.json")
    if not isinstance(modules, list) or not all(isinstance(module, dict) for module in modules):
        raise ModelError("model-invalid", "modules.json is not a list of modules")
    kinds = [str(module.get("type", "")).rpartition(".")[2] for module in modules]
    for kind in kinds:
        if kind not in _MODULES:
            raise unsupported(f"module {kind!r}", f"supported modules: {', '.join(_MODULES)}")
    if [kind for kind in kinds if kind not in ("Dense", "Normalize")] != ["Transformer", "Pooling"]:
        raise unsupported("pipeline without Transformer and Pooling modules", "see modules.json")
    paths = [folder / str(module.get("path", "")) for module in modules]
    transformer = read_object(paths[kinds.index("Transformer")] / "sentence_bert_config.json")
    length = transformer.get("max_seq_length")
    pooling = read_object(paths[kinds.index("Pooling")] / "config.json")
    prompts = _prompts(folder / "config_sentence_transformers.json")
    if prompts != Prompts() and not pooling.get("include_prompt", True):
        raise unsupported("pooling without the prompt", "supported: include_prompt = true")
    dense = [_dense(path) for path, kind in zip(paths, kinds, strict=True) if kind == "Dense"]
    return EncoderModules(
        None if length is None else int(length), _pooling(pooling), tuple(dense), prompts
    )


def _without_modules(folder: Path) -> EncoderModules:
    """Of a folder that sentence-transformers did not save: the tokenizer's limit, and a pooling if it has the
    file of one."""
    described, pooling = folder / "tokenizer_config.json", folder / "1_Pooling" / "config.json"
    limit = read_object(described).get("model_max_length") if described.is_file() else None
    return EncoderModules(
        limit if isinstance(limit, int) and limit > 0 else None,
        _pooling(read_object(pooling)) if pooling.is_file() else "",
        (),
        _prompts(folder / "config_sentence_transformers.json"),
    )


def read_object(path: Path) -> Mapping[str, Any]:
    value = _read_json(path)
    if not isinstance(value, dict):
        raise ModelError("model-invalid", f"{path.name} is not a JSON object")
    return value


def positive(config: Mapping[str, Any], key: str) -> int:
    value = config.get(key)
    if not isinstance(value, int) or value <= 0:
        raise ModelError(
            "model-invalid", f"config.json has {key} {value!r}, which is not a positive number"
        )
    return value


def unsupported(what: str, hint: str) -> ModelError:
    return ModelError(
        "model-unsupported", f"the model has the {what}, which is not supported", hint
    )


def file_sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError as error:
        where = f"{path.parent.name}/{path.name}"
        raise ModelError("model-missing", f"the model has no file {where}") from error


def _pooling(config: Mapping[str, Any]) -> str:
    named = config.get("pooling_mode")  # newer releases of sentence-transformers
    modes = (
        [str(named)]
        if named is not None
        else [key for key, on in config.items() if key.startswith("pooling_mode_") and on]
    )
    names = [_POOLING_NAMES.get(mode, mode) for mode in modes]
    if names not in (["mean"], ["cls"]):
        raise unsupported(
            f"pooling {' + '.join(names) or 'none'!r}", "supported pooling: mean, cls"
        )
    return names[0]


def _dense(folder: Path) -> DenseLayer:
    config = read_object(folder / "config.json")
    activation = str(config.get("activation_function", "Identity")).rpartition(".")[2]
    if activation not in _ACTIVATIONS:
        known = ", ".join(_ACTIVATIONS)
        raise unsupported(f"dense layer with {activation}", f"supported activations: {known}")
    weights = folder / "model.safetensors"
    return DenseLayer(
        weights=weights,
        sha256=file_sha256(weights),
        inputs=positive(config, "in_features"),
        outputs=positive(config, "out_features"),
        activation=_ACTIVATIONS[activation],
    )


def _prompts(path: Path) -> Prompts:
    if not path.is_file():
        return Prompts()
    config = read_object(path)
    prompts = config.get("prompts") or {}
    default = config.get("default_prompt_name")

    def texts(names: tuple[str, ...]) -> Iterator[str]:
        for name in (*names, default):
            if isinstance(text := prompts.get(name), str) and text:
                yield text

    if default is not None and default not in prompts:
        raise ModelError(
            "model-invalid", f"{path.name} has no prompt {default!r}, which is its default"
        )
    return Prompts(next(texts(_QUERY_PROMPTS), ""), next(texts(_DOCUMENT_PROMPTS), ""))


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError as error:
        where = f"{path.parent.name}/{path.name}"
        raise ModelError("model-missing", f"the model has no file {where}") from error
    except (OSError, ValueError) as error:
        if isinstance(error, OSError):
            raise_shortage(error)
        raise ModelError.unreadable(path, error) from error
