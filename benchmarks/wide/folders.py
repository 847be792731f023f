"""The folder of a knowledge base, written for a part of a labelled set as a user would lay it out."""

from __future__ import annotations

import json
import os
import shutil
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from benchmarks.wide.sets import Part, address_of, read_documents

PAGES = "sources"
WHOLE = "."
TREE = "tree"


def write_folder(part: Part, out: Path) -> Path:
    """The folder to compile, `out` written anew or the part's own; without collections it has no kb.toml."""
    if part.ready is not None:
        return part.ready
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    collections = [dict(each) for each in part.collections]
    if part.documents is not None:
        collections = [{"name": "documents", "kind": "pages", "paths": [PAGES]}]
        _write_pages(part.documents, out / PAGES / f"{part.name}.jsonl")
    elif part.tree is not None:
        whole = WHOLE in part.copied and bool(collections)
        for path in part.copied:
            _link_tree(part.tree, path, part.left_out, out / TREE if whole else out)
        if whole:  # beside kb.toml, which is no file of it
            collections = [{**each, "paths": [TREE]} for each in collections]
        if not collections:
            return out
    name = part.name.replace(".", "-").lower()
    lines = [f'[kb]\nname = "{name}"\n']
    for each in collections:
        lines += ["[[collection]]", *(f"{key} = {_toml(each[key])}" for key in each), ""]
    (out / "kb.toml").write_text("\n".join(lines), encoding="utf-8")
    return out


def _write_pages(folder: Path, path: Path) -> None:
    path.parent.mkdir()
    with path.open("w", encoding="utf-8") as file:
        for at, each in enumerate(read_documents(folder)):
            # Nobody has pages without a text: such a document is its title, and without one, nothing.
            title = (each.get("title") or "").strip()
            text = each["text"] if each["text"].strip() else title
            if not text:
                continue
            page = {"url": address_of(at), "text": text}
            if title:
                page["title"] = title
            file.write(json.dumps(page, ensure_ascii=False) + "\n")


def _link_tree(tree: Path, path: str, left_out: tuple[str, ...], out: Path) -> None:
    """Every file below `tree/path` under its own path below `out`, as hard links where that goes."""
    start = tree / path
    files = [start] if start.is_file() else sorted(start.rglob("*"))
    for file in files:
        place = file.relative_to(tree)
        if file.is_symlink() or not file.is_file() or ".git" in place.parts:
            continue
        if any(fnmatch(place.as_posix(), pattern) for pattern in left_out):
            continue
        to = out / place
        to.parent.mkdir(parents=True, exist_ok=True)
        if to.exists():
            continue
        try:
            os.link(file, to)
        except OSError:
            shutil.copyfile(file, to)


def _toml(value: Any) -> str:
    """A string, number or list of them as TOML, which writes these as JSON does."""
    return json.dumps(value, ensure_ascii=False)
