"""Talking about the user's documents: where an answer is from, and what one says in short.

What they answer is found by the stage that answers questions; here is only what people say.
"""

from __future__ import annotations

from assistant.skill import Reply, Skill

skill = Skill("documents", description="answer questions from your documents")


@skill.intent(
    "DocumentSource",
    "where (did you get|do you get|did you find|did you read) (that|this|it) [from]",
    "where do you (have|know) (that|this|it) from",
    "where is (that|this|it) from",
    "where (does|did) (that|this|it) come from",
    "(what is|what's|what was) (your|the) source [for that|of that]",
    "which document (is|was|did you get) that [from]",
    "how do you know [that|this]",
    "who says (so|that)",
)
def source() -> Reply:
    """Name the document that the last answer was taken from."""
    return Reply("I have not answered from a document yet.", facts={"wanted": "source"})


@skill.intent(
    "DocumentSummary",
    "(summarise|summarize) {name}",
    "(give me|tell me|read me) (a|the) [short] summary of {name}",
    "(give|tell) me the gist of {name}",
    "what does {name} say in (short|brief|a nutshell)",
)
def summary(name: str) -> Reply:
    """Say a document, or a chapter of one, in two or three sentences."""
    return Reply("I have no documents.", facts={"name": name})
