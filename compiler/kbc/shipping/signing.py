"""Makes keys and signs artifacts; `kb_runtime.store.signature` verifies."""

from __future__ import annotations

import base64
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from kb_runtime.errors import ArtifactError
from kb_runtime.store.atomic_files import remove_abandoned, replace_file
from kb_runtime.store.location import resolve
from kb_runtime.store.locks import OPEN_FOLDERS_MOVE, lock_within
from kb_runtime.store.manifest import Manifest, load
from kb_runtime.store.signature import (
    ALGORITHM,
    SIGNATURES,
    KeyFileError,
    Signature,
    check_signature,
    key_id,
    read_key_file,
    read_signatures,
    signed_bytes,
)

PASSPHRASE_VARIABLE = "KBC_SIGNING_PASSPHRASE"
PUBLIC_SUFFIX = ".pub"
_LOCK_WAIT_S = 30.0  # another signer takes milliseconds


def generate(path: Path, passphrase: bytes | None) -> str:
    """Writes a private key to `path`, readable by its owner only, and the public one to `path`.pub.

    Gives the id of the pair. Raises `KeyFileError` and `OSError`; a file that exists is never replaced. A
    private key without a public one, which a run that was killed leaves, gets it.
    """
    public_path = path.with_name(path.name + PUBLIC_SUFFIX)
    if os.path.lexists(path) and not os.path.lexists(public_path):
        key = read_private_key(path, passphrase)
        remove_abandoned(path)
        _create(public_path, _public(key), 0o644)
        return key_id(key.public_key())
    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(
        Encoding.PEM,
        PrivateFormat.PKCS8,
        BestAvailableEncryption(passphrase) if passphrase else NoEncryption(),
    )
    for each in (path, public_path):
        remove_abandoned(each)
        if os.path.lexists(each):
            raise _taken(each)
    _create(path, private, 0o600)
    try:
        _create(public_path, _public(key), 0o644)
    except BaseException:
        path.unlink()
        raise
    return key_id(key.public_key())


def _public(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def sign(
    artifact: Path, key_path: Path, passphrase: bytes | None, timestamp: int | None = None
) -> tuple[str, Path]:
    """Signs the build that `artifact` stands for; gives the key's id and the file of signatures.

    `timestamp`, in seconds since 1970 (None: now, and after all builds beside this one), is the serial number
    in milliseconds. Signatures by other keys stay. Raises `ArtifactError`, `KeyFileError` and `OSError`.
    """
    key = read_private_key(key_path, passphrase)
    folder = resolve(artifact)
    with _alone(folder):
        return key_id(key.public_key()), _signed(folder, key, timestamp)


@contextmanager
def _alone(folder: str) -> Iterator[None]:
    """Keeps other signers of a build out while the body runs: each writes the signatures that it has read
    and its own. Windows locks no folders. Raises `OSError`."""
    lock = os.open(folder, os.O_RDONLY) if OPEN_FOLDERS_MOVE else None
    try:
        if lock is not None:
            with suppress(OSError):  # a file system without locks
                lock_within(lock, _LOCK_WAIT_S)
        yield
    finally:
        if lock is not None:
            os.close(lock)


def _signed(folder: str, key: Ed25519PrivateKey, timestamp: int | None) -> Path:
    """Adds a signature to those of the build in `folder`; gives their file."""
    name = key_id(key.public_key())
    signatures = read_signatures(folder)

    def sign_read(manifest: Manifest, data: bytes) -> None:
        manifest.check_files(manifest.files)
        if timestamp is None:
            serial = max(time.time_ns() // 1_000_000, *_beyond_others(folder, key), 0)
        else:
            serial = timestamp * 1000
        if name in signatures:
            serial = max(serial, signatures[name].serial)
        value = key.sign(signed_bytes(manifest["name"], serial, data))
        signatures[name] = Signature(serial, value)

    load(folder, sign_read)  # a build that does not hold is not signed
    entries = [
        {
            "key": each,
            "algorithm": ALGORITHM,
            "serial": signature.serial,
            "signature": base64.b64encode(signature.value).decode(),
        }
        for each, signature in sorted(signatures.items())
    ]
    path = Path(folder, SIGNATURES)
    replace_file(path, (json.dumps({"signatures": entries}, indent=1) + "\n").encode(), mode=0o644)
    return path


def _beyond_others(folder: str, key: Ed25519PrivateKey) -> Iterator[int]:
    """The serial numbers after those of the builds beside `folder` that the key has signed: the clock may
    have gone back since, and readers would take this build for an older one."""
    public = key.public_key()
    serials: list[int] = []
    for path in Path(folder).parent.glob(f"*/{SIGNATURES}"):
        if path.parent != Path(folder):
            with suppress(ArtifactError):  # damaged, or of another key
                load(
                    str(path.parent),
                    lambda manifest, data: serials.append(check_signature(manifest, data, public)),
                )
    return (serial + 1 for serial in serials)


def read_private_key(path: Path, passphrase: bytes | None) -> Ed25519PrivateKey:
    """The private key of a PEM file. Raises `KeyFileError`."""
    try:
        key = load_pem_private_key(read_key_file(path), passphrase)
    except TypeError as error:  # with a passphrase where there is none, or the other way round
        raise KeyFileError(
            f"{path} is not encrypted." if passphrase else f"{path} is encrypted.",
            f"Unset {PASSPHRASE_VARIABLE}."
            if passphrase
            else f"Set {PASSPHRASE_VARIABLE} to its passphrase.",
        ) from error
    except (ValueError, UnsupportedAlgorithm) as error:
        raise _not_private(path, passphrase) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyFileError(f"{path} does not hold an Ed25519 key.", "Make one with `kbc keygen`.")
    return key


def _not_private(path: Path, passphrase: bytes | None) -> KeyFileError:
    """Why a file cannot be read as a private key."""
    data = read_key_file(path)
    if b"-----BEGIN PUBLIC KEY-----" in data:
        return KeyFileError(
            f"{path} holds a public key.", f"Use the secret key, the file without {PUBLIC_SUFFIX}."
        )
    if passphrase and b"-----BEGIN ENCRYPTED PRIVATE KEY-----" in data:
        return KeyFileError(
            f"{path} cannot be decrypted: its passphrase is another one, or the file is damaged.",
            f"Set {PASSPHRASE_VARIABLE} to its passphrase.",
        )
    return KeyFileError(
        f"{path} does not hold a private key in PEM form.", "Create a key pair with `kbc keygen`."
    )


def _create(path: Path, data: bytes, mode: int) -> None:
    try:
        replace_file(path, data, mode=mode, keep_old=True)
    except FileExistsError as error:
        raise _taken(path) from error


def _taken(path: Path) -> KeyFileError:
    return KeyFileError(f"{path} already exists.", "Choose another name.")
