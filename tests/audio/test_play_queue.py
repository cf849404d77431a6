"""Sentences in; sound without a gap and news of what really happened out."""

from __future__ import annotations

import itertools

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.errors import AudioError
from assistant.core.messages import Speech
from audio.frames import Samples, at_rate
from audio.play_queue import STARVED_AFTER_S, News, PlayQueue, ReplyEnded, ReplyStarted, Sounding

RATE_HZ = 16_000
BLOCK = 320


def sentence(
    utterance_id: str,
    samples: int,
    value: int = 1,
    last: bool = True,
    listen: bool = False,
    sequence: int = 0,
) -> Speech:
    sound = np.full(samples, value, np.int16)
    return Speech(
        utterance_id=utterance_id,
        sequence=sequence,
        samples=sound.tobytes(),
        rate_hz=RATE_HZ,
        text="",
        last=last,
        listen=listen,
        once=utterance_id == "timer",
    )


def played(queue: PlayQueue, blocks: int) -> tuple[Samples, list[News]]:
    pulled = [queue.pull(BLOCK, RATE_HZ) for _ in range(blocks)]
    news = [n for _, given in pulled for n in given if not isinstance(n, Sounding)]
    return np.concatenate([block for block, _ in pulled]), news


def added(queue: PlayQueue, *sentences: Speech) -> list[News]:
    return [news for speech in sentences for news in queue.play(speech)]


def test_what_begins_while_somebody_may_speak_is_soft_and_known_as_it_sounds() -> None:
    queue = PlayQueue()
    queue.lowered = True
    added(queue, sentence("ring", BLOCK, 1000), sentence("", BLOCK, 1000))
    soft, news = queue.pull(BLOCK, RATE_HZ)
    assert soft.max() == 250
    (sounding,) = (one for one in news if isinstance(one, Sounding))
    assert np.array_equal(sounding.samples, soft)  # or the echo would be taken for somebody
    assert queue.pull(BLOCK, RATE_HZ)[0].max() == 1000  # an earcon
    queue.lowered = False
    added(queue, sentence("reply", BLOCK, 1000))
    assert queue.pull(BLOCK, RATE_HZ)[0].max() == 1000


@given(lengths=st.lists(st.integers(0, 1000), min_size=1, max_size=6))
def test_sentences_follow_each_other_without_a_gap(lengths: list[int]) -> None:
    queue = PlayQueue()
    for number, length in enumerate(lengths, 1):
        added(queue, sentence("a", length, number, last=number == len(lengths)))
    sound, news = played(queue, sum(lengths) // BLOCK + 2)
    wanted = np.concatenate([np.full(length, n) for n, length in enumerate(lengths, 1)])
    assert np.array_equal(sound[: len(wanted)], wanted)
    assert not sound[len(wanted) :].any()
    assert news == [ReplyStarted("a"), ReplyEnded("a", heard=any(lengths))]
    assert queue.idle


def test_a_reply_has_ended_with_the_block_that_holds_its_last_sample() -> None:
    queue = PlayQueue()
    added(queue, sentence("a", BLOCK + 1, listen=True))
    assert played(queue, 1)[1] == [ReplyStarted("a")]
    assert played(queue, 1)[1] == [ReplyEnded("a", listen=True)]


def test_replies_wait_for_each_other() -> None:
    queue = PlayQueue()
    added(queue, sentence("a", 100), sentence("b", 100))
    assert played(queue, 2)[1] == [
        ReplyStarted("a"),
        ReplyEnded("a"),
        ReplyStarted("b"),
        ReplyEnded("b"),
    ]


def test_between_two_sentences_that_are_still_being_made_there_is_silence() -> None:
    queue = PlayQueue()
    added(queue, sentence("a", 100, last=False))
    assert played(queue, 5)[1] == [ReplyStarted("a")]
    assert not queue.idle
    added(queue, sentence("a", 100))
    assert played(queue, 2)[1] == [ReplyEnded("a")]


def test_a_reply_that_comes_again_is_acknowledged_and_not_played() -> None:
    queue = PlayQueue()
    added(queue, sentence("a", 100))
    played(queue, 1)
    assert added(queue, sentence("a", 100, last=False)) == []
    assert added(queue, sentence("a", 100)) == [ReplyEnded("a")]
    sound, news = played(queue, 2)
    assert not sound.any()
    assert news == []


def test_stop_silences_what_plays_and_what_waits() -> None:
    queue = PlayQueue()
    added(queue, sentence("a", 10_000, last=False), sentence("b", 100))
    played(queue, 1)
    assert queue.stop() == [
        ReplyEnded("a", interrupted=True),
        ReplyEnded("b", interrupted=True, heard=False),
    ]
    assert queue.idle
    # What the voice was still making comes late, and is not played.
    assert added(queue, sentence("a", 100)) == [ReplyEnded("a")]
    assert not played(queue, 2)[0].any()


def test_a_voice_that_died_in_mid_reply_does_not_hold_the_loudspeaker() -> None:
    queue = PlayQueue()
    added(queue, sentence("a", 100, last=False))
    blocks = round(STARVED_AFTER_S * RATE_HZ / BLOCK) + 1
    assert played(queue, blocks)[1] == [
        ReplyStarted("a"),
        ReplyEnded("a", interrupted=True, heard=False),
    ]
    assert queue.idle


def test_earcons_belong_to_no_reply() -> None:
    queue = PlayQueue()
    added(queue, sentence("", 100))
    sound, news = played(queue, 1)
    assert sound[:100].all()
    assert news == []
    assert queue.idle


def test_without_a_loudspeaker_replies_end_unheard_and_may_come_again() -> None:
    queue = PlayQueue()
    added(queue, sentence("a", 100, last=False), sentence("", 100), sentence("a", 100, listen=True))
    assert queue.lose() == [ReplyEnded("a", listen=True, heard=False)]
    assert queue.idle
    assert added(queue, sentence("a", 100)) == []
    assert played(queue, 1)[1] == [ReplyStarted("a"), ReplyEnded("a")]


def test_a_ring_that_waited_behind_what_was_stopped_may_come_again() -> None:
    queue = PlayQueue()
    added(queue, sentence("a", 10_000), sentence("timer", 100))
    played(queue, 1)
    queue.stop()
    assert added(queue, sentence("timer", 100)) == []
    assert played(queue, 1)[1] == [ReplyStarted("timer"), ReplyEnded("timer", once=True)]


def test_a_ring_that_comes_again_while_it_waits_or_plays_sounds_once() -> None:
    queue = PlayQueue()
    ring = sentence("timer", 2 * BLOCK)
    assert added(queue, sentence("a", BLOCK), ring, ring) == []
    assert played(queue, 2)[1] == [ReplyStarted("a"), ReplyEnded("a"), ReplyStarted("timer")]
    assert added(queue, ring, sentence("timer", 100, sequence=1)) == []
    sound, news = played(queue, 3)
    assert news == [ReplyEnded("timer", once=True)]
    assert not sound[BLOCK:].any()
    assert added(queue, ring) == [ReplyEnded("timer")]


def test_of_a_ring_whose_voice_died_the_rest_is_taken_when_it_comes_again() -> None:
    queue = PlayQueue()
    parts = [sentence("timer", BLOCK, n, sequence=n - 1, last=n == 3) for n in (1, 2, 3)]
    added(queue, parts[0], parts[1])
    played(queue, 1)
    added(queue, *parts)
    sound, news = played(queue, 2)
    assert [int(sound[0]), int(sound[BLOCK])] == [2, 3]
    assert news == [ReplyEnded("timer", once=True)]


def test_a_ring_that_starved_or_had_no_loudspeaker_is_played_when_it_comes_again() -> None:
    queue = PlayQueue()
    ring = sentence("timer", 100)
    added(queue, sentence("timer", 100, last=False))
    played(queue, round(STARVED_AFTER_S * RATE_HZ / BLOCK) + 1)
    added(queue, ring)
    assert played(queue, 1)[1] == [ReplyStarted("timer"), ReplyEnded("timer", once=True)]
    other = PlayQueue()
    added(other, sentence("timer", 100, last=False))
    assert other.lose() == []
    added(other, ring)
    assert played(other, 1)[1] == [ReplyStarted("timer"), ReplyEnded("timer", once=True)]


def test_a_ring_that_no_voice_could_speak_was_not_heard() -> None:
    queue = PlayQueue()
    added(queue, sentence("timer", 0))
    assert played(queue, 1)[1] == [
        ReplyStarted("timer"),
        ReplyEnded("timer", heard=False, once=True),
    ]
    added(queue, sentence("timer", 100))
    assert played(queue, 1)[1] == [ReplyStarted("timer"), ReplyEnded("timer", once=True)]


def test_a_ring_that_an_earlier_player_has_played_is_acknowledged() -> None:
    queue = PlayQueue(heard=("timer",))
    assert added(queue, sentence("timer", 100)) == [ReplyEnded("timer")]
    assert queue.idle


def test_the_news_says_what_sounds_at_its_own_rate() -> None:
    queue = PlayQueue()
    added(queue, sentence("a", 160))
    _, news = queue.pull(BLOCK, 48_000)
    (sounding,) = [n for n in news if isinstance(n, Sounding)]
    assert (len(sounding.samples), sounding.rate_hz) == (160, 16_000)


@pytest.mark.parametrize(
    "change", [{"rate_hz": 0}, {"rate_hz": -1}, {"rate_hz": 2**62}, {"samples": b"odd"}]
)
def test_what_is_no_sound_is_refused_before_it_plays(change: dict[str, int | bytes]) -> None:
    """In the player's thread it would end that thread, and with it all speech."""
    queue = PlayQueue()
    with pytest.raises(AudioError, match="no sound"):
        added(queue, msgspec.structs.replace(sentence("a", 100), **change))
    added(queue, sentence("b", 100))
    assert played(queue, 2)[1] == [ReplyStarted("b"), ReplyEnded("b")]


def test_no_more_than_can_be_listened_to_waits() -> None:
    queue, minutes = PlayQueue(), sentence("a", 300 * RATE_HZ)
    added(queue, minutes, minutes)
    with pytest.raises(AudioError, match="600 s"):
        added(queue, sentence("b", 1))
    played(queue, 1)
    added(queue, sentence("b", 1))


def test_each_sentence_begins_as_loud_as_the_volume_is_then() -> None:
    volume = 2.0
    queue = PlayQueue(volume=lambda: volume)
    added(queue, sentence("a", BLOCK, 1000), sentence("", BLOCK, 1000), sentence("b", BLOCK, 1000))
    loud, news = queue.pull(BLOCK, RATE_HZ)
    assert loud.max() == 2000
    (sounding,) = (one for one in news if isinstance(one, Sounding))
    assert np.array_equal(sounding.samples, loud)  # or the echo would be taken for somebody
    assert queue.pull(BLOCK, RATE_HZ)[0].max() == 1000  # an earcon
    volume = 0.5
    assert queue.pull(BLOCK, RATE_HZ)[0].max() == 500


def test_a_peak_that_does_not_fit_is_cut_off_on_its_own_side() -> None:
    queue = PlayQueue(volume=lambda: 2.0)
    added(queue, sentence("a", BLOCK, 30_000), sentence("b", BLOCK, -30_000))
    assert set(queue.pull(BLOCK, RATE_HZ)[0]) == {32_767}
    assert set(queue.pull(BLOCK, RATE_HZ)[0]) == {-32_768}


def test_a_reply_in_short_pieces_sounds_like_one_in_one_piece() -> None:
    """At another rate each piece would begin and end with a click."""
    tone = (8000 * np.sin(2 * np.pi * 440 * np.arange(16_000) / RATE_HZ)).astype(np.int16)

    def sounds(*pieces: Samples) -> Samples:
        queue = PlayQueue()
        for number, piece in enumerate(pieces):
            speech = msgspec.structs.replace(
                sentence("a", 1, sequence=number, last=number == len(pieces) - 1),
                samples=piece.tobytes(),
            )
            added(queue, speech)
        return np.concatenate([queue.pull(960, 48_000)[0] for _ in range(60)])

    whole = sounds(tone)
    apart = sounds(*np.split(tone, 20), tone[:0]).astype(np.int32)
    assert np.abs(whole[:48_000] - apart[:48_000]).max() < 10
    seams = np.concatenate([at_rate(piece, RATE_HZ, 48_000) for piece in np.split(tone, 20)])
    assert np.abs(whole[: len(seams)] - seams.astype(np.int32)).max() > 50  # as it would be


@pytest.mark.parametrize(
    ("samples", "rate_hz", "last", "most"),
    [
        (RATE_HZ, RATE_HZ, False, 100),
        (192_000, 192_000, False, 12),  # seconds that are larger than a voice's
        (0, RATE_HZ, True, 11_100),
    ],
)
def test_what_waits_is_bounded_in_seconds_and_in_memory(
    monkeypatch: pytest.MonkeyPatch, samples: int, rate_hz: int, last: bool, most: int
) -> None:
    monkeypatch.setattr("audio.play_queue.LONGEST_WAITING_S", 100.0)
    queue = PlayQueue()
    names = itertools.count()

    def filled() -> int:
        for count in range(100_000):
            name = f"r{next(names) if last else ''}"
            piece = sentence(name, samples, last=last)
            try:
                added(queue, msgspec.structs.replace(piece, rate_hz=rate_hz))
            except AudioError:
                return count
        return 0

    count = filled()
    assert most * 0.9 < count <= most
    queue.stop()
    assert filled() == count
    for _ in range(3):
        queue.pull(max(samples, 1), rate_hz)
    assert filled() > 0  # what is played makes room


def test_pieces_of_next_to_nothing_are_played_together() -> None:
    queue, few = PlayQueue(), 100
    added(queue, *(sentence("r1", 1, value, last=False) for value in range(10 * few)))
    added(queue, sentence("r1", 0), sentence("r2", few, 7))
    block, news = played(queue, 10 * few // BLOCK + 1)
    assert np.array_equal(block[: 10 * few], np.arange(10 * few))
    assert set(block[10 * few : 11 * few]) == {7}
    assert [one.utterance_id for one in news if isinstance(one, ReplyStarted)] == ["r1", "r2"]
    added(queue, *(sentence("r3", 1, value, last=False) for value in range(10 * few)))
    _, all_news = queue.pull(10 * few, RATE_HZ)
    assert sum(isinstance(one, Sounding) for one in all_news) < 10


@pytest.mark.parametrize("name", ["", "timer"])
def test_what_is_played_once_or_is_no_reply_is_not_joined(name: str) -> None:
    queue = PlayQueue()
    added(queue, *(sentence(name, 1, last=False, sequence=number) for number in range(5)))
    _, news = queue.pull(5, RATE_HZ)
    assert sum(isinstance(one, Sounding) for one in news) == 5
