"""Many speak at once over Wyoming: `python -m benchmarks.peers --peers 20`.

The real daemon and `assistant rooms` run. Each peer says a command of flite's at the pace of
speech, all begin at once, and each then has the words carried out. What is measured is how long the
words take from the end of the sound on, and the reply from there.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from wyoming.asr import Transcribe
from wyoming.asr import Transcript as Transcribed
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncTcpClient

from assistant.bench.rig import running_daemon
from assistant.control.metrics import percentile
from assistant.core.messages import SAMPLE_RATE_HZ
from audio.frames import at_rate
from audio.tts.flite import Flite
from benchmarks.hearing.hours import VOICES
from benchmarks.rooms import rooms, wait_for

PORT = 10_392
HOME = Path("assistant/demo/home.yaml")
SETTINGS = f'[wyoming]\nallow = ["127.0.0.1"]\naddress = "127.0.0.1"\nport = {PORT}\n'
COMMANDS = (
    "turn on the kitchen light",
    "turn off the kitchen light",
    "set a timer for ten minutes",
    "what's the weather",
    "what's on the shopping list",
)
FORMAT = (SAMPLE_RATE_HZ, 2, 1)
PARTS = ("handled-start", "handled-chunk")
"""What comes of an answer before the whole of it."""
CHUNK_S = 0.1
TRAILING_S = 0.5
"""Seconds of silence behind a command, as who listens for its end sends them."""


class Turn(NamedTuple):
    """What one peer waited for, in milliseconds, and whether its words were right."""

    words_ms: float
    reply_ms: float
    right: bool


async def turn(text: str, sound: bytes) -> Turn:
    """Say a command at the pace of speech, and have its words carried out."""
    size = round(CHUNK_S * SAMPLE_RATE_HZ) * 2
    async with AsyncTcpClient("127.0.0.1", PORT) as client:
        for event in (Transcribe(language="en"), AudioStart(*FORMAT)):
            await client.write_event(event.event())
        began_s = time.monotonic()
        for number, at in enumerate(range(0, len(sound), size), start=1):
            await asyncio.sleep(max(0.0, began_s + number * CHUNK_S - time.monotonic()))
            await client.write_event(AudioChunk(*FORMAT, sound[at : at + size]).event())
        await client.write_event(AudioStop().event())
        ended_s = time.monotonic()
        words = await _answer(client)
        heard_s = time.monotonic()
        await client.write_event(Transcribed(words).event())
        await _answer(client)
        replied_s = time.monotonic()
    return Turn(1000 * (heard_s - ended_s), 1000 * (replied_s - ended_s), words == text)


async def _answer(client: AsyncTcpClient) -> str:
    while (event := await client.read_event()) is not None:
        if event.type not in PARTS:
            return str(event.data.get("text"))
    raise ConnectionError("hung up on")


async def _all(peers: int, rounds: int, sounds: dict[tuple[str, str], bytes]) -> list[Turn]:
    turns: list[Turn] = []
    said = itertools.cycle(sounds.items())
    for _ in range(rounds):
        some = list(itertools.islice(said, peers))
        turns += await asyncio.gather(*(turn(text, sound) for (text, _), sound in some))
    return turns


def sound(text: str, voice: str) -> bytes:
    said = Flite(voice).synthesise(text)
    quiet = np.zeros(round(TRAILING_S * SAMPLE_RATE_HZ), np.int16)
    sound = at_rate(said.pcm, said.rate_hz, SAMPLE_RATE_HZ)
    return np.concatenate([sound, quiet]).astype(np.int16).tobytes()


def main() -> None:
    """Print the waits at the median and at 95 %, and how many were heard right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    sounds = {(text, voice): sound(text, voice) for voice in VOICES for text in COMMANDS}
    with running_daemon(HOME.read_text("utf-8"), SETTINGS) as rig, rooms(rig):
        wait_for(PORT)
        turns = asyncio.run(_all(given.peers, given.rounds, sounds))
    for name in ("words_ms", "reply_ms"):
        waits = [getattr(one, name) for one in turns]
        p50, p95, longest = (percentile(waits, share) for share in (0.5, 0.95, 1.0))
        sys.stdout.write(f"{name}: {p50:.0f} p50, {p95:.0f} p95, {longest:.0f} longest\n")
    right = sum(one.right for one in turns)
    sys.stdout.write(f"heard right {right} of {len(turns)}, {given.peers} at once\n")


if __name__ == "__main__":
    main()
