"""A stand-in for the daemon, to which the rooms' connections speak."""

from __future__ import annotations

import select
import threading
from collections.abc import Iterable

import msgspec

from assistant.core.messages import (
    AudioChunk,
    Commit,
    Message,
    Speech,
    SpokenReply,
    StageFailed,
    Transcript,
    Utterance,
)
from assistant.core.settings.hearing import ListeningSettings, WakeSettings
from assistant.core.settings.wyoming import WyomingSettings
from assistant.pairing.trust import Trust
from assistant.rooms.description import description
from assistant.rooms.network import Network
from assistant.rooms.stage import RoomsStage
from assistant.rooms.wake_words import WakeWords
from tests.support.pairing import NOBODY

KEYWORDS = {"computer": 0.8, "alexa": 0.8, "zzyzx quux": 0.8}
"""The last one is known to no engine."""


class StandIn:
    """It transcribes by counting, speaks bytes, and answers by rote: each text with `replies`."""

    def __init__(self, settings: WyomingSettings, trust: Trust = NOBODY) -> None:
        self.seen: list[Message] = []
        self.replies: list[SpokenReply] = []
        words = WakeWords(WakeSettings(keywords=KEYWORDS))
        about = description("pocketsphinx", "flite", words.keywords)
        self.network = Network(settings, about, ListeningSettings(), words, trust)
        self.services = self.network.services
        self._stage = RoomsStage(self.network)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def tells(self, message: Message) -> None:
        """Have the rooms take a message of the daemon, and answer what they give."""
        for given in self._stage.feed(message):
            self.seen.append(given)
            for answer in self._answers(given):
                self.tells(answer)

    def close(self) -> None:
        """End, with every connection."""
        self._ended.set()
        self._thread.join()
        self.network.close()

    def _run(self) -> None:
        while not self._ended.is_set():
            select.select([self.network.daemon], [], [], 0.05)
            for tick in self.network.daemon.read():
                self.tells(tick)

    def _answers(self, message: Message) -> Iterable[Message]:
        if isinstance(message, Utterance):
            name = message.utterance_id
            sound = [m for m in self.seen if isinstance(m, AudioChunk) and m.utterance_id == name]
            text = f"{sum(len(chunk.samples) for chunk in sound)} bytes"
            yield Transcript(
                utterance_id=name, revision=message.revision, text=text, peer=message.peer
            )
        elif isinstance(message, SpokenReply):
            yield from _spoken(message)
        elif isinstance(message, Transcript):
            if message.text.startswith("fail"):
                code = message.text.removeprefix("fail").strip() or "skills.internal"
                yield StageFailed(
                    stage="skills", code=code, message="", utterance_id=message.utterance_id
                )
            yield from self._replies_to(message.utterance_id, message.peer)
        elif isinstance(message, Commit) and (peer := self._satellite_of(message.utterance_id)):
            for reply in self._replies_to(message.utterance_id, peer):
                yield from _spoken(reply)

    def _satellite_of(self, utterance_id: str) -> str:
        """Where something was said aloud; "" for nowhere."""
        said = (m for m in self.seen if isinstance(m, Utterance) and not m.dictated)
        return next((m.peer for m in said if m.utterance_id == utterance_id), "")

    def _replies_to(self, utterance_id: str, peer: str) -> Iterable[SpokenReply]:
        for reply in self.replies:
            yield msgspec.structs.replace(reply, utterance_id=utterance_id, peer=peer)


def _spoken(message: SpokenReply) -> Iterable[Speech]:
    """A reply as two sentences."""
    for number, last in enumerate((False, True)):
        yield Speech(
            utterance_id=message.utterance_id,
            sequence=number,
            samples=message.text.encode() * 5000,
            rate_hz=8000,
            text=message.text,
            last=last,
            listen=message.listen,
            peer=message.peer,
        )
