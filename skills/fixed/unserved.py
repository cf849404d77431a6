"""What households ask for and no installed skill does: each subject gets a plain "no".

A skill that declares one of these intents takes its place; without it the sentences here are still
understood, so that the reply names what cannot be done and no device is taken to be meant.
"""

from __future__ import annotations

from collections.abc import Container

from assistant.english.templates import RULES as KINDS
from assistant.skill import Context, Reply, Request, Skill
from skills.fixed import media, planning, world
from skills.fixed.replies import skill_of

NAME = "unserved"
SUBJECTS = (*planning.SUBJECTS, *media.SUBJECTS, *world.SUBJECTS)

_DAY = (
    f"(today|tonight|tomorrow|now|later|(this|tomorrow) (morning|afternoon|evening)"
    f"|(on|this|next|) ({KINDS['weekday_name'].strip('()')})|at the weekend|this weekend"
    "|next week|every (day|morning|evening|week))"
)
RULES = {
    "day": _DAY,
    "moment": (
        f"((at|for|by|before|until|) {{clock}} [{_DAY}|in the morning|sharp]"
        f"|[for|on] {_DAY} [at {{clock}}]|in the morning|early|later|after lunch|before dinner)"
    ),
    "remind": "(remind|nudge|prompt|poke|prod)",
    "family": (
        "(mum|mummy|mom|dad|daddy|gran|granny|grandma|grandpa|nan|my (mum|mom|dad|wife|husband"
        "|boss|sister|brother|son|daughter|friend|parents|neighbour|boyfriend|girlfriend)"
        "|the (doctor|dentist|school|office|plumber|neighbours|babysitter|vet|bank)"
        "|aunt {who}|uncle {who}|him|her|them|somebody|someone)"
    ),
    "times": "(plus|minus|times|divided by|multiplied by|over|less|and|take away|x)",
    "unit": (
        "(gram[s]|kilo[s]|kilogram[s]|ounce[s]|pound[s]|stone|litre[s]|liter[s]|millilitre[s]"
        "|milliliter[s]|pint[s]|cup[s]|tablespoon[s]|teaspoon[s]|gallon[s]|fluid ounce[s]"
        "|metre[s]|meter[s]|centimetre[s]|centimeter[s]|millimetre[s]|inch|inches|foot|feet"
        "|yard[s]|mile[s]|kilometre[s]|kilometer[s]|[degree[s]] (fahrenheit|celsius|centigrade)"
        "|second[s]|minute[s]|hour[s]|day[s]|week[s]|month[s]|year[s]|acre[s]|hectare[s])"
    ),
    "currency": "(dollar[s]|euro[s]|pound[s]|franc[s]|yen|rupee[s]|kroner|zloty|lira|bitcoin[s])",
    "language": (
        "(french|german|spanish|italian|polish|english|welsh|latin|dutch|portuguese|japanese"
        "|chinese|mandarin|russian|greek|turkish|swedish|arabic|hindi|irish)"
    ),
}


FOLLOW_UPS = (
    "[boring|no] (tell|give|read|show|play|find|sing|do) [me|us] (another|another one|one more"
    "|a different one|something else|the next one|one about {text:what})",
    "(find|get|show|tell|give) (me|us) (a|an|another|some) {text:what} one[s]",
    "[and|so] (what about|how about) {text:what}",
    "and (for|on|in|at|about|to|from|with) {text:what}",
    "and <day>",
    "(another|another one|one more|a different one|a better one|next one) [please|then]",
    "(and what about|how about|and) (him|her|them|that|that one|the other one)",
)
"""What is said after a subject that was declined, about the same subject."""


def unserved(served: Container[str]) -> Skill:
    """The subjects whose intent is not among those `served`."""
    left = tuple(subject for subject in SUBJECTS if subject.intent not in served)
    replies = {subject.reply for subject in left}
    skill = skill_of(NAME, left, RULES, done=False)

    def is_declined(request: Request, context: Context) -> bool:
        said = context.conversation
        return request.alone and not said.answered and said.last_reply in replies

    @skill.short("SameSubject", *FOLLOW_UPS, holds=is_declined)
    def same_subject(context: Context, what: str = "") -> Reply:
        """Say again that nothing here does that."""
        return Reply(context.conversation.last_reply, done=False)

    return skill
