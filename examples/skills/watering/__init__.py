"""Remembers when the plants were watered: storage, settings, an event, and speaking first."""

from datetime import date, time, timedelta

import msgspec

from assistant.skill import Context, Every, Reply, Skill, Traits


class Watering(msgspec.Struct, frozen=True):
    days: int = 3
    """Days after which the plants need water."""


skill = Skill("watering", api=1, description="remember the plants", settings=Watering)


@skill.intent("NoteWatering", "i [have] watered the plants", "the plants are watered")
def watered(context: Context) -> Reply:
    """Remember that the plants were watered today."""
    context.storage.set("watered", context.now.date())
    return Reply("I noted that the plants are watered.")


@skill.intent("LastWatered", "when did i water the plants", traits=Traits(asks=True))
def when(context: Context) -> Reply:
    """Tell when the plants were watered."""
    last = context.storage.get("watered", date | None, None)
    return Reply(f"You watered them {context.say(last)}." if last else "I don't know.")


@skill.on(Every(at=time(18)))
def remind(context: Context) -> None:
    """Speak up in the evening when they need water."""
    settings: Watering = context.settings
    last = context.storage.get("watered", date | None, None)
    if last and context.now.date() - last >= timedelta(days=settings.days):
        context.announce("The plants need water.", expires=timedelta(hours=3))
