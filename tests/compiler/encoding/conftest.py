"""A BERT small enough to check by hand: two layers, 32 dimensions, random weights."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "map", "set", "list", "of", "to", "##s", "."]
LETTERS = [chr(code) for code in range(ord("a"), ord("z") + 1)]
VOCABULARY = [*WORDS, *LETTERS, *(f"##{letter}" for letter in LETTERS)]

MakeModel = Callable[..., Path]


def tokenizer_config() -> dict[str, Any]:
    special = [
        {
            "id": at,
            "content": word,
            "special": True,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
        }
        for at, word in enumerate(WORDS[:5])
    ]
    return {
        "version": "1.0",
        # As in published models: a limit and padding that must not reach our vectors.
        "truncation": {
            "max_length": 8,
            "strategy": "LongestFirst",
            "stride": 0,
            "direction": "Right",
        },
        "padding": {
            "strategy": {"Fixed": 8},
            "direction": "Right",
            "pad_to_multiple_of": None,
            "pad_id": 0,
            "pad_type_id": 0,
            "pad_token": "[PAD]",
        },
        "added_tokens": special,
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {word: at for at, word in enumerate(VOCABULARY)},
        },
    }


def tensors(hidden: int, inner: int, layers: int, positions: int) -> dict[str, Any]:
    random = np.random.default_rng(7)

    def normal(*shape: int) -> Any:
        return (random.standard_normal(shape) * 0.3).astype(np.float32)

    made = {
        "embeddings.word_embeddings.weight": normal(len(VOCABULARY), hidden),
        "embeddings.position_embeddings.weight": normal(positions, hidden),
        "embeddings.token_type_embeddings.weight": normal(2, hidden),
    }
    dense = [
        ("attention.self.query", hidden, hidden),
        ("attention.self.key", hidden, hidden),
        ("attention.self.value", hidden, hidden),
        ("attention.output.dense", hidden, hidden),
        ("intermediate.dense", inner, hidden),
        ("output.dense", hidden, inner),
    ]
    norms = ["embeddings.LayerNorm"]
    for layer in range(layers):
        prefix = f"encoder.layer.{layer}."
        for name, outputs, inputs in dense:
            made[f"{prefix}{name}.weight"] = normal(outputs, inputs)
            made[f"{prefix}{name}.bias"] = normal(outputs)
        norms += [f"{prefix}attention.output.LayerNorm", f"{prefix}output.LayerNorm"]
    for name in norms:
        made[f"{name}.weight"] = 1 + normal(hidden)
        made[f"{name}.bias"] = normal(hidden)
    return made


def write_model(
    folder: Path,
    *,
    prefix: str = "",
    pooling: dict[str, Any] | None = None,
    max_seq_length: int | None = 16,
    positions: int = 20,
    **config: Any,
) -> Path:
    """Writes a model; keywords change config.json, `prefix`, `pooling` and `positions` the rest."""
    (folder / "1_Pooling").mkdir(parents=True)
    settings = {
        "model_type": "bert", "hidden_size": 32, "num_attention_heads": 4,
        "num_hidden_layers": 2, "intermediate_size": 48, "layer_norm_eps": 1e-12,
        "max_position_embeddings": positions, "hidden_act": "gelu", "pad_token_id": 0,
    } | config  # fmt: skip
    made = tensors(32, 48, 2, positions)
    save_file({prefix + key: value for key, value in made.items()}, folder / "model.safetensors")
    parts: dict[str, Any] = {
        "config.json": settings,
        "tokenizer.json": tokenizer_config(),
        "modules.json": [
            {"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
            {"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        ],
        "sentence_bert_config.json": {"max_seq_length": max_seq_length},
        "1_Pooling/config.json": pooling or {"pooling_mode_mean_tokens": True},
    }
    for path, content in parts.items():
        (folder / path).write_text(json.dumps(content), encoding="utf-8")
    return folder


@pytest.fixture
def make_model(tmp_path: Path) -> MakeModel:
    """`make_model(name, ...)`: a model folder of that name, made by `write_model`."""

    def make(name: str = "tiny", **settings: Any) -> Path:
        return write_model(tmp_path / name, **settings)

    return make
