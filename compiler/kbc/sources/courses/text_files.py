"""Which files of an exercise are texts that one learns from, by their names."""

from __future__ import annotations

from pathlib import PurePath

from kbc.languages.suffixes import language_of

MAX_UNKNOWN_ENDING = 5
"""Characters, with the dot, of an ending that nobody has heard of and that still may be text."""

SKIPPED_FOLDERS = frozenset({"node_modules", "build", "dist", "coverage"})

_BINARY_ENDINGS = frozenset([
    ".7z", ".bin", ".bmp", ".bz2", ".db", ".dll", ".doc", ".docx", ".exe", ".gif", ".gz", ".ico",
    ".jar", ".jpeg", ".jpg", ".mkv", ".mov", ".mp3", ".mp4", ".o", ".ogg", ".otf", ".pdf", ".png",
    ".ppt", ".pptx", ".pyc", ".rar", ".so", ".tar", ".tgz", ".tif", ".tiff", ".ttf", ".wasm",
    ".wav", ".webm", ".webp", ".woff", ".woff2", ".xls", ".xlsx", ".xz", ".zip",
])  # fmt: skip
_TEXT_ENDINGS = frozenset([
    ".astro", ".diff", ".gradle", ".graphql", ".ipynb", ".jsonc", ".json5", ".markdown", ".patch",
    ".prettierrc", ".prisma", ".properties", ".proto", ".scala", ".svelte", ".swift",
])  # fmt: skip


def is_text_name(name: str) -> bool:
    """Whether a file of a step may be text, by the ending of its name."""
    ending = PurePath(name).suffix.lower()
    if ending in _BINARY_ENDINGS:
        return False
    return ending in _TEXT_ENDINGS or len(ending) <= MAX_UNKNOWN_ENDING or language_of(name) != ""
