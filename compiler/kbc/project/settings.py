"""The tables of kb.toml but `[[collection]]`: which keys there are, their types, their defaults."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Field, Strict, ValidationInfo, field_validator

from kb_runtime.search.ranking.steps import STEPS
from kb_runtime.version import UNSTATED_VERSION
from kbc.project.validation import (
    LanguageCode,
    Number,
    Table,
    between,
    known_value,
    matching,
    mistake,
    one_of,
)

NAME = re.compile(r"[a-z][a-z0-9-]{0,63}")
PREFIX = re.compile(r"(?!code$)[a-z][a-z0-9_]{0,31}")
"""Not `code`: the general tool `code_outline` would be called like the one over source trees."""
CODE_PREFIX = "code_kb"
"""Of a knowledge base that is called `code`."""
AUTHOR = re.compile(r"[^\r\n]{1,200}")
HOMEPAGE = re.compile(r"https?://[^\s<>\"]+")
MCP_NAME = re.compile(
    r"(?=.{3,200}$)[a-zA-Z0-9][a-zA-Z0-9.-]*[a-zA-Z0-9]/[a-zA-Z0-9][a-zA-Z0-9._-]*[a-zA-Z0-9]"
)
"""What the MCP registry admits: both parts begin and end with a letter or digit, which its schema does
not ask for, but the check of what is published does."""

BOOST_FIELDS = ("title", "breadcrumb", "identifiers", "signature", "body", "path", "tags")
FAMILIES = (
    "reference", "patterns", "routing", "search", "codebase", "tests", "sources", "workshops",
)  # fmt: skip
FUSIONS = ("balanced", "rrf")
POOLINGS = ("mean", "cls")

MOST_FACTOR = 100
"""Of `boosts` and `weights`."""

_Chars = Annotated[int, between(1, 10_000_000)]
_Factor = Annotated[Number, between(0, MOST_FACTOR)]


def name_of(title: str) -> str:
    """A name that `NAME` allows, made of a title or of the name of a folder: letters with accents lose them.
    "" where nothing of it can stand in one."""
    plain = re.sub(r"[\u0300-\u036f]", "", unicodedata.normalize("NFKD", title.casefold()))
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    if slug and not slug[0].isalpha():
        slug = f"kb-{slug}"
    name = slug[:64].rstrip("-")
    return name if NAME.fullmatch(name) else ""


class TopTables(Table):
    """The tables that kb.toml may have; each is checked on its own, so that all mistakes are told."""

    kb: dict[str, Any] = Field(default={}, description="what the knowledge base is called")
    collection: list[dict[str, Any]] = Field(default=[], description="what it consists of")
    search: dict[str, Any] = Field(default={}, description="how hits are ranked")
    tools: dict[str, Any] = Field(default={}, description="which tools there are")
    encoder: dict[str, Any] = Field(default={}, description="what the encoder is given")
    package: dict[str, Any] = Field(default={}, description="what packages of it say")
    build: dict[str, Any] = Field(default={}, description="how the artifact is laid out")


class KbTable(Table):
    name: Annotated[str, matching(NAME, "a lower-case name", name_of)] | None = Field(
        default=None, description="the artifact's name; default: the folder's name"
    )
    title: str | None = Field(default=None, description="the title for people; default: the name")
    version: str = Field(
        default=UNSTATED_VERSION, description="the version of the content, as its authors number it"
    )
    prefix: (
        Annotated[str, matching(PREFIX, "lower-case letters, digits and underscores, not code,")]
        | None
    ) = Field(
        default=None, description="tools are called PREFIX_get_doc ...; default: the name, - as _"
    )
    description: str = Field(default="", description="one sentence for agents")
    license: str = Field(default="", description="SPDX expression; goes into the artifact's NOTICE")
    language: LanguageCode = Field(
        default="", description="language of all pages (`de`); default: detected page by page"
    )


def _known_collection(name: str, info: ValidationInfo) -> str:
    """The names of collections come with the call; without any there is nothing to check."""
    if info.context is None:
        return name
    return known_value(name, info.context, "a collection", "toml-unknown-key")


class SearchSettings(Table):
    """`[search]`: None and empty mean the runtime's defaults, which are written into the manifest."""

    candidates: Annotated[int, between(1, 1000)] | None = Field(
        default=None, description="hits taken from each side before fusion"
    )
    alpha: Annotated[Number, between(0, 1)] | None = Field(
        default=None,
        description="weight of vector search in a mix of normalised scores, instead of fusion",
    )
    fusion: Annotated[str, one_of(FUSIONS, "a fusion")] | None = Field(
        default=None, description="how both sides are fused: balanced or rrf"
    )
    rrf_k: Annotated[int, between(1, 10_000)] | None = Field(
        default=None, description="constant of the rrf fusion"
    )
    boosts: dict[
        Annotated[str, one_of(BOOST_FIELDS, "a field of the index", "toml-unknown-key")], _Factor
    ] = Field(
        default={}, description=f"a factor on the words of each field: {', '.join(BOOST_FIELDS)}"
    )
    weights: dict[Annotated[str, AfterValidator(_known_collection)], _Factor] = Field(
        default={}, description="a factor on the scores of each collection's chunks"
    )
    without: Annotated[
        tuple[Annotated[str, one_of(STEPS, "a step of ranking")], ...], Strict(False)
    ] = Field(default=(), description="steps of ranking by structure to skip")
    rerank: bool = Field(
        default=False, description="whether searches use the cross-encoder of --rerank-model"
    )
    reranker: str | None = Field(default=None, description="an entry point of an installed package")

    @field_validator("fusion", "rrf_k")
    @classmethod
    def _has_effect(cls, value: Any, info: ValidationInfo) -> Any:
        """One of `alpha`, `rrf_k` and `fusion` decides how the sides are fused: a second one that says
        otherwise would be ignored. `info.data` has the keys declared above."""
        ruling = ""
        if info.data.get("alpha") is not None:
            ruling = f"alpha = {info.data['alpha']}"
        elif info.data.get("fusion") == "balanced":
            ruling = 'fusion = "balanced"'
        if ruling:
            raise mistake(
                "toml-conflict",
                f"`{info.field_name}` has no effect together with `{ruling}`",
                "Remove one of the two; docs/search.md says what each does.",
            )
        return value


class Alias(Table):
    """`[[tools.alias]]`: an extra name for a tool, for clients that know it by another."""

    name: str = Field(description="the extra name")
    tool: str = Field(description="the name of the tool, with its prefix")


def _profile(value: str) -> str:
    """`all`, `compact`, or families separated by commas, as `kbc serve --tools` takes them."""
    names = [name.strip() for name in value.split(",")]
    for name in names:
        known_value(name, ("all", "compact", *FAMILIES), "a family of tools", "toml-bad-value")
    if "all" in names and set(names) - {"all", "compact"}:
        raise mistake(
            "toml-conflict",
            "`all` contains every family but `compact`: listing others as well has no effect",
            'Write `offer = "all"`, or `offer = "all,compact"`.',
        )
    return ",".join(names)


class ToolSettings(Table):
    """`[tools]`: which tools there are, which of them servers offer, what they are called, and how long
    answers may be (None: the defaults of the runtime)."""

    offer: Annotated[str, AfterValidator(_profile)] | None = Field(
        default=None,
        description="what servers offer without --tools: compact (the default), all, or families",
    )
    prefix: bool = Field(
        default=False,
        description="every tool begins with the knowledge base's prefix, so that several servers of one"
        " client do not collide",
    )
    max_chars: Annotated[int, between(4_000, 1_000_000)] | None = Field(
        default=None,
        description="characters of text in an answer, and of structure, before it is shortened",
    )

    families: (
        Annotated[tuple[Annotated[str, one_of(FAMILIES, "a family of tools")], ...], Strict(False)]
        | None
    ) = Field(default=None, description="families to offer; default: all that have a collection")
    alias: Annotated[tuple[Alias, ...], Strict(False)] = Field(
        default=(), description="extra names for tools, for clients that know them by others"
    )
    context_chars: _Chars | None = Field(
        default=None,
        description="characters of sections that the tools of workshops give by default",
    )
    max_context_chars: _Chars | None = Field(
        default=None, description="characters of sections that they give at most"
    )

    @property
    def aliases(self) -> Mapping[str, str]:
        """Extra name -> tool name."""
        return {each.name: each.tool for each in self.alias}


DERIVED_ENTRIES = "entries"
"""The collection of API entries that no collection lists, which `[search.weights]` may name as well."""


class BuildSettings(Table):
    """`[build]`: how the artifact is laid out, and what is made of what it holds."""

    shard_chunks: Annotated[int, between(1, 100_000_000)] | None = Field(
        default=None,
        description="chunks above which the artifact is divided into shards; default: above 25,000,"
        " into shards whose size grows with it",
    )
    entries: bool = Field(
        default=True,
        description="makes API entries of public headers, descriptions in JSON and tables of functions, where"
        " no collection lists entries",
    )


class EncoderSettings(Table):
    """`[encoder]`: prompts and pooling of a model whose own files do not say them; None: what they say."""

    pooling: Annotated[str, one_of(POOLINGS, "a pooling")] | None = Field(
        default=None, description="how token vectors are pooled; default: the model's own"
    )

    query_prompt: str | None = Field(
        default=None,
        description="text put before every query (E5: `query: `); default: the model's own",
    )
    document_prompt: str | None = Field(
        default=None,
        description="text put before every chunk (E5: `passage: `); default: the model's own",
    )

    @property
    def prompts(self) -> tuple[str | None, str | None]:
        """Those of queries and of documents."""
        return self.query_prompt, self.document_prompt


class PackageSettings(Table):
    """`[package]`: what `kbc wheel` and `kbc bundle` say beside `[kb]`; "" where nothing is said."""

    author: Annotated[str, matching(AUTHOR, "one line")] = Field(
        default="", description="who made it"
    )
    homepage: Annotated[str, matching(HOMEPAGE, "an address")] = Field(
        default="", description="where it is explained"
    )
    mcp_name: Annotated[str, matching(MCP_NAME, "an owner, a slash and a name")] = Field(
        default="", description="its name in the MCP registry: owner/name"
    )


def default_prefix(name: str) -> str:
    """The prefix of the tools of a knowledge base that does not say it."""
    prefix = name.replace("-", "_")
    return CODE_PREFIX if prefix == "code" else prefix
