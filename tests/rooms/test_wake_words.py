"""Wyoming's own client has wake words listened for; the engines are the real ones."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from contextlib import closing

import pytest
from wyoming.asr import Transcribe
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.error import Error
from wyoming.event import Event
from wyoming.info import Describe, Info
from wyoming.ping import Ping
from wyoming.wake import Detect, Detection, NotDetected

from assistant.core.errors import ConfigError
from assistant.core.messages import Utterance
from assistant.core.settings.hearing import WakeSettings
from assistant.rooms.wake_words import AT_ONCE, WakeWords
from tests.support.processes import until
from tests.support.rooms import FORMAT, House, heard
from tests.support.voices import silence, speech


@pytest.fixture
def daemon() -> Iterator[House]:
    with closing(House()) as stand_in:
        yield stand_in


def said(text: str, every_ms: int | None = None) -> list[Event]:
    """The sound of a text, in chunks of a tenth of a second, with their times where asked for."""
    sound = b"".join([*silence(0.5), *speech(text), *silence(0.5)])
    chunks = [
        AudioChunk(*FORMAT, sound[at : at + 3200], every_ms and 7000 + number * every_ms).event()
        for number, at in enumerate(range(0, len(sound), 3200))
    ]
    return [AudioStart(*FORMAT).event(), *chunks, AudioStop().event()]


def told(daemon: House, *events: Event) -> list[Event]:
    return daemon.ask(*events, Ping().event(), ends="pong")[:-1]


def test_the_keywords_that_an_engine_knows_are_offered(daemon: House) -> None:
    (event,) = daemon.ask(Describe().event(), ends="info")
    (program,) = Info.from_event(event).wake
    assert [(model.name, model.phrase) for model in program.models] == [
        ("computer", "computer"),
        ("alexa", "alexa"),
    ]


@pytest.mark.parametrize("names", [None, ["computer"], ["alexa", "computer"]])
def test_a_wake_word_is_told_when_it_was_said(daemon: House, names: list[str] | None) -> None:
    (event,) = told(daemon, Detect(names).event(), *said("computer"))
    detection = Detection.from_event(event)
    assert detection.name == "computer"
    assert 700 < (detection.timestamp or 0) < 1700
    assert not any(isinstance(message, Utterance) for message in daemon.seen)


def test_its_time_is_that_of_its_part_of_the_sound(daemon: House) -> None:
    (event,) = told(daemon, Detect().event(), *said("computer", every_ms=100))
    assert 7500 <= (Detection.from_event(event).timestamp or 0) <= 8600


@pytest.mark.parametrize(("names", "text"), [(["alexa"], "computer"), (None, "good morning")])
def test_the_end_of_a_sound_without_it_is_told(
    daemon: House, names: list[str] | None, text: str
) -> None:
    assert told(daemon, Detect(names).event(), *said(text)) == [NotDetected().event()]


def test_what_was_asked_for_holds_until_something_else_is(daemon: House) -> None:
    events = (
        *(Detect().event(), *said("computer"), *said("hello"), *said("computer")),
        *(Transcribe().event(), *heard(bytes(32_000))[1:]),
    )
    types = [event.type for event in told(daemon, *events)]
    assert types == ["detection", "not-detected", "detection", "transcript"]


def test_a_sound_that_never_began_is_passed_over(daemon: House) -> None:
    assert told(daemon, Detect().event(), *said("computer")[1:]) == []


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (["jarvis"], "rooms.wake_word"),
        (["zzyzx quux"], "rooms.wake_word"),
        ([["x"]], "rooms.event"),
    ],
)
def test_other_words_are_refused(daemon: House, names: Sequence[object], code: str) -> None:
    (event,) = told(daemon, Event("detect", {"names": names}), *said("computer"))
    assert Error.from_event(event).code == code


def test_only_so_many_listen_until_one_of_them_leaves(daemon: House) -> None:
    lines = [socket.create_connection(("127.0.0.1", daemon.services.port)) for _ in range(AT_ONCE)]
    for line in lines:
        line.sendall(b'{"type": "detect"}\n{"type": "ping"}\n')
        assert b"pong" in line.recv(1000)
    (event,) = told(daemon, Detect().event())
    assert Error.from_event(event).code == "rooms.busy"
    lines.pop().close()
    until(lambda: not told(daemon, Detect().event()))
    for line in lines:
        line.close()


def test_settings_that_cannot_be_are_refused() -> None:
    with pytest.raises(ConfigError, match="names no keyword"):
        WakeWords(WakeSettings(keywords={}))
