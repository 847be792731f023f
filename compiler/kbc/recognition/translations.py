"""Translations among pages, where no configuration names them: folders and files."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice

from kbc.formats.registry import BY_NAME
from kbc.languages.includes.fenced import fenced_stretches
from kbc.project.include_tree import IncludeTree
from kbc.recognition.places import FEW_PAGES, HTML, PAGES, README
from kbc.recognition.site import joined

_LANGUAGE = re.compile(
    r"(?:af|am|ar|az|be|bg|bn|br|bs|ca|cn|cs|cy|cz|da|de|dk|el|en|eo|es|et|eu|fa|fi|fr|ga|gl|gr|gu|he|hi|hr|hu"
    r"|hy|id|is|it|ja|jp|ka|kk|km|kn|ko|kr|ku|ky|lb|lo|lt|lv|mg|mk|ml|mn|mr|ms|mt|my|nb|ne|nl|no|or|pa|pl|ps|pt"
    r"|ro|ru|rw|si|sk|sl|sq|sr|sv|sw|ta|te|th|tl|tr|tw|ua|uk|ur|uz|vi|zh)"
    r"(?:[-_](?i:hans|hant|latn|cyrl|ch[st]|latam|valencia))?(?:[-_][A-Za-z]{2})?"
)
_IN_FULL = {
    "arabic": "ar", "bulgarian": "bg", "chinese": "zh", "czech": "cs", "danish": "da", "dutch": "nl",
    "english": "en", "finnish": "fi", "french": "fr", "german": "de", "greek": "el", "hebrew": "he",
    "hindi": "hi", "hungarian": "hu", "indonesian": "id", "italian": "it", "japanese": "ja", "korean": "ko",
    "norwegian": "no", "persian": "fa", "polish": "pl", "portuguese": "pt", "romanian": "ro",
    "russian": "ru", "spanish": "es", "swedish": "sv", "thai": "th", "turkish": "tr", "ukrainian": "uk",
    "vietnamese": "vi",
}  # fmt: skip
"""The codes of languages whose names folders and files may have in full."""
_VARIANT = re.compile(r"[-_ ]?(?:simplified|traditional|brazilian)[-_ ]?")
_SEVERAL = 2
"""Translations, at least, for others of the same name to be some as well."""

_MANY = 3
"""Translations, at least, for a folder beside them that holds the same pages to be one, too, whatever short
name its language has."""
_SHORT = re.compile(r"[a-z]{2,3}(?:[-_][A-Z]{2}|@[a-z]+)?")
_ORIGINAL = "C"
"""GNOME's name for the folder of the language that the others are translated from."""

_OF_LANGUAGES = re.compile(
    r"i18n|l10n|lang(?:uage)?s?|locales?|locali[sz]ations?|po|translations?", re.IGNORECASE
)
"""Folders that hold one folder for each language; `po` is that of GNU gettext."""

_OF_MANUALS = re.compile(rf"man(?:[-_]?pages?|uals?)?|{_OF_LANGUAGES.pattern}", re.IGNORECASE)
"""... of man pages."""

_COMMON = re.compile(r"(?:readme|index|_index|overview)\.", re.IGNORECASE)
"""Pages that every folder may have."""

_ENGLISH = ("en", "en-US", "en_US")
"""How names of pages in English end beside those of their translations."""

_SEPARATORS = re.compile(r"[-_.]")

_MARKUP = re.compile(
    r"<(script|style|pre)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)|<[^<>]*>", re.DOTALL | re.IGNORECASE
)

_XML = (".xml", *BY_NAME["docbook"].suffixes)
_LOOKED_AT = 12
"""Pages of a folder that are asked for their language."""
_FOREIGN = 0.02
"""The share of letters outside of ASCII that text in English has at most."""


def translations(names: Sequence[str], language: str = "en") -> list[str]:
    """The folders named after languages other than `language`, where several are named after any."""
    if sum(map(_is_language, names)) < 2:
        return []
    return [name for name in names if _is_of_other(name, language)]


def translated_folders(
    files: Iterable[str], tree: IncludeTree, folder: str = "", language: str = "en"
) -> list[str]:
    """The folders of translations among the paths `files` below `folder`: those that stand beside one in
    `language`, at the top those beside pages that are in no folder of a language, and those most of whose
    pages stand under the same name beside them or, for `docs-fr`, in `docs`, with others that are called
    alike; of folders in `languages`, those all of whose pages stand beside that. A folder `cs` or `ml` whose
    pages are in English is about a programming language."""
    files = [*files]
    below: dict[str, set[str]] = {}
    has_pages_beside = False
    for name in filter(is_page_of_site, files):
        *folders, own = name.split("/")
        for depth, each in enumerate(folders):
            below.setdefault("/".join(folders[:depth]), set()).add(each)
        is_own = not _is_language(folders[0]) if folders else not README.fullmatch(own)
        has_pages_beside = has_pages_beside or is_own
    found = []
    for parent, names in sorted(below.items()):
        others = translations(sorted(names), language)
        is_beside = sum(map(_is_language, names)) > len(others)
        # Beside `C`, `cs` and `pl` may be for programmers, as `java` is.
        is_beside = is_beside or (_ORIGINAL in names and 2 * len(others) > len(names) - 1)
        if is_beside or (not parent and has_pages_beside):
            found += [joined(parent, name) for name in others]
    known = frozenset(files)
    for parent, names in sorted(below.items()):
        for name in sorted(names):
            place = joined(parent, name)
            originals = [parent] if _is_of_other(name, language) else []
            originals += [
                joined(parent, base) for base, _ in _suffixed(name, language) if base in names
            ]
            if place not in found and any(is_copy(place, each, known) for each in originals):
                found.append(place)
        found += _collected(parent, names, found, known, language)
        if language == "en" and _is_again(parent, known, tree, folder):
            found.append(joined(parent, "en"))
        found += _alike(parent, names, found, language)
        found += _short_names(parent, names, found, known, language)
    if language != "en":
        return found
    foreign = [
        place
        for place in found
        if _is_beside_english(place, below, known) or not _is_in_english(place, known, tree, folder)
    ]
    return [place for place in found if place in foreign or _waits(place, foreign, known)]


def _waits(place: str, foreign: Sequence[str], files: frozenset[str]) -> bool:
    """Whether the pages in the folder `place`, although in English, wait for their translation: they stand
    beside the same ones, and several folders beside theirs are in other languages (`foreign`)."""
    parent = posixpath.dirname(place)
    beside = sum(posixpath.dirname(each) == parent for each in foreign)
    return beside >= _SEVERAL and _is_copy_beside(place, files)


def _collected(
    parent: str, names: Set[str], found: Sequence[str], files: frozenset[str], language: str
) -> list[str]:
    """The folders in `parent`, if that is one of languages, all of whose pages, however few, stand under the
    same name beside it."""
    if not _is_of_languages(parent):
        return []
    original = posixpath.dirname(parent)
    return [
        place
        for name in sorted(names)
        if _is_of_other(name, language) and (place := joined(parent, name)) not in found
        if (pages := _pages_in(place, files))
        and all(joined(original, page) in files for page in pages)
        and not all(map(_is_common, pages))
    ]


def _is_again(parent: str, files: frozenset[str], tree: IncludeTree, folder: str) -> bool:
    """Whether `parent` is a folder of languages beside pages in English most of which are in `en` there, too:
    the pages that the others are translated from, once more."""
    place, original = joined(parent, "en"), posixpath.dirname(parent)
    if not _is_of_languages(parent) or not is_copy(place, original, files):
        return False
    copied = (joined(original, page) for page in sorted(_pages_in(place, files)))
    first = list(islice((page for page in copied if page in files), _LOOKED_AT))
    return are_in_english([_read(joined(folder, page), tree) for page in first])


def _is_of_languages(folder: str) -> bool:
    return _OF_LANGUAGES.fullmatch(posixpath.basename(folder)) is not None


def _originals(place: str) -> list[str]:
    """The folders whose pages those in the folder `place` of a language may repeat: that which it is in, and
    where this holds languages, the one around it."""
    parent = posixpath.dirname(place)
    return [parent, posixpath.dirname(parent)] if _is_of_languages(parent) else [parent]


def _is_copy_beside(place: str, files: frozenset[str]) -> bool:
    return any(is_copy(place, each, files) for each in _originals(place))


def _short_names(
    parent: str, names: Set[str], found: Sequence[str], files: frozenset[str], language: str
) -> list[str]:
    """The folders in `parent` beside many translations that hold the same pages, under a short name."""
    places = {joined(parent, name): name for name in names}
    if sum(place in found for place in places) < _MANY:
        return []
    return [
        place
        for place, name in sorted(places.items())
        if place not in found
        and _SHORT.fullmatch(name)
        and name != language
        and sum(each.startswith(f"{place}/") for each in files if is_page_of_site(each))
        >= FEW_PAGES
        and _is_copy_beside(place, files)
    ]


def _alike(parent: str, names: Set[str], found: Sequence[str], language: str) -> list[str]:
    """The folders in `parent` that are called as several translations beside them are, after the same folder
    or the same language (`guide-de` beside `guide-es` and `guide-fr`), however few pages they hold."""
    suffixed = [
        (name, base, suffix)
        for name in sorted(names)
        for base, suffix in _suffixed(name, language)
        if base in names
    ]
    known = [each for each in suffixed if joined(parent, each[0]) in found]
    counts = Counter(part for _, *parts in known for part in parts)
    return [
        joined(parent, name)
        for name, *parts in suffixed
        if max(counts[part] for part in parts) >= _SEVERAL and joined(parent, name) not in found
    ]


def translations_beside(
    places: Sequence[str], files: Sequence[str], tree: IncludeTree
) -> list[str]:
    """The folders with translations of those in `places` that stand beside them: `docs-fr` beside `docs`,
    `fr` beside `C`."""
    near = [name for name in files if name.startswith(tuple(places))]
    return [
        folder
        for folder in translated_folders(near, tree)
        if any(base in places for base, _ in _suffixed(folder))
        or (folder in places and joined(posixpath.dirname(folder), _ORIGINAL) in places)
    ]


def repeated_languages(
    files: Sequence[str], manual_pages: Set[str], tree: IncludeTree, taken: Sequence[str]
) -> list[str]:
    """The folders of languages other than English, outside of the folders `taken`, in `localization` and the
    like most of whose pages, which may all be called `README`, stand under the same path beside that; with
    several of these, which may have any short name (`kor`), all that are called after a language. Where none
    repeats pages, those of many languages whose pages, or man pages, are not in English, if the project has
    about as many outside of them. `files` are all paths, `manual_pages` those of manuals among them."""
    pages = [name for name in files if is_page_of_site(name) or name in manual_pages]
    below: dict[str, dict[str, list[str]]] = {}
    for name in outside(pages, taken):
        folders = name.split("/")[:-1]
        holds = _OF_MANUALS if name in manual_pages else _OF_LANGUAGES
        for depth, folder in enumerate(folders[1:], start=1):
            is_short = _SHORT.fullmatch(folder) and not _is_language(folder)
            if holds.fullmatch(folders[depth - 1]) and (is_short or _is_of_other(folder, "en")):
                parent = "/".join(folders[:depth])
                inside = name.removeprefix(f"{parent}/{folder}/")
                below.setdefault(parent, {}).setdefault(folder, []).append(inside)
                break
    known = frozenset(files)
    found: list[str] = []
    for parent, own in sorted(below.items()):
        original = posixpath.dirname(parent)
        languages = {name for name in own if _is_language(name)}
        copies = {name for name in own if _repeats(own[name], original, known)}
        left_out = copies | languages if len(copies) > 1 else copies & languages
        if not copies and len(languages) >= _MANY:
            foreign = {each for each in languages if _is_foreign(parent, each, own[each], tree)}
            counts = [len(own[each]) for each in foreign]
            is_enough = 2 * (len(pages) - sum(counts)) >= max(counts, default=0)
            left_out = foreign if len(foreign) >= _MANY and is_enough else set()
        found += [joined(parent, each) for each in sorted(left_out)]
    return found


def _is_foreign(parent: str, name: str, pages: Sequence[str], tree: IncludeTree) -> bool:
    """Whether there is doubt that the pages below `name` in `parent` are in English."""
    first = sorted(pages)[:_LOOKED_AT]
    return not are_in_english([_read(joined(parent, name, page), tree) for page in first])


def _repeats(pages: Sequence[str], original: str, files: Set[str]) -> bool:
    """Whether most pages, which are in folders, have one with the same path in `original`."""
    copies = sum("/" in page and joined(original, page) in files for page in pages)
    return copies >= FEW_PAGES and copies > len(pages) / 2


def outside(files: Iterable[str], folders: Iterable[str]) -> list[str]:
    """Those of the paths `files` that are in none of the folders."""
    starts = tuple("" if each == "." else f"{each}/" for each in folders)
    return [name for name in files if not name.startswith(starts)]


def translated_files(files: Sequence[str], tree: IncludeTree) -> list[str]:
    """The pages among the paths `files` that are called after another one and a language: `README.fr.md`,
    `guide-ja.md` beside `guide.md` or `guide-en.md`. Behind a hyphen it may be a word (`log-in`, `what-is`)
    or a unit (`TIMEOUT_MS`): several pages that are not in English have to end in it, or one page has to be
    there in several languages, unless they are about a project; those may be in another folder than theirs.
    Pages in English wait for their translation if several others that end in their language are not.
    """
    known = frozenset(files)
    certain: dict[str, list[str]] = {}  # by the language
    probable: dict[str, list[str]] = {}  # by the language, and by the original
    for name in filter(is_page_of_site, files):
        stem, ending = posixpath.splitext(name)
        for base, suffix in _suffixed(stem):
            own = posixpath.basename(base)
            is_about_project = README.fullmatch(own) is not None
            places = [f"{base}{ending}", *([f"{own}{ending}"] * is_about_project)]
            places += [f"{base}{stem[len(base)]}{each}{ending}" for each in _ENGLISH]
            if known.isdisjoint(places):
                continue
            if is_about_project or stem[len(base)] == ".":
                certain.setdefault(suffix, []).append(name)
            else:
                probable.setdefault(suffix, []).append(name)
                probable.setdefault(f"{base}/", []).append(name)
            break
    found = [
        names
        for language, names in probable.items()
        if len(names) + len(certain.get(language, ())) >= FEW_PAGES
        and not _are_mostly_english(names, tree)
    ]
    for names in certain.values():
        foreign = [name for name in names if not are_in_english([_read(name, tree)])]
        found.append(names if len(foreign) >= _SEVERAL else foreign)
    return sorted({name for names in found for name in names})


def _are_mostly_english(names: Sequence[str], tree: IncludeTree) -> bool:
    """Whether most of the pages are in English, as far as their words leave no doubt."""
    return 2 * sum(are_in_english([_read(name, tree)]) for name in names) > len(names)


def _is_beside_english(place: str, below: Mapping[str, Set[str]], files: frozenset[str]) -> bool:
    """Whether most pages in the folder `place` stand under the same name in one of English beside it, `en`,
    `en-US` or `english`: those that are in English wait for their translation."""
    parent = posixpath.dirname(place)
    english = (name for name in below[parent] if _language(name) == "en")
    return any(is_copy(place, joined(parent, name), files) for name in english)


def _is_in_english(place: str, files: frozenset[str], tree: IncludeTree, folder: str) -> bool:
    """Whether the pages in the folder `place` leave no doubt that they are in English, and are no copies that
    wait for their translation."""
    parent, _, name = place.rpartition("/")
    beside = [joined(parent, base) for base in ("en", *(base for base, _ in _suffixed(name)))]
    beside += _originals(place)
    texts = []
    for page in sorted(_pages_in(place, files))[:_LOOKED_AT]:
        text = _read(joined(folder, place, page), tree)
        originals = (joined(each, page) for each in beside)
        if not any(
            original in files and _is_copied(text, _read(joined(folder, original), tree))
            for original in originals
        ):
            texts.append(text)
    return are_in_english(texts)


def _is_copied(text: str, original: str) -> bool:
    """Whether most lines are those of the original."""
    lines = {line for line in text.splitlines() if line.strip()}
    return 2 * len(lines.intersection(original.splitlines())) > len(lines)


def _read(name: str, tree: IncludeTree) -> str:
    return shown_text(name, tree.peek(name))


def is_page_of_site(name: str) -> bool:
    """Whether a file is a page; of HTML as well, since built sites have translations and versions, too."""
    return name.lower().endswith((*PAGES, *HTML))


def shown_text(name: str, data: bytes | None) -> str:
    """The text of a page; of one of HTML or XML what stands between its tags, each on a line of its own."""
    text = (data or b"").decode("utf-8", "replace")
    if not name.lower().endswith((*HTML, *_XML)):
        return text
    parts = (" ".join(each.split()) for each in _MARKUP.sub("\0", text).split("\0"))
    return "\n".join(filter(None, parts))


def are_in_english(texts: Iterable[str]) -> bool:
    """Whether the prose of pages leaves no doubt that it is in English."""
    from kbc.backends.page_languages import is_english  # few trees have pages to ask this of

    prose = [_prose(text) for text in texts]
    letters = [letter for text in prose for letter in text if letter.isalpha()]
    foreign = sum(not letter.isascii() for letter in letters)
    return foreign <= _FOREIGN * len(letters) and is_english(prose)


def _prose(text: str) -> str:
    """What is no code: many words of programs (`for`, `if`, `not`) are English."""
    stretches = fenced_stretches(text.replace("\r\n", "\n"))
    lines = (line for each, is_code in stretches if not is_code for line in each.split("\n"))
    return "\n".join(line for line in lines if not line.startswith(("    ", "\t")))


def _suffixed(name: str, language: str = "en") -> Iterator[tuple[str, str]]:
    """A name without the language at its end, and this language, in each way that it can be read as one other
    than `language`."""
    for separator in _SEPARATORS.finditer(name):
        suffix = name[separator.end() :].lower()
        if _is_of_other(suffix, language):
            yield name[: separator.start()], suffix


def _is_of_other(name: str, language: str) -> bool:
    """Whether the name is that of a language, and not `language`."""
    return _language(name) not in ("", language)


def _is_language(name: str) -> bool:
    return _language(name) != ""


def _language(name: str) -> str:
    """The code, without a region, of the language that a name is, also in full (`Chinese`); "" for others.
    Jekyll has a translation in a collection (`_fr`)."""
    name = name.removeprefix("_")
    if _LANGUAGE.fullmatch(name):
        return re.split("[-_]", name)[0]
    return _IN_FULL.get(_VARIANT.sub("", name.lower()), "")


def is_copy(place: str, original: str, files: frozenset[str]) -> bool:
    """Whether most pages in the folder `place` have a page of the same name in `original` ("" for the top).
    Those that every folder may have do not count: a folder `id` or `no` is not always one of a language."""
    pages = [page for page in _pages_in(place, files) if not _is_common(page)]
    copies = sum(f"{original}/{name}".lstrip("/") in files for name in pages)
    return copies >= FEW_PAGES and copies > len(pages) / 2


def _pages_in(place: str, files: frozenset[str]) -> list[str]:
    """The pages among `files` in the folder `place`, by their paths in it."""
    start = f"{place}/"
    return [
        name[len(start) :] for name in files if name.startswith(start) and is_page_of_site(name)
    ]


def _is_common(page: str) -> bool:
    return _COMMON.match(page.rpartition("/")[2]) is not None
