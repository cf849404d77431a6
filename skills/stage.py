"""The skills as a stage: commands in, actions on disk, then the replies that report them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import ClassVar

from assistant.core.database import Database
from assistant.core.layout import ASR
from assistant.core.messages import (
    Asked,
    CalendarReport,
    Commit,
    DeviceChanged,
    HomeForecasts,
    HomeLists,
    HomeReceipt,
    HomeStates,
    Interpretation,
    Message,
    MusicLibrary,
    NothingHeard,
    OpenQuestion,
    Outheard,
    PlaybackEnded,
    PlaybackStarted,
    Question,
    Reload,
    SatelliteChanged,
    SensorEvent,
    SensorsReport,
    SpokenReply,
    Woke,
)
from assistant.core.sensors.described import Sensors
from assistant.core.settings.wyoming import PEER
from assistant.english.questions import asks, points_back
from assistant.skill import Context
from assistant.skill.home import Home
from assistant.skill.reply import Reply
from skills.announcements.floor import Floor
from skills.announcements.loudspeakers import Loudspeakers
from skills.announcements.quiet import NO_HOURS, SET, Hours, Quiet
from skills.announcements.waiting import Waiting
from skills.capabilities.bound import OWN, Capabilities
from skills.capabilities.calendar.shared import SharedCalendar
from skills.capabilities.device import NO_PARTS, VOLUME, DeviceParts, OwnDevice
from skills.capabilities.names import ToldNames
from skills.capabilities.sensors.watched import WatchedSensors
from skills.deadline import in_time
from skills.devices.devices import Devices
from skills.devices.ends import NO_PLAYERS, Ends
from skills.devices.library import StoredMusic
from skills.dialog import Dialog, Resolve, cancels, elsewhere, task_of
from skills.dialogs.handing import Handing
from skills.dialogs.kept import KeptCommands
from skills.dialogs.openings import Openings
from skills.dialogs.reading import asks_else, told_commands, told_pin, with_short_form
from skills.dialogs.rooms import Room, Rooms, there
from skills.events.events import Events
from skills.history import History
from skills.later.evidence import Evidence
from skills.later.later import Later
from skills.later.rehearsal import Rehearsal
from skills.later.sun import Position
from skills.later.timing import Timing
from skills.later.trust import ClockTrust
from skills.likely import likely_answers
from skills.lists import StoredLists
from skills.registry import Registry
from skills.revisions import Revisions
from skills.rights.guard import Guard
from skills.rights.pin import Pin
from skills.rights.pin_file import PinFile
from skills.rights.rules import NO_RULES, Rules
from skills.scheduler import TimerScheduler
from skills.state import has_acted, lost, remember_acted

DIALOG_S = 60.0
"""Seconds that a question stays open; the message that would close it may be lost."""
LONGEST_ANSWER = 4
"""Most words of a text that counts as an attempt to answer an open question."""
NO_LONGER = "I no longer need the PIN."


class SkillsStage:
    """Acts on committed interpretations, keeps timers and devices, asks and answers.

    `database` comes from `open_state`, `now` gives the aware wall time, `boot_id` is `this_boot()`,
    `area` is the id of the area where the device stands. Changes of devices are sent on, without a
    `broker` those of `players` alone, and those of lists where it `shares_lists`. What a skill did
    is committed before its reply, or not kept. `revisions` outlive a stage that is rebuilt, so that
    no utterance is lost meanwhile; so do the `notices`, each of which is told once. `recording`
    tells whether what is said is recorded. The file `usage` tells how often each intent was carried
    out, `names` what users named. `mute`, which no skill is handed, closes the microphone. In the
    hours `quiet` only what is urgent is announced. `rules` say what is not allowed here, and what
    needs the PIN, whose hash is in `pin`. What is planned by the clock waits for `evidence` that it
    is right. The file `calendar` follows the `collection`. With `peer_acts`, commands to devices
    that the peer of Wyoming says are handed to it.
    """

    consumes: ClassVar[tuple[type[Message], ...]] = (
        *(Interpretation, Commit, NothingHeard, Woke, PlaybackStarted, PlaybackEnded),
        *(HomeReceipt, HomeStates, HomeLists, HomeForecasts, MusicLibrary, DeviceChanged),
        *(CalendarReport, SatelliteChanged, Outheard, SensorEvent, SensorsReport),
    )

    def __init__(
        self,
        registry: Registry,
        database: Database,
        home: Home,
        resolve: Resolve,
        now: Callable[[], datetime],
        boot_id: str,
        *,
        area: str = "",
        broker: bool = False,
        players: Mapping[str, str] = NO_PLAYERS,
        shares_lists: bool = False,
        revisions: Revisions | None = None,
        notices: list[str] | None = None,
        recording: Callable[[], bool] = lambda: False,
        names: Path | None = None,
        where: Position | None = None,
        mute: Callable[[], None] = lambda: None,
        quiet: Mapping[str, Hours] = NO_HOURS,
        network: Path | None = None,
        calendar: Path | None = None,
        collection: str = "",
        rules: Rules = NO_RULES,
        pin: PinFile | None = None,
        evidence: Callable[[], Evidence] = lambda: Evidence.NONE,
        device: DeviceParts = NO_PARTS,
        peer_acts: bool = False,
        sensors: Sensors | None = None,
    ) -> None:
        self._registry, self._database, self._resolve = registry, database, resolve
        trust = self._trust = ClockTrust(database, now, boot_id, evidence)
        speakers = self._loudspeakers = Loudspeakers(area)
        self._floor = Floor()
        rooms = {other.id: other.name for other in home.areas if other.id != area}
        self._scheduler = TimerScheduler(database, now, boot_id, trust.plausible, rooms, speakers)
        self._pin = Pin(database, pin, boot_id)
        guard = Guard(rules, home, self._pin, area, database.attempt)
        timing = self._timing = Timing(now, boot_id, where, trust)
        self._quiet = Quiet(database, timing, quiet, area)
        self._announcements = Waiting(database, timing, self._quiet, self._floor, speakers)
        announce, ends = self._announcements.add_notice, Ends(broker, players, shares_lists)
        self._devices = Devices(database, home, ends, self._timing.countdown, announce, guard)
        self._music = StoredMusic(database, self._devices.added)
        lists = StoredLists(database, guard, self._devices.lists)
        lists.take_over(self._devices.added)
        self._calendar = SharedCalendar(database, calendar, collection, self._timing, announce)
        self._device = OwnDevice(database, device)
        self._sensors = WatchedSensors(database, sensors or Sensors(), timing, self._announcements)
        self._names = ToldNames(registry, names)
        self._events = Events(registry, database, self._devices, self._timing)
        capabilities = Capabilities(database, self._announcements, self._timing, network)
        self._later = Later(registry, database, self._devices, timing, speakers, self._quiet.holds)
        self._revisions = revisions or Revisions()
        self._notices = notices if notices is not None else []
        self._notices += lost(database)
        registry.use(capabilities, guard)

        def room(there: str) -> Room:
            rehearsal = Rehearsal(database)
            commands = KeptCommands(registry, rehearsal, partial(self._rooms.of, there))
            acts_there = peer_acts and there == PEER
            about = (registry.manifests, rehearsal, home, broker)
            handing = Handing(*about) if acts_there else None
            more = {SET: self._quiet.restore, VOLUME: self._device.restore, **self._sensors.undoes}
            history = History(
                *(database, registry.abilities, self._scheduler, self._devices, lists),
                *(self._later.plans, self._later.alarms),
                {**dict.fromkeys(OWN, capabilities.take_back), **self._calendar.undoes, **more},
                guard,
                recording,
                room="" if there == area else there,
            )
            context = capabilities.shared(
                clock=now,
                timers=self._scheduler,
                home=self._devices,
                lists=lists,
                plans=self._later.plans,
                alarms=self._later.alarms,
                calendar=self._calendar.own,
                conversation=history,
                do_not_disturb=self._quiet.of(there),
                music=self._music,
                commands=commands,
                device=self._device,
                sensors=self._sensors,
                area=next((a for a in home.areas if a.id == there), None),
                peer=PEER if there == PEER else "",
            )
            parts = (registry, context, history, self._later, self._devices, resolve)
            openings = Openings(*parts, mute, self._trust.confirm, handing)
            return Room(there, context, history, openings)

        self._rooms = Rooms(area, room)

    def feed(self, message: Message) -> Iterator[Message]:
        """Take one message; what follows was committed to disk before it is given."""
        at_s = max(self._scheduler.at_s, message.at_s)
        self._scheduler.at_s = self._later.at_s = self._pin.at_s = at_s
        self._pin.expire()
        self._trust.look(at_s)
        observers = (self._floor, self._device, self._calendar, self._loudspeakers, self._sensors)
        for observer in observers:
            observer.observe(message, at_s)
        for given in self._fed(message):
            self._floor.observe(given, at_s)
            yield given
        yield from self._announcements.told(at_s, asking=self._rooms.asking)

    def _fed(self, message: Message) -> Iterator[Message]:
        self._devices.give_up()
        yield from self._news()
        if self._names.due:
            yield from self._name(self._rooms.of("").context)
        match message:
            case Interpretation():
                yield from self._act(self._revisions.hold(message))
            case Commit():
                yield from self._act(self._revisions.commit(message))
            case NothingHeard() if (dialog := self._rooms.of(message.area).dialog) is not None:
                yield from there(message, self._step(message, dialog, dialog.unanswered))
            case PlaybackEnded(heard=True, interrupted=interrupted):
                self._scheduler.heard(message.utterance_id)
                self._later.heard(message.utterance_id, interrupted)
                self._announcements.heard(message.utterance_id)
            case MusicLibrary():
                self._music.told(message)
                self._names.due = True
            case HomeStates() | HomeReceipt() | HomeLists() | HomeForecasts() | DeviceChanged():
                self._devices.told(message)
        self._rooms.expire(self._scheduler.at_s)
        yield from self._scheduler.rings()
        yield from self._later.carry_out(self._rooms.kept, in_time)
        yield from self._events.handle(self._rooms.of("").context, self._scheduler.at_s, in_time)
        yield from self._devices.left_over()
        yield from self._calendar.news(self._scheduler.at_s)
        yield from self._sensors.news(self._scheduler.at_s)

    def deadline_s(self) -> float | None:
        """When a timer or a plan is due, a ring must come again, or an open question lapses."""
        if self._notices:
            return 0.0
        rooms, at_s = self._rooms, self._scheduler.at_s
        parts = (self._scheduler, self._later, self._pin, self._device, self._devices, rooms)
        moments = [
            *(part.deadline_s() for part in (*parts, self._calendar, self._sensors)),
            *(self._announcements.deadline_s(at_s, rooms.asking), self._events.deadline_s(at_s)),
        ]
        return min((m for m in moments if m is not None), default=None)

    def _news(self) -> Iterator[SpokenReply]:
        while self._notices:
            yield SpokenReply(utterance_id="notice", text=self._notices.pop(0), done=False)

    def _act(self, said: Interpretation | None) -> Iterator[Message]:
        if said is not None and not has_acted(self._database, said.utterance_id):
            yield from there(said, self._obey(said))

    def _obey(self, said: Interpretation) -> Iterator[Message]:
        room = self._rooms.of(said.area)
        said = with_short_form(said, self._registry, room.context)
        dialog, room.dialog = room.dialog, None
        if dialog is not None:
            yield from self._answer(said, dialog)
        elif said.commands or said.choices:
            yield from self._begin(said)
        elif said.secret:
            name = said.utterance_id
            yield SpokenReply(utterance_id=name, text=NO_LONGER, done=False)
        elif said.text:
            yield from self._leave(said)

    def _answer(self, said: Interpretation, dialog: Dialog) -> Iterator[Message]:
        if said.text and dialog.asks_commands:
            yield from self._step(said, dialog, told_commands(said, self._registry))
            return
        if not said.text or cancels(said, dialog.query):
            yield from self._step(said, dialog, Dialog.cancel)
            return
        if dialog.asks_pin:
            move = told_pin(said, self._pin)
            yield from self._step(said, dialog, move) if move else self._begin(said)
            return
        expires_at_s = self._scheduler.at_s + DIALOG_S
        openings = self._rooms.of(said.area).openings
        if (amended := openings.amended(said.text, dialog, expires_at_s)) is not None:
            yield from self._step(said, amended, Dialog.begin)
            return
        value = dialog.read(said.text, self._resolve, self._devices.areas, self._devices.entities)
        other = dialog.takes_any_words and asks_else(said, dialog, self._registry)
        if value is not None and not other:
            yield from self._step(said, dialog, lambda d: d.answer(value))
        elif said.commands or said.choices:
            yield from self._begin(said)
        elif asks(said.text) or len(said.text.split()) > LONGEST_ANSWER:
            yield from self._leave(said)
        else:
            yield from self._step(said, dialog, Dialog.ask_again)

    def _begin(self, said: Interpretation) -> Iterator[Message]:
        """Begin what was said, or the question which of several meanings is right."""
        expires_at_s = self._scheduler.at_s + DIALOG_S
        openings = self._rooms.of(said.area).openings
        opening = openings.of if said.commands else openings.of_choices
        yield from self._step(said, opening(said, expires_at_s), Dialog.begin)

    def _leave(self, said: Interpretation) -> Iterator[Message]:
        """Leave a text that no skill claims to the answers from documents."""
        self._rooms.of(said.area).history.leave()
        yield Question(utterance_id=said.utterance_id, text=said.text, task=said.unclaimed)

    def _step(
        self,
        said: Interpretation | NothingHeard,
        dialog: Dialog,
        move: Callable[[Dialog], Reply],
    ) -> Iterator[Message]:
        """Continue a dialog in one transaction, then report it; a fault leaves no dialog open."""
        utterance_id, room = said.utterance_id, self._rooms.of(said.area)
        room.dialog = None
        room.openings.begin()
        before, after_answer = self._database.changes, room.history.answered
        with self._database.transaction():
            reply = in_time(lambda: move(dialog))
            acted = self._database.changes > before or room.openings.muted
            if acted:
                remember_acted(self._database, utterance_id)
                room.history.keep(reply, dialog.intents_done)
        self._device.tell()
        room.history.remember(reply, acted)
        if dialog.query is not None:
            dialog.expires_at_s = self._scheduler.at_s + DIALOG_S
            room.dialog = dialog
        yield from self._devices.commands(utterance_id)
        yield from self._name(room.context) if acted else ()
        further = OpenQuestion(follows=True) if after_answer and self._goes_on(dialog) else None
        other = None if acted else elsewhere(reply, dialog) or further
        if task := task_of(reply) or other:
            room.history.leave()
            yield Question(
                utterance_id=utterance_id,
                text=dialog.text,
                task=task,
                intent=dialog.intent,
                fallback=reply.text,
                acted=acted,
            )
            return
        if dialog.query is not None and (answers := likely_answers(dialog.query)):
            yield Asked(utterance_id=utterance_id, answers=answers, in_a_row=dialog.asks_pin)
        yield SpokenReply(
            utterance_id=utterance_id,
            text=reply.text,
            intent=dialog.intent,
            listen=reply.listen,
            done=reply.done,
            acted=acted,
            secret=dialog.asks_pin,
            handed=room.openings.handed,
        )

    def _name(self, context: Context) -> Iterator[Reload]:
        """Have recognition know the names of routines and of music, where they have changed."""
        if self._names.changed(context):
            yield Reload(stage=ASR)

    def _goes_on(self, dialog: Dialog) -> bool:
        """Whether a question that a skill has answered may go on from an answer before it.

        "What time" after "is badminton on tonight" asks for no time of day.
        """
        asks = dialog.intent is not None and self._registry.asks(dialog.intent)
        return asks and dialog.query is None and (dialog.guessed or points_back(dialog.text))
