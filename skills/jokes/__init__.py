"""Jokes of our own: short enough to be heard out, and about nobody."""

from __future__ import annotations

from assistant.skill import Context, Reply, Request, Skill, Traits

JOKES = (
    "I asked the fridge for advice. It told me to chill.",
    "The clock and I had a quarrel. It had the last second.",
    "Why was the kettle so calm? It had already let off steam.",
    "The blinds never argue. They let it slide, or they pull themselves together.",
    "What does a lamp say to a bulb that is late? You should have been on by now.",
    "I told the vacuum cleaner a secret. Now it keeps picking up dirt.",
    "Why do thermostats make good friends? They always know when things are heating up.",
    "The doorbell wanted to be in a band, but it knew only two notes.",
    "What is a timer's favourite food? Anything, as long as it gets seconds.",
    "The washing machine is tired of its job. It says it goes round in circles.",
    "Why did the router go to the doctor? It had lost its connection with everybody.",
    "The oven gave me a compliment. I got a warm feeling.",
    "What do you call a lazy speaker? All talk.",
    "The toaster says that its day has its ups and downs.",
    "Why was the light switch moody? Some days it was on, some days it was off.",
    "I would tell you a joke about the garage door, but it always goes over everyone's head.",
    "The shopping list went to the gym. It wanted to work on its items, one at a time.",
    "Why did the calendar feel important? Its days were numbered, and it knew every one.",
    "What did one curtain say to the other? Let's not draw this out.",
    "The freezer is no good at parties. It never breaks the ice.",
    "Why is the attic the best listener in the house? Everything goes in and nothing comes out.",
    "My memory is excellent. I never forget what I was told not to remember.",
    "The ceiling fan has many admirers, and all of them look up to it.",
    "Why does the battery never win a race? It always runs out before the end.",
)

skill = Skill("jokes", description="tell a joke")
skill.rule("me", "(me|us)")
skill.rule("more", "(another|another one|one more|a better one|a different one)")


@skill.intent(
    "TellJoke",
    "tell <me> (a|another|one more|your best) [funny|good|new|silly|knock knock|dad] joke",
    "tell <me> a joke about {what}",
    "(do you know|have you got|know) (a|any|some|another) [good|funny] joke[s]",
    "make <me> laugh",
    "(another|one more|a different) joke",
    "(joke|joke please|a joke|tell me something really funny)",
    traits=Traits(asks=True),
)
def tell_joke(context: Context, what: str = "") -> Reply:
    """Tell a joke; after one, the next."""
    joke = _next(context)
    return Reply(f"I know none about {what}, but this one. {joke}" if what else joke)


def _after_a_joke(request: Request, context: Context) -> bool:
    return _told(context) is not None


@skill.short(
    "TellAnotherJoke",
    "[boring|rubbish|lame|not funny] (tell|give) <me> <more>",
    "<more> [please|then]",
    "again please",
    holds=_after_a_joke,
    traits=Traits(asks=True),
)
def tell_another(context: Context) -> Reply:
    """Tell the joke after the one that was just told."""
    return Reply(_next(context))


@skill.short(
    "JokeFellFlat",
    "that (joke was|was|is) (not funny|not very funny|a bad joke|terrible|bad|awful)",
    "(not funny|not very funny)",
    holds=_after_a_joke,
    traits=Traits(asks=True),
)
def fell_flat(context: Context) -> Reply:
    """Take it with grace."""
    return Reply("Nobody laughed at the first wheel, either.")


@skill.short(
    "JokeWasGood",
    "that (joke was|was|is) ([very|really] (funny|good)|a good one|hilarious)",
    "(haha|ha ha|very funny|good one)",
    holds=_after_a_joke,
    traits=Traits(asks=True),
)
def was_good(context: Context) -> Reply:
    """Be glad."""
    return Reply("I'm glad that you like it.")


def _told(context: Context) -> int | None:
    """The place of the joke that was just told; None where none was."""
    last = context.conversation.last_reply
    return next((at for at, joke in enumerate(JOKES) if last.endswith(joke)), None)


def _next(context: Context) -> str:
    """The joke after the last one, or one that is another each hour."""
    told = _told(context)
    hours = context.now.toordinal() * 24 + context.now.hour
    return JOKES[(hours if told is None else told + 1) % len(JOKES)]
