"""Links and embeds of Obsidian and of wikis, by the names of notes: `[[note|text]]`, `![[note#heading]]`.

Notes are found in any folder of the collection by the name of their file, whose case does not count. A link
whose note is not there stays as it is: other languages have two brackets as well.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from kbc.languages.includes.fenced import Kept, outside_fences, section
from kbc.languages.includes.files import MAX_DEPTH, IncludingPage, link_target, not_included
from kbc.project.source_file import relative_path, resolved_path

TRIGGER = r"\[\[[^\[\]\n]+\]\]"

_ENDINGS = (".md", ".mdx", ".markdown")
_EMBED = r"!\[\[[^\[\]\n]+\]\]"
_EMBEDS = re.compile(
    rf"^(?P<before>[ \t>]*(?:(?:[-*+]|\d{{1,9}}[.)])[ \t]+)?)(?P<embeds>(?:{_EMBED}[ \t]*)+)$",
    re.MULTILINE,
)
_LINK = re.compile(r"(?P<mark>!?)(?<![\w\])\\])\[\[(?P<inner>[^\[\]\n]+)\]\](?!\()")
_PIPE = re.compile(r"\\?\|")
_SIZE = re.compile(r"\d+(?:x\d+)?")
_PICTURES = frozenset([".avif", ".bmp", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp"])
_FILE = re.compile(r"\.[A-Za-z0-9]{1,10}\Z")
_HEADING = re.compile(r"(?P<marks>#{1,6})[ \t]+(?P<title>\S.*)")
_PAGE_TITLE = re.compile(r"^#(?=[ \t])", re.MULTILINE)
_COMMENT = re.compile(r"(?<![\w%\\])%%(?!%)[^%]{1,4000}%%(?!%)")
"""What Obsidian does not show."""

_BLOCK_ID = re.compile(r"(?<!\S)\^([A-Za-z0-9-]+)\Z")


def notes_among(paths: Iterable[str]) -> dict[str, str]:
    """Paths of notes by what links may call them: their names and the ends of their paths, in lower case and
    without spaces and hyphens; of several the one that is least deep."""
    pages = sorted(
        (path for path in paths if path.lower().endswith(_ENDINGS)),
        key=lambda path: (path.count("/"), path),
    )
    found: dict[str, str] = {}
    for key_of in (_key, _plain_key):
        for path in pages:
            parts = posixpath.splitext(path)[0].split("/")
            for start in range(len(parts)):
                found.setdefault(key_of("/".join(parts[start:])), path)
    return found


def replace(text: str, page: IncludingPage) -> str:
    """Prose with links and the texts of notes in the place of their names, without comments."""
    kept = Kept()
    hidden = _COMMENT.sub("", kept.hide_spans(text))
    hidden = _EMBEDS.sub(lambda match: _embedded(match, page, kept), hidden)
    shown = (_linked_line(line, page) if "[[" in line else line for line in hidden.split("\n"))
    return kept.restored("\n".join(shown))


def _key(name: str) -> str:
    return name.strip().strip("/").casefold()


def _plain_key(name: str) -> str:
    return re.sub(r"[ _-]", "", _key(name))


def _found(target: str, page: IncludingPage) -> str:
    """The path of the note that `target` names, beside the page or anywhere; "" without one."""
    notes = page.around.notes() if page.around.notes else {}
    name = re.sub(r"\.(?:md|mdx|markdown)\Z", "", target.strip())
    if not name:
        return ""
    if name.startswith("."):
        name = resolved_path(name, page.path)
    return notes.get(_key(name), "") or notes.get(_plain_key(name), "")


def _linked_line(line: str, page: IncludingPage) -> str:
    """A line with its links; `[[id]]` at the end of a heading states its id, as Hugging Face has it."""
    heading = _HEADING.match(line)
    end = line.rstrip()
    if heading and end.endswith("]]") and (start := end.rfind("[[")) > heading.start("title"):
        return _LINK.sub(lambda match: _link(match, page), line[:start]) + line[start:]
    return _LINK.sub(lambda match: _link(match, page), line)


def _link(match: re.Match[str], page: IncludingPage) -> str:
    target, *rest = (part.strip() for part in _PIPE.split(match["inner"]))
    name, _, heading = target.partition("#")
    if match["mark"] and posixpath.splitext(name)[1].lower() in _PICTURES:
        alt = " ".join(each for each in rest if not _SIZE.fullmatch(each))
        return f"![{alt}]({link_target(name)})"
    shown = rest[-1] if rest else ""
    path = _found(name, page)
    if not path and rest and (path := _found(rest[-1], page)):  # wikis have the text first
        shown = target
    if not path:
        if not name.strip() and heading:
            return shown or heading.lstrip("^")
        is_file = match["mark"] and _FILE.search(name)
        return f"[{shown or name}]({link_target(name)})" if is_file else match[0]
    to = relative_path(path, page.path)
    title = shown or " > ".join(part for part in target.split("#") if part and part[0] != "^")
    return f"[{title}]({link_target(to)})"


def _embedded(match: re.Match[str], page: IncludingPage, kept: Kept) -> str:
    """The notes that a line embeds, as blocks in its place; a line without any stays."""
    embeds = re.findall(_EMBED, match["embeds"])
    targets = [_PIPE.split(each[3:-2])[0].strip() for each in embeds]
    names = [target.partition("#")[0].strip() for target in targets]
    files = [_FILE.search(name) and not name.endswith(_ENDINGS) for name in names]
    if all(files):
        return match[0]
    first = match["before"]
    margin = re.sub(r"[^\s>]", " ", first)
    blocks = []
    for embed, target in zip(embeds, targets, strict=True):
        shown = _block(target, page)
        lines = (shown or embed.removeprefix("!")).split("\n")
        block = "\n".join(
            [lines[0], *(margin + each if each else margin.rstrip() for each in lines[1:])]
        )
        blocks.append(kept.keep(block) if shown else block)
    return first + f"\n{margin.rstrip()}\n{margin}".join(blocks)


def _block(target: str, page: IncludingPage) -> str:
    """The text that an embed shows; "" where it is another link."""
    name, _, part = target.partition("#")
    path = _found(name, page) if name else page.stack[-1] if page.stack else page.path
    if not path:
        if _FILE.search(name):
            return ""
        page.missed(name, "![[ ]]")
        return not_included(target)
    is_open = path in page.stack or (path == page.path and not part)
    text = None if is_open or len(page.stack) >= MAX_DEPTH else page.text_at(path)
    if text is None:
        return ""
    chosen = _part(text, part) if part else text
    if chosen is None:
        page.missed(target, "![[ ]]")
        return not_included(target)
    shown = page.expanded(path, chosen).strip("\n")
    return outside_fences(shown, lambda prose: _PAGE_TITLE.sub("##", prose))


def _part(text: str, part: str) -> str | None:
    """The block `^id`, or the section below the headings that `part` names one after another."""
    if part.startswith("^"):
        return _block_called(text, part[1:])
    chosen: str | None = text
    for heading in part.split("#"):
        chosen = _section(chosen, heading) if chosen is not None else None
    return chosen


def _section(text: str, heading: str) -> str | None:
    wanted = _words(heading)
    return section(text, lambda title: _words(title) == wanted)


def _words(title: str) -> str:
    return " ".join(re.findall(r"\w+", title.casefold()))


def _block_called(text: str, id: str) -> str | None:
    """The paragraph or item of a list that ends in `^id`, or the block above a line with it alone."""
    blocks = re.split(r"\n[ \t]*\n", text)
    for index, block in enumerate(blocks):
        lines = block.split("\n")
        for number, line in enumerate(lines):
            mark = _BLOCK_ID.search(line.rstrip())
            if not mark or mark[1] != id:
                continue
            lines[number] = line[: mark.start()].rstrip()
            if re.match(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]", line):
                return lines[number].lstrip()
            own = "\n".join(each for each in lines if each.strip())
            return own or (blocks[index - 1] if index else "")
    return None
