"""What is known of the pinned model: its files with their hashes, and where copies of it are kept."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

from kb_runtime.version import DISTRIBUTION

PINNED_NAME = "sentence-transformers/all-MiniLM-L6-v2"
REVISION = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
"""The commit of the model's repository on the hub whose files have these hashes."""
PINNED_WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
PINNED_TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
HASHES: Mapping[str, str] = {
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
    "sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
    "1_Pooling/config.json": "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
    "tokenizer.json": PINNED_TOKENIZER_SHA256,
    "model.safetensors": PINNED_WEIGHTS_SHA256,
}
"""The files that kbc reads, small ones first, so that a wrong hub is noticed early."""
FILES = tuple(HASHES)
SIZE_MB = 91
PINNED_LICENSE = "Apache-2.0"
ATTRIBUTION = (
    "The sentence encoder is all-MiniLM-L6-v2 by the sentence-transformers project, licensed under\n"
    "the Apache License, Version 2.0. Its weights come unmodified from revision\n"
    f"{REVISION} of the model's repository; kbc converts them to an ONNX\n"
    "graph and may quantise them to 8 bits."
)


def stored_folder(models: Path) -> Path:
    """Where a downloaded copy is kept below `models`; the folder exists only when it is complete."""
    return models / f"all-MiniLM-L6-v2-{REVISION[:12]}"


def wrong_files(folder: Path) -> list[str]:
    """The files of a copy that are missing or not the pinned ones."""
    return [name for name in FILES if _sha256(folder / name) != HASHES[name]]


def write_licence(folder: Path) -> None:
    """Puts the attribution beside the weights, and the licence's text, which is that of kbc as well."""
    (folder / "NOTICE").write_text(f"{ATTRIBUTION}\n", encoding="utf-8")
    try:
        text = metadata.distribution(DISTRIBUTION).read_text("licenses/LICENSE")
    except metadata.PackageNotFoundError:
        text = None
    if text:
        (folder / "LICENSE").write_text(text, encoding="utf-8")


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
