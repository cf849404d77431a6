"""An utterance is offered early, and committed to once: the sooner, the surer its end is."""

from __future__ import annotations

from itertools import count

from assistant.core.messages import AudioChunk, Commit, Complete, Message, NothingHeard, Utterance
from assistant.core.settings.hearing import ListeningSettings
from audio.endpointing import Endpointing
from audio.frames import FRAME_S, SILENCE
from audio.preroll import Heard
from audio.recording import Recording

SETTINGS = ListeningSettings()


class Speaker:
    """Someone before an open microphone whose every word is judged by `whole`."""

    def __init__(self, whole: bool, goes_on: bool = False) -> None:
        self.recording = Recording(SETTINGS, "u", Endpointing(SETTINGS, 0.0), 0.0)
        self.said: list[Message] = []
        self._whole, self._goes_on = whole, goes_on
        self._frames = count(1)
        self.now_s = 0.0

    def hear(self, seconds: float, speech: bool) -> Speaker:
        for _ in range(round(seconds / FRAME_S)):
            if self.recording.over:
                break
            self.now_s = next(self._frames) * FRAME_S
            for message in self.recording.take(Heard(self.now_s, SILENCE, speech)):
                self.said.append(message)
                if isinstance(message, Utterance):
                    self.recording.judge(self.verdict(message.revision))
        return self

    def verdict(self, revision: int) -> Complete:
        told = {"complete": self._whole, "goes_on": self._goes_on}
        return Complete(utterance_id="u", revision=revision, **told)

    def end(self) -> list[Message]:
        self.said += self.recording.end()
        return [m for m in self.said if not isinstance(m, AudioChunk)]

    def heard_s(self) -> float:
        samples = sum(len(m.samples) for m in self.said if isinstance(m, AudioChunk))
        return samples / 2 / 16_000


def revisions(messages: list[Message]) -> list[tuple[str, int]]:
    return [(type(m).__name__, m.revision) for m in messages if isinstance(m, Utterance | Commit)]


def test_a_whole_sentence_is_committed_to_early() -> None:
    speaker = Speaker(whole=True).hear(1.0, True).hear(5.0, False)
    assert 1.0 + SETTINGS.complete_silence_s - FRAME_S <= speaker.now_s < 1.0 + 0.35
    assert revisions(speaker.end()) == [("Utterance", 0), ("Commit", 0)]


def test_a_whole_sentence_that_may_go_on_is_waited_for_a_little() -> None:
    speaker = Speaker(whole=True, goes_on=True).hear(1.0, True).hear(5.0, False)
    assert 1.0 + SETTINGS.open_silence_s - FRAME_S <= speaker.now_s < 1.0 + 0.6
    assert revisions(speaker.end()) == [("Utterance", 0), ("Commit", 0)]


def test_who_goes_on_after_a_whole_sentence_is_judged_anew() -> None:
    speaker = Speaker(whole=True, goes_on=True).hear(1.0, True).hear(0.3, False).hear(1.0, True)
    said = speaker.hear(5.0, False).end()
    assert revisions(said) == [("Utterance", 0), ("Utterance", 1), ("Commit", 1)]


def test_part_of_a_sentence_waits_and_is_recognised_only_once() -> None:
    speaker = Speaker(whole=False).hear(1.0, True).hear(5.0, False)
    assert 1.0 + SETTINGS.trailing_silence_s - FRAME_S <= speaker.now_s < 1.0 + 0.8
    assert revisions(speaker.end()) == [("Utterance", 0), ("Commit", 0)]
    assert speaker.heard_s() < 1.3  # the silence after the offer is nobody's business


def test_who_pauses_and_goes_on_is_heard_in_full() -> None:
    speaker = Speaker(whole=False).hear(1.0, True).hear(0.4, False).hear(1.0, True)
    speaker.hear(5.0, False)
    said = speaker.end()
    assert revisions(said) == [("Utterance", 0), ("Utterance", 1), ("Commit", 1)]
    assert speaker.heard_s() > 2.4  # the pause as well
    assert speaker.now_s > 2.4 + SETTINGS.trailing_silence_s - FRAME_S


def test_a_verdict_on_what_was_offered_before_does_not_count() -> None:
    speaker = Speaker(whole=False).hear(1.0, True).hear(0.4, False).hear(1.0, True)
    speaker.hear(0.4, False)
    speaker.recording.judge(Complete(utterance_id="u", revision=0, complete=True))
    assert not speaker.recording.over
    speaker.recording.judge(Complete(utterance_id="another", revision=1, complete=True))
    assert not speaker.recording.over
    speaker.recording.judge(Complete(utterance_id="u", revision=1, complete=True))
    assert speaker.recording.over


def test_a_short_closure_is_not_offered() -> None:
    speaker = Speaker(whole=True).hear(0.5, True).hear(0.15, False).hear(0.5, True)
    assert revisions(speaker.said) == []


def test_nobody_spoke() -> None:
    said = Speaker(whole=True).hear(6.0, False).end()
    assert said == [NothingHeard(utterance_id="u")]


def test_who_never_stops_is_cut_off() -> None:
    speaker = Speaker(whole=True).hear(20.0, True)
    assert speaker.now_s < SETTINGS.longest_s + 0.1
    assert revisions(speaker.end()) == [("Utterance", 0), ("Commit", 0)]
