"""Set the clock again and again under timers and plans.

Run `python -m benchmarks.endurance.clock_jumps`.

A board with the real stage of the skills lives on simulated clocks. Timers are set, and commands
planned: in a while, at a time, every day. Then its wall clock is moved by a second to ten years, it
is moved and put back within minutes, the home moves to another zone, or the board boots with a
clock that is wrong until network time comes. Lives begin before a change of daylight saving time.
An oracle that knows what the clocks showed says when each thing is due, and that it happens once.
"""

from __future__ import annotations

import argparse
import json
import logging
import math
import sys
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

import msgspec

from assistant.core.messages import (
    Command,
    SpokenReply,
    When,
)
from benchmarks.endurance.simulated_board import ZONES, Board
from skills.later.evidence import Evidence
from skills.later.later import LATE_S, LATEST_S, RECHECK_S
from skills.later.trust import MOVED_S, STAYS_S
from skills.registry import Registry, load_registry
from tests.support.talking import command

BEGINS = (
    datetime(2026, 12, 1, 8, tzinfo=UTC),
    datetime(2027, 3, 27, 20, tzinfo=UTC),
    datetime(2027, 10, 30, 20, tzinfo=UTC),
)
"""When lives begin: on a winter's day, and on the evenings before Europe's clocks change."""
JUMPS_A_LIFE = 5
EXACT_S = 0.05
"""Most seconds by which a length of time may be missed."""
NOTICED_S = 2 * RECHECK_S + 5.0
"""Seconds in which it is noticed that a wall clock was set, and then that it is trusted."""
REPEATED_S = 3 * 3600.0
"""Seconds in which what was not heard may be told again, as after a boot."""
TEN_YEARS_S = 10 * 365.25 * 86_400
DAY_S = 86_400.0
LATE_WORDS = ("I was off", "I am late")


class Figures(msgspec.Struct, kw_only=True):
    """The result; the lists must be empty."""

    jumps: int = 0
    kinds: Counter[str] = msgspec.field(default_factory=Counter)
    lengths: int = 0
    """Timers, and commands "in a while"."""
    plans: int = 0
    """Commands by the clock."""
    occurrences: int = 0
    """How often plans came due."""
    late: int = 0
    """Of these, those that came later than a minute by the clock, and said so."""
    worst_s: float = 0.0
    """Farthest that a length of time was missed within one boot."""
    missing: list[str] = msgspec.field(default_factory=list)
    again: list[str] = msgspec.field(default_factory=list)
    wrong_time: list[str] = msgspec.field(default_factory=list)
    wrong_words: list[str] = msgspec.field(default_factory=list)


class Length(msgspec.Struct, kw_only=True):
    """A timer, or a command "in a while"; times are in seconds of the board's life."""

    earliest_s: float
    latest_s: float
    span_s: float
    """What it was set to."""
    exact: bool = True
    """Whether the board has not booted since: the wall clock does not matter."""
    moved: bool = False
    """Whether the board has booted, and then the clock by which it ends was set."""
    came_s: float | None = None


class Planned(msgspec.Struct, kw_only=True):
    """A command by the clock: due when that shows `local`, and each day again where it recurs."""

    local: datetime
    daily: bool
    came: list[tuple[float, float]] = msgspec.field(default_factory=list)
    """When it came in the board's life, and which moment that was for."""


class Life:
    """One board, what was wished for on it, and what should come of that."""

    def __init__(
        self,
        registry: Registry,
        chance: Random,
        figures: Figures,
        naive: bool = False,
        trusting: bool = False,
    ) -> None:
        self._chance, self._figures = chance, figures
        self._board = Board(registry, chance.choice(BEGINS), naive, trusting)
        self._lengths: dict[str, Length] = {}
        self._planned: dict[str, Planned] = {}
        self._told: dict[str, float] = {}
        self._trusted_s = self._set_s = self._put_back_s = 0.0
        """Since when the clock is to be trusted; when it was set, and put back, last."""

    def close(self) -> None:
        """Forget the board's memory."""
        self._board.database.close()

    def run(self) -> None:
        """Wish for things, set the clock again and again, and look at what comes."""
        self._live(60.0)
        self._wish()
        for _ in range(JUMPS_A_LIFE):
            self._live(self._chance.uniform(60, 5400))
            jump = self._chance.choice(
                (self._step, self._step, self._there_and_back, self._move_house, self._boot)
            )
            self._figures.jumps += 1
            self._figures.kinds[jump.__name__.strip("_")] += 1
            jump()
        self._live(DAY_S + 2 * STAYS_S)  # after a clock was put back, a daily command is left out
        quiet_s = self._board.life_s
        self._live(2 * DAY_S)
        self._judge(quiet_s)

    def _wish(self) -> None:
        for _ in range(3):
            seconds = self._long_s()
            start = command("HassStartTimer", duration=seconds)
            self._wished("timers", "timer", start, seconds)
        for _ in range(2):
            seconds = self._long_s()
            when = When(kind="in", said="in a while", value=seconds)
            self._wished("plans", "kettle in a while", _kettle(when), seconds)
        for number in range(4):
            now = self._board.now()
            local = (now + timedelta(seconds=self._long_s())).replace(tzinfo=None, microsecond=0)
            self._wished_by_clock(local, daily=number % 2 == 0)

    def _wished(self, table: str, text: str, said: Command, seconds: float) -> None:
        name = self._new(table, text, said)
        due_s = self._board.life_s + seconds
        self._lengths[name] = Length(earliest_s=due_s, latest_s=due_s, span_s=seconds)
        self._figures.lengths += 1

    def _wished_by_clock(self, local: datetime, daily: bool) -> None:
        if daily:
            value = f"DTSTART;TZID={self._board.zone}:{local:%Y%m%dT%H%M%S}\nRRULE:FREQ=DAILY"
            when = When(kind="every", said="every day", value=value)
        else:
            aware = local.replace(tzinfo=self._board.zone)
            when = When(kind="at", said="then", value=aware.isoformat())
        name = self._new("plans", f"kettle {when.said}", _kettle(when))
        self._planned[name] = Planned(local=local, daily=daily)
        self._figures.plans += 1

    def _new(self, table: str, text: str, said: Command) -> str:
        def ids() -> set[str]:
            return {i for (i,) in self._board.database.execute(f"SELECT id FROM {table}")}  # noqa: S608

        before = ids()
        self._board.say(text, said)
        (name,) = ids() - before
        return name

    def _long_s(self) -> int:
        """From a minute to half a day, short ones more often."""
        return round(math.exp(self._chance.uniform(math.log(60), math.log(DAY_S / 2))))

    # ── what befalls the clock ──────────────────────────────────────────────────────────────

    def _step(self) -> None:
        """The clock is set, by a second to ten years, and stays so."""
        far_s = math.exp(self._chance.uniform(0, math.log(TEN_YEARS_S)))
        by_s = self._chance.choice((-1, 1)) * far_s
        self._board.right_s += by_s
        self._clock_was_set(by_s)

    def _there_and_back(self) -> None:
        """The clock is set wrongly by hours to years, and put right within minutes."""
        by_s = self._chance.choice((-1, 1)) * self._chance.uniform(MOVED_S + 60, TEN_YEARS_S)
        self._board.error_s = by_s
        self._clock_was_set(by_s)
        self._live(self._chance.uniform(1, STAYS_S - 60))
        self._board.error_s = 0.0
        self._clock_was_set(-by_s)

    def _move_house(self) -> None:
        """The home is in another zone: its clock shows another time of the same moment."""
        self._board.zone = ZoneInfo(self._chance.choice(ZONES))
        self._set_s = self._put_back_s = self._board.life_s

    def _boot(self) -> None:
        """The power goes and comes back; the clock is right, or wrong until network time comes."""
        self._live(2 * STAYS_S)  # else a clock that was put back is taken for one without battery
        off_s = self._chance.uniform(5, 7200)
        right_s = self._board.right_s
        errors = {"right": 0.0, "behind": -off_s, "1970": -right_s, "ahead": TEN_YEARS_S}
        kind = self._chance.choice(tuple(errors))
        self._board.error_s = errors[kind]
        self._board.evidence = Evidence.BATTERY if kind == "right" else Evidence.AWAITED
        waiting = [one for one in self._lengths.values() if one.came_s is None]
        self._board.boot(off_s)
        self._trusted_s = self._set_s = up_s = self._board.life_s
        synchronised_s = up_s + (0.0 if kind == "right" else self._chance.uniform(30, 3600))
        for one in waiting:
            one.exact = False
            one.earliest_s = up_s if one.moved else max(one.earliest_s, up_s)
            corrected_s = math.inf if one.moved else max(one.earliest_s, synchronised_s)
            one.latest_s = min(up_s + one.span_s, corrected_s)
        if kind != "right":
            self._trusted_s = self._set_s = math.inf
            self._live(synchronised_s - up_s)
            self._board.error_s, self._board.evidence = 0.0, Evidence.NETWORK
            self._trusted_s = self._set_s = self._board.life_s

    def _clock_was_set(self, by_s: float) -> None:
        now_s = self._set_s = self._board.life_s
        if abs(by_s) > MOVED_S:
            self._trusted_s = now_s + STAYS_S
        if by_s < 0:
            self._put_back_s = now_s
        for one in self._lengths.values():
            if not one.exact:  # after a boot the wall clock says when it ends
                one.moved = True
                one.earliest_s = min(one.earliest_s, now_s) if by_s > 0 else one.earliest_s
                one.latest_s = max(one.latest_s, self._board.up_s + one.span_s)

    # ── what comes of it ────────────────────────────────────────────────────────────────────

    def _live(self, seconds: float) -> None:
        for reply in self._board.run(seconds):
            named = reply.utterance_id.split("-")
            told_s = self._told.get(reply.utterance_id, -math.inf)
            self._told[reply.utterance_id] = self._board.life_s
            if self._board.life_s - told_s < REPEATED_S or len(named) != 3:
                continue
            _, name, end = named
            if name in self._lengths:
                self._length_came(self._lengths[name], reply)
            else:
                self._plan_came(self._planned[name], float(end), reply)

    def _length_came(self, one: Length, reply: SpokenReply) -> None:
        figures, now_s = self._figures, self._board.life_s
        if one.came_s is not None:
            figures.again.append(f"{reply.utterance_id}: {reply.text}")
            return
        one.came_s = now_s
        off_s = max(one.earliest_s - now_s, now_s - one.latest_s)
        if one.exact:
            figures.worst_s = max(figures.worst_s, off_s)
        if off_s > (EXACT_S if one.exact or now_s < one.earliest_s else NOTICED_S):
            early = "early" if now_s < one.earliest_s else "late"
            booted = "" if one.exact else " after a boot"
            found = f"a length of {one.span_s:.0f} s {off_s:.1f} s {early}{booted}"
            figures.wrong_time.append(found)

    def _plan_came(self, plan: Planned, moment_s: float, reply: SpokenReply) -> None:
        figures, now_s = self._figures, self._board.life_s
        figures.occurrences += 1
        late_s = self._board.now().timestamp() - moment_s
        if plan.came and not (plan.daily and self._is_next(*plan.came[-1], moment_s)):
            figures.again.append(reply.text)
        plan.came.append((now_s, moment_s))
        if not plan.daily:
            aware = plan.local.replace(tzinfo=self._board.zone)
            late_s = self._board.now().timestamp() - aware.timestamp()
        waited_s = min(late_s, now_s - self._trusted_s, now_s - self._set_s)
        if late_s < -EXACT_S or now_s < self._trusted_s or waited_s > NOTICED_S:
            figures.wrong_time.append(f"{late_s:.0f} s late, {reply.text}")
        figures.late += late_s > LATE_S
        if all(abs(late_s - edge_s) > 1 for edge_s in (LATE_S, LATEST_S)):
            told = ("so I did not" in reply.text) + 2 * reply.text.startswith(LATE_WORDS)
            due = (late_s > LATEST_S) + 2 * (late_s > LATE_S)
            if told != due:
                figures.wrong_words.append(f"{late_s:.0f} s late: {reply.text}")

    def _is_next(self, came_s: float, before_s: float, moment_s: float) -> bool:
        """Whether a daily command may come for a moment, after it came for the one before."""
        return self._put_back_s >= came_s or moment_s > before_s + DAY_S / 2

    def _judge(self, quiet_s: float) -> None:
        """Name what never came; each day since `quiet_s` was without a jump."""
        figures, now = self._figures, self._board.now().replace(tzinfo=None)
        for one in self._lengths.values():
            if one.came_s is None:
                figures.missing.append(f"a length of {one.span_s:.0f} s")
        for plan in self._planned.values():
            if plan.daily:
                quiet = [came_s for came_s, _ in plan.came if came_s > quiet_s]
                days = self._days(plan.local) if plan.came or plan.local < now else len(quiet)
                if days != len(quiet):
                    figures.missing.append(f"{days - len(quiet)} of {days} days")
            elif plan.local < now and not plan.came:
                figures.missing.append(f"a command at {plan.local}")

    def _days(self, local: datetime) -> int:
        """How often a time of day came in the last two days."""
        now = self._board.now()
        days = (now.date() - timedelta(days=n) for n in range(4))
        times = (datetime.combine(day, local.time(), self._board.zone) for day in days)
        return sum(0 <= now.timestamp() - time.timestamp() < 2 * DAY_S for time in times)


def _kettle(when: When) -> Command:
    return msgspec.structs.replace(command("HassTurnOn", name="Kettle"), when=when)


class Attack:
    """Lives until the clocks were set so often; boards that are `naive` or `trusting` must fail."""

    def __init__(self, seed: int = 1, naive: bool = False, trusting: bool = False) -> None:
        self._chance, self._naive, self._trusting = Random(seed), naive, trusting
        self._registry = load_registry()
        self.figures = Figures()

    def run(self, jumps: int) -> Figures:
        """Live so many jumps."""
        while self.figures.jumps < jumps:
            life = (self._registry, self._chance, self.figures, self._naive, self._trusting)
            with closing(Life(*life)) as one:
                one.run()
        return self.figures


def main() -> None:
    """Print the figures; exit status 1 when something came at a wrong time, twice or never."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jumps", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--naive", action="store_true", help="count lengths by the wall clock")
    parser.add_argument("--trusting", action="store_true", help="trust any clock")
    given = parser.parse_args()
    logging.disable()  # that the clock was moved
    found = Attack(given.seed, given.naive, given.trusting).run(given.jumps)
    print(json.dumps(msgspec.to_builtins(found)))  # noqa: T201
    sys.exit(any((found.missing, found.again, found.wrong_time, found.wrong_words)))


if __name__ == "__main__":
    main()
