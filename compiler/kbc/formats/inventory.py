"""Sphinx inventories (`objects.inv`): the names that a documentation describes, with their addresses."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass

from kbc.formats.document import FormatError

MAX_BYTES = 64 << 20  # of the list, unpacked
MAX_ENTRIES = 500_000

_HEADER = re.compile(
    rb"# Sphinx inventory version 2\r?\n# Project: ([^\n]*)\n# Version: ([^\n]*)\n# [^\n]*zlib[^\n]*\n"
)
_ENTRY = re.compile(r"(\S++(?:\s++\S++)*?)\s++([^\s:]+:\S++)\s++-?\d+\s+?(\S*)\s")


@dataclass(frozen=True, slots=True)
class InventoryEntry:
    """`role` is `py:function` and the like; `address` is below the documentation's root."""

    name: str
    role: str
    address: str


@dataclass(frozen=True, slots=True)
class Inventory:
    project: str
    version: str
    entries: tuple[InventoryEntry, ...]

    @property
    def documents(self) -> dict[str, str]:
        """Name of a page, without its ending, -> its address below the documentation's root."""
        return {each.name: each.address for each in self.entries if each.role == "std:doc"}


def read_inventory(data: bytes) -> Inventory:
    """The inventory in the bytes of a file; raises `FormatError` for what is none (of version 2)."""
    header = _HEADER.match(data)
    if header is None:
        raise FormatError("the file is not a Sphinx inventory of version 2", 1)
    unpacker = zlib.decompressobj()
    try:
        body = unpacker.decompress(data[header.end() :], MAX_BYTES)
        text = body.decode()
    except (zlib.error, UnicodeDecodeError) as error:
        raise FormatError(f"the inventory's list cannot be unpacked: {error}", 5) from None
    if unpacker.unconsumed_tail:
        raise FormatError(f"the inventory's list has more than {MAX_BYTES:,} bytes", 5)
    if not unpacker.eof:
        raise FormatError("the inventory's list is cut off", 5)
    entries = []
    for line in text.split("\n")[:MAX_ENTRIES]:
        if match := _ENTRY.match(line):
            name, role, address = match.groups()
            if address.endswith("$"):
                address = address[:-1] + name
            entries.append(InventoryEntry(name, role, address))
    project, version = (part.decode("utf-8", "replace").strip() for part in header.groups())
    return Inventory(project, version, tuple(entries))
