"""Events of the base and frames of the microphone in; events for the base and sounds out."""

from __future__ import annotations

import numpy as np
import pytest
from wyoming.asr import Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.error import Error
from wyoming.event import Event
from wyoming.info import Describe, Info
from wyoming.ping import Ping, Pong
from wyoming.pipeline import PipelineStage, RunPipeline
from wyoming.satellite import PauseSatellite
from wyoming.wake import Detection

from assistant.core.errors import AudioError
from assistant.rooms.detection import Ended, Noticed, run_satellite
from assistant.rooms.wire import MALFORMED
from assistant.satellite import satellite as satellite_module
from assistant.satellite.satellite import AWAY, PLAYS_ON_S, SPEAKS_FRAMES
from audio.frames import FRAME_S
from tests.support.satellite_board import Board
from tests.support.voices import silence, speech

RUN = run_satellite()
LISTEN = RunPipeline(PipelineStage.ASR, PipelineStage.TTS).event()
START = AudioStart(22_050, 2, 1).event()
STOP = AudioStop().event()


@pytest.fixture
def board() -> Board:
    """A satellite whose base is there."""
    made = Board()
    made.obeys(RUN)
    return made


def types(events: list[Event]) -> list[str]:
    return [event.type for event in events]


def sound(events: list[Event]) -> list[AudioChunk]:
    return [AudioChunk.from_event(event) for event in events if AudioChunk.is_type(event.type)]


def chunk(samples: bytes) -> Event:
    return AudioChunk(22_050, 2, 1, samples).event()


def numbered(count: int) -> list[bytes]:
    """Frames that differ, too soft to be speech."""
    return [np.full(512, number, np.int16).tobytes() for number in range(1, count + 1)]


# ── what it is ──────────────────────────────────────────────────────────────────────────────────


def test_it_tells_what_it_is_to_whoever_asks() -> None:
    (told,) = Board().obeys(Describe().event())
    info = Info.from_event(told)
    assert info.satellite is not None
    assert (info.satellite.name, info.satellite.area) == ("Kitchen", "kitchen")
    assert (info.satellite.supports_trigger, info.satellite.has_vad) == (True, False)
    assert info.satellite.active_wake_words == ["computer"]
    assert [model.name for model in info.wake[0].models] == ["computer"]


def test_a_ping_comes_back(board: Board) -> None:
    (told,) = board.obeys(Ping("there?").event())
    assert Pong.from_event(told).text == "there?"


# ── what is heard ───────────────────────────────────────────────────────────────────────────────


def test_nothing_is_sent_before_a_wake_word(board: Board) -> None:
    assert board.hears(numbered(100)) == []
    assert board.player.told == []


def test_a_wake_word_sends_what_came_before_it_and_what_follows(board: Board) -> None:
    frames = numbered(50)
    sent = board.hears(frames, wakes="computer")
    assert types(sent[:2]) == ["detection", "run-pipeline"]
    detection = Detection.from_event(sent[0])
    assert (detection.name, detection.timestamp) == ("computer", round(1000 * board.now_s))
    pipeline = RunPipeline.from_event(sent[1])
    assert (pipeline.start_stage, pipeline.end_stage) == (PipelineStage.ASR, PipelineStage.TTS)
    assert pipeline.wake_word_name == "computer"

    before = sound(sent)
    noticed = Noticed.of(detection.context)
    assert noticed.preroll_s == pytest.approx(len(before) * FRAME_S, abs=0.001)
    assert noticed.preroll_s > noticed.keyword_ended_s > 0
    heard = before + sound(board.hears(frames[:3]))
    assert [one.audio for one in heard] == (frames + frames[:3])[-len(heard) :]
    assert {(one.rate, one.width, one.channels) for one in heard} == {(16_000, 2, 1)}
    stamps = [one.timestamp or 0 for one in heard]
    assert np.diff(stamps) == pytest.approx(32)
    assert stamps[-1] == round(1000 * board.now_s)


def test_speech_before_the_wake_word_is_sent_from_its_beginning(board: Board) -> None:
    said = speech("computer")
    sent = board.hears([*silence(1.0), *said], wakes="computer")
    chunks = [one.audio for one in sound(sent)]
    assert chunks == [*silence(1.0), *said][-len(chunks) :]
    voiced = sum(any(abs(np.frombuffer(frame, np.int16)) > 1000) for frame in said)
    assert voiced < len(chunks) < len(said) + 5  # and not the silence before it


def test_a_wake_word_tells_how_clearly_it_was_heard(board: Board) -> None:
    sent = board.hears(speech("computer"), wakes="computer")
    assert Noticed.of(Detection.from_event(sent[0]).context).heard is not None


def test_a_second_wake_word_is_told_and_the_stream_goes_on(board: Board) -> None:
    board.hears(wakes="computer")
    assert types(board.hears(wakes="computer")) == ["detection", "audio-chunk"]


@pytest.mark.parametrize(
    "end", [Transcript("hello").event(), Error("no words", "stt").event(), PauseSatellite().event()]
)
def test_the_base_ends_the_stream(board: Board, end: Event) -> None:
    board.hears(wakes="computer")
    assert board.satellite.sends
    assert board.obeys(end) == []
    assert not board.satellite.sends
    assert board.hears(numbered(20)) == []
    assert [one for one in board.player.actions if one != "failed"] == ["soft", "loud"]


def ended(board: Board, detections: int) -> list[Event]:
    """What it answers to a base that has heard enough, and knows of so many wake words."""
    context = Ended(detections=detections).context()
    return board.obeys(Transcript("", context=context).event())


def test_an_end_that_was_told_before_the_wake_word_came_is_not_of_what_follows_it(
    board: Board,
) -> None:
    board.hears(wakes="computer")
    assert ended(board, 0) == []
    assert types(board.hears(numbered(2))) == ["audio-chunk"] * 2
    assert ended(board, 1) == []
    assert board.hears(numbered(2)) == []


def test_a_wake_word_in_what_the_base_did_not_want_is_told_again_with_its_sound(
    board: Board,
) -> None:
    board.obeys(LISTEN)
    sent = board.hears(numbered(30), wakes="computer")
    assert types(sent)[-2:] == ["detection", "audio-chunk"]
    again = ended(board, 0)
    assert types(again)[:3] == ["detection", "run-pipeline", "audio-chunk"]
    noticed = Noticed.of(Detection.from_event(again[0]).context)
    assert len(sound(again)) * FRAME_S == pytest.approx(noticed.preroll_s, abs=0.001)
    assert [one.audio for one in sound(again)][-1] == sound(sent)[-1].audio
    assert board.satellite.sends
    ended(board, 2)
    assert not board.satellite.sends


def test_another_base_knows_of_no_wake_word_yet(board: Board) -> None:
    board.hears(wakes="computer")
    board.satellite.lost()
    board.obeys(RUN, LISTEN)
    ended(board, 0)
    assert not board.satellite.sends


def test_a_failure_is_heard_by_who_waits_for_an_answer(
    board: Board, caplog: pytest.LogCaptureFixture
) -> None:
    failure = Error("secret words", "stt-failed").event()
    board.obeys(failure)
    assert "failed" not in board.player.actions
    board.hears(wakes="computer")
    board.obeys(failure)
    assert "failed" in board.player.actions
    assert "stt-failed" in caplog.text
    assert "secret words" not in caplog.text


def test_who_says_no_more_is_told_that_the_wake_word_was_heard(board: Board) -> None:
    board.hears(wakes="computer")
    board.hears(silence(0.25))
    assert "heard" not in board.player.actions
    board.hears(silence(0.5))
    assert board.player.actions == ["soft", "heard"]


def test_who_speaks_on_is_not_disturbed(board: Board) -> None:
    said = speech("computer, turn on the light")
    board.hears(said[:20], wakes="computer")
    board.hears(said[20:])
    assert board.player.actions == ["soft"]
    assert len(said) - 20 > SPEAKS_FRAMES


def test_earcons_may_be_off() -> None:
    board = Board(earcons=False)
    board.obeys(RUN)
    board.hears(wakes="computer")
    board.hears(silence(1.0))
    assert board.player.actions == ["soft"]


def test_a_base_that_paused_hears_no_wake_word(board: Board) -> None:
    board.obeys(PauseSatellite().event())
    assert board.hears(wakes="computer") == []
    board.obeys(RUN)
    assert types(board.hears(wakes="computer"))[0] == "detection"


def test_without_a_base_a_wake_word_is_answered_here(caplog: pytest.LogCaptureFixture) -> None:
    board = Board()
    assert board.hears(wakes="computer") == []
    assert not board.satellite.sends
    assert board.player.actions == ["failed"]
    assert board.player.said == [AWAY]
    assert "satellite.base" in caplog.text
    board.plays("own-1")
    assert board.played("own-1") == []


def test_the_base_may_listen_without_a_wake_word(board: Board) -> None:
    assert board.obeys(LISTEN) == []
    assert board.satellite.sends
    assert types(board.hears(silence(1.0))) == ["audio-chunk"] * 31
    assert board.player.actions == ["soft"]  # it asked, so no sound tells that it listens


def test_who_is_no_base_does_not_listen() -> None:
    board = Board()
    board.obeys(LISTEN)
    assert not board.satellite.sends
    assert board.hears() == []


def test_a_stream_ends_by_itself(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(satellite_module, "LONGEST_S", 1.0)
    board.hears(wakes="computer")
    sent = types(board.hears(silence(3.0)))
    assert sent == ["audio-chunk"] * 32 + ["audio-stop"]
    assert not board.satellite.sends
    assert types(board.hears(wakes="computer"))[0] == "detection"


def test_a_base_that_goes_is_told_of_to_who_was_speaking(board: Board) -> None:
    board.hears(wakes="computer")
    board.satellite.lost()
    assert board.player.said == [AWAY]
    assert board.hears(numbered(5)) == []
    board.obeys(RUN)
    assert board.hears(numbered(5)) == []
    assert types(board.hears(wakes="computer"))[:2] == ["detection", "run-pipeline"]


def test_a_base_that_goes_leaves_nothing_soft(board: Board) -> None:
    board.hears(wakes="computer")
    board.satellite.lost()
    assert [one for one in board.player.actions if one in ("soft", "loud")] == ["soft", "loud"]


def test_a_base_that_goes_unasked_is_not_told_of(board: Board) -> None:
    board.satellite.lost()
    assert board.player.told == []


# ── what the base says ──────────────────────────────────────────────────────────────────────────


def test_a_reply_is_played_and_told_when_it_was(board: Board) -> None:
    assert board.obeys(START, chunk(b"ab"), chunk(b"cd"), STOP) == []
    one, two, end = board.player.sentences
    assert [s.samples for s in (one, two, end)] == [b"ab", b"cd", b""]
    assert [s.last for s in (one, two, end)] == [False, False, True]
    assert [s.sequence for s in (one, two, end)] == [0, 1, 2]
    assert {(s.utterance_id, s.rate_hz) for s in (one, two, end)} == {("base-1", 22_050)}
    board.plays("base-1")
    assert types(board.played("base-1")) == ["played"]


def test_replies_are_told_apart(board: Board) -> None:
    board.obeys(START, chunk(b"ab"), STOP, START, chunk(b"cd"), STOP)
    assert [s.utterance_id for s in board.player.sentences] == ["base-1"] * 2 + ["base-2"] * 2


def test_sound_that_no_reply_began_is_dropped(board: Board) -> None:
    board.obeys(chunk(b"ab"), STOP)
    assert board.player.told == []


@pytest.mark.parametrize(
    ("rate", "width", "channels"), [(48_000, 2, 2), (16_000, 4, 1), (3, 2, 1), ("fast", 2, 1)]
)
def test_a_form_that_is_not_played_is_told(
    board: Board, caplog: pytest.LogCaptureFixture, rate: object, width: int, channels: int
) -> None:
    form = {"rate": rate, "width": width, "channels": channels}
    board.obeys(Event("audio-start", form), chunk(b"abcd"), STOP)
    assert board.player.told == []
    assert "satellite.format" in caplog.text


def test_half_a_sample_is_no_sound(board: Board) -> None:
    with pytest.raises(AudioError):
        board.obeys(START, chunk(b"abc"))


def test_stop_cuts_a_reply_and_the_rest_of_it_is_dropped(board: Board) -> None:
    said = speech("stop", "rms")
    board.obeys(START, chunk(b"ab"))
    board.plays("base-1")
    board.hears(said)
    board.stop_word.word = "stop"
    assert board.hears() == []
    assert board.player.actions == ["stop"]
    assert types(board.played("base-1", interrupted=True)) == ["played"]
    board.obeys(chunk(b"cd"), STOP)
    assert [s.samples for s in board.player.sentences] == [b"ab"]
    board.obeys(START, chunk(b"ef"), STOP)
    assert [s.samples for s in board.player.sentences] == [b"ab", b"ef", b""]


def test_stop_that_nobody_said_cuts_nothing(board: Board) -> None:
    board.obeys(START, chunk(b"ab"))
    board.plays("base-1")
    board.stop_word.word = "stop"
    board.hears()
    assert board.player.actions == []


def test_stop_without_a_reply_is_not_listened_for(board: Board) -> None:
    board.hears(speech("stop", "rms"))
    board.stop_word.word = "stop"
    board.hears()
    assert board.stop_word.word == "stop"
    assert board.player.actions == []


def test_a_wake_word_cuts_a_reply(board: Board) -> None:
    board.obeys(START, chunk(b"ab"))
    board.plays("base-1")
    assert types(board.hears(wakes="computer"))[:2] == ["detection", "run-pipeline"]
    assert board.player.actions == ["stop", "soft"]


def test_a_base_that_goes_is_not_spoken_for(board: Board) -> None:
    board.obeys(START, chunk(b"ab"))
    board.satellite.lost()
    assert board.player.actions == ["stop"]
    board.obeys(RUN, chunk(b"cd"), STOP)
    assert [s.samples for s in board.player.sentences] == [b"ab"]


def test_a_reply_that_came_whole_is_played_though_the_base_is_gone(board: Board) -> None:
    board.obeys(START, chunk(b"ab"), STOP)
    board.plays("base-1")
    board.satellite.lost()
    board.waits(PLAYS_ON_S - 0.1)
    assert board.player.actions == []
    board.waits(0.1)
    assert board.player.actions == ["stop"]  # it was to play on for seconds, not for minutes


@pytest.mark.parametrize("name", ["base-2", "own-1", ""])
def test_what_did_not_come_of_a_base_that_is_gone_is_not_cut(board: Board, name: str) -> None:
    board.obeys(START, chunk(b"ab"), STOP)
    board.satellite.lost()
    board.obeys(RUN, START, chunk(b"cd"), STOP)
    board.plays(name)
    board.waits(PLAYS_ON_S + 1)
    assert board.player.actions == []


def test_what_it_says_itself_is_dropped_behind_minutes_of_the_base(
    board: Board, caplog: pytest.LogCaptureFixture
) -> None:
    board.obeys(AudioStart(4_000, 2, 1).event(), AudioChunk(4_000, 2, 1, bytes(4_799_900)).event())
    board.obeys(STOP)
    board.satellite.lost()
    board.hears(wakes="computer")
    assert board.player.said == []
    assert "s of speech wait to be played" in caplog.text


def test_sound_of_no_length_does_not_wait_to_be_played(board: Board) -> None:
    board.obeys(START, chunk(b""), chunk(b"ab"), chunk(b""), STOP)
    assert [s.samples for s in board.player.sentences] == [b"ab", b""]


def test_what_a_base_says_is_logged_once_a_minute(
    board: Board, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(100):
        board.obeys(Error("x", code="x\n" * 100_000).event(), AudioStart(7, 2, 1).event())
    assert len(caplog.messages) == 2
    assert all(len(line) < 200 and "\n" not in line for line in caplog.messages)


# ── what is malformed ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "event",
    [
        Event("audio-start", {"rate": 16_000}),
        Event("audio-chunk", {}),
        Event("error", {}),
        Event("timer-started", {"id": "t1"}),
        Event("timer-started", {"id": "t1", "total_seconds": "ten"}),
        Event("timer-started", {"id": "t1", "total_seconds": 1e15}),
        Event("timer-updated", {"id": "t1"}),
        Event("timer-cancelled", {}),
        Event("timer-finished", {}),
    ],
)
def test_fields_that_are_missing_or_wrong_are_raised(board: Board, event: Event) -> None:
    with pytest.raises(MALFORMED):
        board.obeys(event)


@pytest.mark.parametrize("kind", ["select-wake-word", "streaming-started", "no such event"])
def test_other_events_are_passed_over(board: Board, kind: str) -> None:
    assert board.obeys(Event(kind, {"anything": 1})) == []
    assert board.player.told == []
