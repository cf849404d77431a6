"""A second look by a hub: its words where they come, this device's own otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from assistant.core.messages import Word
from audio.asr.recognizer import Recognition, recognition
from audio.asr.second_look.hub import HubLook
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
