"""A board with the real stage of the skills, whose clocks are simulated."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

import msgspec

from assistant.core.messages import (
    Command,
    Commit,
    Interpretation,
    Message,
    PlaybackEnded,
    SpokenReply,
    Tick,
)
from skills.later.evidence import Evidence
from skills.registry import Registry
from skills.revisions import Revisions
from skills.stage import SkillsStage
from skills.state import open_state
from tests.support.talking import HOME, resolve

ZONES = ("Europe/Zurich", "America/New_York", "Asia/Kolkata", "Pacific/Auckland", "UTC")


class Board:
    """The stage on simulated clocks.

    `life_s` never stops; CLOCK_BOOTTIME begins anew at each boot; the wall clock shows the right
    time `right_s` but for `error_s`. With `naive`, CLOCK_BOOTTIME is taken from the wall clock;
    with `trusting`, a clock counts as right that waits for network time.
    """

    def __init__(
        self, registry: Registry, begins: datetime, naive: bool = False, trusting: bool = False
    ) -> None:
        self._registry, self._naive, self._trusting = registry, naive, trusting
        self.database = open_state(None)
        self.life_s, self.right_s, self.error_s = 0.0, begins.timestamp(), 0.0
        self.up_s = 0.0
        """When it booted last, in seconds of its life."""
        self.zone, self.evidence, self._boots = ZoneInfo(ZONES[0]), Evidence.BATTERY, 0
        self._said = 0
        self._playing: list[tuple[float, str]] = []
        self.boot(0.0)

    def now(self) -> datetime:
        """What the wall clock shows."""
        return datetime.fromtimestamp(self.right_s + self.error_s, self.zone)

    @property
    def at_s(self) -> float:
        """CLOCK_BOOTTIME."""
        return (self.now().timestamp() if self._naive else self.life_s - self.up_s) + 5.0

    def boot(self, off_s: float) -> None:
        """Start again after `off_s` without power."""
        self.pass_by(off_s)
        self._boots += 1
        self.up_s = self.life_s
        self._playing.clear()
        self.stage = SkillsStage(
            *(self._registry, self.database, HOME, resolve, self.now, f"boot {self._boots}"),
            area="kitchen",
            revisions=Revisions(),
            evidence=lambda: Evidence.NETWORK if self._trusting else self.evidence,
        )

    def pass_by(self, seconds: float) -> None:
        """Let time go on."""
        self.life_s += seconds
        self.right_s += seconds

    def say(self, text: str, said: Command) -> None:
        """Say a command."""
        self._said += 1
        name = f"u{self._said}"
        self._feed(Interpretation(utterance_id=name, revision=1, text=text, commands=(said,)))
        self._feed(Commit(utterance_id=name, revision=1))

    def run(self, seconds: float) -> Iterator[SpokenReply]:
        """Let the stage's worker run for so long; what is said is heard after a second."""
        end_s, rest_s = self.life_s + seconds, 0.0
        while True:
            deadline_s = self.stage.deadline_s()
            due_s = math.inf if deadline_s is None else self.life_s + deadline_s - self.at_s
            heard_s, heard = min(self._playing, default=(math.inf, ""))
            next_s = min(max(due_s, self.life_s + rest_s), heard_s)
            if next_s > end_s:
                break
            self.pass_by(next_s - self.life_s)
            if heard_s <= next_s:
                self._playing.remove((heard_s, heard))
                yield from self._feed(PlaybackEnded(utterance_id=heard))
            else:
                yield from self._feed(Tick())
            rest_s = 0.01  # a worker that is to look again at once takes a moment
        self.pass_by(end_s - self.life_s)

    def _feed(self, message: Message) -> list[SpokenReply]:
        given = self.stage.feed(msgspec.structs.replace(message, at_s=self.at_s))
        replies = [reply for reply in given if isinstance(reply, SpokenReply)]
        self._playing += [(self.life_s + 1.0, r.utterance_id) for r in replies if r.once]
        return replies
