"""Files that an MDX page imports and mounts: Markdown as its text, raw files as code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from itertools import chain

from kbc.languages.includes.components import attributes, without_imports
from kbc.languages.includes.containers import FENCE, fenced_stretches
from kbc.languages.includes.files import IncludingPage, fence, language_of

_IMPORT = re.compile(
    r"^import\s+(?:\{\s*Content\s+as\s+(?P<content>\w+)\s*\}|(?P<name>\w+))"
    r"\s+from\s+[\"'](?P<raw>!!raw-loader!)?(?P<target>[^\"'\n]+)[\"'];?[ \t]*$",
    re.MULTILINE,
)
_RAW = "?raw"  # of Vite, and so of Astro
_MDX_FENCE = "mdx-code-block"
_PROP = re.compile(r"\{\s*props\.(?P<name>\w+)\s*\}")


def unwrapped(body: str) -> str:
    """A page of Docusaurus with the MDX that stands in fences called `mdx-code-block`, which its site
    shows as any other."""
    if _MDX_FENCE not in body:
        return body
    return "\n".join(
        "\n".join(stretch.split("\n")[1:-1]) if is_code and _is_mdx(stretch) else stretch
        for stretch, is_code in fenced_stretches(body)
    )


def _is_mdx(stretch: str) -> bool:
    opening = FENCE.match(stretch.split("\n", 1)[0])
    return opening is not None and opening["info"].strip() == _MDX_FENCE


def imported_texts(body: str, page: IncludingPage) -> Mapping[str, tuple[str, str, bool]]:
    """MDX: name -> path, text, and whether it is shown as code, of imported files that are text."""
    found = {}
    prose = (stretch for stretch, is_code in fenced_stretches(body) if not is_code)
    for match in chain.from_iterable(map(_IMPORT.finditer, prose)):
        target = match["target"].removesuffix(_RAW)
        is_raw = match["raw"] is not None or target != match["target"]
        if is_raw or target.lower().endswith((".md", ".mdx")):
            loaded = page.load(target, "import of code" if is_raw else "import of Markdown")
            if loaded is not None:
                found[match["name"] or match["content"]] = (*loaded, is_raw)
    return found


def with_mounts(
    text: str, page: IncludingPage, components: Mapping[str, tuple[str, str, bool]]
) -> str:
    """`<Name/>`, `<CodeBlock>{Name}</CodeBlock>` and `<Code code={Name} />` with the file that `Name` was
    imported from."""
    for name, (path, source, is_raw) in components.items():
        if is_raw:
            used = re.compile(
                rf"<CodeBlock\b(?P<attributes>[^<>]*)>\s*\{{\s*{name}\s*\}}\s*</CodeBlock>"
                rf"|<Code(?:Block)?\b(?P<before>[^<>]*=\{{\s*{name}\s*\}}[^<>]*)/>"
            )
            text = used.sub(partial(_block, path=path, source=source), text)
        elif re.search(rf"<{name}\b[^<>]*/>", text):
            inner = "\n".join(
                stretch if is_code else without_imports(stretch)
                for stretch, is_code in fenced_stretches(page.expanded(path, source))
            ).strip("\n")
            text = re.sub(rf"<{name}\b(?P<given>[^<>]*)/>", partial(_with_props, inner), text)
    return text


def _with_props(text: str, mounted: re.Match[str]) -> str:
    """A mounted file with what it is given as text (`lib="x"`) in the place of `{props.lib}`."""
    given = attributes(mounted["given"])
    return _PROP.sub(lambda used: given.get(used["name"], used[0]), text)


def _block(match: re.Match[str], path: str, source: str) -> str:
    stated = attributes(match["attributes"] or match["before"] or "")
    title = stated.get("title", "")
    info = f'title="{title}"' if title else ""
    code = source.rstrip("\n")
    language = stated.get("language") or stated.get("lang") or language_of(path)
    return f"\n{fence(code, language, info)}\n"
