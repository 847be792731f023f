"""Every field of the structured answers: its type, and what it means.

`tools/list` names the fields of an answer, and leaves out most of what is inside of them: schemas cost a
client's model tokens with every conversation. This is the whole of it, for docs/tools.md; the tests hold
every answer that they get against it (`schema`).

A line is `path: type. Meaning`. In a path `[]` stands for the items of a list and `{}` for the values of
an object whose keys are data; a path that ends with `?` is left out without a value. An `enum` is a string
of those that the meaning has as code, and of no others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

_LINE = re.compile(r"(?P<path>\S+?)(?P<optional>\?)?: (?P<type>[a-z\[\] ]+)\. (?P<meaning>.+)")
_STEP = re.compile(r"\.|(?=\[\]|\{\})")
_OR_NULL = " or null"
_ENUM = "enum"
_CODE = re.compile(r"`([^`]+)`")


class Field(NamedTuple):
    path: str
    is_optional: bool
    type: str
    meaning: str


_HIT = """
{at}.id: string. what the tools that read records take
{at}.scope: string. the scope that the record belongs to
{at}.title: string. title of the record, or of the section
{at}.score: number. how well it answers; compares within one answer
{at}.strategy: enum. `lexical`, `semantic` or `fused`: which side found it, or both
{at}.source: string. name or path for the tool that reads it
{at}.metadata: object. of a page `section`, `level`, `path`, `line`; of a builtin `signature`, `category`; \
of other records what tells them apart; with few hits `lines` of the passage
{at}.snippet?: string. what the passage says
{at}.tags?: string[]. tags of the record
{at}.highlights?: string[]. words of the query that were found
{at}.explanation?: object. with `explain`: ranks and scores of both sides, and what each step of ranking added
"""

_OUTLINE_ENTRY = """
{at}.title: string. the heading
{at}.level: integer. 1 to 6
{at}.line: integer. its first line in the file
{at}.anchor: string. the anchor that links use
{at}.endLine?: integer. its last line
{at}.chars?: integer. how long it is
"""

_TEMPLATE = """
{at}id: string. for get_template
{at}name: string. its name
{at}description: string. what it is
{at}framework: string. the framework it is for
{at}filename: string. its file
"""

_PATTERN = """
{at}.id: string. for get_pattern
{at}.name: string. its name
{at}.description: string. what it is for
"""

_SECTION = """
{at}.label: string. what the section is, for people
{at}.kind: string. `exercise-instructions`, `problem-code`, `diff-hunk` and so on
{at}.content: string. its text, or the part that fits
{at}.sourcePath?: string. the file in the workshop
{at}.exerciseNumber?: integer. missing for sections of the whole workshop
{at}.stepNumber?: integer. missing for sections of the whole exercise
"""

_TEST_IN_BRIEF = """
{at}.uid: string. its identifier
{at}.title: string. its title
{at}.priority: enum. `Critical`, `High`, `Medium` or `Low`
{at}.tags: string[]. its tags
{at}.jiraKey?: string. its Jira key
"""

_FIELDS: Mapping[str, str] = {
    "{prefix}_get_builtin": """
name: string. the name
signature: string. its type
description: string. what it does
examples: string[]. code
sourceUrl: string. page on the web, or `kb://` address
category: string. the category it is listed in
categories?: string[]. further categories
aliases?: string[]. other names, infix forms too
related?: string[]. names of similar ones
returnType?: string. type of the result
paramTypes?: string[]. types of the parameters
docPath?: string. the page that describes it
line?: integer. its line there
""",
    "{prefix}_list_builtins": """
total: integer. builtins listed
categories: string[]. their categories
builtins: list. by name
builtins[].name: string. the name
builtins[].signature: string. its type
builtins[].category: string. its category
builtins[].description: string. first line of what it does
byCategory: object. the same by category
byCategory{}: list. the builtins of a category
byCategory{}[].name: string. the name
byCategory{}[].signature: string. its type
""",
    "{prefix}_get_doc": f"""
filename: string. name of the file
path: string. path in the knowledge base
title?: string. title of the page
type: string. its group: `core`, `choreo`, `lessons`, `guidelines`, `posts` or another
content: string. the text
size: integer. characters of `content`
processed: boolean. whether MDX was cleaned
frontmatter?: object. what the page says about itself
section?: object. the section asked for
{_OUTLINE_ENTRY.format(at="section")}
startLine?: integer. of a range: its first line
endLine?: integer. its last line
totalLines?: integer. lines of the file
""",
    "{prefix}_list_docs": """
total: integer. pages listed
{}: list. the pages of each group; folders below it are groups of their own
{}[].filename: string. name of the file
{}[].path: string. for get_doc
{}[].size: integer. bytes
{}[].title: string. title of the page
{}[].sections: integer. headings that it has
""",
    "{prefix}_doc_outline": f"""
path: string. path in the knowledge base
title: string. title of the page
type: string. its group
topics: string[]. its topics
totalSections: integer. headings that it has
sections: list. in the order of the page
{_OUTLINE_ENTRY.format(at="sections[]")}
maxLevel?: integer. the deepest level shown
""",
    "{prefix}_get_example": """
path: string. path below the examples folder
type: enum. `file` or `directory`
category?: string. of a file: its category
content?: string. its text
lines?: integer. its lines
relativePath?: string. path in the knowledge base
files?: string[]. of a folder: the paths below it
suggestion?: string. of a folder: what to call next
""",
    "{prefix}_list_examples": """
total: integer. examples counted
category?: string. the category asked for
feature?: string. the feature asked for
examples?: string[]. paths of the examples of the category
categories?: object. without a category: each of them
categories{}.count: integer. examples in it
categories{}.examples: string[]. the first of their paths
categories{}.hasMore: boolean. whether there are more
""",
    "{prefix}_example_info": """
path: string. path below the examples folder
filename: string. name of the file
category: string. the first folder of the path
subcategory?: string. the second one
modules: string[]. names of its modules
description: string. the comment at its top
imports: list. what it imports
imports[].module: string. module
imports[].from?: string. the file it is from
types: string[]. names of its types
constants: string[]. names of its constants
functions: string[]. names of its functions
actions: string[]. names of its actions
keywords: string[]. keywords and builtins that it uses
hasTests: boolean. whether it has tests
tests: string[]. names of its tests
size: integer. bytes
""",
    "{prefix}_get_template": f"""
{_TEMPLATE.format(at="")}
use_for: string[]. what it is good for
includes: string[]. what it contains
instructions: string[]. steps that make a specification of it
content: string. the text
lines: integer. lines of the text
workflow?: string[]. how to go on
key_patterns?: string[]. patterns that it shows
""",
    "{prefix}_list_templates": f"""
templates: list. the templates
{_TEMPLATE.format(at="templates[].")}
total?: integer. without a framework: how many there are
framework?: string. the framework asked for
count?: integer. its templates
""",
    "{prefix}_get_pattern": """
id: string. its id
name: string. its name
category: string. its category
description: string. what it is for
template?: string. code to start from
when_to_use?: string[]. when to use it
key_principles?: string[]. what makes it work
required_builtins?: string[]. builtins that it needs
examples?: string[]. examples that use it
related_patterns?: string[]. ids of similar patterns
anti_patterns?: list. what not to do
anti_patterns[].dont: string. the mistake
anti_patterns[].reason?: string. why it is one
anti_patterns[].do?: string. the better way
rules?: list. what must hold
rules[].rule: string. the rule
rules[].wrong?: string. code that breaks it
rules[].correct?: string. code that keeps it
rules[].explanation?: string. the reason
""",
    "{prefix}_list_patterns": f"""
total?: integer. without a category: how many there are
categories?: object. the patterns of each category
categories{{}}: list. those of one category
{_PATTERN.format(at="categories{}[]")}
category?: string. the category asked for
count?: integer. its patterns
patterns?: list. these
{_PATTERN.format(at="patterns[]")}
""",
    "{prefix}_search_patterns": f"""
query: string. the query
total: integer. patterns found
matches: list. best first
{_PATTERN.format(at="matches[]")}
matches[].category: string. its category
matches[].relevance: number. how much of it mentions the words
""",
    "{prefix}_suggest_framework": """
framework: string. the framework that suits
confidence: number. 0 to 1
reasoning: string. why
docs: string[]. pages to start from
examples: string[]. examples to start from
""",
    "{prefix}_hybrid_search": f"""
query: string. the query
scopes: string[]. where was searched
limitPerScope: integer. results of each scope at most
mode: enum. `hybrid`, `semantic` or `lexical`: what took part
resultsByScope: object. the results of each scope
resultsByScope{{}}: list. best first
{_HIT.format(at="resultsByScope{}[]")}
scope?: string. with one scope: it
k?: integer. with one scope: results at most
results?: list. with one scope: its results
{_HIT.format(at="results[]")}
""",
    "{prefix}_search_docs": """
query: string. the text looked for
total: integer. lines that hold it
matches: list. by file and line
matches[].file: string. path of the file
matches[].line: integer. line in it
matches[].content: string. the line
matches[].context: string[]. the line with those around it
matches[].before: string[]. the lines before
matches[].after: string[]. the lines after
scope?: string. where was searched
limit?: integer. matches in one answer
contextLines?: integer. lines before and after
nextCursor?: string. missing on the last page
""",
    "search_tests": f"""
results: list. best first
results[].test: object. the test
{_TEST_IN_BRIEF.format(at="results[].test")}
results[].test.summary?: string. what it checks, in full
results[].test.platforms: string[]. where it runs
results[].test.testType?: string. `Manual`, `Automated`, `API`, `Performance`, `Integration`, `Unit` or \
another
results[].test.folderStructure?: string. its folder, with slashes
results[].score: number. 0 to 1
results[].matched_steps?: string. numbers of the steps that match themselves, such as `1,2`
results[].matchedSteps?: integer[]. the same as numbers
total: integer. tests ranked, whatever top_k: those of the best 400 passages or more
top_k: integer. results at most, as applied
filters?: object. the filters, as applied
""",
    "find_similar_tests": f"""
results: list. most similar first, without the reference
results[].test: object. the test
{_TEST_IN_BRIEF.format(at="results[].test")}
results[].score: number. 0 to 1
reference: object. the test they are compared with
{_TEST_IN_BRIEF.format(at="reference")}
scope: enum. what was compared: `docs`, `steps` or `all`
top_k: integer. results at most, as applied
total: integer. tests ranked, whatever top_k: those of the best 400 passages or more
""",
    "get_test_by_jira": f"""
{_TEST_IN_BRIEF.format(at="").replace(chr(10) + ".", chr(10))}
platforms: string[]. where it runs
summary?: string. what it checks
steps: list. all of its steps
steps[].index: integer. number of the step
steps[].action: string. what to do
steps[].data?: string. with what
steps[].expected: string[]. what must happen
preconditions: string[]. what must hold before
relatedIssues: string[]. keys of issues
testCaseId?: string. its id as a test case
testId?: integer. its internal number
description?: string. its description
testType?: string. `Manual`, `Automated`, `API`, `Performance`, `Integration`, `Unit` or \
another
folderStructure?: string. its folder, with slashes
expectedResults?: string. the expected result of the whole test
testData?: string. data for the whole test
testPath?: string. where its code is
source?: string. the file it was exported to
ingested_at: string. time of ingestion, ISO 8601
matchedBy?: enum. `uid` or `testCaseId`, when no test has the key
others?: string[]. uids of other tests with the key
""",
    "check_health": """
status: enum. `HEALTHY`, `DEGRADED` or `UNHEALTHY`
qdrant: object. the index, by the names that clients know
qdrant.status: enum. `connected` or `disconnected`
qdrant.collections: object. entries of each collection
qdrant.collections{}: integer. of `test_docs`, `test_steps` and every collection
index: object. the same by neutral names
index.status: enum. `loaded` or `damaged`
index.collections: object. entries of each collection
index.collections{}: integer. as above
embedder: object. what embeds queries
embedder.provider: string. the library, or `none`
embedder.model: string. the model, or `none`
buildId: string. the build that is served
builtAt: string. when it was made, ISO 8601
stale: boolean. whether a newer build is published and not opened
tests: integer. test cases
steps: integer. their steps
byPriority: object. how many tests have each priority
byPriority{}: integer. tests
byTestType: object. how many tests have each type
byTestType{}: integer. tests
problems?: string[]. why it is not healthy
""",
    "ingest_tests": """
functional?: object. of the file of functional tests
functional.docs_ingested: integer. tests
functional.steps_ingested: integer. their steps
api?: object. of the file of API tests
api.docs_ingested: integer. tests
api.steps_ingested: integer. their steps
warnings: string[]. what is doubtful about the files
errors: string[]. what makes records unusable
skipped: integer. records that are left out
persisted: boolean. whether the tests were stored
next: string. what to do or to run now
buildId?: string. when they were stored: the build that has them
""",
    "qurio_search": """
query: string. the query
alpha: number. share of meaning, as applied
limit: integer. results at most, as applied
results: list. best first
results[].rank: integer. from 1
results[].score: number. 0 to 1
results[].title: string. title of the page
results[].url: string. for qurio_read_page
results[].sourceId: string. id of the source
results[].sourceName: string. its name
results[].type?: enum. `prose`, `code`, `api`, `config` or `cmd`
results[].language?: string. language of code
results[].chunkIndex: integer. passage of the page, from 0
results[].content: string. the passage
results[].section?: string. the heading above it
results[].author?: string. of the page
results[].createdAt?: string. date of the page, as it says
results[].pageCount?: integer. pages of the document
""",
    "qurio_list_sources": """
sources: list. by name
sources[].id: string. for source_id
sources[].name: string. its name
sources[].type: enum. `web`, `file`, `git` or `dir`
sources[].url?: string. the address that its pages are below
sources[].pageCount: integer. pages
sources[].chunkCount: integer. passages
sources[].builtAt: string. when it was indexed, ISO 8601
sources[].description?: string. what it is about
total: integer. sources
""",
    "qurio_list_pages": """
sourceId: string. the source
pages: list. in the order of its sitemap, else by path
pages[].id: string. works as an address, too
pages[].url: string. for qurio_read_page
pages[].title: string. title of the page
total: integer. pages that the filter leaves
limit?: integer. pages in one answer, as applied
nextCursor?: string. missing on the last page
""",
    "qurio_read_page": """
url: string. address of the page
title: string. its title
sourceId: string. the source it is in
sourceName: string. name of that
content: string. the text as stored: of the page, the section, or the part that fits
sections: list. all headings of the page
sections[].title: string. the heading
sections[].level: integer. 1 to 6
sections[].anchor: string. for section, or as #fragment
sections[].line: integer. its line
author?: string. as the page says
createdAt?: string. date, as the page says
pageCount?: integer. pages of the document
builtAt: string. when it was indexed, ISO 8601
section?: string. the section that this is
truncated: boolean. whether more follows
nextCursor?: string. when more follows
""",
    "list_workshops": """
workshops: list. by slug
workshops[].workshop: string. its slug, which other tools take
workshops[].title: string. its title
workshops[].product?: string. its product label
workshops[].exerciseCount: integer. exercises
workshops[].stepCount: integer. steps of all exercises
workshops[].sectionCount: integer. sections stored
workshops[].hasDiffs: boolean. whether any step has diffs
workshops[].lastIndexedAt: string. when it was indexed, ISO 8601
limit: integer. page size, as applied
totals: object. over all workshops that pass the filters
totals.workshops: integer. workshops
totals.exercises: integer. exercises
totals.steps: integer. steps
totals.sections: integer. sections
nextCursor?: string. missing on the last page
""",
    "list_exercises": """
workshop: string. its slug
title: string. its title
exercises: list. by number
exercises[].number: integer. exerciseNumber of other tools
exercises[].title: string. its title
exercises[].stepCount: integer. steps
exercises[].steps: list. by number
exercises[].steps[].number: integer. stepNumber of other tools
exercises[].steps[].title?: string. its title
exercises[].steps[].hasDiff: boolean. whether problem and solution differ
exercises[].steps[].problemDir?: string. folder of the problem
exercises[].steps[].solutionDir?: string. folder of the solution
""",
    "retrieve_learning_context": f"""
workshop: string. its slug
exerciseNumber: integer. the exercise
stepNumber?: integer. the step
sections: list. in the order in which they are taught
{_SECTION.format(at="sections[]")}
truncated: boolean. whether more follows
maxChars: integer. characters of content at most, as applied
nextCursor?: string. when more follows; carries its scope
""",
    "retrieve_diff_context": f"""
workshop: string. its slug
exerciseNumber: integer. the exercise
stepNumber?: integer. the step
focus?: string. the text that the diffs hold
diffSections: list. summary first, then a unified diff of each file
{_SECTION.format(at="diffSections[]")}
truncated: boolean. whether more follows
maxChars: integer. characters of content at most, as applied
nextCursor?: string. when more follows
""",
    "search_topic_context": """
query: string. the query
limit: integer. matches at most, as applied
mode: enum. `vector` when meaning had a part in the ranking, else `keyword`
vectorSearchAvailable: boolean. whether queries can be embedded
keywordSource: string or null. `chunks` or `sections`: where keywords were looked for; null with vectors
matches: list. best first
matches[].score: number. 0 to 1
matches[].workshop: string. its slug
matches[].exerciseNumber?: integer. missing for sections of the whole workshop
matches[].stepNumber?: integer. missing for sections of the whole exercise
matches[].sectionKind: string. kind of the section
matches[].sectionLabel: string. what the section is, for people
matches[].sourcePath?: string. the file in the workshop
matches[].chunk: string. the passage
matches[].vectorId: string. id of the passage
""",
    "retrieve_quiz_instructions": """
tool: enum. `retrieve_quiz_instructions`
version: enum. of the protocol: `1`
topic: string or null. the topic given
learnerGoal: string or null. the goal given
targetQuestionCount: integer. questions
instructionsMarkdown: string. the protocol
checklist: string[]. the same in short
questionTypes: list. kinds of questions
questionTypes[].id: enum. `free-recall`, `apply-to-scenario`, `compare-contrast`, `debug-explain` or \
`teach-back`
questionTypes[].label: string. its name
questionTypes[].promptTemplate: string. a question with placeholders in angle brackets
questionTypes[].whatToListenFor: string[]. what a good answer has
questionTypes[].followUps: string[]. questions to go on with
closingSteps: string[]. how to end
""",
    "codebase_retrieval": """
results: list. best first
results[].file: string. path in the workspace
results[].content?: string. the passage as on disk when indexed; missing with compact
results[].preview?: string. with compact: its beginning
results[].score: number. 0 to 1; compares between calls
results[].lines: string. `start-end`, from 1
results[].reason: string. why it was found
results[].stale?: boolean. the file has changed since; `lines` are those of today
results[].trace?: object. with v2
results[].trace.source_stage: enum. `lexical`, `semantic` or `fused`: which side found it, or both
results[].trace.match_type: enum. `path`, `definition` or `text`
results[].explainability?: object. with v2
results[].explainability.language?: string. language of the file
results[].explainability.symbolName?: string. the definition
results[].explainability.symbolKind?: string. what it is: function, class ...
results[].explainability.parentSymbol?: string. the definition around it
results[].explainability.signature?: string. its first line
results[].explainability.matchedTerms?: string[]. words of the query that it has
results[].explainability.cosine?: number. similarity in meaning
results[].explainability.lexicalRank?: integer. its place by words
results[].explainability.semanticRank?: integer. its place by meaning
metadata: object. about the answer
metadata.workspace: string. the folders that paths are relative to
metadata.lastIndexed: string or null. when the index was made, ISO 8601
metadata.queryTimeMs: number. time in milliseconds
metadata.totalResults: integer. results given
metadata.query_mode: enum. `hybrid`, `semantic` or `keyword`
metadata.indexStatus: object. about the index
metadata.indexStatus.status: enum. `ready`; of a tree that is followed also `starting`, `drafting`, \
`indexing`, `failed`
metadata.indexStatus.fileCount: integer. files in it
metadata.indexStatus.comparedWithDisk: boolean. whether the files of the results were compared with disk
metadata.indexStatus.isStale?: boolean. whether one of them has changed
metadata.indexStatus.embedding?: enum. of a tree that is followed: `complete` or `pending`
metadata.indexStatus.problem?: string. why it is not kept up to date
metadata.indexStatus.notice?: string. what else to know of it
metadata.freshnessWarning?: string. which files have changed, and what to do
metadata.filtersApplied?: string[]. the globs, as applied
metadata.totalCandidates?: integer. with v2: passages ranked
metadata.buildId?: string. with v2: the build
""",
    "get_file": """
file: string. path in the workspace
content: string. the lines, as indexed
lines: string. `start-end`, from 1
totalLines: integer. lines of the file
language?: string. its language
workspace?: string. the folder that paths are relative to
lastIndexed: string or null. when the index was made, ISO 8601
stale?: boolean. the file on disk has changed since
nextCursor?: string. when more follows
""",
    "{prefix}_search": """
query: string. the query
scope: string. where was searched
mode: enum. `hybrid`, `semantic` or `lexical`: what took part
hits: list. best first
hits[].address: string. for get
hits[].title: string. title of the record or section
hits[].lines: integer[]. first and last line of the passage
hits[].score: number. how well it answers; compares within one answer
hits[].strategy: enum. `lexical`, `semantic` or `fused`: which side found it, or both
hits[].snippet: string. what the passage says
advice?: string. what to do when nothing was found
""",
    "{prefix}_list": """
collections?: list. without a collection: all of them
collections[].name: string. its name
collections[].kind: string. what it holds
collections[].records: integer. records
collection?: string. the collection asked for
total?: integer. its records
records?: list. these
records[].id: string. for get
records[].title?: string. its title
records[].summary?: string. what it is about
nextCursor?: string. missing on the last page
""",
    "{prefix}_outline": """
address: string. of the record
title: string. its title
entries: list. headings, or definitions of a source file
entries[].title: string. heading or name
entries[].level?: integer. of a heading: 1 to 6
entries[].kind?: string. of a definition: function, class ...
entries[].lines: integer[]. first and last line
""",
    "{prefix}_info": """
name: string. of the artifact
title: string. its title
version: string. its version
description?: string. what it is
license?: string. SPDX identifier
buildId: string. the build that is served
builtAt: string. when it was made, ISO 8601
semanticSearch: boolean. whether it has vectors
collections: list. in their order
collections[].name: string. its name
collections[].kind: string. what it holds
collections[].records: integer. records
scopes: string[]. where searches can look
""",
}

_ANY: Mapping[str, str] = {
    "warnings": "warnings?: string[]. what the caller should know about the answer",
    "error": """
error.kind: enum. `BAD_INPUT`, `NOT_FOUND`, `NO_MATCH`, `READ_ONLY`, `UNAVAILABLE` or `INTERNAL`
error.message: string. one sentence
error.suggestions?: string[]. names or values that may be meant
error.next?: string[]. what to do
error.details?: object. facts about the error
error.status?: integer. in the family tests: the status
""",
}


def fields(tool: str) -> list[Field]:
    """The fields of the answers of a tool, by its declared name; none for an answer that is text only."""
    found = _parsed(_FIELDS.get(tool, ""))
    return [each._replace(type="string") if each.type == _ENUM else each for each in found]


def schema(tool: str) -> dict[str, Any]:
    """The fields as JSON Schema, which allows no others but `warnings`."""
    return _schema([*_parsed(_ANY["warnings"]), *_parsed(_FIELDS.get(tool, ""))])


def error_schema() -> dict[str, Any]:
    """JSON Schema of the structure of a call that failed."""
    return _schema([Field("error", False, "object", ""), *_parsed(_ANY["error"])])


def declared_name(wire: str) -> str:
    """The declared name of a tool that a server lists under `wire`, whatever its prefix."""
    if wire in _FIELDS:
        return wire
    endings = [name.removeprefix("{prefix}") for name in _FIELDS if name.startswith("{prefix}")]
    return "{prefix}" + max(filter(wire.endswith, endings), key=len, default="")


def _parsed(text: str) -> list[Field]:
    found = []
    for line in filter(None, text.split("\n")):
        match = _LINE.fullmatch(line)
        assert match is not None, line
        found.append(Field(match["path"], bool(match["optional"]), match["type"], match["meaning"]))
    return found


def _schema(declared: list[Field]) -> dict[str, Any]:
    """Objects are closed as soon as one of their fields is declared."""
    root: dict[str, Any] = {"type": "object"}
    for field in declared:
        *above, last = filter(None, _STEP.split(field.path))
        node = root
        for step in above:
            node = _inner(node, step)
        own = _typed(field)
        if last in ("{}", "[]"):
            _inner(node, last).update(own)
            continue
        node.setdefault("additionalProperties", False)
        node.setdefault("properties", {})[last] = own
        if not field.is_optional:
            node.setdefault("required", []).append(last)
    return root


def _inner(node: dict[str, Any], step: str) -> dict[str, Any]:
    """The schema that `step` leads to from `node`."""
    inner: dict[str, Any]
    if step == "[]":
        inner = node.setdefault("items", {"type": "object"})
    elif step == "{}":
        if not node.get("additionalProperties"):
            node["additionalProperties"] = {"type": "object"}
        inner = node["additionalProperties"]
    else:
        inner = node["properties"][step]
    return inner


def _typed(field: Field) -> dict[str, Any]:
    if field.type == _ENUM:
        return {"type": "string", "enum": _CODE.findall(field.meaning)}
    if field.type.endswith("[]"):
        return {"type": "array", "items": {"type": field.type[:-2]}}
    name = field.type.removesuffix(_OR_NULL)
    name = "array" if name == "list" else name
    return {"type": [name, "null"] if field.type.endswith(_OR_NULL) else name}
