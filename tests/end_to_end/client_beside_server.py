"""Runs a client beside an HTTP server: for namespaces, into which nothing comes from outside.

    python client_beside_server.py SERVER [ARGUMENT...] -- CLIENT [ARGUMENT...]

The word URL among the client's becomes the server's address. Exit code: that of the client; 70 where
the server does not start, does not end when it is told to, or says anything but where it listens.
Needs nothing but the standard library.
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Sequence

PATIENCE_S = 240
SERVER_FAILED = 70
# linux/sockios.h and linux/if.h
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
_IFREQ = "16sH22x"


def main(arguments: Sequence[str]) -> int:
    split = arguments.index("--")
    bring_loopback_up()
    server = ["env", "-i", f"PATH={os.defpath}", *arguments[:split]]
    with subprocess.Popen(server, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            said = process.stderr.readline()
            _, listens, url = said.strip().partition("listening on ")
            words = [url if word == "URL" else word for word in arguments[split + 1 :]]
            client = subprocess.run(words, timeout=PATIENCE_S, check=False) if listens else None
        finally:
            process.terminate()
            try:
                said_after = process.communicate(timeout=PATIENCE_S)[1]
            except subprocess.TimeoutExpired:
                process.kill()
                raise
    if client is None or process.returncode or said_after:
        print(f"the server: exit code {process.returncode}, {said}{said_after}", file=sys.stderr)
        return SERVER_FAILED
    return client.returncode


def bring_loopback_up() -> None:
    """As `ip link set lo up`, which not every machine has: in a new namespace the device is down."""
    with socket.socket() as any_socket:
        request = struct.pack(_IFREQ, b"lo", 0)
        _, flags = struct.unpack(_IFREQ, fcntl.ioctl(any_socket, SIOCGIFFLAGS, request))
        if not flags & IFF_UP:
            fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack(_IFREQ, b"lo", flags | IFF_UP))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
