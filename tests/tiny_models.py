"""Encoders of every family that `--model` takes: a few layers, random weights, a trained tokenizer."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file
from tokenizers import (
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

HIDDEN, HEADS, INNER, LAYERS, POSITIONS = 32, 4, 48, 2, 80
QUERY, DOCUMENT = "query: ", "passage: "
TEXTS = (
    "A lock lets one thread at a time into a critical section.",
    "Ein Schloss lässt nur einen Faden auf einmal hinein.",
    "Блокировка пускает один поток за раз.",
    "يسمح القفل بدخول خيط واحد في كل مرة",
    "def acquire(lock):\n    lock.wait()\n    return True\n",
)
_SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def unigram() -> Tokenizer:
    """As XLM-R and E5 have it: SentencePiece with its mark for spaces."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=160, special_tokens=_SPECIAL, unk_token="<unk>", show_progress=False
    )
    return _trained(tokenizer, trainer)


def byte_level() -> Tokenizer:
    """As RoBERTa and ModernBERT have it: BPE over bytes, in which spaces are tokens."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=_SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    return _trained(tokenizer, trainer)


def word_piece() -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="<unk>"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=200, special_tokens=_SPECIAL, show_progress=False
    )
    return _trained(tokenizer, trainer)


def _trained(tokenizer: Tokenizer, trainer: Any) -> Tokenizer:
    tokenizer.train_from_iterator(TEXTS, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return tokenizer


_BERT_NAMES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "mixed": "attention.output.dense",
    "norm": "attention.output.LayerNorm",
    "inner": "intermediate.dense",
    "outer": "output.dense",
    "last": "output.LayerNorm",
}
_FAMILIES: Mapping[str, Any] = {
    "bert": {"tokenizer": word_piece, "prefix": "bert.", "types": 2},
    "xlm-roberta": {"tokenizer": unigram, "first": 2},
    "roberta": {"tokenizer": byte_level, "first": 2, "prefix": "roberta."},
    "distilbert": {
        "tokenizer": word_piece,
        "layer": "transformer.layer.{}.",
        "types": False,
        "dense": True,
        "names": {
            "query": "attention.q_lin",
            "key": "attention.k_lin",
            "value": "attention.v_lin",
            "mixed": "attention.out_lin",
            "norm": "sa_layer_norm",
            "inner": "ffn.lin1",
            "outer": "ffn.lin2",
            "last": "output_layer_norm",
        },
    },
    "mpnet": {
        "tokenizer": word_piece,
        "first": 2,
        "types": False,
        "relative": True,
        "names": _BERT_NAMES
        | {
            "query": "attention.attn.q",
            "key": "attention.attn.k",
            "value": "attention.attn.v",
            "mixed": "attention.attn.o",
            "norm": "attention.LayerNorm",
        },
    },
}
FAMILIES = tuple(_FAMILIES)
_HEADS = {
    "bert": ("bert.pooler.dense", "classifier"),
    "roberta": ("classifier.dense", "classifier.out_proj"),
    "xlm-roberta": ("classifier.dense", "classifier.out_proj"),
}
RERANKERS = tuple(_HEADS)
PairReference = Callable[[str, str], float]
"""The score of a query and a passage."""
Reference = Callable[[str], Any]
"""The vector of a text that already has its prompt, float64 [d]."""


def write_family(folder: Path, family: str) -> Reference:
    """Writes a model; gives what computes its vectors by the papers, with numpy alone."""
    of = _FAMILIES[family]
    tokenizer = of["tokenizer"]()
    normal = _drawn(folder)
    tensors, dense = _tensors(of, tokenizer.get_vocab_size(), normal), None
    folder.mkdir()
    save_file(tensors, folder / "model.safetensors")
    config = {
        "hidden_size": HIDDEN, "num_attention_heads": HEADS, "num_hidden_layers": LAYERS,
        "intermediate_size": INNER, "hidden_act": "gelu",
    }  # fmt: skip
    if family == "distilbert":
        config = {"dim": HIDDEN, "n_heads": HEADS, "n_layers": LAYERS, "hidden_dim": INNER}
    modules = ["Transformer", "Pooling"]
    if of.get("dense"):
        modules.append("Dense")
        dense = {"linear.weight": normal(24, HIDDEN), "linear.bias": normal(24)}
        (folder / "2_Dense").mkdir()
        save_file(dense, folder / "2_Dense" / "model.safetensors")
        _write(
            folder / "2_Dense" / "config.json",
            {"in_features": HIDDEN, "out_features": 24, "bias": True}
            | {"activation_function": "torch.nn.modules.activation.Tanh"},
        )
    settings = {"model_type": family, "max_position_embeddings": POSITIONS, "pad_token_id": 1}
    _write_settings(folder, config | settings, modules, tokenizer)
    return lambda text: _reference(of, tensors, dense, tokenizer.encode(text).ids)


def write_reranker(folder: Path, family: str, scores: int = 1) -> PairReference:
    """Writes a cross-encoder as it is published; gives what computes its scores, as `write_family`."""
    of, (first, last) = _FAMILIES[family], _HEADS[family]
    tokenizer = of["tokenizer"]()
    types = of.get("types", 1)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair=f"<s> $A </s> $B:{types - 1} </s>:{types - 1}",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )
    normal = _drawn(folder)
    tensors = _tensors(of, tokenizer.get_vocab_size(), normal)
    for name, outputs in ((first, HIDDEN), (last, scores)):
        tensors |= {f"{name}.weight": normal(outputs, HIDDEN), f"{name}.bias": normal(outputs)}
    folder.mkdir()
    save_file(tensors, folder / "model.safetensors")
    _write(
        folder / "config.json",
        {
            "model_type": family, "hidden_size": HIDDEN, "num_attention_heads": HEADS,
            "num_hidden_layers": LAYERS, "intermediate_size": INNER, "hidden_act": "gelu",
            "layer_norm_eps": 1e-12, "max_position_embeddings": POSITIONS, "pad_token_id": 1,
        },
    )  # fmt: skip
    tokenizer.save(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(64)

    def score(query: str, text: str) -> float:
        pair = tokenizer.encode(query, text)
        hidden = _hidden(of, tensors, pair.ids, pair.type_ids)[0]
        pooled = np.tanh(tensors[f"{first}.weight"] @ hidden + tensors[f"{first}.bias"])
        return float((tensors[f"{last}.weight"] @ pooled + tensors[f"{last}.bias"])[0])

    return score


def _write_settings(
    folder: Path, config: Mapping[str, Any], modules: list[str], tokenizer: Tokenizer
) -> None:
    kinds = "sentence_transformers.models."
    (folder / "1_Pooling").mkdir()
    _write(folder / "config.json", {"layer_norm_eps": 1e-12, **config})
    _write(
        folder / "modules.json",
        [
            {"idx": at, "path": f"{at}_{name}" if at else "", "type": kinds + name}
            for at, name in enumerate(modules)
        ],
    )
    _write(folder / "sentence_bert_config.json", {"max_seq_length": 64})
    _write(folder / "1_Pooling" / "config.json", {"pooling_mode_mean_tokens": True})
    prompts = {"query": QUERY, "passage": DOCUMENT}
    _write(folder / "config_sentence_transformers.json", {"prompts": prompts})
    tokenizer.save(str(folder / "tokenizer.json"))


def _write(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")


def _drawn(folder: Path) -> Callable[..., Any]:
    """Gives tensors of a shape: for folders of this name the same ones in whatever order tests run."""
    random = np.random.default_rng([*folder.name.encode()])
    return lambda *shape: (random.standard_normal(shape) * 0.3).astype(np.float32)


def _tensors(of: Mapping[str, Any], vocabulary: int, normal: Callable[..., Any]) -> dict[str, Any]:
    prefix = of.get("prefix", "")
    made = {
        f"{prefix}embeddings.word_embeddings.weight": normal(vocabulary, HIDDEN),
        f"{prefix}embeddings.position_embeddings.weight": normal(POSITIONS, HIDDEN),
    }
    if of.get("types", True):
        types = of.get("types", 1)
        made[f"{prefix}embeddings.token_type_embeddings.weight"] = normal(types, HIDDEN)
    if of.get("relative"):
        made["encoder.relative_attention_bias.weight"] = normal(32, HEADS)
    shapes = {"inner": (INNER, HIDDEN), "outer": (HIDDEN, INNER)}
    norms = [f"{prefix}embeddings.LayerNorm"]
    for layer in range(LAYERS):
        at = prefix + of.get("layer", "encoder.layer.{}.").format(layer)
        for part, name in of.get("names", _BERT_NAMES).items():
            if part in ("norm", "last"):
                norms.append(at + name)
                continue
            outputs, inputs = shapes.get(part, (HIDDEN, HIDDEN))
            made[f"{at}{name}.weight"] = normal(outputs, inputs)
            made[f"{at}{name}.bias"] = normal(outputs)
    for name in norms:
        made[f"{name}.weight"] = 1 + normal(HIDDEN)
        made[f"{name}.bias"] = normal(HIDDEN)
    return made


def _reference(
    of: Mapping[str, Any], tensors: Mapping[str, Any], dense: Any, ids: list[int]
) -> Any:
    pooled = _hidden(of, tensors, ids, [0] * len(ids)).mean(axis=0)
    if dense is not None:
        pooled = np.tanh(dense["linear.weight"] @ pooled + dense["linear.bias"])
    return pooled / np.linalg.norm(pooled)


def _hidden(
    of: Mapping[str, Any], tensors: Mapping[str, Any], ids: list[int], types: list[int]
) -> Any:
    """The last hidden state, float64 [tokens, hidden]."""
    weights = {name: value.astype(np.float64) for name, value in tensors.items()}
    prefix, count = of.get("prefix", ""), len(ids)

    def linear(x: Any, name: str) -> Any:
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def norm(x: Any, name: str) -> Any:
        centred = x - x.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
        return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def split(x: Any) -> Any:
        return x.reshape(count, HEADS, -1).transpose(1, 0, 2)

    first = of.get("first", 0)
    x = weights[f"{prefix}embeddings.word_embeddings.weight"][ids]
    x = x + weights[f"{prefix}embeddings.position_embeddings.weight"][first : first + count]
    if of.get("types", True):
        x = x + weights[f"{prefix}embeddings.token_type_embeddings.weight"][types]
    x = norm(x, f"{prefix}embeddings.LayerNorm")
    for layer in range(LAYERS):
        at = prefix + of.get("layer", "encoder.layer.{}.").format(layer)
        name = {part: at + each for part, each in of.get("names", _BERT_NAMES).items()}
        query, key, value = (split(linear(x, name[part])) for part in ("query", "key", "value"))
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
        if of.get("relative"):
            table = weights["encoder.relative_attention_bias.weight"]
            for row in range(count):
                for column in range(count):
                    scores[:, row, column] += table[_bucket(column - row)]
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        mixed = (shares @ value).transpose(1, 0, 2).reshape(count, -1)
        x = norm(linear(mixed, name["mixed"]) + x, name["norm"])
        inner = linear(x, name["inner"])
        inner = inner * 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
        x = norm(linear(inner, name["outer"]) + x, name["last"])
    return x


def _bucket(distance: int) -> int:
    """T5's buckets, of which MPNet takes 32 for distances up to 128."""
    ahead, size = 16 * (distance > 0), abs(distance)
    if size < 8:
        return ahead + size
    return ahead + min(8 + int(math.log(size / 8) / math.log(128 / 8) * 8), 15)
