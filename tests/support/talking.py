"""A talk with the skills stage: interpretations in, every message out, time as a number."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, time, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from assistant.core.database import CONNECT, Connect
from assistant.core.messages import (
    Choice,
    Command,
    Commit,
    Interpretation,
    Message,
    OpenQuestion,
    PlaybackEnded,
    Slot,
    SlotValue,
    SpokenReply,
    Tick,
)
from assistant.core.sensors.described import Sensors
from assistant.core.settings.security import SecuritySettings
from assistant.skill.home import Area, Entity, Home
from assistant.skill.manifest import SlotSchema
from skills.capabilities.device import NO_PARTS, DeviceParts
from skills.later.evidence import Evidence
from skills.later.sun import Position
from skills.registry import Registry
from skills.revisions import Revisions
from skills.rights.pin_file import PinFile
from skills.rights.rules import rules_of
from skills.stage import SkillsStage
from skills.state import open_state
from tests.support.grammars import built_in_skills

EVENING = datetime(2026, 1, 5, 18, 30, tzinfo=UTC)
HOME = Home(
    areas=(Area(name="Kitchen", id="kitchen"), Area(name="Office", id="office")),
    entities=(
        Entity(name="Ceiling", id="light.ceiling", area="kitchen", state="off"),
        Entity(name="Counter", id="light.counter", area="kitchen", state="off"),
        Entity(name="Desk Lamp", id="light.desk", area="office", state="on"),
        Entity(name="Kettle", id="switch.kettle", area="kitchen", state="off"),
        Entity(name="Front Door", id="lock.front_door", state="locked"),
    ),
)
ANSWERS: dict[tuple[str, str], SlotValue] = {
    ("five minutes", "duration"): 300,
    ("yes", "boolean"): True,
    ("no", "boolean"): False,
    ("forty", "integer"): 40,
}


def resolve(text: str, schema: SlotSchema) -> Slot | None:
    """A resolver that knows a few words."""
    value = ANSWERS.get((text, schema.kind))
    if text in schema.choices or schema.kind == "text":
        value = text
    return None if value is None else Slot(name=schema.name, value=value, raw=text)


def command(intent: str, **slots: SlotValue) -> Command:
    return Command(
        intent=intent,
        slots=tuple(Slot(name=n, value=v, raw=str(v)) for n, v in slots.items()),
    )


def made_routine(name: str, *commands: Command) -> Command:
    """The command that gives others a name: "when I say movie time, …"."""
    texts = (c if c.text else msgspec.structs.replace(c, text=c.intent) for c in commands)
    what = Slot(name="what", value="…", raw="…", commands=tuple(texts))
    plain = command("MakeRoutine", name=name)
    return msgspec.structs.replace(plain, slots=(*plain.slots, what))


def directed(plain: Command, *directions: str) -> Command:
    """The same command with words in it that name these directions."""
    return msgspec.structs.replace(plain, directions=directions)


def unsure(confidence: float, sure: Command) -> Command:
    """The same command, as one that is only guessed."""
    return msgspec.structs.replace(sure, confidence=confidence)


@cache
def _empty_state() -> bytes:
    """The file of a new state, which takes longer to make than most talks."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "state.db"
        open_state(file).close()
        return file.read_bytes()


@dataclasses.dataclass
class Talk:
    """The stage on one device: `boot` and `at_s` are CLOCK_BOOTTIME's, `now` the wall's."""

    path: Path | None = None
    registry: Registry = dataclasses.field(default_factory=built_in_skills)
    area: str = "kitchen"
    home: Home = HOME
    broker: bool = False
    players: Mapping[str, str] = dataclasses.field(default_factory=dict)
    shares_lists: bool = False
    collection: str = ""
    notices: list[str] | None = None
    recording: Callable[[], bool] = lambda: False
    where: Position | None = None
    mute: Callable[[], None] = lambda: None
    quiet: tuple[time, time] | None = None
    security: SecuritySettings = dataclasses.field(default_factory=SecuritySettings)
    pin: str = ""
    boot: str = "first boot"
    at_s: float = 1000.0
    now: datetime = EVENING
    count: int = 0
    connect: Connect = CONNECT
    evidence: Evidence = Evidence.NONE
    names: Path | None = None
    device: DeviceParts = NO_PARTS
    peer_acts: bool = False
    sensors: Sensors | None = None

    def __post_init__(self) -> None:
        self.open()

    def open(self) -> None:
        if self.path and self.connect is CONNECT and not self.path.exists():
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.path.write_bytes(_empty_state())
        self.database, self.revisions = open_state(self.path, self.connect), Revisions()
        self.pin_file = PinFile(self.path.parent / "pin") if self.path else None
        if self.pin_file and self.pin:
            self.pin_file.set(self.pin)
        self.registry.warm()
        self.rebuild()

    def rebuild(self) -> None:
        """The settings have changed: the process makes a new stage on what it keeps."""
        self.stage = SkillsStage(
            self.registry,
            self.database,
            self.home,
            resolve,
            lambda: self.now,
            self.boot,
            area=self.area,
            broker=self.broker,
            players=self.players,
            shares_lists=self.shares_lists,
            revisions=self.revisions,
            notices=self.notices,
            recording=self.recording,
            names=self.names,
            where=self.where,
            mute=self.mute,
            quiet={"": self.quiet} if self.quiet else {},
            calendar=self.calendar,
            collection=self.collection,
            rules=rules_of(self.security, self.home, self.registry.manifests),
            pin=self.pin_file,
            evidence=lambda: self.evidence,
            device=self.device,
            peer_acts=self.peer_acts,
            sensors=self.sensors,
        )

    @property
    def calendar(self) -> Path | None:
        """The file of the calendar."""
        return self.path.parent / "calendar.ics" if self.path else None

    def restart(self) -> None:
        """The process is killed and started again."""
        self.database.close()
        self.open()

    def reboot(self, off_s: float) -> None:
        """The power is off for a while; CLOCK_BOOTTIME begins anew."""
        self.database.close()
        self.now += timedelta(seconds=off_s)
        self.boot += " again"
        self.at_s = 5.0
        self.open()

    def feed(self, message: Message) -> list[Message]:
        stamped = type(message)(
            **{f: getattr(message, f) for f in message.__struct_fields__} | {"at_s": self.at_s}
        )
        return list(self.stage.feed(stamped))

    def hear(
        self,
        text: str,
        *commands: Command,
        nearest: str = "",
        choices: tuple[Choice, ...] = (),
        area: str = "",
    ) -> list[Message]:
        """One utterance, interpreted and committed."""
        self.count += 1
        name = f"u{self.count}"
        said = Interpretation(
            utterance_id=name,
            revision=1,
            text=text,
            commands=commands,
            choices=choices,
            unclaimed=OpenQuestion(nearest=nearest),
            area=area,
        )
        return [*self.feed(said), *self.feed(Commit(utterance_id=name, revision=1))]

    def say(self, text: str, *commands: Command) -> str:
        """The words of the one reply to an utterance."""
        (reply,) = (m for m in self.hear(text, *commands) if isinstance(m, SpokenReply))
        return reply.text

    def say_in(self, area: str, text: str, *commands: Command) -> str:
        """The words of the first reply to an utterance in another room."""
        given = self.hear(text, *commands, area=area)
        return next(m.text for m in given if isinstance(m, SpokenReply))

    def ask(self, intent: str, **slots: SlotValue) -> str:
        return self.say(intent, command(intent, **slots))

    def wait(self, seconds: float) -> list[Message]:
        """Time goes on; the stage is fed its ticks as a worker would."""
        end_s = self.at_s + seconds
        given: list[Message] = []
        while (deadline_s := self.stage.deadline_s()) is not None and deadline_s <= end_s:
            self._to(max(deadline_s, self.at_s))
            given += self.feed(Tick())
            if self.stage.deadline_s() == deadline_s:
                break
        self._to(end_s)
        return given

    def play(self, reply: Message) -> list[Message]:
        """The reply is played to its end."""
        assert isinstance(reply, SpokenReply)
        return self.feed(PlaybackEnded(utterance_id=reply.utterance_id))

    def state(self, entity_id: str) -> str:
        ((state,),) = self.database.execute(
            "SELECT state FROM devices WHERE entity_id = ?", entity_id
        )
        return str(state)

    def timers(self) -> int:
        return len(self.database.execute("SELECT id FROM timers"))

    def _to(self, at_s: float) -> None:
        self.now += timedelta(seconds=at_s - self.at_s)
        self.at_s = at_s
