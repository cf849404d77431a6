"""A second look by a hub: its words where they come, this device's own otherwise."""

from __future__ import annotations

import wave
from collections.abc import Iterator, Sequence
from contextlib import closing
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.core.messages import Word
from audio.asr.recognizer import Recognition, recognition
from audio.asr.second_look.hub import HubAhead, HubLook
from tests.support.stand_in_hub import WORDS, StandInHub, hub_for_stages

SOUND = bytes(32_000)


class Here:
    """Hears "marmalade" in everything, and agrees with that alone."""

    name = "here"
    forks = True

    def __init__(self) -> None:
        self.followed = 0

    def start(self, private: bool = False) -> None:
        self.private = private

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


def hear(look: HubLook, private: bool = False) -> Recognition:
    look.start(private)
    look.follow(SOUND, "", 0.1)
    return look.finish(SOUND, "", 1.0)


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
        assert self.samples == len(SOUND) // 2
        word = Word(text="cellar", start_s=0.0, end_s=1.0, confidence=0.9)
        return recognition((word,), self.name)


@pytest.fixture
def ahead(hub: StandInHub, tmp_path: Path) -> Iterator[HubAhead]:
    with hub_for_stages(hub, tmp_path) as asked:
        yield HubAhead(asked, Deaf())


def led(ahead: HubAhead, answers: Sequence[str] = (), unasked: bool = False) -> Recognition:
    ahead.start(answers, unasked)
    ahead.feed(np.frombuffer(SOUND, np.int16)[:4_000])
    ahead.feed(np.frombuffer(SOUND, np.int16)[4_000:])
    return ahead.finish()


def test_it_leads_where_it_hears_all(ahead: HubAhead, hub: StandInHub) -> None:
    heard = led(ahead)
    assert (heard.text, heard.engine, heard.alternatives) == (WORDS, "hub", ("cellar",))
    with wave.open(BytesIO(hub.asked[0][1])) as sound:
        assert sound.readframes(sound.getnframes()) == SOUND
    hub.how = "silent"
    assert led(ahead).text == "cellar"


@pytest.mark.parametrize(("answers", "unasked"), [(("yes", "no"), False), ((), True)])
def test_answers_and_talk_stay_here(
    ahead: HubAhead, hub: StandInHub, answers: Sequence[str], unasked: bool
) -> None:
    assert led(ahead, answers, unasked).text == "cellar"
    assert hub.asked == []
