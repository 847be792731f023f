"""Query analysis: splits the text of a query into what the lexical and the vector searcher look for.

There is no query syntax, so every text has an analysis. Quotes and backticks are hints, and unbalanced
ones are punctuation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, partial
from typing import NamedTuple

from kb_runtime.records.well_formed import well_formed
from kb_runtime.search.analysis import (
    STOP_WORDS,
    WORD,
    Analyzer,
    Language,
    fold,
    is_unspaced,
    operators,
)
from kb_runtime.text import members
from kb_runtime.text.languages import ENGLISH, GERMAN, language_of_query, language_of_script
from kb_runtime.text.members import MemberPath
from kb_runtime.text.typed_names import named_lines
from kb_runtime.text.words.derived import possible_stems
from kb_runtime.text.words.prose_synonyms import prose_synonyms
from kb_runtime.text.words.spellings import nouns_of_verbs, other_spelling
from kb_runtime.text.words.synonyms import synonyms
from kb_runtime.text.words.typed_german import parted_verbs, with_umlauts

# Characters that are analysed; the rest of a longer query is ignored. About four times as many as an
# encoder with 256 tokens reads, so the encoder never misses anything because of it.
MAX_CHARS = 4096
# Distinct words that are analysed, in the order of the query. Keeps the work bounded for pasted logs.
MAX_WORDS = 128
# Quoted phrases that are looked for, the first ones: each costs as much as several words.
MAX_PHRASES = 16
# Characters of one word that are analysed: enough for a sentence without spaces, too long for a name.
MAX_WORD_CHARS = 512
# A longer query is not the name of anything.
MAX_NAME_CHARS = 200

_PHRASE = re.compile(r'"([^"\n]{2,200})"|“([^”\n]{2,200})”|«([^»\n]{2,200})»')
# What encloses or precedes the values that a program inserts into its messages, and ends a sentence.
_BREAK = re.compile(r"""[\n"`“”«»<>{}\[\]():=|]|(?<!\w)'|'(?!\w)|[.!?](?=\s|\Z)""")
_CODE = re.compile(r"`([^`\n]{1,200})`")
# What a name wears where it is used: a receiver's dot before it, arguments behind it.
_RECEIVER = re.compile(r"\A(?:\.|::)")
_ARGUMENTS = re.compile(r"\(.*\)\Z", re.DOTALL)

_IN_NAMES = re.compile(r"(?<![\w-])--(?=\w)|(?<=\w)(?:::|->)(?=\w)")
"""What belongs to the name of an option (`--force`) or joins those of members."""


class QueryTerm(NamedTuple):
    """A distinct word of the query.

    `names` are its unstemmed terms and `prose` its stemmed ones (empty for a stop word); the first
    is the whole word, its parts follow. `elsewhere` are the stems that the whole word has in other languages
    of the pages than that of the query, and those of its British or American spelling.
    `verbs` are the stems of the verbs, in English the nouns, that it is the first part of (`richte ... ein`,
    `log in`), `synonyms` other words for it in names, of an English query, `meant` the stems of other words
    for it in prose, of some other languages. `times` is how often the query has the word.
    """

    typed: str
    names: tuple[str, ...]
    prose: tuple[str, ...]
    times: int = 1
    elsewhere: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    meant: tuple[str, ...] = ()


class Query(NamedTuple):
    """An analysed query.

    `text` is what the encoder gets; `names` are what the whole query may be the name of: the query as
    it is, and without backticks, the brackets of a call and the line of a file. `identifiers` are words that
    look like code: compounds, what stands in backticks, and what is called, each without those brackets.
    `member` is the name of a member that the whole query spells (`Cache#get`), `mentions` are those within
    it. `language` is what its letters and function words tell (`kb_runtime.text.languages.UNKNOWN` for
    letters of others).
    """

    text: str
    names: tuple[str, ...]
    terms: tuple[QueryTerm, ...]
    phrases: tuple[str, ...]
    runs: tuple[str, ...]
    identifiers: tuple[str, ...]
    operators: tuple[str, ...]
    language: str = ENGLISH
    member: MemberPath = ()
    mentions: tuple[MemberPath, ...] = ()

    def named(self, find_all: Callable[[str], list[int]]) -> list[int]:
        """The records, as `find_all` gives those of a name, that the whole query names: as it is, else
        by what it is a use of."""
        return next(filter(None, map(find_all, self.names)), [])

    @property
    def written(self) -> list[str]:
        """All words in order, in lower case."""
        return [word.lower() for word in WORD.findall(self.text)]

    @property
    def unqualified(self) -> str:
        """What `member` is called without its package, where its joint or the brackets of a call say that it
        is no path of a file; else empty."""
        is_member = len(self.member) > 1 and ("::" in self.text or self.text.endswith(")"))
        return self.member[-1] if is_member else ""

    @property
    def is_name(self) -> bool:
        """Whether this is one word that is spelled as names in programs are: `SIGHUP`, `E0382`."""
        if len(self.terms) != 1:
            return False
        typed = self.terms[0].typed
        is_cased = typed[1:] != typed[1:].lower()
        return is_cased or typed in self.identifiers or any(map(str.isdigit, typed))

    @property
    def lone_operators(self) -> tuple[str, ...]:
        """The operators that are not only part of names (`--` of `--force`)."""
        lone = operators(_IN_NAMES.sub(" ", self.text)) if self.operators else ()
        return tuple(operator for operator in self.operators if operator in lone)

    @property
    def has_words(self) -> bool:
        """Whether there is anything for an encoder to understand."""
        return bool(self.terms)

    @property
    def has_prose(self) -> bool:
        """Whether a word is indexed wherever it stands: not a stop word, not too long for a term."""
        return any(term.prose for term in self.terms)


def analyse(raw: str, analyzer: Analyzer) -> Query:
    """Takes a query apart."""
    text = cleaned(raw)
    counts: dict[str, int] = {}
    typed: dict[str, str] = {}
    called: list[str] = []
    for found in WORD.finditer(text):
        word = found[0][:MAX_WORD_CHARS]
        if text.startswith("()", found.end()) and not is_unspaced(word):
            called.append(word)
        for one in analyzer.words(word):
            key = fold(one)
            if key in counts or len(counts) < MAX_WORDS:
                counts[key] = counts.get(key, 0) + 1
                typed.setdefault(key, one)
    language = analyzer.language_of(typed.values())
    verbs = parted_verbs(text) if language == GERMAN else {}
    if language == ENGLISH:
        verbs = nouns_of_verbs(text, partial(analyzer.stem, language=language))
    terms = tuple(
        _term(word, counts[key], analyzer, language, verbs.get(word, ()))
        for key, word in typed.items()
    )
    if any(term.prose for term in terms):
        # Stop words are names too (`and`, `in`), but among other words they are function words.
        terms = tuple(term for term in terms if term.prose)
    quoted = [next(filter(None, groups)).strip() for groups in _PHRASE.findall(text)]
    code = [_bare(fragment) for fragment in _CODE.findall(text)]
    identifiers = [term.typed for term in terms if len(term.names) > 1 or "_" in term.typed]
    identifiers += [name for name in code if name] + called
    return Query(
        text=text,
        names=_whole_names(text),
        terms=terms,
        phrases=tuple(dict.fromkeys(phrase for phrase in quoted if phrase))[:MAX_PHRASES],
        runs=tuple(dict.fromkeys(filter(None, map(str.strip, _BREAK.split(text)))))[:MAX_PHRASES],
        identifiers=tuple(dict.fromkeys(identifiers))[:MAX_WORDS],
        operators=tuple(dict.fromkeys(operators(text)))[:MAX_WORDS],
        language=language_of_query(typed.values(), language),
        member=members.typed(text),
        mentions=members.mentioned(text),
    )


def _whole_names(text: str) -> tuple[str, ...]:
    """What a query may be the name of, as a whole."""
    if not text or len(text) > MAX_NAME_CHARS:
        return ()
    code = _CODE.fullmatch(text)
    plain = code[1] if code else text
    with_lines = named_lines(plain)
    names = (text, _bare(plain), with_lines.name if with_lines else "")
    return tuple(dict.fromkeys(name for name in names if name))


def _bare(code: str) -> str:
    """The name in `filter`, `filter()`, `.filter(x => y)`; empty where it is not one name."""
    name = _ARGUMENTS.sub("", _RECEIVER.sub("", code.strip()))
    return name if WORD.fullmatch(name) else ""


def _term(
    word: str, count: int, analyzer: Analyzer, language: str, verbs: Sequence[str]
) -> QueryTerm:
    names = [term for term, _ in analyzer.name_terms(word).terms]
    prose = dict.fromkeys(term for term, _ in analyzer.prose_terms(word, language).terms)
    # The stemmer reads two letters as an umlaut by itself, but the stop words have umlauts (`fuer`).
    umlauts = with_umlauts(word) if language == GERMAN else ""
    if umlauts and not analyzer.prose_terms(umlauts, language).terms:
        prose = {}
    spellings = (names[0], other_spelling(names[0])) if prose else ()
    elsewhere = dict.fromkeys(
        stem
        for spelling in filter(None, spellings)
        for stem in analyzer.stems(spelling)
        if stem not in prose
    )
    if len(names) > 1:
        names = [name for name in names if name not in STOP_WORDS] or names
    return QueryTerm(
        word,
        tuple(dict.fromkeys(names)),
        tuple(prose),
        count,
        tuple(elsewhere),
        tuple(dict.fromkeys(analyzer.stem(fold(verb), language) for verb in verbs)),
        _synonyms().get(next(iter(prose), ""), ()) if language == ENGLISH else (),
        _meant(prose, language_of_script(names[0]) or language, analyzer.recipe),
    )


@cache
def _synonyms() -> Mapping[str, tuple[str, ...]]:
    return synonyms(Language(ENGLISH).stem)


def _meant(prose: Collection[str], language: str, recipe: str) -> tuple[str, ...]:
    """The stems of other words for a word that is no compound, in any of its forms."""
    others = _prose_synonyms(language, recipe)
    if len(prose) != 1 or not others:
        return ()
    own = possible_stems(next(iter(prose)), language)
    found = dict.fromkeys(other for stem in sorted(own) for other in others.get(stem, ()))
    return tuple(other for other in found if other not in own)


@cache
def _prose_synonyms(language: str, recipe: str) -> Mapping[str, tuple[str, ...]]:
    own = Language(language, recipe)
    return prose_synonyms(language, lambda word: own.stem(fold(word)))


def cleaned(raw: str) -> str:
    """The text of a query: lone surrogates and NULs, which JSON can carry, become spaces, and a surrogate
    pair the character that it means."""
    text: str = well_formed(raw[:MAX_CHARS])
    return text.replace("\ufffd", " ").replace("\0", " ").strip()
