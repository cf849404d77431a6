"""The skills as a stage: commands in, actions on disk, then the replies that report them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import ClassVar

import msgspec

from assistant.core.database import Database
from assistant.core.errors import SkillError
from assistant.core.layout import MARK_WRONG, MUTE
from assistant.core.messages import (
    AnswerTask,
    Asked,
    Command,
    Commit,
    DeviceChanged,
    Fact,
    HomeStates,
    Interpretation,
    Message,
    NothingHeard,
    OpenQuestion,
    PlaybackEnded,
    Question,
    SpokenReply,
    WordFacts,
)
from assistant.english.questions import asks, points_back
from assistant.skill.context import Context, Request
from assistant.skill.home import Home
from assistant.skill.opening import opened_by
from assistant.skill.reply import Dialog as Call
from assistant.skill.reply import Reply
from skills.confirmed import Confirmed
from skills.deadline import Overdue, within
from skills.devices import Devices
from skills.dialog import Dialog, Resolve, cancels
from skills.history import History
from skills.later.later import Later
from skills.later.sun import Position
from skills.likely import likely_answers
from skills.lists import StoredLists
from skills.picking import did_you_mean
from skills.registry import Registry
from skills.revisions import Revisions
from skills.scheduler import TimerScheduler
from skills.state import has_acted, remember_acted

DIALOG_S = 60.0
"""Seconds that a question stays open; the message that would close it may be lost."""
LONGEST_ANSWER = 4
"""Most words of a text that counts as an attempt to answer an open question."""
MOVE_S = 3.0
"""Most seconds from one reply of a skill to the next; after 5 s the process counts as hung."""
SET_ASIDE = (
    "My memory was damaged. I have put it aside and begun a new one; timers from before are lost."
)


class SkillsStage:
    """Acts on committed interpretations, keeps timers and devices, asks and answers.

    `database` comes from `open_state`, `now` gives the aware wall time, `boot_id` is `this_boot()`,
    `area` is the id of the area where the device stands. With `broker`, changes of devices are sent
    on. What a skill did is committed before its reply is given; when it raises, nothing is kept.
    `revisions` outlive a stage that is rebuilt, so that no utterance is lost meanwhile; so do the
    `notices`, each of which is told once. `recording` tells whether what is said is recorded. How
    often each intent was carried out is told in the file `usage`. `mute` closes the microphone: no
    skill is handed it, and nothing here opens it again.
    """

    consumes: ClassVar[tuple[type[Message], ...]] = (
        Interpretation,
        Commit,
        NothingHeard,
        PlaybackEnded,
        HomeStates,
        DeviceChanged,
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
        revisions: Revisions | None = None,
        notices: list[str] | None = None,
        recording: Callable[[], bool] = lambda: False,
        usage: Path | None = None,
        where: Position | None = None,
        mute: Callable[[], None] = lambda: None,
    ) -> None:
        self._registry = registry
        self._database = database
        self._resolve = resolve
        self._mute, self._muted = mute, False
        self._scheduler = TimerScheduler(database, now, boot_id)
        self._devices = Devices(database, home, broker)
        lists = StoredLists(database)
        lists.take_over(self._devices.added)
        self._confirmed = Confirmed(database, usage)
        self._later = Later(registry, database, self._devices, now, boot_id, where)
        self._history = History(
            *(registry.abilities, self._scheduler, self._devices, lists, self._later.plans),
            *(recording, self._confirmed.take_back),
        )
        self._revisions = revisions or Revisions()
        self._dialog: Dialog | None = None
        self._notices = [] if notices is None else notices
        if database.set_aside:
            self._notices.append(SET_ASIDE)
        database.set_aside = None  # reported once, also when the stage is rebuilt
        self._context = Context(
            clock=now,
            timers=self._scheduler,
            home=self._devices,
            lists=lists,
            plans=self._later.plans,
            conversation=self._history,
            area=next((a for a in home.areas if a.id == area), None),
        )

    def feed(self, message: Message) -> Iterator[Message]:
        """Take one message; what follows was committed to disk before it is given."""
        self._scheduler.at_s = self._later.at_s = max(self._scheduler.at_s, message.at_s)
        yield from self._news()
        match message:
            case Interpretation():
                yield from self._act(self._revisions.hold(message))
            case Commit():
                yield from self._act(self._revisions.commit(message))
            case NothingHeard() if self._dialog is not None:
                yield from self._step(message.utterance_id, self._dialog, Dialog.cancel)
            case PlaybackEnded(heard=True):
                self._scheduler.heard(message.utterance_id)
                self._later.heard(message.utterance_id)
            case HomeStates():
                self._devices.told(message)
            case DeviceChanged(device="broker"):
                yield from self._devices.broker_changed(message.present)
        if self._dialog is not None and self._dialog.expires_at_s <= self._scheduler.at_s:
            self._dialog = None
        yield from self._scheduler.rings()
        yield from self._later.carry_out(self._context, self._history, _in_time)

    def deadline_s(self) -> float | None:
        """When a timer or a plan is due, a ring must come again, or an open question lapses."""
        if self._notices:
            return 0.0
        moments = [self._scheduler.deadline_s(), self._later.deadline_s()]
        if self._dialog is not None:
            moments.append(self._dialog.expires_at_s)
        return min((m for m in moments if m is not None), default=None)

    def _news(self) -> Iterator[SpokenReply]:
        while self._notices:
            yield SpokenReply(utterance_id="notice", text=self._notices.pop(0), done=False)

    def _act(self, said: Interpretation | None) -> Iterator[Message]:
        if said is None or has_acted(self._database, said.utterance_id):
            return
        said = self._with_short_form(said)
        dialog, self._dialog = self._dialog, None
        if dialog is not None:
            yield from self._answer(said, dialog)
        elif said.commands:
            yield from self._step(said.utterance_id, self._dialog_of(said), Dialog.begin)
        elif said.choices:
            yield from self._step(said.utterance_id, self._dialog_of_choices(said), Dialog.begin)
        elif said.text:
            yield from self._leave(said)

    def _with_short_form(self, said: Interpretation) -> Interpretation:
        """The interpretation with the commands of the first short form that holds, if one does."""
        alone = all(command.confidence < 1 for command in said.commands)
        for commands in said.conditional:
            requests = (_request(said, command, alone) for command in commands)
            if all(self._registry.holds(request, self._context) for request in requests):
                return msgspec.structs.replace(said, commands=commands, choices=())
        return said

    def _answer(self, said: Interpretation, dialog: Dialog) -> Iterator[Message]:
        if not said.text or cancels(said, dialog.query):
            yield from self._step(said.utterance_id, dialog, Dialog.cancel)
            return
        value = dialog.read(said.text, self._resolve, self._devices.areas, self._devices.entities)
        if value is not None and not (dialog.takes_any_words and self._asks_else(said)):
            yield from self._step(said.utterance_id, dialog, lambda d: d.answer(value))
        elif said.commands:
            yield from self._step(said.utterance_id, self._dialog_of(said), Dialog.begin)
        elif said.choices:
            yield from self._step(said.utterance_id, self._dialog_of_choices(said), Dialog.begin)
        elif asks(said.text) or len(said.text.split()) > LONGEST_ANSWER:
            yield from self._leave(said)
        else:
            yield from self._step(said.utterance_id, dialog, Dialog.ask_again)

    def _asks_else(self, said: Interpretation) -> bool:
        """Whether a text is surely no answer, although any words may be one."""
        served = (c for c in said.commands if not self._registry.declines(c.intent))
        return any(command.confidence >= 1 for command in served) or asks(said.text)

    def _leave(self, said: Interpretation) -> Iterator[Message]:
        """Leave a text that no skill claims to the answers from documents."""
        self._history.leave()
        yield Question(utterance_id=said.utterance_id, text=said.text, task=said.unclaimed)

    def _dialog_of(self, said: Interpretation) -> Dialog:
        commands = self._registry.without_talk(said.commands)
        calls = [self._called(_request(said, command)) for command in commands]
        if said.missed:
            calls.append(_not_understood(said.missed))
        expires_at_s = self._scheduler.at_s + DIALOG_S
        guessed = len(commands) == 1 and self._guessed_question(commands[0])
        return Dialog(calls, commands[0].intent, expires_at_s, text=said.text, guessed=guessed)

    def _called(self, request: Request) -> Call:
        """Carry out a request, in place of what was done last where it corrects that.

        Who corrects what was not understood, or declined, does not mean what was done before it.
        """
        opened = opened_by(self._history.undoing, self._devices.entities)
        if request.instead and not (opened or self._history.failed):
            self._history.undo()
        if request.when is not None and self._registry.can_wait(request):
            return (yield from self._later.wished(request, self._context))
        return (yield from self._call(request))

    def _call(self, request: Request) -> Call:
        reply = yield from self._registry.call(request, self._context)
        if request.intent == MUTE and reply.done:
            self._mute()
            self._muted = True
        return reply

    def _guessed_question(self, command: Command) -> bool:
        """Whether `command` only asks something, and what was said may have meant another thing."""
        return command.confidence < 1.0 and self._registry.asks(command.intent)

    def _dialog_of_choices(self, said: Interpretation) -> Dialog:
        intents = {choice.sentence: choice.command.intent for choice in said.choices}
        expires_at_s = self._scheduler.at_s + DIALOG_S
        return Dialog((self._chosen(said),), None, expires_at_s, intents, said.text)

    def _chosen(self, said: Interpretation) -> Call:
        """Carry out the one of several meanings that the user chooses; it is no guess any more."""
        commands = {choice.sentence: choice.command for choice in said.choices}
        sentence = yield did_you_mean(tuple(commands))
        request = _request(said, commands[sentence])
        sure = tuple(msgspec.structs.replace(slot, confidence=1.0) for slot in request.slots)
        told = msgspec.structs.replace(request, text=sentence, slots=sure, confidence=1.0)
        return (yield from self._call(told))

    def _step(
        self, utterance_id: str, dialog: Dialog, move: Callable[[Dialog], Reply]
    ) -> Iterator[Message]:
        """Continue a dialog in one transaction, then report it; a fault leaves no dialog open."""
        self._dialog, self._muted = None, False
        self._devices.forget_changes()
        before, after_answer = self._database.changes, self._history.answered
        with self._database.transaction():
            reply = _in_time(lambda: move(dialog))
            acted = self._database.changes > before or self._muted
            if acted:
                remember_acted(self._database, utterance_id)
                self._confirmed.count()
        if acted:
            self._confirmed.tell()
        self._history.remember(reply, acted)
        if dialog.query is not None:
            dialog.expires_at_s = self._scheduler.at_s + DIALOG_S
            self._dialog = dialog
        elif dialog.intent == MARK_WRONG:
            self._confirmed.take_back()
        elif reply.done and dialog.intent and move is not Dialog.cancel:
            self._confirmed.note(dialog.intent)
        yield from self._devices.commands(utterance_id)
        further = OpenQuestion(follows=True) if after_answer and self._goes_on(dialog) else None
        elsewhere = None if acted else _elsewhere(reply, dialog) or further
        if task := _task(reply) or elsewhere:
            self._history.leave()
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
            yield Asked(utterance_id=utterance_id, answers=answers)
        yield SpokenReply(
            utterance_id=utterance_id,
            text=reply.text,
            intent=dialog.intent,
            listen=reply.listen,
            done=reply.done,
            acted=acted,
        )

    def _goes_on(self, dialog: Dialog) -> bool:
        """Whether a question that a skill has answered may go on from an answer before it.

        "What time" after "is badminton on tonight" asks for no time of day.
        """
        asks = dialog.intent is not None and self._registry.asks(dialog.intent)
        return asks and dialog.query is None and (dialog.guessed or points_back(dialog.text))


def _not_understood(words: str) -> Call:
    """Tell the words beside the commands that were not understood."""
    yield from ()
    return Reply(f'I didn\'t understand "{words}".', done=False)


def _in_time(move: Callable[[], Reply]) -> Reply:
    try:
        return within(MOVE_S, move)
    except Overdue as error:  # outside of any one skill's code, which has a boundary of its own
        raise SkillError("skill.slow", "the skills do not come to an end") from error


def _task(reply: Reply) -> AnswerTask | None:
    facts = tuple(Fact(name=name, value=value) for name, value in reply.facts.items())
    return WordFacts(facts=facts) if facts else reply.task


def _elsewhere(reply: Reply, dialog: Dialog) -> AnswerTask | None:
    """The question as one for the documents, where the skill that it was taken for has no answer.

    "How long does the bread take" sounds like a question about timers.
    """
    return OpenQuestion() if dialog.guessed and not reply.done and dialog.query is None else None


def _request(said: Interpretation, command: Command, alone: bool = False) -> Request:
    return Request(
        utterance_id=said.utterance_id,
        text=command.text or said.text,
        intent=command.intent,
        slots=command.slots,
        excluded=command.excluded,
        when=command.when,
        instead=command.instead,
        referring=command.referring,
        directions=command.directions,
        confidence=command.confidence,
        alone=alone,
    )
