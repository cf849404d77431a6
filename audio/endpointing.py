"""Endpointing: finds when speech begins, and when the person has finished.

    WAITING   speech for 0.1 s                    → SPEAKING
    WAITING   nobody spoke for `nothing_said_s`   → NOTHING    (the microphone closes)
    SPEAKING  silence                             → TRAILING
    TRAILING  speech again                        → SPEAKING
    TRAILING  silence for `trailing_silence_s`    → ENDED
    SPEAKING, TRAILING  open for `longest_s`      → ENDED

The caller gives the time. A short sound (a click, one wrong decision of the VAD) neither begins
speech nor prolongs it. Speech before the microphone opened, said together with the wake word, is
stepped through like the rest, so "stop" ends as soon as any other sentence.
"""

from __future__ import annotations

from enum import Enum, auto

from assistant.core.settings.hearing import ListeningSettings
from audio.frames import FRAME_S

BEGINS_AFTER_S = 0.09
GOES_ON_AFTER_S = 0.06
SYLLABLE_GAP_S = 0.2


class Phase(Enum):
    """The state of an open microphone."""

    WAITING = auto()
    SPEAKING = auto()
    TRAILING = auto()
    ENDED = auto()
    NOTHING = auto()


class EndpointEvent(Enum):
    """What one step of time means."""

    SPEECH = auto()
    SILENCE = auto()
    LONG_SILENCE = auto()
    NOBODY = auto()
    TOO_LONG = auto()


TRANSITIONS: dict[tuple[Phase, EndpointEvent], Phase] = {
    (Phase.WAITING, EndpointEvent.SPEECH): Phase.SPEAKING,
    (Phase.WAITING, EndpointEvent.NOBODY): Phase.NOTHING,
    (Phase.SPEAKING, EndpointEvent.SILENCE): Phase.TRAILING,
    (Phase.SPEAKING, EndpointEvent.TOO_LONG): Phase.ENDED,
    (Phase.TRAILING, EndpointEvent.SPEECH): Phase.SPEAKING,
    (Phase.TRAILING, EndpointEvent.LONG_SILENCE): Phase.ENDED,
    (Phase.TRAILING, EndpointEvent.TOO_LONG): Phase.ENDED,
}


class Endpointing:
    """One open microphone, from `opened_at_s` until its phase is ENDED or NOTHING.

    Steps begin at `heard_from_s`, which lies before it when the pre-roll holds speech already;
    `begins_after_s` of speech is taken for a person.
    """

    def __init__(
        self,
        settings: ListeningSettings,
        opened_at_s: float,
        heard_from_s: float | None = None,
        begins_after_s: float = BEGINS_AFTER_S,
    ) -> None:
        self._settings, self._begins_after_s = settings, begins_after_s
        self._opened_at_s = opened_at_s
        self._heard_from_s = opened_at_s if heard_from_s is None else heard_from_s
        self._run_s = 0.0
        self._voiced_at_s = float("-inf")
        self.phase = Phase.WAITING
        self.speech_s = 0.0
        self.speech_ended_at_s = opened_at_s

    def step(self, at_s: float, speech: bool) -> Phase:
        """Advance to a frame's end, with or without `speech` since the last; return the phase."""
        # Not the time since the last frame's end: what a network held up comes at once.
        lasts_s = min(FRAME_S, at_s - self._heard_from_s)
        self._heard_from_s = float("-inf")  # only the first may have begun before
        if speech:
            if at_s - self._voiced_at_s > SYLLABLE_GAP_S:
                self._run_s = 0.0
            self._voiced_at_s = at_s
            self._run_s += lasts_s
            self.speech_s += lasts_s
        event = self._event(at_s, speech)
        if event is EndpointEvent.SPEECH:
            self.speech_ended_at_s = at_s
        self.phase = TRANSITIONS.get((self.phase, event), self.phase)
        return self.phase

    @property
    def over(self) -> bool:
        """Whether nothing more is expected."""
        return self.phase in (Phase.ENDED, Phase.NOTHING)

    def _event(self, at_s: float, speech: bool) -> EndpointEvent:
        waiting = self.phase is Phase.WAITING
        if not waiting and at_s - self._opened_at_s >= self._settings.longest_s:
            return EndpointEvent.TOO_LONG
        if speech and self._run_s >= (self._begins_after_s if waiting else GOES_ON_AFTER_S):
            return EndpointEvent.SPEECH
        if waiting:
            patience_s = self._settings.nothing_said_s
            return (
                EndpointEvent.NOBODY
                if at_s - self._opened_at_s >= patience_s
                else EndpointEvent.SILENCE
            )
        quiet_s = at_s - self.speech_ended_at_s
        long = quiet_s >= self._settings.trailing_silence_s
        return EndpointEvent.LONG_SILENCE if long else EndpointEvent.SILENCE
