"""The structured answers of the tools over workshops."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from kb_runtime.tools.fields import TYPE_ONLY, AnswerFields, SharedAddress


class WorkshopSummary(TypedDict):
    workshop: Annotated[str, "its slug, which other tools take"]
    title: Annotated[str, "its title"]
    product: NotRequired[Annotated[str, "its product label"]]
    exerciseCount: Annotated[int, "exercises"]
    stepCount: Annotated[int, "steps of all exercises"]
    sectionCount: Annotated[int, "sections stored"]
    hasDiffs: Annotated[bool, "whether any step has diffs"]
    lastIndexedAt: Annotated[str, "when it was indexed, ISO 8601"]
    address: NotRequired[SharedAddress]


class WorkshopTotals(TypedDict):
    workshops: Annotated[int, "workshops"]
    exercises: Annotated[int, "exercises"]
    steps: Annotated[int, "steps"]
    sections: Annotated[int, "sections"]


class WorkshopList(AnswerFields):
    workshops: Annotated[list[WorkshopSummary], "by slug", TYPE_ONLY]
    limit: Annotated[int, "page size, as applied"]
    totals: Annotated[WorkshopTotals, "for all workshops that match the filters", TYPE_ONLY]
    nextCursor: NotRequired[Annotated[str, "missing on the last page"]]


class VideoSummary(TypedDict):
    side: Annotated[str, "`problem` or `solution`"]
    embed: Annotated[str, "its address"]
    status: Annotated[str, "transcript status in the application"]
    hasTranscript: Annotated[bool, "whether the transcript is indexed"]


class StepSummary(TypedDict):
    number: Annotated[int, "stepNumber of other tools"]
    title: NotRequired[Annotated[str, "its title"]]
    hasDiff: Annotated[bool, "whether problem and solution differ"]
    problemDir: NotRequired[Annotated[str, "folder of the problem"]]
    solutionDir: NotRequired[Annotated[str, "folder of the solution"]]
    videos: NotRequired[Annotated[list[VideoSummary], "its videos, in an exported workshop"]]


class ExerciseSummary(TypedDict):
    number: Annotated[int, "exerciseNumber of other tools"]
    title: Annotated[str, "its title"]
    stepCount: Annotated[int, "steps"]
    steps: Annotated[list[StepSummary], "by number"]


class ExerciseList(AnswerFields):
    workshop: Annotated[str, "its slug"]
    title: Annotated[str, "its title"]
    exercises: Annotated[list[ExerciseSummary], "by number", TYPE_ONLY]


class ContextSection(TypedDict):
    label: Annotated[str, "readable name of the section"]
    kind: Annotated[str, "`exercise-instructions`, `problem-code`, `diff-hunk` and so on"]
    content: Annotated[str, "its text, or the part that fits"]
    sourcePath: NotRequired[Annotated[str, "the file in the workshop"]]
    exerciseNumber: NotRequired[Annotated[int, "missing for sections of the whole workshop"]]
    stepNumber: NotRequired[Annotated[int, "missing for sections of the whole exercise"]]


class LearningContext(AnswerFields):
    workshop: Annotated[str, "its slug"]
    exerciseNumber: Annotated[int, "the exercise"]
    sections: Annotated[list[ContextSection], "in teaching order", TYPE_ONLY]
    truncated: Annotated[bool, "whether there is more"]
    maxChars: Annotated[int, "maximum characters of content, as applied"]
    stepNumber: NotRequired[Annotated[int, "the step"]]
    kinds: NotRequired[Annotated[list[str], "the kinds of sections asked for"]]
    nextCursor: NotRequired[Annotated[str, "if there is more; contains its scope"]]
    address: NotRequired[
        Annotated[str, "the knowledge base, if several have a workshop with this slug"]
    ]


class DiffContext(AnswerFields):
    workshop: Annotated[str, "its slug"]
    exerciseNumber: Annotated[int, "the exercise"]
    diffSections: Annotated[
        list[ContextSection], "summary first, then a diff of each file", TYPE_ONLY
    ]
    truncated: Annotated[bool, "whether there is more"]
    maxChars: Annotated[int, "maximum characters of content, as applied"]
    stepNumber: NotRequired[Annotated[int, "the step"]]
    focus: NotRequired[Annotated[str, "text that the diffs must contain"]]
    nextCursor: NotRequired[Annotated[str, "if there is more"]]


class TopicMatch(TypedDict):
    score: Annotated[float, "0 to 1"]
    workshop: Annotated[str, "its slug"]
    exerciseNumber: NotRequired[Annotated[int, "missing for sections of the whole workshop"]]
    stepNumber: NotRequired[Annotated[int, "missing for sections of the whole exercise"]]
    sectionKind: Annotated[str, "kind of the section"]
    sectionLabel: Annotated[str, "readable name of the section"]
    sourcePath: NotRequired[Annotated[str, "the file in the workshop"]]
    chunk: Annotated[str, "the passage"]
    vectorId: Annotated[str, "id of the passage"]
    address: NotRequired[SharedAddress]


class TopicMatches(AnswerFields):
    query: Annotated[str, "the query"]
    limit: Annotated[int, "maximum number of matches, as applied"]
    mode: Annotated[
        Literal["vector", "keyword"], "the first when meaning had a part in the ranking"
    ]
    vectorSearchAvailable: Annotated[bool, "whether queries can be embedded"]
    keywordSource: Annotated[
        str | None, "`chunks` or `sections`: where keywords were looked for; null with vectors"
    ]
    matches: Annotated[list[TopicMatch], "best first", TYPE_ONLY]


class QuestionType(TypedDict):
    id: Annotated[
        Literal[
            "free-recall", "apply-to-scenario", "compare-contrast", "debug-explain", "teach-back"
        ],
        "",
    ]
    label: Annotated[str, "its name"]
    promptTemplate: Annotated[str, "a question with placeholders in angle brackets"]
    whatToListenFor: Annotated[list[str], "what a good answer contains"]
    followUps: Annotated[list[str], "follow-up questions"]


class QuizInstructions(AnswerFields):
    tool: Annotated[Literal["retrieve_quiz_instructions"], ""]
    version: Annotated[Literal["1"], "of the protocol"]
    topic: Annotated[str | None, "the topic given"]
    learnerGoal: Annotated[str | None, "the goal given"]
    targetQuestionCount: Annotated[int, "questions"]
    instructionsMarkdown: Annotated[str, "the protocol"]
    checklist: Annotated[list[str], "the protocol in short"]
    questionTypes: Annotated[list[QuestionType], "kinds of questions", TYPE_ONLY]
    closingSteps: Annotated[list[str], "how to end"]
