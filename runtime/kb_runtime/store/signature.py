"""Signatures of an artifact: Ed25519 over its name, a serial number and the bytes of its manifest.

The manifest has the SHA-256 of every file, so signing it signs the artifact. Signatures are stored beside
it in `manifest.sig`; they are not part of what they sign, and all other bytes are the same without them.
Serial numbers grow with each signature, so that a reader can tell an older build from a newer one.
"""

from __future__ import annotations

import base64
import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from kb_runtime.digests import sha256
from kb_runtime.errors import ArtifactError, SingleCodeError, exit_codes
from kb_runtime.store.integrity import read_regular

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    from kb_runtime.store.manifest import Manifest

SIGNATURES = "manifest.sig"
ALGORITHM = "ed25519"
KEY_ID_LENGTH = 16
"""Hexadecimal digits of a key's id, the beginning of the SHA-256 of its 32 raw bytes."""
MAX_BYTES = 1 << 20
"""A larger file of signatures or keys is neither."""


class KeyFileError(SingleCodeError):
    """A file that does not hold the key that it should."""

    code = "key-file"
    exit_code = exit_codes.USAGE


def key_id(key: Ed25519PublicKey) -> str:
    return sha256(key.public_bytes_raw()).hex()[:KEY_ID_LENGTH]


def read_public_key(path: str | os.PathLike[str]) -> Ed25519PublicKey:
    """The public key of a PEM file. Raises `KeyFileError`."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    data = read_key_file(path)
    if b"PRIVATE KEY" in data:
        raise KeyFileError(
            f"{os.fspath(path)} holds a private key.", "Use the public key; keep this one secret."
        )
    try:
        key = load_pem_public_key(data)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise _no_key(path) from error
    if not isinstance(key, Ed25519PublicKey):
        raise _no_key(path)
    return key


def read_key_file(path: str | os.PathLike[str]) -> bytes:
    """Raises `KeyFileError`."""
    try:
        with open(path, "rb") as file:
            return file.read(MAX_BYTES)
    except OSError as error:
        raise KeyFileError(f"{os.fspath(path)} cannot be read: {error.strerror}.") from error


def _no_key(path: str | os.PathLike[str]) -> KeyFileError:
    return KeyFileError(
        f"{os.fspath(path)} does not hold an Ed25519 public key in PEM form.",
        "Create a key pair with `kbc keygen`.",
    )


class Signature(NamedTuple):
    """`serial` is a whole number that is larger than those of all signatures before it."""

    serial: int
    value: bytes


def signed_bytes(name: str, serial: int, manifest: bytes) -> bytes:
    """What a signature is over: the knowledge base's name, the serial number, the manifest's bytes."""
    return f"kbc signature 1\n{name}\n{serial}\n".encode() + manifest


def read_signatures(folder: str) -> dict[str, Signature]:
    """The signatures of the build in `folder` by the id of their key; none when it is not signed.

    Raises `ArtifactError`, `altered` when the file does not hold signatures.
    """
    path = os.path.join(folder, SIGNATURES)
    if not os.path.lexists(path):
        return {}
    data = read_regular(path, MAX_BYTES)
    try:
        entries: list[dict[str, Any]] = json.loads(data)["signatures"]
        return {
            str(entry["key"]): Signature(
                int(entry["serial"]), base64.b64decode(entry["signature"], validate=True)
            )
            for entry in entries
            if entry["algorithm"] == ALGORITHM
        }
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise ArtifactError(
            "altered", f"{path} does not hold signatures.", "Sign the artifact again: `kbc sign`."
        ) from error


def check_signature(manifest: Manifest, data: bytes, key: Ed25519PublicKey) -> int:
    """The serial number of the signature by the private half of `key`; `data` are the bytes that the
    manifest was read from.

    Raises `ArtifactError`: `unsigned` without a signature by this key, `bad-signature` when there is
    one of another manifest.
    """
    from cryptography.exceptions import InvalidSignature

    folder = manifest.folder
    wanted = key_id(key)
    signatures = read_signatures(folder)
    signature = signatures.get(wanted)
    if signature is None:
        others = f"; it is signed by {', '.join(sorted(signatures))}" if signatures else ""
        raise ArtifactError(
            "unsigned",
            f"The artifact in {folder} is not signed by the key {wanted}{others}.",
            "Get the signed artifact, or the public key of whoever signed this one.",
        )
    try:
        key.verify(signature.value, signed_bytes(manifest["name"], signature.serial, data))
    except InvalidSignature:
        raise ArtifactError(
            "bad-signature",
            f"The signature by the key {wanted} in {folder} does not match its manifest.",
            "Do not use this artifact: it was changed after it was signed. Install it again.",
        ) from None
    return signature.serial
