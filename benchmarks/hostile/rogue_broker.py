"""The MQTT broker itself attacks the bridge, which must cost little and come back to a true one."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

from assistant.core.layout import STATE_FILE
from assistant.skill.home import load_home
from benchmarks.hostile import rogue
from benchmarks.hostile.attack import changed
from benchmarks.hostile.conversation import HARMLESS, Conversation
from benchmarks.hostile.rogue import Line, Manner, Rogue
from benchmarks.hostile.siege import Siege
from benchmarks.hostile.target import Effects, Target
from benchmarks.hostile.wyoming.process import Attacked

LASTS_S = 6.0
"""Seconds for which the broker misbehaves, unless it sends for longer."""
SENDS_S = 60.0
JOINS_S = 60.0
"""Seconds in which the bridge joins a broker that is well: of its attempts the fifth waits 16."""
TRUE_WITHIN_S = 5.0
PATIENCE_S = 20.0
LOOK_EVERY_S = 0.05
STATES = ("devices ", "device_attributes ")
"""What a broker may tell, be it untrue."""


class RogueBrokerAttack(Siege):
    """A manner a blow, against a bridge of its own; the honest one speaks to the daemon."""

    name = "rogue-broker"
    blows = 28
    asks_every_s = 1.0
    manners: Mapping[str, Manner] = {
        "sends 200 MB": rogue.send_large,
        "sends 20,000 messages": rogue.send_many,
        "keeps 5,000 that are junk": rogue.send_retained,
        "never answers": rogue.never_answer,
        "answers no ping": rogue.answer_only_subscriptions,
        "hangs up": rogue.hang_up,
        "lies about lengths": rogue.lie,
    }
    sends = ("sends 200 MB", "sends 20,000 messages", "keeps 5,000 that are junk")
    """Manners that last until all is sent."""

    def __init__(self, folder: Path, seed: int) -> None:
        super().__init__(folder, seed)
        self._broker = Rogue(seed)
        self.opened.callback(self._broker.close)
        self.settings = f'[mqtt]\nhost = "127.0.0.1"\nport = {self._broker.port}\ndiscover = true\n'
        self._bridge: Attacked | None = None

    @property
    def ways(self) -> Mapping[str, Callable[[], str]]:
        """Each manner, and then a true state."""
        return {name: lambda name=name: self._behave(name) for name in self.manners}

    @property
    def pid(self) -> int:
        """The bridge's."""
        return self.attacked.process.pid

    def start(self, target: Target) -> None:
        """Have a bridge join the broker while that is well."""
        self._target = target
        devices = [one.id for one in load_home(Path(target.config.home.file)).entities]
        self._broker.topics = [f"hark/{one.replace('.', '/', 1)}/state" for one in devices]
        self._devices = devices
        uri = f"{(target.config.state_dir / STATE_FILE).as_uri()}?mode=ro"
        database = sqlite3.connect(uri, uri=True, check_same_thread=False)
        self._database = self.opened.enter_context(closing(database))
        runtime = target.config.runtime_dir
        self._speaker = self.opened.enter_context(closing(Conversation(runtime, "honest")))
        self._speaker.await_answer(PATIENCE_S)
        self.opened.callback(self._end_bridge)
        self._start_bridge()

    def ask(self) -> float:
        """Say something to the daemon; until its reply."""
        began_s = time.monotonic()
        reply = self._speaker.say(HARMLESS, PATIENCE_S)
        return 1000 * (time.monotonic() - began_s) if reply is not None else float("nan")

    def blow(self, number: int) -> str:
        """Deal it to a new bridge, which does not wait because of the blows before."""
        self._start_bridge()
        return super().blow(number)

    def wrong(self, before: Effects, after: Effects) -> list[str]:
        """Every change but of devices' states."""
        found = changed(before, after)
        return [one for one in found if not one.partition(": ")[2].startswith(STATES)]

    def _behave(self, name: str) -> str:
        self._broker.behave(self.manners[name])
        if name in self.sends and not self._broker.is_done.wait(SENDS_S):
            return f"not all was taken within {SENDS_S:.0f} s"
        if name not in self.sends:
            time.sleep(LASTS_S)
            self._broker.behave(Line.serve)
        return self._true_state() or self.attacked.traceback()

    def _true_state(self) -> str:
        """Publish a state, once the bridge is there, and look for it in the skills' own file."""
        if not self._broker.is_joined.wait(JOINS_S):
            return f"the bridge was not back within {JOINS_S:.0f} s"
        state, until_s = f"true-{self.seed}-{self.number}", time.monotonic() + TRUE_WITHIN_S
        query = "SELECT 1 FROM devices WHERE entity_id = ? AND state = ?"
        while not self._database.execute(query, (self._devices[0], state)).fetchall():
            if time.monotonic() > until_s:
                return f"a true state was not known within {TRUE_WITHIN_S:.0f} s"
            self._broker.tell(self._broker.topics[0], state.encode())
            time.sleep(LOOK_EVERY_S)
        return ""

    def _start_bridge(self) -> None:
        self._end_bridge()
        self._broker.behave(Line.serve)
        config, log = str(self._target.rig.config), self._target.rig.log
        command = self.command("bridge", "--config", config)
        self._bridge = self.attacked = Attacked(log, {}, "bridge", command=command)
        if fault := self._true_state():
            raise AssertionError(f"without an attack: {fault}")

    def _end_bridge(self) -> None:
        if self._bridge is not None and not self._bridge.ended:
            self._bridge.close()
        self._bridge = None
