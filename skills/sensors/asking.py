"""Questions about the sensors: what is wrong, since when, how they are, what happened."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time, timedelta

from assistant.skill import Context, Period, Reply, Request, Skill, Traits
from assistant.skill.sensors import Noticed, Sensor
from skills.sensors.naming import is_meant, is_spoken_of, meant, named, named_or, of, telling, that
from skills.sensors.wording import capital, cause, further, lasting, present, sentence, story, the

MOST_TOLD = 4
"""Most anomalies, or sensors, that one reply tells of in their own words."""
NO_REPORT = "I know nothing of the sensors now: what judges them does not report."
NOTHING = "Nothing is wrong."
NIGHT_BEGINS, NIGHT_ENDS = time(20), time(8)
"""When the night is that "last night" means."""
ASKS = Traits(asks=True, about=("machine", "sensor"))

# All but the first lines are short forms, which are no examples for the models: whether they are
# meant depends on the names of the file, and on what was told.
skill = Skill("sensors")
skill.rule("happened", "(what happened|what has happened|what went wrong|what was wrong)")
skill.rule(
    "was_any",
    "((was|is) there (anything|something|any alarm) [wrong]|was anything wrong|did anything happen"
    "|did anything go wrong|were there any (alarms|faults|problems)|any (alarms|faults|problems))",
)


def _has_sensors(request: Request, context: Context) -> bool:
    return bool(context.sensors.described.sensors)


def _is_wrong(request: Request, context: Context) -> bool:
    return bool(context.sensors.wrong()) or is_spoken_of(request, context)


@skill.intent(
    "SensorsWrong",
    "(what is|is anything|is something|is there anything|is there something|what else is) wrong"
    " with <things>",
    "(is|are) (everything|<things>) <all_well> [with <things>]",
    "what do the (machines|sensors) say",
    "how are (the|my|our|all) [the] (machines|sensors)",
    "(are there|is there) [any|an] (alarm|alarms|faults|fault) (with|on|from) <things>",
    "(which|what) (machines|sensors) are not <all_well>",
    "(list|tell me) [all] [the] (sensor alarms|sensor faults)",
    traits=ASKS,
)
@skill.short(
    "SensorsWrong",
    "(what is|is anything|is something|is there anything|what else is) wrong [now|here]",
    "(is everything|are they all) <all_well> [now]",
    "what is the (matter|alarm|fault|problem) [now|here]",
    holds=named_or(_is_wrong),
)
@skill.short(
    "SensorsWrong",
    "(what is|is anything|is something|is there anything|is there something) [still] wrong"
    " (with|at|on|in) {machine}",
    "what is the (matter|problem) with {machine}",
    "(is|are) {machine} [still] <all_well>",
    "(why|what) does {machine} (alarm|complain)",
    holds=is_meant,
)
def what_is_wrong(context: Context, machine: str = "") -> Reply:
    """Tell what is wrong now, with all or with one."""
    sensors = meant(machine, context) if machine else context.sensors.described.sensors
    wrong = of(sensors, context.sensors.wrong())
    if wrong:
        return telling(_told(wrong, context), wrong, context)
    if context.sensors.readings is None:
        return Reply(NO_REPORT, done=False)
    return Reply(f"Nothing is wrong with {named(sensors)}." if machine else NOTHING)


@skill.short(
    "SensorSince",
    "[and] since when [is it|is that|has it been] [so|like that|wrong]",
    "how long has (it|that|this) been (so|like that|going on|wrong)",
    "when did (it|that|this) (start|begin|happen)",
    holds=named_or(is_spoken_of),
    traits=Traits(asks=True),
)
@skill.short(
    "SensorSince",
    "since when is (something|anything) wrong (with|at|on|in) {machine}",
    "since when is {machine} (wrong|not <all_well>)",
    "how long has {machine} been wrong",
    holds=is_meant,
)
def since_when(context: Context, machine: str = "") -> Reply:
    """Tell since when it is so."""
    told = of(meant(machine, context), context.sensors.wrong()) if machine else that(context)
    if not told and context.sensors.readings is None:
        return Reply(NO_REPORT, done=False)
    if not told:
        return Reply(f"Nothing is wrong with {named(meant(machine, context))}.")
    several = len(told) > 1
    words = " ".join(_since(one, context, several) for one in told[:MOST_TOLD])
    return telling(words, told, context)


@skill.short(
    "SensorReading",
    "how (is|are) {machine} [doing|now|running]",
    "what (does|do) {machine} (say|show|read|measure)",
    "(tell me|read me) {machine}",
    holds=is_meant,
    traits=Traits(asks=True),
)
@skill.short(
    "SensorReading",
    "what is {machine} [now|at]",
    "how (high|low|much|large|strong|warm|hot|cold|fast) is {machine}",
    holds=is_meant,
)
def how_is(machine: str, context: Context) -> Reply:
    """Tell how a machine, or a sensor, is."""
    sensors = meant(machine, context)
    readings = context.sensors.readings
    wrong = of(sensors, context.sensors.wrong())
    if readings is None:
        alarm = f" {_told(wrong, context)}" if wrong else ""
        return telling(f"{NO_REPORT}{alarm}", wrong, context, done=bool(wrong))
    ids = {one.anomaly.sensor for one in wrong}
    shown = [one for one in sensors if one.id in readings and one.id not in ids]
    parts = [present(readings[one.id], one) for one in shown[:MOST_TOLD]]
    missing = [one.name for one in sensors if one.id not in readings and one.id not in ids]
    parts += [f"no {name} has come yet" for name in missing[:MOST_TOLD]]
    said = [_told(wrong, context)] * bool(wrong)
    said += [f"{_subject(sensors)}{context.say(parts)}."] * bool(parts)
    said += [further(len(shown) - MOST_TOLD, "as usual")] * (len(shown) > MOST_TOLD)
    muted = _muted(sensors, context)
    said += [f"I say nothing of it unasked for {lasting(muted)}."] * bool(muted)
    return telling(" ".join(said), wrong, context)


@skill.short(
    "SensorsHappened",
    "<happened> (last night|during the night|overnight|in the night|tonight)",
    "<was_any> (last night|during the night|overnight|in the night|tonight)",
    fixed={"span": "night"},
    holds=_has_sensors,
    traits=Traits(asks=True),
)
@skill.short(
    "SensorsHappened",
    "(<happened>|<was_any>) [with <things>] today",
    fixed={"span": "today"},
    holds=_has_sensors,
)
@skill.short(
    "SensorsHappened",
    "(<happened>|<was_any>) [with <things>] yesterday",
    fixed={"span": "yesterday"},
    holds=_has_sensors,
)
@skill.short(
    "SensorsHappened",
    "<happened> [with <things>] [on|in] {period}",
    "<was_any> [with <things>] [on|in] {period}",
    holds=_has_sensors,
)
def what_happened(context: Context, span: str = "", period: Period | None = None) -> Reply:
    """Tell what was wrong in a stretch of time."""
    if period is None:
        period = _span(span, context.now)
    since, until = period.since, period.until
    told = [
        one
        for one in context.sensors.noticed()
        if one.anomaly.began < until and (one.anomaly.over is None or one.anomaly.over >= since)
    ]
    if not told and context.sensors.readings is None:
        return Reply(NO_REPORT, done=False)
    if not told:
        return Reply("Nothing was wrong then.")
    left = len(told) - MOST_TOLD
    described, zone = context.sensors.described, context.now.tzinfo
    stories = [
        story(one.anomaly, described, context.say(one.anomaly.began.astimezone(zone)))
        for one in told
    ]
    more = f" {left} more came after that." if left > 0 else ""
    return telling(" ".join(stories[:MOST_TOLD]) + more, told, context)


@skill.short(
    "HelpSensors",
    "what can (i|we) (say|ask|do|ask you) (about|with|to) the (machines|sensors)",
    "help [me|us] with the (machines|sensors)",
    holds=_has_sensors,  # before "what can I say", which is said of everything
    traits=Traits(asks=True),
)
def help_me() -> Reply:
    """Tell what can be said about the sensors."""
    return Reply(
        "You can ask what is wrong, since when, how a machine is, and what happened last night."
        " Say acknowledge, mute that for an hour, or that was a false alarm."
    )


def _told(wrong: Sequence[Noticed], context: Context) -> str:
    """Anomalies that go on, in their own words, with what the operator's file says of them."""
    described = context.sensors.described
    ids = [one.anomaly.sensor for one in context.sensors.wrong()]
    told = [sentence(one.anomaly, described) for one in wrong[:MOST_TOLD]]
    why = dict.fromkeys(cause(one.anomaly, described, ids) for one in wrong)
    left = len(wrong) - MOST_TOLD
    more = f" {further(left, 'not as usual')}" if left > 0 else ""
    return " ".join(told) + more + "".join(why)


def _since(one: Noticed, context: Context, several: bool) -> str:
    """When an anomaly began, and for how long it has gone on or went on."""
    anomaly, now = one.anomaly, context.now
    began = context.say(anomaly.began.astimezone(now.tzinfo))
    name = f"{capital(named([context.sensors.described.by_id[anomaly.sensor]]))}: "
    if anomaly.over is None:
        told = f"since {began}, for {lasting(now - anomaly.began)} now."
    else:
        told = f"it began {began}, and was over after {lasting(anomaly.over - anomaly.began)}."
    return f"{name}{told}" if several else capital(told)


def _subject(sensors: Sequence[Sensor]) -> str:
    """What the readings that follow are of."""
    return f"{capital(the(sensors[0].of))}: " if sensors[0].of else ""


def _muted(sensors: Sequence[Sensor], context: Context) -> timedelta:
    """For how long some of these sensors are muted; no time at all for none."""
    times = (context.sensors.muted(one.id) for one in sensors)
    return max((left for left in times if left is not None), default=timedelta())


def _span(named: str, now: datetime) -> Period:
    """A stretch of time: "today", "yesterday", or the last night, which may go on."""

    def at(hour: time, days: int) -> datetime:
        return datetime.combine(now.date() + timedelta(days=days), hour, now.tzinfo)

    if named == "night":
        days = -1 if now.time() < NIGHT_BEGINS else 0
        return Period(since=at(NIGHT_BEGINS, days), until=at(NIGHT_ENDS, days + 1))
    days = -1 if named == "yesterday" else 0
    return Period(since=at(time(), days), until=at(time(), days + 1))
