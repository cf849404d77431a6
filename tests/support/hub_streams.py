"""What the hub's gateways are tried on: a pool in this process, and two tenants."""

from __future__ import annotations

import asyncio
import math
import wave
from collections.abc import AsyncGenerator, Mapping
from io import BytesIO

import msgspec

from assistant.core.messages import (
    Command,
    Found,
    Interpretation,
    Message,
    Question,
    Slot,
    Speech,
    SpokenReply,
    StageFailed,
    Summarise,
    Transcript,
    Word,
)
from assistant.hub.observation.figures import StageLoad
from assistant.hub.tenants import Tenant, hash_of
from assistant.pool.admission import BUSY_REPLY
from assistant.pool.pool import BusyError
from assistant.pool.requests import PoolRequest

KEYS = {"red": "the red key", "blue": "the blue key", "grey": "the grey key"}
TENANTS = {
    name: Tenant(key=hash_of(key), requests_per_s=1.0, burst=5) for name, key in KEYS.items()
}
TENANTS["grey"] = msgspec.structs.replace(TENANTS["grey"], calls=("models",))


class Streams:
    """Understands one command, answers in two sentences, and is told who asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, PoolRequest]] = []
        self.is_ready = True

    async def stream(
        self, stage: str, request: PoolRequest, budget_s: float = math.inf, tenant: str = ""
    ) -> AsyncGenerator[Message, None]:
        self.asked.append((stage, tenant, request))
        await asyncio.sleep(0)
        match request.messages[-1]:
            case Transcript(text="fail", utterance_id=name):
                yield StageFailed(stage="nlu", code="nlu.internal", message="", utterance_id=name)
            case Transcript(text="busy"):
                raise BusyError("pool.busy", BUSY_REPLY)
            case Transcript(text=text, utterance_id=name):
                yield _meant(name, text)
            case SpokenReply(utterance_id=name, text=text):
                samples = b"" if text == "!" else bytes(2 * len(text))
                for number, last in enumerate((False, True)):
                    yield Speech(
                        utterance_id=name,
                        sequence=number,
                        samples=samples,
                        rate_hz=8_000,
                        text=text,
                        last=last,
                    )
            case Question(utterance_id=name, task=Summarise(name=what, words=words)):
                yield SpokenReply(utterance_id=name, text=f"{what} in {words} words.")
            case Question(utterance_id=name, text=text):
                yield SpokenReply(utterance_id=name, text=f"You asked {text}.", more=True)
                if text == "fail":
                    yield StageFailed(
                        stage="answer", code="answer.broken", message="", utterance_id=name
                    )
                found = Found(tier="extracted", title="the manual", place="page 3")
                yield SpokenReply(utterance_id=name, text="That is all.", found=found)
            case last:
                words = tuple(
                    Word(text=text, start_s=start_s, end_s=start_s + 0.25, confidence=0.5)
                    for text, start_s in (("lights", 0.25), ("out", 0.5))
                )
                yield Transcript(
                    utterance_id=last.utterance_id, revision=0, text="lights out", words=words
                )

    async def ready(self) -> bool:
        return self.is_ready

    async def loads(self) -> Mapping[str, StageLoad]:
        return {"nlu": StageLoad(replicas=2, tokens_outstanding=30)}


def _meant(name: str, text: str) -> Interpretation:
    slots = (Slot(name="name", value="lamp", raw="lamp"),)
    command = Command(intent="HassTurnOff", slots=slots, confidence=0.9)
    return Interpretation(utterance_id=name, revision=0, text=text, commands=(command,))


def sound(seconds: float) -> bytes:
    file = BytesIO()
    with wave.open(file, "wb") as written:
        written.setparams((1, 2, 16_000, 0, "NONE", ""))
        written.writeframes(bytes(int(seconds * 32_000)))
    return file.getvalue()
