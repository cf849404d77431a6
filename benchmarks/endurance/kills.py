"""Kill a living daemon's processes again and again: `python -m benchmarks.endurance.kills`.

Commands for timers, list items and brightnesses are sent as its listener would pass them on, some
of them twice. Meanwhile its processes are ended by SIGKILL at random moments, sometimes the zygote
or the supervisor. An oracle outside the daemon keeps a journal of what was promised, and compares.
Interrupted at any moment, the same command continues after the last kill of the journal.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import time
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from itertools import product
from pathlib import Path

import msgspec

from assistant.core.errors import BusError
from assistant.core.layout import STATE_FILE
from assistant.core.messages import PlaybackEnded, PlaybackStarted, SpokenReply
from benchmarks.endurance.daemon import Daemon, Ear
from benchmarks.endurance.journal import Journal, attacked
from benchmarks.endurance.promises import Kept, Killed, Line, Oracle, Verdict, Wish

EVERY_S = 3.3
"""Seconds from one kill to the next."""
WEIGHTS = {
    **dict.fromkeys(("control", "audio", "asr", "nlu", "skills", "answer", "voice"), 14),
    "zygote": 4,
    "supervisor": 1,
}
"""How often each process is chosen; the last two take all others along."""
SAID_AGAIN = 0.2
"""Share of the commands that reach the daemon a second time, as after a listener's restart."""
AT_ONCE_S = 0.3
"""Seconds in which a command is understood, stored and confirmed."""
SHORT_S = (8, 60)
"""Shortest and longest timers, in seconds, that are to ring meanwhile."""
LONG_S = (10_000, 80_000)
LONG_SHARE = 0.1
SETTLED_S = 180.0
"""Seconds after the last kill within which everything due must have happened."""
NAMES = ("pasta", "pizza", "tea", "coffee", "rice", "cake", "soup", "laundry", "garden", "homework")
KINDS = ("green", "red", "frozen", "fresh", "dried", "large", "sweet", "smoked", "ripe", "white")
FOODS = (
    *("apples", "bananas", "carrots", "tomatoes", "onions", "potatoes", "peppers", "beans"),
    *("grapes", "plums", "pears", "cherries", "olives", "mushrooms", "lemons"),
)
FOR = (
    *("dinner", "sunday", "the party", "grandma", "lunch", "the picnic", "monday", "breakfast"),
    *("the neighbours", "the children", "school", "the trip", "the weekend", "my sister"),
)
LIGHTS = ("kitchen light", "bedroom light", "office light", "hall light")
HOME = "areas: [{name: House, id: house}]\nentities:\n" + "".join(
    f'  - {{name: {light.title()}, id: light.{light.split()[0]}, area: house, state: "on"}}\n'
    for light in LIGHTS
)
SETTINGS = '[home]\nfile = "{home}"\n[voice]\nearcons = false\n'


class Figures(msgspec.Struct, kw_only=True):
    """The result; of the last five, all must be empty or 0."""

    kills: int
    killed: dict[str, int]
    wishes: int
    promised: dict[str, int]
    timers_rung: int
    timers_pending: int
    seconds_a_kill: float
    lost: tuple[str, ...]
    done_again: tuple[str, ...]
    rung_again: tuple[str, ...]
    tracebacks: tuple[str, ...]
    unsettled: int

    @property
    def broken(self) -> bool:
        """Whether a promise was broken, or something did not happen."""
        faults = (self.lost, self.done_again, self.rung_again, self.tracebacks)
        return any(faults) or self.unsettled > 0


class Attack:
    """One sitting in `folder`, in which all earlier ones have left their journal."""

    def __init__(self, folder: Path, seed: int = 1, every_s: float = EVERY_S) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        home = folder / "home.yaml"
        home.write_text(HOME)
        self._seed, self._every_s = seed, every_s
        self._daemon = Daemon(folder, SETTINGS.format(home=home))
        self._oracle = Oracle()
        self._journal: Journal[Line] = Journal(folder / "journal.jsonl", Line)
        for line in self._journal.lines:
            self._oracle.note(line)
        self._ear = Ear(self._daemon.runtime, (SpokenReply, PlaybackStarted, PlaybackEnded))

    @property
    def kills(self) -> int:
        """The number of kills in all sittings."""
        return self._oracle.killed.total()

    def run(self, kills: int) -> Figures:
        """Continue until there have been so many kills, then judge."""
        self._daemon.keep_up()
        self._daemon.await_ready()
        began_s, done = time.monotonic(), self.kills
        while self.kills < kills:
            self._round(random.Random(f"{self._seed} {self.kills}"))
        seconds = time.monotonic() - began_s
        unsettled = self._settle()
        verdict = self._oracle.judge(self._kept())
        return self._figures(verdict, seconds / max(1, kills - done), unsettled)

    def close(self) -> None:
        """End the daemon."""
        self._ear.close()
        self._journal.close()
        self._daemon.stop()

    def _round(self, chance: random.Random) -> None:
        """One command and one kill, each at a moment of its own."""
        now_s, every_s = time.monotonic(), self._every_s
        wish = self._wish(chance)

        def say() -> None:
            self._say(wish)

        def kill() -> None:
            self._kill(chance)

        said_s = now_s + chance.uniform(0.0, every_s / 2)
        moments: list[tuple[float, Callable[[], None]]] = [(said_s, say)]
        if chance.random() < SAID_AGAIN:
            moments.append((now_s + chance.uniform(every_s / 2, every_s), say))
        # Half of the kills strike while a command is being carried out.
        at_once, at_any_time = (said_s, said_s + AT_ONCE_S), (now_s, now_s + every_s)
        moments.append((chance.uniform(*chance.choice((at_once, at_any_time))), kill))
        for due_s, act in sorted(moments, key=lambda moment: moment[0]):
            self._listen(due_s)
            act()
        self._listen(now_s + every_s)
        self._look()
        self._daemon.keep_up()

    def _wish(self, chance: random.Random) -> Wish:
        number = len(self._oracle.wishes)
        said = f"wish-{number}"
        match chance.choice(("timer", "timer", "item", "device")):
            case "timer":
                timers = sum(wish.kind == "timer" for wish in self._oracle.wishes.values())
                shortest, longest = LONG_S if chance.random() < LONG_SHARE else SHORT_S
                name, length_s = _name(timers), chance.randint(shortest, longest)
                text = f"set a {name} timer for {_spoken(length_s)}"
                thing = f"{name} {length_s}"
                return Wish(utterance_id=said, kind="timer", text=text, thing=thing)
            case "item":
                listed = sum(wish.kind == "item" for wish in self._oracle.wishes.values())
                item = _item(listed)
                text = f"add {item} to my shopping list"
                return Wish(utterance_id=said, kind="item", text=text, thing=item)
            case _:
                light, value = chance.choice(LIGHTS), 1 + number % 99
                return Wish(
                    utterance_id=said,
                    kind="device",
                    text=f"set the {light} to {value} percent",
                    thing=f"light.{light.split()[0]}",
                    value=f"{value}%",
                )

    def _say(self, wish: Wish) -> None:
        if wish.utterance_id not in self._oracle.wishes:
            self._note((wish,))
        with suppress(BusError):  # understanding is down and accepts nothing
            self._ear.say(wish.utterance_id, wish.text)

    def _kill(self, chance: random.Random) -> None:
        """End a process, unless the chosen one is just being started."""
        processes = self._daemon.processes()
        (name,) = chance.choices(list(WEIGHTS), list(WEIGHTS.values()))
        while name not in processes:
            (name,) = chance.choices(list(WEIGHTS), list(WEIGHTS.values()))
        with suppress(ProcessLookupError):
            os.kill(processes[name], signal.SIGKILL)
            self._note((Killed(name=name),))

    def _listen(self, until_s: float) -> None:
        for message in self._ear.hear(until_s):
            self._note(tuple(self._oracle.learned(message)))

    def _note(self, lines: Iterable[Line]) -> None:
        for line in lines:
            self._journal.write(line)
            self._oracle.note(line)

    def _look(self) -> None:
        self._note(tuple(self._oracle.saw(self._kept())))

    def _settle(self) -> int:
        """Wait until everything has happened; gives how many timers have not rung in time."""
        self._daemon.keep_up()
        self._daemon.await_ready()
        self._look()
        until_s = time.monotonic() + SETTLED_S
        while (waiting := self._due()) and time.monotonic() < until_s:
            self._listen(time.monotonic() + 1.0)
            self._look()
        return len(waiting)

    def _due(self) -> set[str]:
        """The timers that should have rung by now and are still there."""
        return self._oracle.unheard(SHORT_S[1]) & self._kept().timers.keys()

    def _kept(self) -> Kept:
        path = self._daemon.state / STATE_FILE
        if not path.exists():
            return Kept(timers={}, items=(), devices={})
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)) as database:
            timers = database.execute("SELECT id, name, duration_s FROM timers").fetchall()
            items = database.execute("SELECT text FROM list_items ORDER BY number").fetchall()
            devices = database.execute("SELECT entity_id, state FROM devices").fetchall()
        return Kept(
            timers={timer: f"{name} {length_s:.0f}" for timer, name, length_s in timers},
            items=tuple(text for (text,) in items),
            devices=dict(devices),
        )

    def _figures(self, verdict: Verdict, seconds_a_kill: float, unsettled: int) -> Figures:
        oracle = self._oracle
        promised = [oracle.wishes[said].kind for said in oracle.promised]
        return Figures(
            kills=self.kills,
            killed=dict(oracle.killed.most_common()),
            wishes=len(oracle.wishes),
            promised={kind: promised.count(kind) for kind in ("timer", "item", "device")},
            timers_rung=len(oracle.rung),
            timers_pending=len(self._kept().timers),
            seconds_a_kill=round(seconds_a_kill, 2),
            lost=verdict.lost,
            done_again=verdict.done_again,
            rung_again=verdict.rung_again,
            tracebacks=self._daemon.tracebacks(),
            unsettled=unsettled,
        )


def _name(number: int) -> str:
    """The name of that timer; the first 1500 differ, since of one name one timer is set anew."""
    return " ".join(list(product(KINDS, FOODS, NAMES))[number * 11 % 1500])


def _item(number: int) -> str:
    """The item of that number; the first 2100 differ from each other."""
    kind, food, who = list(product(KINDS, FOODS, FOR))[number * 11 % 2100]
    return f"{kind} {food} for {who}"


def _spoken(length_s: int) -> str:
    minutes, seconds = divmod(length_s, 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "hours"), (minutes, "minutes"), (seconds, "seconds"))
    return " ".join(f"{n} {unit if n > 1 else unit[:-1]}" for n, unit in parts if n)


if __name__ == "__main__":
    attacked(__doc__, Attack, kills=2000, folder="hark-kills")
