"""The apologies that are spoken when a part of the assistant fails, and how often at most."""

from __future__ import annotations

from collections import deque

from assistant.core.errors import UnreachableError
from assistant.core.messages import (
    DeviceChanged,
    Message,
    SafeModeEntered,
    Simplify,
    StageFailed,
    StageRestarted,
)
from assistant.core.parts import Trouble

PARTS = {
    "audio": "hearing",
    "asr": "speech recognition",
    "nlu": "understanding",
    "skills": "skills",
    "answer": "answering",
    "voice": "voice",
}
"""Stage → its name for the user."""

DEVICES = {
    ("microphone", False): "My microphone is gone.",
    ("microphone", True): "I can hear again.",
    ("loudspeaker", True): "My loudspeaker is back.",
    ("broker", False): "I have lost the connection to your home.",
    ("broker", True): "I am connected to your home again.",
}
"""Device and whether it is present → what is said; no voice can report a lost loudspeaker."""

OF_SEVERAL = {False: "One of my microphones is gone.", True: "One of my microphones is back."}
"""Whether a microphone is present → what is said where there are others."""

FULL = {
    "storage.full": "I couldn't save that: my disk is full.",
    "storage.quota": "I couldn't save that: it is more than I may keep.",
    "storage.unwritable": "I couldn't save that: my disk cannot be written.",
    "storage.io": "I couldn't save that: my disk is full, or it has failed.",
}
"""Code → what is said about a command that was not carried out because it could not be stored."""

MODELS = {
    "manifest": "The list of my models is missing or damaged. "
    "Until it is mended I go without them.",
    "intent": "The model that I guess meanings with is missing or damaged. "
    "Until it is mended I understand my own sentences only.",
    "ner": "The model that I find names with is missing or damaged. "
    "Until it is mended I understand my own sentences only.",
    "whisper": "The model that I recognise speech with is missing or damaged. "
    "Until it is mended I hear less well.",
    "sentences": "What I recognise my own sentences with is missing or damaged. "
    "Until it is mended I hear less well.",
    "acoustic": "The model that I hear across a room with is missing or damaged. "
    "Until it is mended I hear less well.",
    "piper": "The model that I speak with is missing or damaged. "
    "Until it is mended I have another voice.",
    "reader": "The model that I read documents with is missing or damaged. "
    "Until it is mended I go by their words alone.",
    "generator": "The model that I word answers with is missing or damaged. "
    "Until it is mended I say what I find as it stands there.",
}
"""Part of a stage → what is said when the stage works without it."""

TROUBLES: dict[Trouble, str] = {
    "slow": "I am slow just now.",
    "failing": "Something keeps failing in my {part}.",
    "worse": "My answers have become worse.",
    "queued": "I have much to do just now.",
}
"""What is wrong with a stage → how that is said, of the `part` that the stage is to the user."""

SIMPLER = {
    "asr": "For a while I understand only what I know well.",
    "nlu": "For a while I understand my own sentences only.",
    "answer": "For a while I say what I find as it stands there.",
    "voice": "For a while I have another voice.",
}
"""Stage → what its simpler path means for the user."""

UNHEARD = "codec."
"""Beginning of the codes for bytes that were no message: nobody waits for an answer to them."""

SAME_EVERY_S = 15.0
"""Seconds within which the same words are said at most once."""
AT_MOST, WITHIN_S = 4, 60.0
"""Most apologies, and the seconds within which they are counted."""


def words_for(message: Message) -> str:
    """What to say about `message`; "" when it needs no words."""
    match message:
        case StageFailed(code=code) if code.startswith(UNHEARD):
            return ""
        case StageFailed(code=code) if code in FULL:
            return FULL[code]
        case StageFailed(stage=stage, part=part) if part in MODELS and stage != "skills":
            return MODELS[part]
        case StageFailed(code=UnreachableError.CODE, part=part):
            return f"Sorry, I can't reach the server of the skill {part}."
        case StageFailed(part=part) if part:
            return f"Sorry, something went wrong in the skill {part}."
        case StageFailed(stage=stage):
            return f"Sorry, something went wrong in my {_part(stage)}."
        case StageRestarted(stage=stage):
            return f"Sorry, my {_part(stage)} stopped for a moment. I'm back."
        case SafeModeEntered(stage=stage):
            return (
                f"I have switched off my {_part(stage)} after several failures. "
                "The command assistant doctor helps to find out why."
            )
        case Simplify(stage=stage, why=why, for_s=for_s, again=False) if for_s and stage in SIMPLER:
            return f"{TROUBLES[why].format(part=_part(stage))} {SIMPLER[stage]}"
        case DeviceChanged(present=present, others=others) if others:
            return OF_SEVERAL[present]
        case DeviceChanged(device=device, present=present):
            return DEVICES.get((device, present), "")
    return ""


def _part(stage: str) -> str:
    return PARTS.get(stage, stage)


class Restraint:
    """Lets an apology through unless it, or too many of any kind, were said just now."""

    def __init__(self) -> None:
        self._said_at_s: deque[tuple[float, str]] = deque()

    def allows(self, words: str, at_s: float) -> bool:
        """Whether `words` may be said at `at_s` (CLOCK_BOOTTIME); counts them as said if so."""
        while self._said_at_s and at_s - self._said_at_s[0][0] >= WITHIN_S:
            self._said_at_s.popleft()
        repeated = any(w == words and at_s - s < SAME_EVERY_S for s, w in self._said_at_s)
        if repeated or len(self._said_at_s) >= AT_MOST:
            return False
        self._said_at_s.append((at_s, words))
        return True
