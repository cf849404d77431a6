"""Wyoming's own client has texts carried out, and takes the answers as they come."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from wyoming.asr import Transcript as Transcribed
from wyoming.event import Event
from wyoming.handle import Handled, HandledChunk, HandledStart, HandledStop, NotHandled
from wyoming.intent import Entity, Intent, NotRecognized
from wyoming.ping import Ping

from assistant.core.messages import Command, Slot, SpokenReply, Transcript
from assistant.core.settings.wyoming import PEER
from assistant.rooms import asking
from tests.support.rooms import House


@pytest.fixture
def daemon() -> Iterator[House]:
    with closing(House()) as stand_in:
        yield stand_in


CONTEXT = {"conversation_id": "7"}
SAID = Transcribed("what time is it", context=CONTEXT)


def reply(
    text: str, more: bool = False, done: bool = True, intent: str | None = None
) -> SpokenReply:
    return SpokenReply(utterance_id="", text=text, more=more, done=done, intent=intent)


def streamed(chunks: tuple[str, ...], whole: Handled | NotHandled) -> list[Event]:
    parts = [HandledChunk(chunk).event() for chunk in chunks]
    return [HandledStart(CONTEXT).event(), *parts, whole.event(), HandledStop().event()]


@pytest.mark.parametrize(
    ("replies", "told"),
    [
        (
            [reply("It's six.", intent="Time")],
            streamed(("It's six.",), Handled("It's six.", CONTEXT)),
        ),
        (
            [reply("One.", more=True), reply("Two.")],
            streamed(("One.", " Two."), Handled("One. Two.", CONTEXT)),
        ),
        (
            [reply("One.", more=True), reply("I can't.", done=False, intent="Open")],
            streamed(("One.", " I can't."), NotHandled("One. I can't.", CONTEXT)),
        ),
        ([reply("I can't.", done=False, intent="Time")], [NotHandled("I can't.", CONTEXT).event()]),
        ([reply("What?", done=False)], [NotRecognized("What?", CONTEXT).event()]),
    ],
)
def test_a_text_is_obeyed(daemon: House, replies: list[SpokenReply], told: list[Event]) -> None:
    daemon.replies = replies
    assert daemon.ask(SAID.event(), Ping().event(), ends="pong")[:-1] == told
    (transcript,) = (m for m in daemon.seen if isinstance(m, Transcript))
    assert (transcript.text, transcript.peer, transcript.area) == ("what time is it", PEER, PEER)


def test_what_is_to_be_done_there_is_told_as_an_intent(daemon: House) -> None:
    slots = (Slot(name="name", value="Lamp", raw="lamp"), Slot(name="brightness", value=4, raw="4"))
    handed = (Command(intent="HassLightSet", slots=slots),)
    daemon.replies = [SpokenReply(utterance_id="", text="It's set.", handed=handed)]
    (told,) = daemon.ask(SAID.event(), Ping().event(), ends="pong")[:-1]
    entities = [Entity("name", "Lamp"), Entity("brightness", 4)]
    assert Intent.from_event(told) == Intent("HassLightSet", entities, "It's set.", CONTEXT)


def test_a_sentence_is_told_before_the_next_is_there(
    daemon: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "ANSWERS_S", 0.1)
    daemon.replies = [reply("One.", more=True)]
    told = [event.type for event in daemon.ask(SAID.event(), ends="error")]
    assert told == ["handled-start", "handled-chunk", "error"]


def test_no_words_are_no_command(daemon: House) -> None:
    (told,) = daemon.ask(Transcribed(" ").event(), ends="not-recognized")
    assert NotRecognized.from_event(told).text == "I heard nothing."


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("storage.full", "I couldn't save that: my disk is full."),
        ("storage.unwritable", "I couldn't save that: my disk cannot be written."),
        ("skills.internal", "Sorry, something went wrong in my skills."),
    ],
)
def test_what_fails_is_told_in_the_words_of_the_device(
    daemon: House, code: str, words: str
) -> None:
    said = Transcribed(f"fail {code}", context=CONTEXT)
    told = daemon.ask(said.event(), Ping().event(), ends="pong")[:-1]
    assert told == [NotHandled(words, CONTEXT).event()]
