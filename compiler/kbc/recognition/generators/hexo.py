"""Hexo: _config.yml beside scaffolds, or with its keys, and a folder of pages and posts."""

from __future__ import annotations

from kbc.project.include_tree import IncludeTree
from kbc.project.sites.settings import AddressSettings, SiteSettings
from kbc.recognition.configuration import read_yaml
from kbc.recognition.site import NOT_PAGES, Site, joined, mapping, text

GENERATOR = "hexo"
CONFIGS = ("_config.yml", "_config.yaml")
_EVIDENT_KEYS = frozenset({"archive_dir", "new_post_name", "post_asset_folder", "source_dir"})


def recognise(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """The site whose _config.yml is in `folder`; None when another tool's it is."""
    data = read_yaml(tree, config)
    if not (_EVIDENT_KEYS & data.keys() or "scaffolds" in tree.names(folder)):
        return None
    source = joined(folder, text(data, "source_dir") or "source")
    if not tree.names(source):
        return None
    pretty = mapping(data.get("pretty_urls"))
    return Site(
        folder=source,
        title=text(data, "title"),
        description=text(data, "description"),
        base_url=text(data, "url").rstrip("/"),
        exclude=(*NOT_PAGES, "_*", "!/_posts/"),
        settings=SiteSettings(
            addresses=AddressSettings(
                permalink=text(data, "permalink"),
                without_ending=pretty.get("trailing_html") is False,
            )
        ),
    )
