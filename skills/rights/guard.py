"""Stands where acts are carried out, and stops those that are not allowed, or need the PIN.

Every act of a skill goes through one of two doors: a request or an event is handed to it
(`skills.registry`), and it changes a device or a list (`skills.devices`, `skills.lists`), also
where it takes something back. Both ask here, in the name of the room where the words were said:
the device's own area, and with a plan the area where it was wished. What is stopped leaves no
change, also where the skill's code goes on as if nothing were. Where the PIN is needed, the user is
asked for it, and the request then carried out from its beginning, with the answers given before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

from assistant.core.errors import AssistantError, SkillError
from assistant.english.spoken import length
from assistant.skill import Cancelled, Context, Dialog, Reply, Request
from assistant.skill.home import Home
from assistant.skill.reply import Query
from skills.declined import action_of
from skills.rights.pin import ASK_PIN, Pin
from skills.rights.rules import NO_RULES, Act, Rules, named

DENIED, NEEDS_PIN = "rights.denied", "rights.pin"
LIST_DOMAIN = "todo"
NO_PIN = "That needs a PIN, and none is set. To set one, run assistant pin set."
WRONG_AGAIN = "That PIN is wrong, too. I take none for the next five minutes."

Answers = list[tuple[str, Any]]
"""The questions that were asked, each with the answer."""


@dataclass
class _Turn:
    """The moves of a skill for one request: in whose name, and what they were stopped from."""

    area: str
    granted: bool
    stopped: SkillError | None = None
    thing: str = ""


class Guard:
    """Applies `rules` in a `home`; `here` is the id of the area where the device stands.

    `attempt` makes a context that takes back what its block has changed when it raises, `skill_of`
    names the skill that carries out an intent.
    """

    def __init__(
        self,
        rules: Rules = NO_RULES,
        home: Home | None = None,
        pin: Pin | None = None,
        here: str = "",
        attempt: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._rules, self._pin, self._here = rules, pin, here
        self._attempt = attempt
        self._entities = {entity.id: entity for entity in (home.entities if home else ())}
        self.skill_of: Callable[[str], str] = lambda intent: ""
        self._turn: _Turn | None = None
        self._granted = ""
        """The utterance for which the right PIN was said."""

    def check_device(self, entity_id: str, state: str = "") -> None:
        """Raise `SkillError` where a device may not be changed, or not before the PIN is said."""
        entity = self._entities.get(entity_id)
        unknown = entity_id.casefold()
        names = named(entity) if entity else (unknown, unknown.partition(".")[0])
        thing = f"the {entity.name.casefold()}" if entity else entity_id
        self._check(Act(frozenset(names), thing, state.casefold()))

    def check_list(self, list_id: str) -> None:
        """The same for a list."""
        entity = self._entities.get(list_id)
        name = (entity.name if entity else list_id).casefold()
        thing = f"the {name}" if name.endswith("list") else f"the {name} list"
        own = named(entity) if entity else (name,)
        self._check(Act(frozenset((LIST_DOMAIN, *own)), thing))

    def check_intents(self, intents: Iterable[str]) -> None:
        """The same for taking back what these intents did."""
        for intent in intents:
            self._check(_act_of(intent, self.skill_of(intent)))

    def require_pin(self) -> None:
        """Raise `SkillError` before the PIN is said, whatever it is for."""
        if self._turn is not None and not self._turn.granted:
            self._turn.stopped = SkillError(NEEDS_PIN, "this needs the PIN")
            raise self._turn.stopped

    def limited(self, area: str) -> str:
        """The area whose rights something is given that is put back: `area`, where nothing is
        denied to who does so."""
        turn = self._turn
        return turn.area if turn is not None and turn.area in self._rules.denied else area

    def request(
        self,
        request: Request,
        skill: str,
        context: Context,
        call: Callable[[], Dialog],
        tries: bool = True,
    ) -> Dialog:
        """Carry out a request of `skill`, which `call` begins, as far as it is allowed.

        Unless all that the skill does can be taken back, so that it `tries`, the PIN that its
        intent needs is asked for first, and else once it is known that something would be done.
        """
        if not self._rules:
            return (yield from call())
        area = self._area(context)
        intent = _act_of(request.intent, skill)
        if self._rules.denies(area, intent):
            return _not_allowed(request)
        answers: Answers = []
        asks_first = not (tries or self.granted(request.utterance_id))
        if asks_first and self._rules.needs_pin(intent):
            refusal = yield from self._refusal(request)
            if refusal is not None:
                return refusal
        while True:
            turn = _Turn(area, self.granted(request.utterance_id))
            reply = yield from self._carried_out(call(), turn, intent, answers)
            if reply is not None:
                return reply
            if turn.stopped is not None and turn.stopped.code == DENIED:
                return _not_allowed(request, turn.thing)
            if (refusal := (yield from self._refusal(request))) is not None:
                return refusal

    @contextmanager
    def unasked(self, context: Context) -> Iterator[None]:
        """Let a skill act where nobody can be asked; raises `SkillError` for what was stopped."""
        turn = _Turn(self._area(context), granted=False)
        with self._as(turn):
            yield
        if turn.stopped is not None:
            raise turn.stopped

    @contextmanager
    def granting(self, utterance_id: str, granted: bool) -> Iterator[None]:
        """Let the PIN count, in the block, as said for an utterance, or as not said."""
        before, self._granted = self._granted, utterance_id if granted else ""
        try:
            yield
        finally:
            self._granted = before

    def granted(self, utterance_id: str) -> bool:
        """Whether the right PIN was said for an utterance."""
        return bool(utterance_id) and utterance_id == self._granted

    def _area(self, context: Context) -> str:
        """The area in whose name is acted: where it was said, else where the device stands.

        Who speaks over the network has the rights of a room of its own, a satellite those of the
        area where it stands.
        """
        if context.area is not None:
            return context.area.id
        return context.peer or self._here

    def _check(self, act: Act) -> None:
        turn = self._turn
        if turn is None:  # the assistant itself acts, as agreed before
            return
        if self._rules.denies(turn.area, act):
            turn.stopped = SkillError(DENIED, "this is not allowed from here")
        elif not turn.granted and self._rules.needs_pin(act):
            turn.stopped = SkillError(NEEDS_PIN, "this needs the PIN")
        else:
            return
        turn.thing = act.thing
        raise turn.stopped

    @contextmanager
    def _as(self, turn: _Turn) -> Iterator[None]:
        before, self._turn = self._turn, turn
        try:
            yield
        finally:
            self._turn = before

    def _carried_out(
        self, call: Dialog, turn: _Turn, intent: Act, answers: Answers
    ) -> Generator[Query, Any, Reply | None]:
        """The reply of a call, None where it was stopped; asks what is not in `answers`."""
        known = list(answers)
        move: Callable[[], Query] = partial(next, call)
        try:
            while True:
                outcome = self._moved(move, turn, intent)
                if isinstance(outcome, Reply):
                    return outcome
                if isinstance(outcome, Cancelled):
                    raise outcome
                try:
                    given = next((one for one in known if one[0] == outcome.text), None)
                    answer = given[1] if given is not None else (yield outcome)
                except Cancelled as cancelled:
                    move = partial(call.throw, cancelled)
                else:
                    if given is not None:
                        known.remove(given)
                    else:
                        answers.append((outcome.text, answer))
                    move = partial(call.send, answer)
        except AssistantError:
            if turn.stopped is None:
                raise
            return None
        finally:
            call.close()

    def _moved(
        self, move: Callable[[], Query], turn: _Turn, intent: Act
    ) -> Query | Reply | Cancelled:
        """What one move of a call comes to; where it was stopped, raises and changes nothing."""
        outcome: Query | Reply | Cancelled
        with self._attempt(), self._as(turn):
            try:
                outcome = move()
            except Cancelled as cancelled:
                outcome = cancelled
            except StopIteration as end:
                outcome = end.value
                if isinstance(outcome, Reply) and outcome.done and not turn.stopped:
                    self._check_done(turn, intent)
            if turn.stopped is not None:
                raise turn.stopped
        return outcome

    def _check_done(self, turn: _Turn, intent: Act) -> None:
        """Stop what an intent has done that needs the PIN: its own questions come before that."""
        if not turn.granted and self._rules.needs_pin(intent):
            turn.stopped = SkillError(NEEDS_PIN, "this needs the PIN")

    def _refusal(self, request: Request) -> Generator[Query, Any, Reply | None]:
        """Ask for the PIN; the reply where none is taken, or none was right, else None."""
        if self._pin is None or not self._pin.is_set:
            return Reply(NO_PIN, done=False)
        if left_s := self._pin.locked_s():
            minutes = timedelta(minutes=math.ceil(left_s / 60))
            return Reply(f"I take no PIN for another {length(minutes)}.", done=False)
        if not (yield ASK_PIN):
            return Reply(WRONG_AGAIN, done=False)
        self._granted = request.utterance_id
        return None


def _act_of(intent: str, skill: str) -> Act:
    return Act(frozenset({intent.casefold(), skill.casefold()}))


def _not_allowed(request: Request, thing: str = "") -> Reply:
    if thing:
        return Reply(f"Changing {thing} isn't allowed from here.", done=False)
    return Reply(
        f"You can't {action_of(request.intent)}. That isn't allowed from here.", done=False
    )
