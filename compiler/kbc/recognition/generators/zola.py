"""Zola: zola.toml, or a config.toml with `base_url`, beside the folder `content`."""

from __future__ import annotations

from kbc.project.include_tree import IncludeTree
from kbc.recognition.configuration import read_toml
from kbc.recognition.site import NOT_PAGES, Site, joined, mapping, text, texts

GENERATOR = "zola"
CONFIGS = ("zola.toml", "config.toml")


def recognise(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """The site whose configuration is in `folder`; None when another tool's it is."""
    content = joined(folder, "content")
    if not tree.names(content):
        return None
    data = read_toml(tree, config)
    if not text(data, "base_url"):
        return None
    own = text(data, "default_language") or "en"
    others = [name for name in mapping(data.get("languages")) if name != own]
    return Site(
        folder=content,
        title=text(data, "title"),
        description=text(data, "description"),
        base_url=text(data, "base_url").rstrip("/"),
        exclude=(
            *NOT_PAGES,
            *(f"*.{name}.md" for name in others),
            *texts(data.get("ignored_content")),
        ),
    )
