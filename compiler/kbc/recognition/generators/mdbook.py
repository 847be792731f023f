"""mdBook: book.toml names the folder of the pages, SUMMARY.md their order and titles."""

from __future__ import annotations

from kbc.project.include_tree import IncludeTree
from kbc.project.sites.settings import LinkSettings, SiteSettings
from kbc.recognition.configuration import first_existing, read_text, read_toml
from kbc.recognition.site import NOT_PAGES, Site, joined, linked_titles, mapping, text, text_values

GENERATOR = "mdbook"
CONFIGS = ("book.toml", "book.toml.in")
SUMMARY = "SUMMARY.md"
_SUMMARIES = (SUMMARY, f"{SUMMARY}.in")

_BUILT_IN = frozenset({"links", "index"})


def recognise(tree: IncludeTree, folder: str, config: str) -> Site | None:
    """The book whose book.toml is in `folder`; None without a SUMMARY.md."""
    data = read_toml(tree, config)
    book, html = mapping(data.get("book")), mapping(mapping(data.get("output")).get("html"))
    source = joined(folder, text(book, "src") or "src")
    summary = first_existing(tree, source, _SUMMARIES)
    if not summary:
        return None
    titles = linked_titles(read_text(tree, summary))
    return Site(
        folder=source,
        title=text(book, "title"),
        description=text(book, "description"),
        base_url=text(html, "site-url"),
        titles=titles,
        exclude=(*NOT_PAGES, f"/{SUMMARY}"),
        redirects={
            old.strip("/"): new.strip("/") for old, new in text_values(html.get("redirect")).items()
        },
        settings=SiteSettings(
            config_folder=folder,
            contents=summary if titles else "",
            # Programs of the book's own may give ids to anything.
            links=LinkSettings(
                has_own_anchors=bool(mapping(data.get("preprocessor")).keys() - _BUILT_IN)
            ),
        ),
        files=(summary,),
    )
