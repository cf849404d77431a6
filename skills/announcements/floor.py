"""Who has the floor: whether somebody speaks, or is spoken to, so that others wait.

Its news are broadcasts and may be lost, so that every turn lapses in the end.

| news                                   | the turn lasts                            |
|----------------------------------------|-------------------------------------------|
| the wake word, or an open microphone   | until nothing is heard, or `SPEAKING_S`   |
| words that are to be acted on, a reply | until it is played, or `ANSWERING_S`      |
| a reply is played                      | until it was, or `PLAYING_S`              |
"""

from __future__ import annotations

from assistant.core.messages import (
    Commit,
    Message,
    NothingHeard,
    Outheard,
    PlaybackEnded,
    PlaybackStarted,
    Question,
    SpokenReply,
    Woke,
)

SPEAKING_S = 20.0
ANSWERING_S = 15.0
PLAYING_S = 120.0


class Floor:
    """The turns that go on, by the id of their utterance, and when the last one ended."""

    def __init__(self) -> None:
        self._lapses_at_s: dict[str, float] = {}
        self._ended_at_s: float | None = None

    def observe(self, message: Message, at_s: float) -> None:
        """Note what was heard, or what is given to be said."""
        if self._ended_at_s is None:  # what was said before nobody knows
            self._ended_at_s = at_s
        match message:
            case Woke():
                self._lapses_at_s[message.utterance_id] = at_s + SPEAKING_S
            case Commit() | Question() | SpokenReply():
                self._lapses_at_s[message.utterance_id] = at_s + ANSWERING_S
            case PlaybackStarted():
                self._lapses_at_s[message.utterance_id] = at_s + PLAYING_S
            case PlaybackEnded() | NothingHeard() | Outheard():
                self._lapses_at_s.pop(message.utterance_id, None)
                self._ended_at_s = at_s

    def free_at_s(self, at_s: float, pause_s: float) -> float:
        """When nobody will have spoken for `pause_s`, as far as is known at `at_s`."""
        over = [lapse for lapse in self._lapses_at_s.values() if lapse <= at_s]
        if over:
            self._ended_at_s = max(over)
            going_on = {u: s for u, s in self._lapses_at_s.items() if s > at_s}
            self._lapses_at_s = going_on
        last_s = max(self._lapses_at_s.values(), default=0.0)
        return max(last_s, self._ended_at_s or at_s) + pause_s
