"""The member that a heading or a signature names, in many languages.

What a language puts before the name (`async`, `static`, a type) and behind it (arguments, a result) is left
out.
"""

from __future__ import annotations

import re

from kb_runtime.text.members import GENERICS, MAX_CHARS, PATH, SEGMENT, MemberPath, segments

MAX_HEADING_CHARS = 3000
"""A longer heading names nothing: some signatures have dozens of arguments."""

# What stands before the name in a signature, and the kinds that headings announce a member with.
_MODIFIERS = frozenset(
    """
    abstract async attribute await class classmethod const constructor data decorator def default enum
    exception export extern final fn fun func function get inline interface lazy let macro method module
    namespace new object open operator override private property protected protocol pub public readonly
    record set static staticmethod struct template trait type typedef union unsafe val var virtual with
    """.split()  # noqa: SIM905
)
_KINDS = (
    r"(?:(?:abstract|async|class|instance|module|public|static) )?(?:attribute|class|component|const(?:ant)?"
    r"|constructor|decorator|enum|exception|function|hook|interface|macro|method|mixin|module|namespace"
    r"|object|property|protocol|struct|trait|type|union|variable)"
)
_LABEL = re.compile(rf"{_KINDS}:? +", re.IGNORECASE)
_LABEL_BEFORE_WORD = re.compile(rf"{_KINDS}: +", re.IGNORECASE)
_TYPE_WORDS = frozenset("bool char const double float int long short signed unsigned void".split())  # noqa: SIM905
# What files end with: `package.json` has no member `json`.
_FILE_ENDINGS = frozenset(
    """
    bat c cc cfg conf cpp css csv env gradle h hpp html ini java js json jsx kt less lock lua md mdx mjs php
    properties ps1 py rb rs rst scss sh sql svg tf toml ts tsx txt vue xml yaml yml
    """.split()  # noqa: SIM905
)
_POINTER_TO_FUNCTION = re.compile(rf"\(\s*\*\s*({SEGMENT})\s*\)\s*\(")
_CALLED = re.compile(rf"(?P<before>[^()=]*?)(?P<path>{PATH})\s*\(", re.DOTALL)
_VALUE = re.compile(r"(?:/\d+|\?*(?::\s|\s*=|\s*->|\s*=>).*)\Z", re.DOTALL)
# Behind the arguments of a signature that is no code span: nothing, a result or a remark.
_AFTER_ARGUMENTS = re.compile(r"(?:\s*(?:->|=>|[:=]|_[^_]+_|\*[^*]+\*|\([^()]*\)).*)?\Z")

_CODE_SPAN = re.compile(r"(?P<ticks>`++)(?P<code>.+?)(?P=ticks)", re.DOTALL)
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\([^()\s]*\)")
_CODE_TAG = re.compile(r"</?code>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_STATED_ANCHOR = re.compile(r"(?<!\s)\s*\{[:#.][^{}]*\}\s*\Z")
# What may stand around the code spans of a heading that names members and nothing else: what joins several,
# and remarks in italics or brackets (`app.hide()` _macOS_).
_BESIDE_CODE = re.compile(
    r"(?:_[^_`]+_|\*[^*`]+\*|\([^()`]*\)|\[[^\[\]`]*\]|\band\b|\bor\b|[\s,/|&*])*+"
)
_LOOKS_LIKE_CODE = re.compile(r"[\w)\]](?:\.|::|->|#)\w|\w\(|\w_\w|[a-z][A-Z]")


def of_heading(source: str) -> tuple[MemberPath, ...]:
    """The members that a heading names, as its Markdown says; none of a heading that says more than names.

    Code spans are signatures. Without any the whole must be one, of a name that is no ordinary word.
    """
    if len(source) > MAX_HEADING_CHARS:
        return ()
    text = _STATED_ANCHOR.sub("", _TAG.sub("", _CODE_TAG.sub("`", source))).strip()
    text = _LINK.sub(r"\1", text).strip()
    spans = [_signature(match) for match in _CODE_SPAN.finditer(text)]
    if spans:
        around = _LABEL.sub("", _CODE_SPAN.sub("", text).strip() + " ", count=1)
        if not _BESIDE_CODE.fullmatch(around):
            return ()
        return tuple(dict.fromkeys(path for span in spans if (path := of_signature(span))))
    text = re.sub(r"\\(?=\W)", "", text).strip("*")
    label = _LABEL_BEFORE_WORD.match(text)
    if label is None and not _LOOKS_LIKE_CODE.search(text):
        return ()
    text = text[label.end() :] if label else text
    path = of_signature(text) if _is_signature(text) else ()
    return (path,) if path else ()


def _signature(span: re.Match[str]) -> str:
    """The signature in a code span; in a link to a symbol of DocC (``Cache/get(_:)``) slashes are dots."""
    code = span["code"].strip()
    if len(span["ticks"]) == len("``"):
        head, bracket, rest = code.partition("(")
        code = head.replace("/", ".") + bracket + rest
    return code


def _is_signature(text: str) -> bool:
    """Whether a heading without code spans is one, and no sentence with brackets."""
    head, bracket, arguments = GENERICS.sub("", text).partition("(")
    if not bracket:
        return True
    words = head.split()
    is_name = all(word in _MODIFIERS or _is_type(word) for word in words[:-1])
    return (
        is_name
        and not head.endswith(" ")
        and _AFTER_ARGUMENTS.match(arguments.rpartition(")")[2]) is not None
    )


def of_signature(signature: str) -> MemberPath:
    """The name in a signature: `async Cache.get(key) -> bytes`, `int cache_get(cache_t *cache)`."""
    text = " ".join(signature.split())
    for _ in range(4):  # generics within generics
        text, before = GENERICS.sub("", text), text
        if text == before:
            break
    head, bracket, _ = text.partition("(")
    if len(head) > MAX_CHARS:
        return ()
    if pointer := _POINTER_TO_FUNCTION.match(text, len(head)):
        return segments(pointer[1])
    called = _CALLED.match(head + bracket)
    if called is not None:
        words = called["before"].split()
        is_type = all(re.fullmatch(r"[\w:.*&\[\]@]+", word) for word in words)
        return segments(called["path"]) if is_type else ()
    words = _VALUE.sub("", text).split()
    while len(words) > 1 and words[0].lower() in _MODIFIERS:
        del words[0]
    if not words or not all(_is_type(word) for word in words[:-1]):
        return ()
    name = words[-1].lstrip("*&")
    path = segments(name) if re.fullmatch(PATH, name) else ()
    return () if len(path) > 1 and path[-1].lower() in _FILE_ENDINGS else path


def _is_type(word: str) -> bool:
    """Whether a word before a name can only be its type, as C has it."""
    return word in _TYPE_WORDS or word.endswith(("*", "&", "_t"))


def qualified(own: MemberPath, owner: MemberPath, anchor: str = "") -> tuple[MemberPath, ...]:
    """The names that a member has below the heading of `owner`: `get` of `pkg.Cache` is `pkg.Cache.get`, and
    so is `Cache.get`. `a_cache.get`, of an instance, is that and `pkg.Cache.get`.

    An `anchor` that ends with the name says the whole of it, as those of Sphinx do.
    """
    stated = segments(anchor)
    if len(stated) > len(own) and stated[-len(own) :] == own:
        return (stated[stated[0] in _DOMAINS :],)
    if not owner:
        return (own,)
    if len(own) == 1:
        return ((*owner, *own),)
    if own[0] in owner:
        return ((*owner[: owner.index(own[0])], *own),)
    if owner[-1][:1].isupper() and not own[0][:1].isupper():
        return (own, (*owner, *own[1:]))
    return (own,)


_DOMAINS = frozenset({"c", "cpp", "rust", "js"})
"""What anchors of Sphinx begin with in some domains."""
