"""The structured answers of the tools over entries that are looked up."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from kb_runtime.tools.fields import ONE_LEVEL, TYPE_ONLY, WITH_VALUES, AnswerFields, SharedAddress


class Builtin(AnswerFields):
    name: Annotated[str, "the name"]
    signature: Annotated[str, "its type"]
    description: Annotated[str, "what it does"]
    examples: Annotated[list[str], "code"]
    sourceUrl: Annotated[str, "URL of its page, or `kb://` address"]
    category: Annotated[str, "its main category"]
    categories: NotRequired[Annotated[list[str], "further categories"]]
    aliases: NotRequired[Annotated[list[str], "other names, including infix forms"]]
    related: NotRequired[Annotated[list[str], "names of similar builtins"]]
    returnType: NotRequired[Annotated[str, "type of the result"]]
    paramTypes: NotRequired[Annotated[list[str], "types of the parameters"]]
    docPath: NotRequired[Annotated[str, "the page that describes it"]]
    line: NotRequired[Annotated[int, "its line there"]]


class BuiltinName(TypedDict):
    name: Annotated[str, "the name"]
    signature: Annotated[str, "its type"]


class BuiltinSummary(BuiltinName):
    category: Annotated[str, "its category"]
    description: Annotated[str, "first line of what it does"]
    address: NotRequired[SharedAddress]


class BuiltinList(AnswerFields):
    total: Annotated[int, "builtins listed"]
    categories: Annotated[list[str], "their categories"]
    builtins: Annotated[list[BuiltinSummary], "by name"]
    byCategory: Annotated[dict[str, list[BuiltinName]], "the same by category", ONE_LEVEL]
    nextCursor: NotRequired[Annotated[str, "missing on the last page"]]


class OutlinedSection(TypedDict):
    title: Annotated[str, "the heading"]
    level: Annotated[int, "1 to 6"]
    line: Annotated[int, "its first line in the file"]


class OutlineEntry(OutlinedSection):
    anchor: Annotated[str, "the anchor that links use"]
    endLine: NotRequired[Annotated[int, "its last line"]]
    chars: NotRequired[Annotated[int, "its length in characters"]]


class DocName(TypedDict):
    filename: Annotated[str, "name of the file"]
    path: Annotated[str, "path in the knowledge base"]
    title: Annotated[str, "title of the page"]
    type: Annotated[str, "format of the file: `markdown`, `mdx`, `text` or another"]


class DocPart(TypedDict):
    section: NotRequired[Annotated[OutlineEntry, "the section asked for", TYPE_ONLY]]
    content: Annotated[str, "the text"]
    startLine: NotRequired[Annotated[int, "first line of the range"]]
    endLine: NotRequired[Annotated[int, "its last line"]]
    totalLines: NotRequired[Annotated[int, "lines of the file"]]


class Continued(AnswerFields):
    truncated: NotRequired[Annotated[bool, "whether `content` is only a part"]]
    next: NotRequired[Annotated[str, "how to continue"]]
    nextCursor: NotRequired[Annotated[str, "cursor of the next part"]]


class Doc(DocName, DocPart, Continued):
    size: Annotated[int, "characters of the page, section or range"]
    processed: Annotated[bool, "whether MDX was cleaned"]
    outline: NotRequired[Annotated[list[OutlinedSection], "headings of a long page", TYPE_ONLY]]
    frontmatter: NotRequired[Annotated[dict[str, Any], "front matter of the page"]]


class DocSummary(TypedDict):
    filename: Annotated[str, "name of the file"]
    path: Annotated[str, "for get_doc"]
    size: Annotated[int, "its length in characters"]
    title: Annotated[str, "title of the page"]
    sections: Annotated[int, "number of headings"]
    address: NotRequired[SharedAddress]


class DocList(AnswerFields):
    total: Annotated[int, "number of pages"]
    __extra_items__: Annotated[
        list[DocSummary], "the pages of each group; each folder below it is a group"
    ]
    nextCursor: NotRequired[Annotated[str, "missing on the last page"]]


class DocOutline(AnswerFields):
    path: Annotated[str, "path in the knowledge base"]
    title: Annotated[str, "title of the page"]
    type: Annotated[str, "`docs`, or `extra` for a post or add-on"]
    topics: Annotated[list[str], "its topics"]
    totalSections: Annotated[int, "number of headings"]
    sections: Annotated[list[OutlineEntry], "in the order of the page"]
    maxLevel: NotRequired[Annotated[int, "the deepest level shown"]]


class Example(Continued):
    path: Annotated[str, "path below the examples folder"]
    type: Annotated[Literal["file", "directory"], "", WITH_VALUES]
    category: NotRequired[Annotated[str, "category of a file"]]
    content: NotRequired[Annotated[str, "its text"]]
    lines: NotRequired[Annotated[int, "its lines"]]
    relativePath: NotRequired[Annotated[str, "path in the knowledge base"]]
    files: NotRequired[Annotated[list[str], "paths below a folder"]]
    suggestion: NotRequired[Annotated[str, "what to call next, for a folder"]]


class ExampleCategory(TypedDict):
    count: Annotated[int, "examples in it"]
    examples: Annotated[list[str], "the first of their paths"]
    hasMore: Annotated[bool, "whether there are more"]


class ExampleList(AnswerFields):
    nextCursor: NotRequired[Annotated[str, "missing on the last page"]]
    total: Annotated[int, "examples counted"]
    category: NotRequired[Annotated[str, "the category asked for"]]
    feature: NotRequired[Annotated[str, "the feature asked for"]]
    examples: NotRequired[Annotated[list[str], "paths of the examples of the category"]]
    categories: NotRequired[
        Annotated[dict[str, ExampleCategory], "all categories, if none was asked for"]
    ]


ImportedModule = TypedDict(
    "ImportedModule",
    {
        "module": Annotated[str, "module"],
        "from": NotRequired[Annotated[str, "the file it is imported from"]],
    },
)


class ExampleInfo(AnswerFields):
    path: Annotated[str, "path below the examples folder"]
    filename: Annotated[str, "name of the file"]
    category: Annotated[str, "the first folder of the path"]
    modules: Annotated[list[str], "names of its modules"]
    description: Annotated[str, "the comment at its top"]
    imports: Annotated[list[ImportedModule], "what it imports"]
    types: Annotated[list[str], "names of its types"]
    constants: Annotated[list[str], "names of its constants"]
    functions: Annotated[list[str], "names of its functions"]
    actions: Annotated[list[str], "names of its actions"]
    keywords: Annotated[list[str], "keywords and builtins it uses"]
    hasTests: Annotated[bool, "whether it has tests"]
    tests: Annotated[list[str], "names of its tests"]
    size: Annotated[int, "bytes"]
    subcategory: NotRequired[Annotated[str, "the second folder of the path"]]


class TemplateName(TypedDict):
    id: Annotated[str, "for get_template"]
    name: Annotated[str, "its name"]
    description: Annotated[str, "what it is"]
    framework: Annotated[str, "the framework it is for"]
    filename: Annotated[str, "its file"]


class TemplateSummary(TemplateName):
    address: NotRequired[SharedAddress]


class Template(TemplateName, AnswerFields):
    use_for: Annotated[list[str], "what it is good for"]
    includes: Annotated[list[str], "what it contains"]
    instructions: Annotated[list[str], "steps to turn it into a specification"]
    content: Annotated[str, "the text"]
    lines: Annotated[int, "lines of the text"]
    workflow: NotRequired[Annotated[list[str], "how to continue"]]
    key_patterns: NotRequired[Annotated[list[str], "patterns that it shows"]]
    nextCursor: NotRequired[Annotated[str, "cursor of the next part of a long text"]]


class TemplateList(AnswerFields):
    templates: Annotated[list[TemplateSummary], "the templates"]
    total: NotRequired[Annotated[int, "number of templates, without a framework"]]
    framework: NotRequired[Annotated[str, "the framework asked for"]]
    count: NotRequired[Annotated[int, "its templates"]]


class AntiPattern(TypedDict):
    dont: Annotated[str, "the mistake"]
    reason: NotRequired[Annotated[str, "why it is one"]]
    do: NotRequired[Annotated[str, "the better way"]]


class PatternRule(TypedDict):
    rule: Annotated[str, "the rule"]
    wrong: NotRequired[Annotated[str, "code that breaks it"]]
    correct: NotRequired[Annotated[str, "code that follows it"]]
    explanation: NotRequired[Annotated[str, "the reason"]]


class Pattern(AnswerFields):
    id: Annotated[str, "its id"]
    name: Annotated[str, "its name"]
    category: Annotated[str, "its category"]
    description: Annotated[str, "what it is for"]
    template: NotRequired[Annotated[str, "code to start from"]]
    when_to_use: NotRequired[Annotated[list[str], "when to use it"]]
    key_principles: NotRequired[Annotated[list[str], "principles behind it"]]
    required_builtins: NotRequired[Annotated[list[str], "builtins that it needs"]]
    examples: NotRequired[Annotated[list[str], "examples that use it"]]
    related_patterns: NotRequired[Annotated[list[str], "ids of similar patterns"]]
    anti_patterns: NotRequired[Annotated[list[AntiPattern], "what not to do", ONE_LEVEL]]
    rules: NotRequired[Annotated[list[PatternRule], "what must hold", ONE_LEVEL]]


class PatternSummary(TypedDict):
    id: Annotated[str, "for get_pattern"]
    name: Annotated[str, "its name"]
    description: Annotated[str, "what it is for"]
    address: NotRequired[SharedAddress]


class PatternList(AnswerFields):
    total: NotRequired[Annotated[int, "number of patterns, without a category"]]
    categories: NotRequired[
        Annotated[dict[str, list[PatternSummary]], "the patterns of each category", ONE_LEVEL]
    ]
    category: NotRequired[Annotated[str, "the category asked for"]]
    count: NotRequired[Annotated[int, "its patterns"]]
    patterns: NotRequired[Annotated[list[PatternSummary], "these"]]


class PatternMatch(PatternSummary):
    category: Annotated[str, "its category"]
    relevance: Annotated[float, "summed weights of its fields that contain the words"]


class PatternMatches(AnswerFields):
    query: Annotated[str, "the query"]
    total: Annotated[int, "patterns found"]
    matches: Annotated[list[PatternMatch], "best first"]


class FrameworkSuggestion(AnswerFields):
    framework: Annotated[str, "the recommended framework"]
    confidence: Annotated[float, "0 to 1"]
    reasoning: Annotated[str, "why"]
    docs: Annotated[list[str], "pages to start from"]
    examples: Annotated[list[str], "examples to start from"]
