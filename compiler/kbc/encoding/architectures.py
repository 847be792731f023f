"""The families of encoders whose layers the graph writer knows, in terms of BERT's.

All of them have BERT's layers. They differ in the names of settings and tensors, in where positions begin to
count, and in what is added to the attention.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

_DISTILBERT_SETTINGS = {
    "hidden_size": "dim",
    "num_attention_heads": "n_heads",
    "num_hidden_layers": "n_layers",
    "intermediate_size": "hidden_dim",
    "hidden_act": "activation",
}
_DISTILBERT_PARTS = {
    "attention.self.query": "attention.q_lin",
    "attention.self.key": "attention.k_lin",
    "attention.self.value": "attention.v_lin",
    "attention.output.dense": "attention.out_lin",
    "attention.output.LayerNorm": "sa_layer_norm",
    "intermediate.dense": "ffn.lin1",
    "output.dense": "ffn.lin2",
    "output.LayerNorm": "output_layer_norm",
}
_MPNET_PARTS = {
    "attention.self.query": "attention.attn.q",
    "attention.self.key": "attention.attn.k",
    "attention.self.value": "attention.attn.v",
    "attention.output.dense": "attention.attn.o",
    "attention.output.LayerNorm": "attention.LayerNorm",
}


@dataclass(frozen=True, slots=True)
class Architecture:
    """`settings` and `parts` translate BERT's keys of config.json and names of tensors.

    RoBERTa inherited from fairseq that positions count from the padding id onwards. MPNet adds a learned
    bias by distance to the attention of every layer (Song et al. 2020, as T5 does). `score_head` names the
    two layers of a cross-encoder's head, with `{}` for the prefix of tensors; empty: not supported.
    """

    settings: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    layer_prefix: str = "encoder.layer."
    positions_after_padding: bool = False
    has_token_types: bool = True
    has_relative_bias: bool = False
    score_head: tuple[str, ...] = ()

    def setting(self, name: str) -> str:
        """The key of config.json for a key of BERT's."""
        return self.settings.get(name, name)

    def tensor(self, name: str) -> str:
        """The stored name of a tensor, for BERT's. Parts are looked for longest first: one ends another."""
        for part in sorted(self.parts, key=len, reverse=True):
            if f".{part}." in name:
                name = name.replace(f".{part}.", f".{self.parts[part]}.")
                break
        return name.replace("encoder.layer.", self.layer_prefix)


_ROBERTA = Architecture(
    positions_after_padding=True, score_head=("classifier.dense", "classifier.out_proj")
)
ARCHITECTURES: Mapping[str, Architecture] = {
    "bert": Architecture(score_head=("{}pooler.dense", "classifier")),
    "camembert": _ROBERTA,
    "distilbert": Architecture(
        _DISTILBERT_SETTINGS, _DISTILBERT_PARTS, "transformer.layer.", has_token_types=False
    ),
    "mpnet": Architecture(
        parts=_MPNET_PARTS,
        positions_after_padding=True,
        has_token_types=False,
        has_relative_bias=True,
    ),
    "roberta": _ROBERTA,
    "xlm-roberta": _ROBERTA,
}
"""By the `model_type` of config.json."""

RELATIVE_BIAS = "encoder.relative_attention_bias.weight"
RELATIVE_BUCKETS = 32
"""Distances share this many biases, each row of the tensor one."""
