"""Builds a skill from a table of intents with one reply each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import time, timedelta
from typing import NamedTuple

from assistant.core.messages import OpenQuestion
from assistant.skill import Area, Entity, Floor, Reply, Request, Skill, Traits, naming


class FixedReply(NamedTuple):
    """An intent, the one reply to it, and its sentences."""

    intent: str
    reply: str
    sentences: tuple[str, ...]
    asks: bool = False
    """Whether the sentences ask for something to be said, and order nothing."""
    in_documents: bool = False
    """Whether the user's documents may have the answer; the reply is for when they have none."""
    about: tuple[str, ...] = ()
    """As in the intent's traits."""
    names: bool = False
    """Whether what it names may be meant by the next command: "just a timer then"."""


def skill_of(
    name: str,
    replies: Iterable[FixedReply],
    rules: Mapping[str, str],
    *,
    done: bool,
) -> Skill:
    """A skill that gives these replies; `done` says whether they meet what was said.

    Where they do, as in small talk, a sentence is a whole text.
    """
    skill = Skill(name)
    for rule, template in rules.items():
        skill.rule(rule, template)
    for fixed in replies:
        traits = Traits(
            asks=fixed.asks,
            about=fixed.about,
            whole=done,
            only_talk=True,
            takes=("excluded", "when"),
        )
        skill.intent(fixed.intent, *fixed.sentences, traits=traits)(_function(fixed, done))
    return skill


def _function(fixed: FixedReply, done: bool) -> Callable[..., Reply]:
    unsure = fixed.asks and not done

    def reply(
        request: Request,
        what: str = "",
        who: str = "",
        place: str = "",
        first: float | None = None,
        second: float | None = None,
        clock: time | None = None,
        duration: timedelta | None = None,
        search_query: str = "",
        media_class: str = "",
        name: Entity | None = None,
        area: Area | None = None,
        floor: Floor | None = None,
    ) -> Reply:
        """Say the reply, whatever was named; a question that is only guessed may be another."""
        about = naming(request, what, duration) if fixed.names else ()
        asked = fixed.in_documents or (unsure and request.confidence < 1)
        task = OpenQuestion() if asked else None
        return Reply(fixed.reply, done=done, task=task, about=about)

    return reply
