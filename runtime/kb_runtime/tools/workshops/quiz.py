"""`retrieve_quiz_instructions`: how to run a quiz. It reads no workshop and names the tools that do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kb_runtime.tools import parameter
from kb_runtime.tools.declaration import Answer
from kb_runtime.tools.workshops.lookup import workshop_tools
from kb_runtime.tools.workshops.text import failure, listing, next_steps, shown, title

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from kb_runtime.tools.session import Session
    from kb_runtime.tools.workshops.answers import QuestionType, QuizInstructions

NAME: Literal["retrieve_quiz_instructions"] = "retrieve_quiz_instructions"
VERSION: Literal["1"] = "1"
DEFAULT_QUESTIONS = 8
MAX_QUESTIONS = 20

_PROTOCOL = """\
# Quiz facilitation protocol

Topic: {topic}
Learner goal: {goal}
Target: {count} questions

## Before the first question

- Agree with the learner on what the quiz covers, and on what counts as a good answer: their own words,
  with a reason.
- Get the material first: call `{retrieve_learning_context}` for the exercise or step (or with
  `random: true`), `{retrieve_diff_context}` for what changed in the code, and `{search_topic_context}` when
  the place is unknown. Ask only about what the material says.

## For each question

1. Ask exactly one question at a time, then stop and wait for the answer. Never ask two at once, never
   answer for the learner.
2. Prefer short answers from memory. Offer choices only when the learner is stuck.
3. Ask for the why: "What would go wrong otherwise?", "How do you know?"
4. Give feedback immediately after the attempt:
   - Right: confirm in a sentence and add one nuance.
   - Partly right: say which part holds, name the gap, and ask one question about the gap.
   - Wrong: give a small hint and a second try. Reveal the answer only after that, with the reason.
5. Adapt: after two right answers in a row ask something harder, after two misses something more basic.

## Near the end

Come back to one or two missed items and ask them again in other words (spaced retrieval). Then close:
sum up the gaps, and let the learner restate each corrected idea.

## Script for one question

> Question 3 of {count}. <question>
> (wait)
> <one sentence of feedback> <nuance, gap question or hint>
"""

_CHECKLIST = (
    "Agree on the scope and on what a good answer is.",
    "Ask one question, then wait.",
    "Prefer recall in own words; ask for the why.",
    "Give feedback right after each attempt.",
    "Adapt the difficulty to the answers.",
    "Ask missed items again before closing.",
)

_CLOSING_STEPS = (
    "Name three takeaways from the learner's own answers.",
    "Name one to three gaps, and let the learner restate the corrected ideas.",
    "Write two or three prompts to recall tomorrow.",
)

_QUESTION_TYPES: tuple[QuestionType, ...] = (
    {
        "id": "free-recall",
        "label": "Free recall",
        "promptTemplate": "Without looking: what does <concept> do, and why is it needed?",
        "whatToListenFor": ["the purpose, not only the name", "own words", "a reason"],
        "followUps": ["What would break without it?", "Where did the exercise use it?"],
    },
    {
        "id": "apply-to-scenario",
        "label": "Apply to a scenario",
        "promptTemplate": "You have to build <scenario>. How would you use <concept>?",
        "whatToListenFor": ["the concept fits the scenario", "concrete steps", "limits named"],
        "followUps": ["What changes if <constraint>?", "How would you test it?"],
    },
    {
        "id": "compare-contrast",
        "label": "Compare and contrast",
        "promptTemplate": "When would you choose <option A> over <option B>, and what does it cost?",
        "whatToListenFor": ["a difference that matters", "a cost on both sides"],
        "followUps": ["Which one did the solution choose?", "When would you choose the other?"],
    },
    {
        "id": "debug-explain",
        "label": "Debug and explain",
        "promptTemplate": "This code does <symptom>: <code>. What is wrong, and how do you fix it?",
        "whatToListenFor": ["the cause, not the symptom", "a fix that addresses the cause"],
        "followUps": ["How would you have noticed it?", "Which test would have caught it?"],
    },
    {
        "id": "teach-back",
        "label": "Teach back",
        "promptTemplate": "Explain <concept> to a colleague who has never seen it, in three sentences.",
        "whatToListenFor": ["right order of ideas", "an example", "no unexplained jargon"],
        "followUps": ["What would they ask next?", "Which part is hardest to explain?"],
    },
)


TOOLS = workshop_tools()


@TOOLS.tool(
    "How to run a quiz, one question at a time: protocol, question types, closing.",
    parameter.text("topic", "what the quiz is about", 500),
    parameter.text("learnerGoal", "what the learner wants", 500),
    parameter.integer("questionCount", "questions", 1, MAX_QUESTIONS, default=DEFAULT_QUESTIONS),
    on_error=failure("Quiz protocol"),
)
def retrieve_quiz_instructions(
    session: Session, arguments: dict[str, Any]
) -> Answer[QuizInstructions]:
    topic, goal, count = arguments["topic"], arguments["learnerGoal"], arguments["questionCount"]
    instructions = instructions_markdown(topic, goal, count, session.name_of)
    structured: QuizInstructions = {
        "tool": NAME,
        "version": VERSION,
        "topic": topic,
        "learnerGoal": goal,
        "targetQuestionCount": count,
        "instructionsMarkdown": instructions,
        "checklist": list(_CHECKLIST),
        "questionTypes": list(_QUESTION_TYPES),
        "closingSteps": list(_CLOSING_STEPS),
    }
    parts = [
        title("Quiz protocol"),
        listing(
            "Inputs",
            {
                "topic": shown(topic, "not given"),
                "learnerGoal": shown(goal, "not given"),
                "questionCount": f"`{count}`",
            },
        ),
        instructions.rstrip(),
        next_steps(
            [
                f"Call `{session.name_of('retrieve_learning_context')}` for the material of an"
                " exercise or step.",
                f"Call `{session.name_of('retrieve_diff_context')}` for what its solution changes.",
            ]
        ),
    ]
    return Answer("\n\n".join(parts), structured)


def instructions_markdown(
    topic: str | None, goal: str | None, count: int, name_of: Callable[[str], str]
) -> str:
    """The protocol; what is not given is left to the conversation. `name_of` says what the server calls
    a tool."""
    tools = ("retrieve_learning_context", "retrieve_diff_context", "search_topic_context")
    return _PROTOCOL.format_map(
        {
            "count": count,
            "topic": " ".join((topic or "agree on one with the learner").split()),
            "goal": " ".join((goal or "ask the learner").split()),
            **{tool: name_of(tool) for tool in tools},
        }
    )
