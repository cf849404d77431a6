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
    """The turns that go on, by the id of their utterance, and when the last one ended.

    Each satellite has a floor of its own, "" is that of the device.
    """

    def __init__(self) -> None:
        self._peers: dict[str, str] = {}
        """Utterance that goes on → the satellite where that is."""
        self._lapses_at_s: dict[str, float] = {}
        self._ended_at_s: dict[str, float] = {}

    def observe(self, message: Message, at_s: float) -> None:
        """Note what was heard, or what is given to be said."""
        if not self._ended_at_s:  # what was said before nobody knows
            self._ended_at_s[""] = at_s
        match message:
            case Woke():
                self._go_on(message.utterance_id, at_s + SPEAKING_S, message.peer)
            case SpokenReply():
                self._go_on(message.utterance_id, at_s + ANSWERING_S, message.peer)
            case Commit() | Question():
                self._go_on(message.utterance_id, at_s + ANSWERING_S)
            case PlaybackStarted():
                self._go_on(message.utterance_id, at_s + PLAYING_S, message.peer)
            case PlaybackEnded() | NothingHeard() | Outheard():
                self._lapses_at_s.pop(message.utterance_id, None)
                self._ended_at_s[self._peers.pop(message.utterance_id, "")] = at_s

    def free_at_s(self, at_s: float, pause_s: float, peer: str = "") -> float:
        """When nobody will have spoken there for `pause_s`, as far as is known at `at_s`."""
        for utterance_id in [u for u, lapse in self._lapses_at_s.items() if lapse <= at_s]:
            there, lapse = self._peers.pop(utterance_id, ""), self._lapses_at_s.pop(utterance_id)
            self._ended_at_s[there] = max(self._ended_at_s.get(there, 0.0), lapse)
        going_on = (s for u, s in self._lapses_at_s.items() if self._peers.get(u, "") == peer)
        ended_at_s = self._ended_at_s.get(peer, at_s - pause_s)
        return max(max(going_on, default=0.0), ended_at_s) + pause_s

    def _go_on(self, utterance_id: str, lapses_at_s: float, peer: str | None = None) -> None:
        self._lapses_at_s[utterance_id] = lapses_at_s
        if peer is not None:
            self._peers[utterance_id] = peer
