"""Carries out the commands of one utterance, and handles the questions that they ask.

| the user says         | then                                                             |
|-----------------------|------------------------------------------------------------------|
| a fitting answer      | the dialog continues with it                                     |
| "stop", "cancel", …   | the dialog is cancelled, further commands of the utterance too   |
| nothing               | the same                                                         |
| another command       | the dialog is dropped and that command carried out               |
| a question, or much   | the dialog is dropped and that text left to the documents        |
| something else        | the question comes once more, then the dialog is cancelled       |

Where options were offered, "neither" cancels too; "the second" or words of an option pick it.
Where commands are asked for, any command is an answer, and no answer names no further one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any

import msgspec

from assistant.core.errors import SkillError
from assistant.core.messages import (
    AnswerTask,
    Command,
    Fact,
    Interpretation,
    OpenQuestion,
    Slot,
    WordFacts,
)
from assistant.english.replies import CANCEL
from assistant.english.spoken import joined
from assistant.skill.context import Request
from assistant.skill.home import Area, Entity
from assistant.skill.manifest import SlotSchema
from assistant.skill.reply import Ask, AskCommands, Cancelled, Choose, Query, Reply, Undo
from assistant.skill.reply import Dialog as Call
from assistant.skill.signature import choices, convert, schema_of
from skills.picking import pick, refuses
from skills.rights.pin import QUESTION, AskPin

Resolve = Callable[[str, SlotSchema], Slot | None]
"""Reads `text` as a slot of this schema; None when it is none."""

_ABSOLUTE = ("home.set", "home.set_attribute", "storage.restore")
"""Operations of an undo after which a thing is as it was, whatever it was meanwhile."""
CANCEL_INTENT = "HassNevermind"


class Dialog:
    """Calls to skills in their order; `query` is the open question, None when all are done.

    `intents` gives the dialog's `intent` for each answer to a first question. `text` is what was
    said at its beginning; `guessed` says that this may have been meant as another question.
    """

    def __init__(
        self,
        calls: Iterable[Call],
        intent: str | None,
        expires_at_s: float,
        intents: Mapping[str, str] = MappingProxyType({}),
        text: str = "",
        guessed: bool = False,
    ) -> None:
        self.intent = intent
        self.text = text
        self.guessed = guessed
        self._intents = intents
        self.expires_at_s = expires_at_s
        self.query: Query | None = None
        self.requests: Sequence[Request] = ()
        """What was asked for, where it can be asked for anew."""
        self._asked_again = False
        self._said: list[Reply] = []
        self._steps = _carry_out(calls, self._said)

    def begin(self) -> Reply:
        """Carry out the commands until the end or the first question."""
        return self._move(lambda: next(self._steps))

    def answer(self, value: Any) -> Reply:
        """Continue with the answer."""
        if self.intent is None:
            self.intent = self._intents.get(value)
        return self._move(lambda: self._steps.send(value))

    def cancel(self) -> Reply:
        """End here."""
        return self._move(lambda: self._steps.throw(Cancelled()))

    def name_no_more(self) -> Reply:
        """Go on without further commands, where these are asked for."""
        return self.answer(())

    def refuse_pin(self) -> Reply:
        """Say that the PIN was wrong, and ask for it again."""
        self._asked_again = False
        return Reply(f"That PIN is wrong. {QUESTION}", listen=True)

    def ask_again(self) -> Reply:
        """Put the question once more; the second time, go on as where nothing is said."""
        if self._asked_again or self.query is None:
            return self.unanswered(self)
        self._asked_again = True
        return Reply(f"Sorry, I didn't get that. {self.query.text}", listen=True)

    @property
    def intents_done(self) -> tuple[str, ...]:
        """The intents of what is carried out, so far as they are known."""
        asked_for = (request.intent for request in self.requests)
        return tuple(dict.fromkeys((*asked_for, *filter(None, (self.intent,)))))

    @property
    def asks_pin(self) -> bool:
        """Whether the open question is the one for the PIN."""
        return isinstance(self.query, AskPin)

    @property
    def asks_commands(self) -> bool:
        """Whether the open question is answered by commands."""
        return isinstance(self.query, AskCommands)

    @property
    def unanswered(self) -> Callable[[Dialog], Reply]:
        """How it goes on where nothing is said."""
        return Dialog.name_no_more if self.asks_commands else Dialog.cancel

    @property
    def takes_any_words(self) -> bool:
        """Whether any words would answer the open question: "What is it?"."""
        return isinstance(self.query, Ask) and schema_of("answer", self.query.answer).kind == "text"

    def read(
        self, text: str, resolve: Resolve, areas: Sequence[Area], entities: Sequence[Entity]
    ) -> Any:
        """The value of an answer; None when it is none."""
        if isinstance(self.query, Choose) and (picked := pick(text, self.query.options)):
            return picked
        wanted = _wanted(self.query)
        slot = resolve(text, schema_of("answer", wanted))
        if slot is None:
            return None
        try:
            return convert(slot.value, wanted, areas, entities)
        except SkillError:
            return None

    def _move(self, move: Callable[[], Query]) -> Reply:
        try:
            self.query = move()
        except StopIteration:
            self.query = None
        self._asked_again = False
        said, self._said[:] = tuple(self._said), ()
        return joined_reply(said, self.query)


def cancels(said: Interpretation, query: Query | None) -> bool:
    """Whether this is the request to end the dialog whose open question is `query`."""
    if isinstance(query, Choose) and refuses(said.text):
        return True
    named = any(command.intent == CANCEL_INTENT for command in said.commands)
    return named or CANCEL.fullmatch(said.text.casefold()) is not None


def _carry_out(calls: Iterable[Call], said: list[Reply]) -> Generator[Query, Any, None]:
    for call in calls:
        try:
            said.append((yield from call))
        except Cancelled:
            said.append(Reply("Okay, never mind."))
            return


def _wanted(query: Query | None) -> Any:
    match query:
        case Ask():
            return query.answer
        case Choose():
            return Annotated[str, choices(*query.options)]
        case _:
            return bool


def _told(said: Sequence[Reply]) -> Iterator[str]:
    """The replies in words, those that report the same of several things as one."""
    alike: dict[Any, list[Reply]] = {}
    for number, reply in enumerate(said):
        report = reply.report
        alike.setdefault((report.one, report.several) if report else number, []).append(reply)
    for replies in alike.values():
        first = replies[0]
        if len(replies) == 1 or first.report is None:
            yield first.text
            continue
        things = joined([reply.report.thing for reply in replies if reply.report])
        text = (first.report.several or first.report.one).format(things)
        yield f"{text[:1].upper()}{text[1:]}"


def _to_the_beginning(undo: Iterable[Undo]) -> Iterator[Undo]:
    """The steps without those that bring a thing back to where it was only in between."""
    brought: set[tuple[str, str, str]] = set()
    for step in undo:
        thing = (step.operation, step.id, step.name)
        if step.operation not in _ABSOLUTE or thing not in brought:
            brought.add(thing)
            yield step


def joined_reply(said: Sequence[Reply], query: Query | None = None) -> Reply:
    """Several replies as one, with the open question behind them."""
    before = query.told if isinstance(query, AskCommands) else ""
    texts = [*_told(said), *filter(None, (before, query.text if query else ""))]
    alone = said[0] if len(said) == 1 and query is None else Reply("")
    undo = [reply.undo if isinstance(reply.undo, tuple) else (reply.undo,) for reply in said]
    return Reply(
        " ".join(texts),
        listen=query is not None or any(reply.listen for reply in said),
        undo=tuple(_to_the_beginning(sum(undo, ()))),
        about=tuple(thing for reply in said for thing in reply.about),
        done=all(reply.done for reply in said),
        facts=alone.facts,
        task=alone.task,
    )


def request_of(said: Interpretation, command: Command, alone: bool = False) -> Request:
    """One of the commands of an interpretation, as a skill receives it."""
    return Request.of(command, said.utterance_id, said.text, alone)


def surely(request: Request, sentence: str) -> Request:
    """A request that was guessed, once the user has said that this sentence was meant."""
    sure = tuple(msgspec.structs.replace(slot, confidence=1.0) for slot in request.slots)
    return msgspec.structs.replace(request, text=sentence, slots=sure, confidence=1.0)


def task_of(reply: Reply) -> AnswerTask | None:
    """The work that a reply leaves to the answering stage; None for none."""
    facts = tuple(Fact(name=name, value=value) for name, value in reply.facts.items())
    return WordFacts(facts=facts) if facts else reply.task


def elsewhere(reply: Reply, dialog: Dialog) -> AnswerTask | None:
    """The question as one for the documents, where the skill that it was taken for has no answer.

    "How long does the bread take" sounds like a question about timers.
    """
    return OpenQuestion() if dialog.guessed and not reply.done and dialog.query is None else None
