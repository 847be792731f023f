"""Downloads the pinned encoder model from its hub, once, and verifies it before anything reads it.

The hub is huggingface.co, or the one that $HF_ENDPOINT names; `huggingface_hub` speaks its protocol.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import socket
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from kbc.encoding.errors import ModelError
from kbc.encoding.pinned import FILES, HASHES, PINNED_NAME, REVISION, stored_folder, write_licence

_ELSEWHERE = (
    "copy the folder that `kbc model export` wrote on another machine and name it with --model DIR, or search"
    " by keyword alone with --lexical-only (docs/encoder.md)"
)
_AGAIN = f"run the command again to resume; without a network, {_ELSEWHERE}"
_WITHOUT = f"run it once with a network, {_ELSEWHERE}"
_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}
_CONNECT_S = 10.0


def fetch(models: Path, *, quiet: bool = False) -> Path:
    """The folder below `models` with the pinned model, downloaded if it is not there yet.

    What arrived stays in `models` when a download ends early, and the next one goes on there. Raises
    `ModelError`: `model-download` when the hub cannot be reached or sends something incomplete, and
    `model-hash-mismatch` when it sends other files.
    """
    folder = stored_folder(models)
    if folder.is_dir():
        return folder
    _require_connection()
    partial = folder.with_name(f".{folder.name}.partial")
    try:
        partial.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            _verify(_download(name, partial, quiet), name)
        if (partial / ".cache").exists():  # the library's notes on what it has downloaded
            shutil.rmtree(partial / ".cache")
        write_licence(partial)
        try:
            partial.replace(folder)
        except OSError:
            if not folder.is_dir():  # else another process was first, with the same files
                raise
            shutil.rmtree(partial, ignore_errors=True)
    except OSError as error:
        raise ModelError(
            "model-download",
            f"the encoder model cannot be stored in '{models}': {error.strerror or error}",
            "name a folder with $KBC_CACHE, or a model with --model DIR",
        ) from error
    return folder


def _require_connection() -> None:
    """Raises `ModelError` where the hub, or the proxy in front of it, cannot be reached: its library would
    try for half a minute."""
    from huggingface_hub import constants

    hub = urlsplit(constants.ENDPOINT)
    proxies = getproxies()
    proxy = proxies.get(hub.scheme) or proxies.get("all")
    reached = hub
    if proxy and not proxy_bypass(hub.hostname or ""):
        reached = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    what = constants.ENDPOINT if reached is hub else f"the proxy {reached.hostname}"
    try:
        port = reached.port or _PORTS.get(reached.scheme, 80)
        socket.create_connection((reached.hostname or "", port), _CONNECT_S).close()
    except (OSError, ValueError) as error:  # a ValueError is a port that is no number
        reason = getattr(error, "strerror", None) or error
        raise ModelError(
            "model-download",
            f"the encoder model {PINNED_NAME} is not on this machine, and {what} cannot be reached: {reason}",
            _WITHOUT,
        ) from error


def _download(name: str, folder: Path, quiet: bool) -> Path:
    """One file of the model in `folder`. Raises `ModelError`."""
    # Plain HTTP, which can be resumed and goes through any proxy; nothing about this machine is sent.
    os.environ.setdefault("HF_HUB_DISABLE_XET", "1")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    import huggingface_hub
    from huggingface_hub import constants
    from huggingface_hub.utils import logging as hub_logging
    from huggingface_hub.utils.tqdm import disable_progress_bars

    if quiet:
        disable_progress_bars()
    # It logs each of its tries; what failed in the end is in the error. Python's own way does not last: the
    # library sets its level when the first of its modules is loaded.
    hub_logging.set_verbosity(logging.ERROR)
    try:
        return Path(
            huggingface_hub.hf_hub_download(
                PINNED_NAME, name, revision=REVISION, local_dir=folder, token=False
            )
        )
    except (
        Exception
    ) as error:  # the library's errors and those of its HTTP client have no common base
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ModelError(
            "model-download",
            f"{name} of the encoder model {PINNED_NAME} could not be downloaded from"
            f" {constants.ENDPOINT}: {reason[:300]}",
            _AGAIN,
        ) from error


def _verify(path: Path, name: str) -> None:
    """Raises `ModelError` for a file that is not the pinned one; it is removed, to be downloaded again."""
    expected = HASHES[name]
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != expected:
        path.unlink()
        raise ModelError(
            "model-hash-mismatch",
            f"{name} as downloaded has SHA-256 {found}, expected {expected}",
            "the hub, or something in between, changed it; the download was discarded",
        )
