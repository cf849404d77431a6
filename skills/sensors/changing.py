"""Acknowledging, muting, learning anew, and taking an alarm for a false one."""

from __future__ import annotations

from datetime import timedelta

from assistant.skill import Confirm, Context, Dialog, Reply, Request, Skill, Traits
from assistant.skill.sensors import Noticed
from skills.sensors.naming import (
    is_meant,
    is_spoken_of,
    meant,
    named,
    named_or,
    of,
    spoken_of,
    that,
)
from skills.sensors.wording import capital, lasting

MUTED_FOR = timedelta(hours=1)
"""How long something is muted where no time is said."""
LONGEST_MUTED = timedelta(days=30)
LEARNT_FOR = timedelta(minutes=10)
"""How long is learnt where no time is said."""
LONGEST_LEARNT = timedelta(days=1)
NOTHING = "There is nothing to acknowledge."
CHANGES = Traits(only_now=True, guarded=True)

skill = Skill("sensors")


def _is_open(request: Request, context: Context) -> bool:
    rings = context.timers.rung or context.alarms.rung
    return not rings and bool(context.sensors.wrong() or spoken_of(context))


def _was_alarm(request: Request, context: Context) -> bool:
    return bool(that(context))


@skill.short(
    "SensorsAcknowledge",
    "(acknowledge|confirm) [<those>]",
    "[that is|alarm] acknowledged",
    "i [already] know [about] (that|it|this)",
    "[thanks|okay|right] i (am|will be) on it",
    "(okay|right) i have (seen|got|understood) (it|that)",
    "stop telling me [about] <those>",
    holds=named_or(_is_open),
    traits=CHANGES,
)
@skill.short(
    "SensorsAcknowledge",
    "(acknowledge|confirm) (everything|all [of] [it|them]|[all] the alarms)",
    fixed={"extent": "all"},
    holds=named_or(_is_open),
)
@skill.short(
    "SensorsAcknowledge",
    "(acknowledge|confirm) [the] [(alarm|fault|problem) (of|with|on|at)] {machine}",
    "i [already] know about {machine}",
    "stop telling me about {machine}",
    holds=is_meant,
)
def acknowledge(context: Context, machine: str = "", extent: str = "") -> Reply:
    """Tell no more what is known, until it is over: what was told last, or all."""
    wrong = context.sensors.wrong()
    told = [one for one in spoken_of(context) if one.goes_on and not one.acknowledged]
    known = of(meant(machine, context), wrong) if machine else (told if not extent else ()) or wrong
    unacknowledged = [one for one in known if not one.acknowledged]
    if not unacknowledged:
        return Reply(NOTHING, done=False)
    undo = context.sensors.acknowledge([one.anomaly.id for one in unacknowledged])
    names = context.say(list(dict.fromkeys(_name(one, context) for one in unacknowledged)))
    return Reply(f"Acknowledged: {names}. I will tell you when it is over.", undo=undo)


@skill.short(
    "SensorsMute",
    "(mute|silence) (that|this|the alarm|this alarm|that alarm) [for {duration}]",
    "(say|tell me) nothing [more] about (that|this) [for {duration}]",
    holds=named_or(is_spoken_of),
    traits=CHANGES,
)
@skill.short(
    "SensorsMute",
    "(mute|silence) {machine} for {duration}",
    "(mute|silence) [the] (alarms|alarm) (of|from|about) {machine} [for {duration}]",
    "(mute|silence) {machine}",
    "(say|tell me) nothing [more] about {machine} [for {duration}]",
    "do not tell me about {machine} for {duration}",
    holds=is_meant,
)
def mute(context: Context, machine: str = "", duration: timedelta = MUTED_FOR) -> Reply:
    """Tell nothing of some sensors for a while; what an alarm sets off goes on."""
    if not timedelta(0) < duration <= LONGEST_MUTED:
        return Reply(f"I can be silent for {lasting(LONGEST_MUTED)} at most.", done=False)
    ids, name = _those(context, machine)
    undo = context.sensors.mute(ids, duration)
    return Reply(f"Okay, I say nothing about {name} for {context.say(duration)}.", undo=undo)


@skill.short(
    "SensorsUnmute",
    "(unmute <those>|tell me about (that|it) again)",
    holds=named_or(is_spoken_of),
    traits=CHANGES,
)
@skill.short(
    "SensorsUnmute",
    "unmute {machine}",
    "tell me about {machine} again",
    holds=is_meant,
)
def unmute(context: Context, machine: str = "") -> Reply:
    """Tell of sensors again that were muted."""
    ids, name = _those(context, machine)
    muted = [one for one in ids if context.sensors.muted(one) is not None]
    if not muted:
        return Reply(f"{capital(name)} is not muted.", done=False)
    undo = context.sensors.mute(muted, timedelta(0))
    return Reply(f"Okay, I tell you about {name} again.", undo=undo)


@skill.short(
    "SensorsFalseAlarm",
    "[that|this|it] was (a|another) false alarm",
    "[a] false alarm",
    fixed={"sure": "yes"},
    holds=_was_alarm,
    traits=CHANGES,
)
@skill.short(
    "SensorsFalseAlarm",
    "was (that|this|it) [just] a false alarm",
    holds=_was_alarm,
)
def false_alarm(context: Context, sure: str = "") -> Dialog:
    """Have it learnt that all was well."""
    one = that(context)[-1]
    name = _name(one, context)
    if not sure and not (yield Confirm(f"Shall I take the alarm about {name} for a false one?")):
        return Reply("Okay, I left it as it is.")
    context.sensors.false_alarm(one.anomaly.id)
    return Reply(f"Okay, I will learn that {name} was well.")


@skill.short(
    "SensorsLearn",
    "learn {machine} [now|again] for {duration}",
    "learn {machine} [now|again]",
    "learn (how|what) {machine} is [now|like] [for {duration}]",
    "(all is well|everything is fine) with {machine} [now] [for {duration}]",
    holds=is_meant,
    traits=CHANGES,
)
def learn(machine: str, context: Context, duration: timedelta = LEARNT_FOR) -> Reply:
    """Take what sensors show from now on, for a while, for normal."""
    if not timedelta(0) < duration <= LONGEST_LEARNT:
        return Reply(f"I can learn for {lasting(LONGEST_LEARNT)} at most.", done=False)
    sensors = meant(machine, context)
    context.sensors.learn([one.id for one in sensors], duration)
    for_how_long = context.say(duration)
    return Reply(f"Okay, for {for_how_long} I take what {named(sensors)} shows for normal.")


def _those(context: Context, machine: str) -> tuple[list[str], str]:
    """The sensors that are meant, and their name."""
    if machine:
        sensors = meant(machine, context)
        return [one.id for one in sensors], named(sensors)
    told = that(context)
    names = list(dict.fromkeys(_name(one, context) for one in told))
    return list(dict.fromkeys(one.anomaly.sensor for one in told)), context.say(names)


def _name(one: Noticed, context: Context) -> str:
    return named([context.sensors.described.by_id[one.anomaly.sensor]])
