"""What counts as accepted, and how the time left after the last sound is told."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
import soundfile

from assistant.core.errors import InputError
from assistant.core.messages import (
    AudioChunk,
    Command,
    Message,
    Slot,
    Transcript,
    Utterance,
)
from assistant.evaluation.clips import ClipLabel, labelled
from assistant.evaluation.commands import CHUNK_S, CHUNK_SAMPLES, accepts, transcribe

LATTE = ClipLabel("orderDrink", {"size": "Large", "drink": "caffe  latte"})


def command(intent: str = "orderDrink", **slots: str) -> Command:
    return Command(
        intent=intent, slots=tuple(Slot(name=n, value=v, raw=v) for n, v in slots.items())
    )


@pytest.mark.parametrize(
    ("understood", "accepted"),
    [
        ([command(size="large", drink="Caffe Latte")], True),
        ([command(size="large", drink="caffe mocha")], False),
        ([command(size="large")], False),
        ([command(size="large", drink="caffe latte", milk="soy")], False),
        ([command("refill", size="large", drink="caffe latte")], False),
        ([command(size="large", drink="caffe latte")] * 2, False),
        ([], False),
    ],
)
def test_accepted_is_the_intent_and_exactly_the_slots(
    understood: list[Command], accepted: bool
) -> None:
    assert accepts(understood, LATTE) is accepted


def test_a_resolved_value_counts_by_its_spoken_words() -> None:
    five = Slot(name="duration", value=300, raw="five minutes")
    understood = [Command(intent="start", slots=(five,))]
    assert accepts(understood, ClipLabel("start", {"duration": "Five minutes"}))
    assert not accepts(understood, ClipLabel("start", {"duration": "six minutes"}))


class Decoder:
    """Takes the given seconds for a chunk and for the end, on a clock of its own."""

    consumes: ClassVar[tuple[type[Message], ...]] = (AudioChunk, Utterance)

    def __init__(self, chunk_s: float, end_s: float) -> None:
        self._chunk_s, self._end_s = chunk_s, end_s
        self.now_s = 0.0

    def feed(self, message: Message) -> Iterable[Message]:
        if isinstance(message, AudioChunk):
            self.now_s += self._chunk_s
            return
        self.now_s += self._end_s
        yield Transcript(utterance_id="clip", revision=0, text="")

    def deadline_s(self) -> float | None:
        return None


@pytest.mark.parametrize(
    ("chunk_s", "left_s"),
    [(0.0, 0.5), (CHUNK_S / 2, 0.5 + CHUNK_S / 2), (2 * CHUNK_S, 0.5 + 11 * CHUNK_S)],
    ids=["instant", "keeps up", "falls behind"],
)
def test_only_what_is_left_after_the_last_sound_is_told(chunk_s: float, left_s: float) -> None:
    decoder = Decoder(chunk_s, end_s=0.5)
    sound = np.zeros(10 * CHUNK_SAMPLES, np.int16)
    assert transcribe(decoder, sound, lambda: decoder.now_s)[1] == pytest.approx(left_s)


def write(folder: Path, labels: object, *stems: str) -> tuple[Path, Path]:
    for stem in stems:
        soundfile.write(folder / f"{stem}.wav", np.ones(160, np.int16), 16_000)
    file = folder / "labels.json"
    file.write_text(labels if isinstance(labels, str) else json.dumps(labels))
    return folder, file


def test_recordings_meet_their_labels_by_name(tmp_path: Path) -> None:
    label = {"intent": "a", "slots": {"n": "one"}}
    clips, strays = labelled(
        *write(tmp_path, {"x": label, "gone": label}, "x", "unlabelled"), ClipLabel
    )
    assert [(c.path.stem, c.label) for c in clips] == [("x", ClipLabel("a", {"n": "one"}))]
    assert strays == 2


@pytest.mark.parametrize(
    "labels",
    [
        "",
        "[1]",
        "{}",
        '{"x": 0}',
        '{"x": {"slots": {}}}',
        '{"x": {"intent": "a", "typo": 1}}',
        '{"y": {"intent": "a"}}',
    ],
)
def test_wrong_labels_are_told_in_one_line(labels: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        labelled(*write(tmp_path, labels, "x"), ClipLabel)
    assert str(tmp_path / "labels.json") in caught.value.message
    assert "\n" not in caught.value.message


def test_a_folder_without_recordings_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no FLAC or WAV"):
        labelled(*write(tmp_path, {}), ClipLabel)
    with pytest.raises(InputError, match="no such folder"):
        labelled(tmp_path / "missing", tmp_path / "labels.json", ClipLabel)
