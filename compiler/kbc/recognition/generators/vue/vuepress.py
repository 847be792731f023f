"""VuePress: .vuepress/config, with its sidebars and one language of several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kbc.project.include_tree import IncludeTree
from kbc.project.sites.settings import SiteSettings, ValueSettings
from kbc.recognition.configuration import read_script, script_configs
from kbc.recognition.generators.vue.vitepress import language_of, navigation, shown_locale
from kbc.recognition.site import NOT_PAGES, Site, mapping, text

GENERATOR = "vuepress"
CONFIGS = script_configs(".vuepress")


def recognise(tree: IncludeTree, folder: str, config: str) -> Site:
    """The site whose `.vuepress` is in `folder`."""
    data = read_script(tree, config)
    locales = mapping(data.get("locales"))
    shown = shown_locale(locales, "/")
    root = mapping(locales.get(shown))
    themes = [mapping(data.get(name)) for name in ("themeConfig", "theme")]
    theme: Mapping[str, Any] = next((each for each in themes if each), {})
    own = mapping(mapping(theme.get("locales")).get(shown or "/"))
    stated = {name: each for name, each in theme.items() if isinstance(each, (str, int, float))}
    values = {"$site": {"themeConfig": stated}, "$themeConfig": stated}
    others = (name.strip("/") for name in locales if name != shown)
    return Site(
        folder=folder,
        title=text(data, "title") or text(root, "title"),
        description=text(data, "description") or text(root, "description"),
        titles=navigation(tree, folder, theme.get("sidebar") or own.get("sidebar")),
        exclude=(*NOT_PAGES, "node_modules/", *(f"/{name}/" for name in others if name)),
        settings=SiteSettings(
            config_folder=folder,
            language=language_of(shown),
            values=ValueSettings(of_pages=values if stated else {}),
        ),
    )
