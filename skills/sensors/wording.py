"""Sentences about sensors, each made of the facts of an anomaly or a reading and nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from assistant.english.dates import weekday_name
from assistant.english.numbers import ONES
from assistant.english.spoken import count, joined, length, spoken
from assistant.english.units import measured
from assistant.english.words import words
from assistant.skill.sensors import Anomaly, Sensor, SensorReading, Sensors

MOST_TIMES = 12
"""Largest ratio that is told as one: beyond it, "more than twelve times"."""
MOST_OTHERS = 3
"""Most further sensors that a sentence names."""
MOST_DECIMALS = 6
GONE_ON = timedelta(minutes=1)
"""Least time that something has gone on for before that is told."""
_EXACT = 0.05
"""Part by which a ratio may differ from a whole number that is told without "about"."""
_NO_RATIOS = frozenset(("°C", "°F", "°", "C", "F", "dB", "dBA", "pH"))
"""Units whose zero is no nothing: four degrees are not twice two degrees."""
_ARTICLES = frozenset(("the", "a", "an", "my", "our"))
_WHOLE = frozenset((*ONES, *(chr(letter) for letter in range(ord("a"), ord("z") + 1))))


# ── names ───────────────────────────────────────────────────────────────────────────────────
def the(name: str) -> str:
    """A machine or place as it is spoken of: "the freezer", "motor three", "Hall B"."""
    said = words(name)
    numbered = bool(said) and (said[-1] in _WHOLE or said[-1].isdigit())
    owned = "'s " in name or name != name.casefold()
    return name if numbered or owned or _ARTICLES & {*said[:1]} else f"the {name}"


def called(sensor: Sensor) -> str:
    """What a sensor measures, and of what: "vibration of motor three"."""
    return f"{sensor.name} of {the(sensor.of)}" if sensor.of else sensor.name


def capital(text: str) -> str:
    """A text at the beginning of a sentence."""
    return f"{text[:1].upper()}{text[1:]}"


def _device(sensor: Sensor) -> str:
    """The sensor itself: "the vibration sensor of motor three"."""
    kind = "" if "sensor" in words(sensor.name) else " sensor"
    return f"the {sensor.name}{kind}{f' of {the(sensor.of)}' if sensor.of else ''}"


# ── numbers ─────────────────────────────────────────────────────────────────────────────────
def figures(*values: float) -> tuple[str, ...]:
    """Numbers with as few digits as tell apart those that differ: "12", "11", "minus 4"."""
    for digits in range(2, MOST_DECIMALS + 1):
        told = tuple(_figure(value, digits) for value in values)
        if len(set(told)) == len(set(values)):
            return told
    return told


def _figure(value: float, digits: int) -> str:
    size = abs(value)
    decimals = digits - 1 - math.floor(math.log10(size)) if size else 0
    text = f"{size:.{max(0, min(decimals, MOST_DECIMALS))}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"minus {text}" if value < 0 and text != "0" else text


def amount(figure: str, sensor: Sensor) -> str:
    """A number with the sensor's unit in words."""
    return measured(figure, sensor.unit)


def lasting(time: timedelta) -> str:
    """A length of time in few words: "eight minutes", "three hours"."""
    seconds = time.total_seconds()
    for unit in (86_400, 3_600, 60):
        if seconds >= 2 * unit:
            return length(timedelta(seconds=round(seconds / unit) * unit))
    return length(time)


# ── sentences ───────────────────────────────────────────────────────────────────────────────
def sentence(anomaly: Anomaly, described: Sensors, past: bool = False) -> str:
    """What is wrong, or what was, without its time and its cause."""
    sensor = described.by_id[anomaly.sensor]
    have = "had" if past else "has"
    match anomaly.fault:
        case "silent" if anomaly.silent_s is None:
            return f"I {'did not hear' if past else 'no longer hear'} from {_device(sensor)}."
        case "silent":
            time = lasting(timedelta(seconds=anomaly.silent_s or 0.0))
            return f"I {'had' if past else 'have'} not heard from {_device(sensor)} for {time}."
        case "stuck" if anomaly.silent_s is None:
            what = "no longer changed" if past else "no longer changes"
        case "stuck":
            time = lasting(timedelta(seconds=anomaly.silent_s or 0.0))
            what = f"{have} not changed for {time}"
        case "together":
            what = f"no longer {'fitted' if past else 'fits'} {_others(anomaly, sensor, described)}"
        case "low" | "high":
            what = _beyond(anomaly, sensor, past)
        case "fast":
            what = _fast(anomaly, sensor, past)
        case _:
            what = _unusual(anomaly, sensor, past)
    return f"{capital(called(sensor))} {what}."


def as_usual(anomaly: Anomaly, described: Sensors) -> str:
    """That it is over."""
    sensor = described.by_id[anomaly.sensor]
    if anomaly.fault == "silent":
        return f"I hear from {_device(sensor)} again."
    return f"{capital(called(sensor))} is as usual again."


def on_day(moment: datetime, now: datetime) -> str:
    """A moment in words that stay right while they wait to be said: "on Monday at 6:30 pm"."""
    local = moment.astimezone(now.tzinfo)
    return f"on {weekday_name(local)} at {spoken(local.timetz(), now)}"


def story(anomaly: Anomaly, described: Sensors, began: str) -> str:
    """What was wrong, when it `began`, in words, and how long it was so."""
    told = sentence(anomaly, described, past=True)
    told = told if told.startswith("I ") else f"{told[:1].lower()}{told[1:]}"
    if anomaly.over is None:
        end = "It still goes on."
    else:
        end = f"It was over after {lasting(anomaly.over - anomaly.began)}."
    return f"{capital(began)} {told} {end}"


def further(number: int, how: str) -> str:
    """That further sensors, of which no more is said, are in some way: "not as usual"."""
    return f"{capital(count(number, 'more sensor'))} {'is' if number == 1 else 'are'} {how}."


def cause(anomaly: Anomaly, described: Sensors, wrong: Iterable[str]) -> str:
    """What the operator's file says of it while these sensors are wrong; "" for nothing."""
    causes = tuple(one for one in described.causes if anomaly.sensor in one.sensors)
    says = Sensors(causes=causes).cause(wrong).rstrip(". ")
    return f" According to your rules {says}." if says else ""


def going_on(since: timedelta) -> str:
    """For how long it has gone on, where that is told."""
    return f" This has gone on for {lasting(since)}." if since >= GONE_ON else ""


def present(reading: SensorReading, sensor: Sensor) -> str:
    """How a sensor is, as a part of a sentence: "vibration is 3 millimetres per second"."""
    if reading.value is None:
        return f"no {sensor.name} has come yet"
    learning = ", which I still learn" if reading.judged == "learning" else ""
    return f"{sensor.name} is {amount(figures(reading.value)[0], sensor)}{learning}"


def _others(anomaly: Anomaly, sensor: Sensor, described: Sensors) -> str:
    known = [described.by_id[one] for one in anomaly.others if one in described.by_id]
    if not known:
        return "the others"
    known = known[:MOST_OTHERS]
    if all(one.of == sensor.of for one in known):
        place = f" of {the(sensor.of)}" if sensor.of else ""
        return joined([f"the {one.name}" for one in known]) + place
    return joined([f"the {called(one)}" for one in known])


def _beyond(anomaly: Anomaly, sensor: Sensor, past: bool) -> str:
    above = anomaly.fault == "high"
    given, listed = (anomaly.high, sensor.high) if above else (anomaly.low, sensor.low)
    limit = given if given is not None else listed
    side, be = "above" if above else "below", "was" if past else "is"
    told = figures(*(one for one in (anomaly.value, limit) if one is not None))
    if anomaly.value is None:
        return f"{be} {side} its limit" + (f" of {amount(told[0], sensor)}" if told else "")
    value = f"{be} {amount(told[0], sensor)}"
    return f"{value}, {side} its limit" + (f" of {told[1]}" if limit is not None else "")


def _fast(anomaly: Anomaly, sensor: Sensor, past: bool) -> str:
    verb = "changed" if past else "changes"
    if sensor.fastest is None:
        what = f"{verb} faster than it may"
    else:
        what = f"{verb} by more than {amount(figures(sensor.fastest)[0], sensor)} in a second"
    if anomaly.value is None:
        return what
    be = "was" if past else "is"
    return f"{what}: it {be} {amount(figures(anomaly.value)[0], sensor)}"


def _unusual(anomaly: Anomaly, sensor: Sensor, past: bool) -> str:
    """How far a value is from what was learnt."""
    be, have = ("was", "had") if past else ("is", "has")
    value, usual = anomaly.value, anomaly.usual
    if value is None:
        return f"{be} unusual"
    if usual is None:
        return _out_of_range(value, anomaly, sensor, be)
    told = figures(value, usual)
    if (times := _times(value, usual, sensor)) and told[0] != told[1]:
        return f"{be} {times} its usual value: {amount(told[0], sensor)}"
    if value == usual:
        return f"{be} unusual: {amount(told[0], sensor)}"
    up, down = ("risen", "fallen") if anomaly.fault == "drift" else ("jumped", "dropped")
    moved = up if value > usual else down
    then = "usual was" if past else "usual is"
    return f"{have} {moved} to {amount(told[0], sensor)}; {then} {told[1]}"


def _out_of_range(value: float, anomaly: Anomaly, sensor: Sensor, be: str) -> str:
    ends: Sequence[float] = [one for one in (anomaly.low, anomaly.high) if one is not None]
    told = figures(value, *ends)
    here = f"{be} {amount(told[0], sensor)}"
    if len(ends) == 2:
        return f"{here}; usual {be} {told[1]} to {told[2]}"
    if not ends:
        return f"{here}, which {be} unusual"
    most = "at most" if anomaly.high is not None else "at least"
    return f"{here}; usual {be} {most} {told[1]}"


def _times(value: float, usual: float, sensor: Sensor) -> str:
    """How often the usual value a value is: "twice", "about four times"; "" for no such number."""
    if sensor.unit in _NO_RATIOS or usual == 0 or value / usual < 2 - _EXACT * 2:
        return ""
    ratio = value / usual
    if ratio > MOST_TIMES + 0.5:
        return f"more than {ONES[MOST_TIMES]} times"
    whole = round(ratio)
    about = "" if abs(ratio - whole) <= _EXACT * whole else "about "
    return about + ("twice" if whole == 2 else f"{ONES[whole]} times")
