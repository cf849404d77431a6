"""What the mind composes of its parts, as sentences for the ear, since no skill has them.

The mind reads such a text by `nlu/parts` and `nlu/discourse`, whatever else it says; the ear hears
what it was told. The intents are for drawing alone: nothing is understood by them.
"""

from __future__ import annotations

from assistant.skill.manifest import IntentSchema, SkillManifest, SlotSchema

_NAME = SlotSchema(name="name", kind="entity", required=False)
_AREA = SlotSchema(name="area", kind="area", required=False)
_COLOUR = SlotSchema(name="colour", kind="colour", required=False)
_SHARE = SlotSchema(name="share", kind="percentage", required=False)
_DURATION = SlotSchema(name="duration", kind="duration", required=False)
_TIME = SlotSchema(name="time", kind="time", required=False)
_END = SlotSchema(name="end", kind="time", required=False)
_OTHER = SlotSchema(name="other", kind="area", required=False)
_DEGREES = SlotSchema(name="degrees", kind="temperature", required=False)
_RECURRENCE = SlotSchema(name="recurrence", kind="recurrence", required=False)

FOLLOW_UPS = SkillManifest(
    name="follow-ups",
    api=1,
    rules={
        "too": "(too|as well|also)",
        "direction": "(on|off)",
        "when": (
            "(in {duration}|for {duration}|(at|until) {time}|(tomorrow|tonight) at {time}"
            "|from {time} (to|until) {end}"
            "|{recurrence}|[every day] at (sunset|sunrise)|until (sunset|sunrise)"
            "|{duration} (before|after) (sunset|sunrise)"
            "|(at {time}|in {duration}|{recurrence}) for {duration})"
        ),
    },
    intents=(
        IntentSchema(
            intent="MoreOfIt",
            sentences=(
                "and [the] {name} [<too>]",
                "and (in|for) [the] {area} [<too>]",
                "and [the] {area} [<too>]",
                "(what|how) about [the] ({name}|{area})",
            ),
            slots=(_NAME, _AREA),
        ),
        IntentSchema(
            intent="AnotherInstead",
            sentences=(
                "no [not that one] [the] ({name}|{area})",
                "[no] i (meant|mean) [the] ({name}|{area})",
                "[no] i meant ({share}|{duration})",
                "(no|not that one) the other one",
            ),
            slots=(_NAME, _AREA, _SHARE, _DURATION),
        ),
        IntentSchema(
            intent="ChangeOfIt",
            sentences=(
                "make it {colour}",
                "make it {share}",
                "make it {duration} [instead]",
                "[make it] [a (bit|little)] (brighter|darker|dimmer|louder|quieter|warmer|cooler)",
                "turn (it|them) <direction> [again]",
                "(lock|unlock|open|close|stop) it [again]",
                "(do|say) (it|that) again",
                "undo [that]",
            ),
            slots=(_COLOUR, _SHARE, _DURATION),
        ),
        IntentSchema(
            intent="DoneInAWhile",
            sentences=(
                "(turn|switch) <direction> [the] {name} (in|for) {duration}",
                "(turn|switch) [the] {name} <direction> (in|for) {duration}",
            ),
            slots=(_NAME, _DURATION),
        ),
        IntentSchema(
            intent="DoneLater",
            sentences=(
                "(turn|switch) <direction> [the] {name} <when>",
                "(turn|switch) [the] {name} <direction> <when>",
                "(turn|switch) <direction> [all] [the] [{area}] lights <when>",
                "turn (it|them) <direction> [again] <when>",
                "no (in {duration}|at {time})",
            ),
            slots=(_NAME, _AREA, _DURATION, _TIME, _END, _RECURRENCE),
        ),
    ),
)
"""What people say to go on from what was said before: the mind composes it from its parts
(`nlu/discourse`, `nlu/parts`)."""


COMPOSED = SkillManifest(
    name="composed",
    api=1,
    rules={
        "direction": "(on|off)",
        "except": "(except|except for|but|but not|apart from|other than)",
        "bit": "(a bit|a little|a little bit|slightly)",
        "more": (
            "(brighter|lighter|dimmer|darker|louder|quieter|softer|warmer|hotter|cooler|colder"
            "|higher|lower)"
        ),
        "heating": "(heating|thermostat|heater|radiator|air conditioning|temperature)",
        "moved": "(blinds|curtains|shutters|windows|doors)",
        "list": "(the|my|our) (shopping|grocery|to do) list",
    },
    intents=(
        IntentSchema(
            intent="AllBut",
            sentences=(
                "(turn|switch) <direction> all [the] [{area}] lights <except> [the]"
                " ({name}|{other})",
                "(turn|switch) all the [{area}] lights <direction> <except> [the] {name}",
                "(turn|switch) <direction> everything [in [the] {area}] <except> [the] {name}",
                "(open|close) all [the] <moved> <except> [the] {name}",
            ),
            slots=(_NAME, _AREA, _OTHER),
        ),
        IntentSchema(
            intent="ALittle",
            sentences=(
                "make [the] ({name}|{area} lights) [<bit>] <more>",
                "make it [<bit>] <more> [in [the] {area}|in here]",
                "(turn|bring) [the] {name} (up|down) [<bit>|by {share}]",
                "turn (up|down) [the] {name} [<bit>|by {share}]",
                "(dim|brighten) [the] ({name}|{area} lights) [<bit>|by {share}]",
                "(open|close|raise|lower) [the] {name} (<bit>|halfway|half way)",
            ),
            slots=(_NAME, _AREA, _SHARE),
        ),
        IntentSchema(
            intent="StillSo",
            sentences=(
                "did (i|we) leave [the] {name} (on|open|unlocked)",
                "is [the] {name} still (on|off|open|closed|locked|unlocked)",
                "are (any|any of the) lights [still] (on|off) [in [the] {area}]",
                "are (any|all) [of] [the] <moved> [still] (open|closed|locked)",
                "(which|what) (lights are [still] on|<moved> are [still] open) [in [the] {area}]",
            ),
            slots=(_NAME, _AREA),
        ),
        IntentSchema(
            intent="OfItsKind",
            sentences=(
                "(set|turn|put) [the] <heating> (to|up to|down to) {degrees} [in [the] {area}]",
                "(turn|switch) <direction> [the] <heating> [in [the] {area}]",
                "(turn|switch) <direction> [the] (tv|radio|music|fan|aircon)",
                "(open|close) [the] [{area}] <moved> [halfway|<bit>]",
            ),
            slots=(_AREA, _DEGREES),
        ),
        IntentSchema(
            intent="SeveralThings",
            sentences=(
                "(add|put) {item} and {other} (to|on) <list>",
                "(add|put) {item} {other} and {third} (to|on) <list>",
                "(we|i) need {item} [and {other}]",
                "(read|tell) me <list>",
                "what is on <list>",
            ),
            slots=tuple(
                SlotSchema(name=name, kind="text", required=False)
                for name in ("item", "other", "third")
            ),
        ),
    ),
)
"""Commands and questions that no sentence of a skill has, as their parts are any."""


ELLIPSES = SkillManifest(
    name="ellipses",
    api=1,
    rules={"too": "(too|as well|also)", "direction": "(on|off|up|down)"},
    intents=(
        IntentSchema(
            intent="MoreOfIt",
            sentences=(
                "[the] ({name}|{area}) <too>",
                "(only|not) [the] ({name}|{area})",
                "the same in [the] {area}",
            ),
            slots=(_NAME, _AREA),
        ),
        IntentSchema(
            intent="ChangeOfIt",
            sentences=(
                "[now|back] <direction> [again]",
                "[a (bit|little)] (more|less)",
                "(half|halfway|full)",
                "({colour}|{share})",
                "(pause|mute|unmute|resume|shut|close|open|lock) (it|them) [again]",
            ),
            slots=(_COLOUR, _SHARE),
        ),
    ),
)
"""What goes on from a command in so few words that among sentences they are not heard: the mind
reads it by its parts, as it does `FOLLOW_UPS`."""
