"""A second look by a hub: its words where they come, this device's own otherwise."""

from __future__ import annotations

import wave
from collections.abc import Iterator, Sequence
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.core.messages import AudioChunk, Tick, Transcript, Utterance, Word
from assistant.core.network.hub import may_leave
from assistant.core.settings.wyoming import PEER
from audio.asr.recognizer import Recognition, recognition
from audio.asr.second_look.hub import HubAhead, HubLook
from audio.asr.stage import AsrStage
from tests.support.stand_in_hub import WORDS, StandInHub, hub_for_stages

SOUND = bytes(32_000)


class Here:
    """Hears "marmalade" in everything, and agrees with that alone."""

    name = "here"
    forks = True

    def __init__(self) -> None:
        self.followed = 0

    def start(self) -> None:
        pass

    def follow(self, sound: bytes, cepstral_mean: str, passed_s: float) -> None:
        self.followed += 1

    def finish(self, sound: bytes, cepstral_mean: str, speech_s: float) -> Recognition:
        word = Word(text="marmalade", start_s=0.0, end_s=1.0, confidence=0.9)
        return recognition((word,), self.name)

    def agrees(self, sound: bytes, cepstral_mean: str, text: str) -> bool:
        return text == "marmalade"


@pytest.fixture
def hub() -> Iterator[StandInHub]:
    with closing(StandInHub()) as there:
        yield there


@pytest.fixture
def look(hub: StandInHub, tmp_path: Path) -> Iterator[HubLook]:
    with hub_for_stages(hub, tmp_path) as asked:
        yield HubLook(asked, Here())


def hear(look: HubLook, private: bool = False, sound: bytes = SOUND) -> Recognition:
    look.start()
    look.follow(sound, "", 0.1)
    with may_leave(not private):
        return look.finish(sound, "", 1.0)


def test_the_hubs_words_count_and_ours_are_another_reading(look: HubLook) -> None:
    heard = hear(look)
    assert (heard.text, heard.engine) == (WORDS, "hub")
    assert heard.alternatives == ("marmalade",)
    assert heard.confidence == pytest.approx(0.9)


@pytest.mark.parametrize("how", ["silent", "cut", "503"])
def test_where_it_is_no_good_ours_count(look: HubLook, hub: StandInHub, how: str) -> None:
    hub.how = how
    heard = hear(look)
    assert (heard.text, heard.engine, heard.alternatives) == ("marmalade", "here", ())


def test_what_is_private_stays_here(look: HubLook, hub: StandInHub) -> None:
    assert hear(look, private=True).text == "marmalade"
    assert hub.asked == []
    assert hear(look).text == WORDS


def test_what_nobody_has_let_go_stays_here(look: HubLook, hub: StandInHub) -> None:
    look.start()
    assert look.finish(SOUND, "", 1.0).text == "marmalade"
    assert hub.asked == []


def test_what_is_long_is_heard_whole_here(look: HubLook, hub: StandInHub) -> None:
    assert hear(look, sound=bytes(2 * 16_000 * 31)).text == "marmalade"
    assert hub.asked == []


def test_anybodys_talk_stays_here(look: HubLook, hub: StandInHub) -> None:
    look.start()
    assert look.agrees(SOUND, "", "marmalade")
    assert not look.agrees(SOUND, "", WORDS)
    assert hub.asked == []


class Deaf:
    """An ear of this device that hears "cellar" in everything, after a while."""

    name = "deaf"
    forks = True

    def start(
        self, answers: Sequence[str] = (), unasked: bool = False, in_a_row: bool = False
    ) -> None:
        self.samples = 0

    def feed(self, samples: NDArray[np.int16]) -> None:
        self.samples += len(samples)

    def finish(self) -> Recognition:
        assert self.samples >= len(SOUND) // 2
        word = Word(text="cellar", start_s=0.0, end_s=1.0, confidence=0.9)
        return recognition((word,), self.name)


@pytest.fixture
def ahead(hub: StandInHub, tmp_path: Path) -> Iterator[HubAhead]:
    with hub_for_stages(hub, tmp_path) as asked:
        yield HubAhead(asked, Deaf())


def led(ahead: HubAhead) -> Recognition:
    ahead.start()
    ahead.feed(np.frombuffer(SOUND, np.int16)[:4_000])
    ahead.feed(np.frombuffer(SOUND, np.int16)[4_000:])
    return ahead.finish()


def test_it_leads_where_it_hears_all(ahead: HubAhead, hub: StandInHub) -> None:
    with may_leave(True):
        heard = led(ahead)
        assert (heard.text, heard.engine, heard.alternatives) == (WORDS, "hub", ("cellar",))
        with wave.open(BytesIO(hub.asked[0][1])) as sound:
            assert sound.readframes(sound.getnframes()) == SOUND
        hub.how = "silent"
        assert led(ahead).text == "cellar"
    asked = len(hub.asked)
    assert led(ahead).text == "cellar"
    assert len(hub.asked) == asked


def heard_by(stage: AsrStage, chunk: AudioChunk, **end: bool) -> str:
    """What the stage makes of an utterance of one chunk."""
    list(stage.feed(chunk))
    over = Utterance(
        utterance_id=chunk.utterance_id,
        revision=0,
        wake_word="computer",
        duration_s=1.0,
        speech_s=1.0,
        speech_ended_at_s=1.0,
        peer=chunk.peer,
        **end,
    )
    told = list(stage.feed(over))
    while not any(isinstance(message, Transcript) for message in told):
        told += stage.feed(Tick())
    return next(message.text for message in told if isinstance(message, Transcript))


@pytest.mark.parametrize(
    ("chunk", "end", "leaves"),
    [
        ({}, {}, True),
        ({"peer": "kitchen", "area": "kitchen"}, {}, True),
        ({"secret": True}, {}, False),
        ({}, {"secret": True}, False),
        ({"unasked": True}, {}, False),
        ({"follows": "u0"}, {}, False),
        ({"peer": PEER}, {}, False),
        ({"peer": PEER, "secret": True}, {}, False),
    ],
)
def test_what_may_be_a_secret_an_answer_or_talk_stays_here(
    ahead: HubAhead,
    hub: StandInHub,
    chunk: dict[str, Any],
    end: dict[str, bool],
    leaves: bool,
) -> None:
    sound = AudioChunk(utterance_id="u1", sequence=0, samples=SOUND, **chunk)
    heard = heard_by(AsrStage(ahead), sound, **end)
    assert heard == (WORDS if leaves else "cellar")
    assert bool(hub.asked) == leaves
