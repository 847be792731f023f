"""Hugo's shortcodes: those of its own, of Docsy, hugoDocs and Grafana's sites; an unknown one keeps its
inner text."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from textwrap import dedent

from kbc.languages.includes.containers import label
from kbc.languages.includes.dialects.shortcode_templates import shown_by
from kbc.languages.includes.dialects.shortcode_values import shown_text, template
from kbc.languages.includes.fenced import CODE
from kbc.languages.includes.files import IncludingPage, excerpt, fence, language_of, not_included
from kbc.project.well_formed import comma_separated

SHORTCODE = re.compile(
    r"\{\{(?P<mark>[<%])(?!/\*)\s*(?P<end>/?)\s*(?P<name>[\w./-]*)(?=[\s\"`]|/?\s*[>%]\}\})(?P<args>(?:[^{}\"`]|\"[^\"]*\"|`[^`]*`)*?)(?P<alone>/?)\s*[>%]\}\}"
)

_ARGUMENT = re.compile(r"(?:([\w-]+)\s*=\s*)?(?:\"((?:[^\"\\]|\\.)*)\"|`([^`]*)`|([^\s\"`=]+))")
_NOTICES = frozenset([
    "note", "warning", "tip", "caution", "danger", "info", "important", "notice", "callout",
    "alert", "admonition", "hint", "attention", "pageinfo", "details", "expand", "collapse",
    "expandable",
])  # fmt: skip
_FOLDED = frozenset({"details", "expand", "collapse", "expandable"})
_PANELS = frozenset({"tab", "tabitem", "step"})
_TAB_GROUPS = frozenset({"tabs", "tabpane"})
"""They may state the labels of the tabs in them: `{{< tabs Linux Windows >}}`, `{{< tabs items="A,B" >}}`."""
_FILES = frozenset(["include", "readfile", "code_sample", "codenew", "example-code"])

_TEXT = frozenset([
    "glossary-term", "glossary_tooltip", "glossary_definition", "term", "kbd", "hl",
    "param", "ref", "relref",
])  # fmt: skip
_VALUES = frozenset(["meta", "var"])
_REFERENCES = frozenset({"ref", "relref"})
_PICTURES = frozenset({"figure", "img", "image", "imgproc"})
_MEDIA = frozenset([
    "youtube", "vimeo", "gist", "tweet", "x", "twitter", "instagram", "video", "rawhtml", "toc",
    "heading",
])  # fmt: skip
_CODE = frozenset({"highlight", "code-toggle", "code", "codeblock"})
_TITLES = ("title", "name", "header", "summary", "tabname")
_NAMES = ("title", "name", "text", "label")
_ADDRESSES = ("link", "href", "url")
_DESCRIPTIONS = ("subtitle", "description", "desc")
"""Parameters of cards and buttons, however a theme calls these."""
_SHOWS_CODE = re.compile(r"<pre\b|\bhighlight\b", re.IGNORECASE)
_SHOWS_TEXT = re.compile(r"\bmarkdownify\b|\.RenderString\b")
"""In the template of a shortcode: what it wraps is shown as code, or read as Markdown."""
_READS = re.compile(
    r"\b[rR]eadFile\b|\b(?:GetPage|GetMatch|Resources\.Get)\b.*\.(?:Raw)?Content\b", re.DOTALL
)
_LINKS = re.compile(r"\.(?:Rel)?Permalink\b")
"""... it shows the content of a file, or links to it."""
_FILE = re.compile(r"[\w./-]*\w\.\w{1,8}")
_FOLDER = re.compile(r"\"/?([\w-]+(?:/[\w-]+)*)/?\"")
"""... what may be a folder of such files."""
_FORMAT = re.compile(r"\bprintf\s+\"/?((?:[\w.-]+/|%s/)+)%s\"")


def replace_shortcodes(text: str, page: IncludingPage) -> str:
    """Prose with its shortcodes replaced; those between backticks stay."""
    matches = [each for each in _matches(text) if each["name"] or each["end"]]
    closed = {each["name"].lower() for each in matches if each["end"]}
    parts: list[str] = []
    position = 0
    for index, match in enumerate(matches):
        if match.start() < position:
            continue
        parts.append(text[position : match.start()])
        position = match.end()
        name = match["name"].lower()
        if name in _TAB_GROUPS:
            plain, named = _arguments("" if match["end"] else match["args"])
            page.tab_labels = plain or comma_separated(named.get("items", ""))
            if page.tab_labels:
                parts.append("\n\n\n\n")
                continue
        if match["end"]:
            continue
        if page.tab_labels and "tab" in name and not match["args"].strip():
            parts.append(f"\n\n{label('', page.tab_labels.pop(0))}\n\n")
            continue
        if name in closed and not match["alone"] and _is_code(match["name"], page):
            ends = (each for each in matches[index + 1 :] if each["end"])
            if end := next((each for each in ends if each["name"].lower() == name), None):
                parts.append(_code(name, match["args"], text[position : end.start()]))
                position = end.end()
                continue
        is_paired = name in closed and not match["alone"]
        parts.append(_replacement(name, match, page, is_paired))
    parts.append(text[position:])
    return "".join(parts)


_CODE_SPAN_OR_SHORTCODE = re.compile(rf"{CODE}|(?P<start>\{{\{{[<%])")


def _matches(text: str) -> list[re.Match[str]]:
    found = []
    position = 0
    while each := _CODE_SPAN_OR_SHORTCODE.search(text, position):
        position = each.end()
        if each["start"] and (match := SHORTCODE.match(text, each.start())):
            found.append(match)
            position = match.end()
    return found


def _arguments(stated: str) -> tuple[list[str], dict[str, str]]:
    plain: list[str] = []
    named: dict[str, str] = {}
    for match in _ARGUMENT.finditer(stated):
        value = (match[2] or match[3] or match[4] or "").replace('\\"', '"')
        if match[1]:
            named[match[1].lower()] = value
        else:
            plain.append(value)
    return plain, named


def _code(name: str, stated: str, inner: str) -> str:
    plain, named = _arguments(stated)
    code = dedent(inner.strip("\n")).rstrip()
    has_language = plain and name != "code" and re.fullmatch(r"[\w+#-]+", plain[0])
    language = named.get("lang") or named.get("syntax") or (plain[0] if has_language else "")
    if not language:
        language = (
            _data_language(code) if name == "code-toggle" else language_of(named.get("file", ""))
        )
    info = ""
    if "hl_lines" in stated and (lines := re.search(r"hl_lines\s*=\s*\"?([\d ,-]+)", stated)):
        info = f'hl_lines="{lines[1].strip()}"'
    return f"\n{fence(code, language, info, title=named.get('file', ''))}\n"


def _data_language(code: str) -> str:
    first = next((line.strip() for line in code.split("\n") if line.strip()), "")
    if first.startswith("{"):
        return "json"
    return "toml" if first.startswith("[") or re.match(r"[\w.'\"-]+\s*=", first) else "yaml"


def _replacement(name: str, match: re.Match[str], page: IncludingPage, is_paired: bool) -> str:
    plain, named = _arguments(match["args"])
    title = next((named[key] for key in _TITLES if key in named), "")
    if name in _NOTICES:
        kind = plain[0] if name in ("notice", "callout", "hint", "admonition") and plain else name
        kind = named.get("type", kind)
        rest = plain[1] if len(plain) > 1 else (plain[0] if plain and kind is name else "")
        shown = title or rest
        return f"\n\n{label('' if name in _FOLDED and shown else kind, shown)}\n\n"
    if name in _PANELS:
        return f"\n\n{label('', title or (plain[0] if plain else ''))}\n\n"
    if name in _FILES or (name in ("code", "highlight") and "file" in named):
        return _file(name, plain, named, page)
    if name in _TAB_GROUPS or (name in _CODE and not (plain or named)):  # around fences, which stay
        return ""
    if name in ("new-in", "deprecated-in"):
        return f"({name.replace('-', ' ')} {' '.join(plain)})"
    if name in _REFERENCES and (
        found := page.by_name(plain[0] if plain else named.get("path", ""))
    ):
        return found
    stated = page.around.stated if name in _VALUES and plain else None
    if stated and (value := stated(name, plain[0])) is not None:
        return value
    if name in _TEXT:
        return named.get("text") or (plain[0].removeprefix("(").removesuffix(")") if plain else "")
    if name in _PICTURES:
        return next((named[key] for key in ("caption", "alt", "title") if named.get(key)), "")
    if name in _MEDIA or is_paired:
        return f"\n\n{label('', title)}\n\n" if title and is_paired else title
    written = template(match["name"], page)
    if plain_text := shown_text(written, None):
        return plain_text if page.has_room_for(plain_text) else ""
    if entry := _entry(named, page):
        return f"\n- {entry}" if _is_a_line(match) else entry
    pulled_in = _pulled_in(name, written, plain, named, page)
    if pulled_in is None:
        own = shown_by(written, plain, named)
        own = own if page.has_room_for(own) else ""
        pulled_in = own if _is_a_line(match) else own.strip().removeprefix("- ")
        if not own:
            page.external[f"{{{{< {name} >}}}}"] += 1
    return pulled_in


def _entry(named: dict[str, str], page: IncludingPage) -> str:
    """A card or button as its name, which is a link where it states an address, and its description; "" for
    other shortcodes."""
    title, address, about = (
        next((named[key] for key in keys if named.get(key)), "")
        for keys in (_NAMES, _ADDRESSES, _DESCRIPTIONS)
    )
    if not address and (reference := named.get("page") or named.get("relref")):
        address = page.by_name(reference) or reference
    if not title or not (address or about):
        return ""
    is_path = re.fullmatch(r"[^\s()<>]+", address)
    shown = f"[{title}]({address})" if is_path else title
    return f"{shown}: {about}" if about else shown


def _is_a_line(match: re.Match[str]) -> bool:
    """Whether nothing else stands in its line."""
    text, start, end = match.string, match.start(), match.end()
    line = text.rfind("\n", 0, start) + 1
    below = text.find("\n", end)
    return not (text[line:start] + text[end : below if below >= 0 else None]).strip()


def _is_code(name: str, page: IncludingPage) -> bool:
    """Whether a shortcode shows what it wraps as code: one of Hugo's, or one whose template says so."""
    if name.lower() in _CODE:
        return True
    written = template(name, page)
    wraps = ".Inner" in written and not _SHOWS_TEXT.search(written)
    return wraps and _SHOWS_CODE.search(written) is not None


def _file(name: str, plain: list[str], named: dict[str, str], page: IncludingPage) -> str:
    target = named.get("file") or (plain[0] if plain else "")
    found = page.find(target) or page.find(f"examples/{target.lstrip('/')}")
    if found is None:
        page.unresolved[f"{{{{< {name} >}}}}"] += 1
        return not_included(target)
    return _shown(*found, named, page)


def _pulled_in(
    name: str, template: str, plain: list[str], named: dict[str, str], page: IncludingPage
) -> str | None:
    """The file that the template of a shortcode reads by its first argument, or by one with a name that is
    the path of a file, as it is or in a folder that the template names; without a template in the tree, in a
    folder called as the shortcode (`docs/shared`). None where it reads none."""
    stated = plain[:1] or [value for value in named.values() if _FILE.fullmatch(value)][:1]
    folders = [f"{posixpath.basename(name)}/"] if not template else []
    if _READS.search(template) and not _LINKS.search(template):
        named_in = (*_FOLDER.findall(template), *_formatted(template, page.path))
        folders = ["", *(f"{each}/" for each in named_in)]
    targets = (f"{each.lstrip('/')}{ending}" for each in stated for ending in ("", ".md"))
    found = next((got for each in targets if (got := page.find(each, folders))), None)
    return _shown(*found, named, page) if found else None


def _formatted(template: str, path: str) -> Iterator[str]:
    """The folders of files that a template composes (`printf "content/%s/examples/%s"`), with what the path
    of the page has in their place."""
    parts = path.split("/")
    for stated in _FORMAT.findall(template):
        names = stated.strip("/").split("/")
        start = parts.index(names[0]) if names[0] in parts else -1
        if start >= 0 and start + len(names) <= len(parts):
            own = parts[start : start + len(names)]
            yield "/".join(a if b == "%s" else b for a, b in zip(own, names, strict=True))


def _shown(path: str, text: str, named: dict[str, str], page: IncludingPage) -> str:
    """A file as a shortcode shows it: Markdown as text, others as code."""
    is_markdown = path.lower().endswith((".md", ".markdown", ".html", ".qmd", ".rmd"))
    if is_markdown and named.get("code") != "true":
        return page.expanded(path, text).strip("\n")
    return f"\n{fence(excerpt(text, '') or '', named.get('lang') or language_of(path))}\n"
