"""Many satellites hear something at once: `python -m benchmarks.satellites --satellites 20`.

`--beside` compares one satellite with the device's own microphone: a command is said to both by
turns, and the daemon's events time both, from the end of speech to the first sound of the reply.

The real daemon and `assistant rooms` run, and connect to simulated satellites, each in a room that
hears no other. In each somebody says the wake word and a command of flite's at the pace of
speech, all at once. What is measured is how long it takes from the end of the sound to the first
sound of the reply, whether the words were heard right, and for how long the reply has gaps where it
is played as it comes. With `--bad-network` a bad Wi-Fi is between them.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
from wyoming.audio import AudioChunk
from wyoming.event import Event, async_read_event, async_write_event
from wyoming.info import Attribution, Info
from wyoming.info import Satellite as SatelliteInfo
from wyoming.ping import Ping, Pong
from wyoming.pipeline import PipelineStage, RunPipeline
from wyoming.snd import Played
from wyoming.wake import Detection

from assistant.bench.rig import Rig, running_daemon
from assistant.control.metrics import percentile
from assistant.core.messages import SAMPLE_RATE_HZ
from assistant.rooms.detection import Noticed
from audio.frames import at_rate
from audio.tts.flite import Flite
from benchmarks.bad_network import BadNetwork
from benchmarks.hearing.hours import VOICES
from benchmarks.peers import COMMANDS, FORMAT, HOME
from benchmarks.rooms import rooms

FIRST_PORT = 10_410
BEHIND = 100
"""How much further the port is at which a bad network is before a satellite's."""
CHUNK_MS = 64
"""How much sound most satellites send at a time; one of Hark's own sends 32 ms."""
NOTICED_S = 0.2
"""Seconds after its end at which the wake word is noticed."""
LONGEST_S = 40.0


class Said(NamedTuple):
    """A command behind the wake word: its sound, and where in it the wake word ends."""

    text: str
    sound: bytes
    keyword_s: float


class Turn(NamedTuple):
    """What became of a command that was replied to."""

    reply_ms: float
    """From the end of its sound to the reply's first sound."""
    gaps_ms: float
    """Silence within the reply."""


class Measured(NamedTuple):
    """The turns, None for one without a reply; what was said, and connections made again."""

    turns: list[Turn | None]
    said: list[str]
    lost: int


class Satellite:
    """A satellite that says one thing, and waits for the first sound of the reply."""

    def __init__(self, number: int, chunk_ms: int = CHUNK_MS) -> None:
        self.port, self._chunk_s = FIRST_PORT + number, chunk_ms / 1000
        self.ready = asyncio.Event()
        self.connections = 0
        self._replied, self._over = asyncio.Event(), asyncio.Event()
        self._stopped = False
        self._played_to_s = self._gaps_s = 0.0
        self._writer: asyncio.StreamWriter | None = None

    async def listen(self) -> None:
        """Listen for the base; raises `OSError` where the port is taken."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)

    def close(self) -> None:
        """Listen no more."""
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self.connections += 1
        about = Attribution(name="", url="")
        described = SatelliteInfo(
            name="", attribution=about, installed=True, description=None, version=None
        )
        while (event := await _event(reader)) is not None:
            if event.type == "describe":
                await async_write_event(Info(satellite=described).event(), writer)
            elif event.type == "run-satellite":
                self.ready.set()
            elif Ping.is_type(event.type):
                await async_write_event(Pong(Ping.from_event(event).text).event(), writer)
            elif event.type == "transcript":
                self._stopped = True
            elif AudioChunk.is_type(event.type):
                self._play(AudioChunk.from_event(event).seconds)
            elif event.type == "audio-stop":
                self._over.set()
                await async_write_event(Played().event(), writer)
        writer.close()

    def _play(self, seconds: float) -> None:
        """Play a part of the reply behind those before it, or as it comes where they are over."""
        now_s = time.monotonic()
        if self._replied.is_set():
            self._gaps_s += max(0.0, now_s - self._played_to_s)
        self._played_to_s = max(now_s, self._played_to_s) + seconds
        self._replied.set()

    async def turn(self, said: Said) -> Turn | None:
        """Say a command, and wait for the end of the reply; None for none."""
        writer = self._writer
        if writer is None:
            raise ConnectionError("no base has come")
        self._replied.clear()
        self._over.clear()
        self._stopped, self._gaps_s = False, 0.0
        chunk_s = self._chunk_s
        size = round(chunk_s * SAMPLE_RATE_HZ) * 2
        starts = range(0, len(said.sound), size)
        pieces = [said.sound[at : at + size].ljust(size, b"\0") for at in starts]
        before = round((said.keyword_s + NOTICED_S) / chunk_s)
        began_s = time.monotonic()
        await asyncio.sleep(before * chunk_s)
        noticed = Noticed(preroll_s=before * chunk_s, keyword_ended_s=NOTICED_S + 0.25)
        wake = Detection(name="computer", context=noticed.context())
        run = RunPipeline(PipelineStage.ASR, PipelineStage.TTS, wake_word_name="computer")
        for event in (wake.event(), run.event()):
            await async_write_event(event, writer)
        for number in itertools.count():
            piece = pieces[number] if number < len(pieces) else bytes(size)
            if number >= before:
                await asyncio.sleep(began_s + (number + 1) * chunk_s - time.monotonic())
            if self._stopped:
                break
            await async_write_event(AudioChunk(*FORMAT, piece).event(), writer)
        ended_s = began_s + len(pieces) * chunk_s
        try:
            async with asyncio.timeout(LONGEST_S):
                await self._replied.wait()
                replied_s = time.monotonic()
                await self._over.wait()
        except TimeoutError:
            return None
        return Turn(1000 * (replied_s - ended_s), 1000 * self._gaps_s)


async def _event(reader: asyncio.StreamReader) -> Event | None:
    """The next event; None at the end, as asyncio of Python 3.11 logs a task that is cancelled."""
    try:
        return await async_read_event(reader)
    except asyncio.CancelledError:
        return None


def said(text: str, voice: str) -> Said:
    flite = Flite(voice)
    parts = [flite.synthesise(one) for one in ("computer", text)]
    sounds = [at_rate(one.pcm, one.rate_hz, SAMPLE_RATE_HZ) for one in parts]
    return Said(text, np.concatenate(sounds).tobytes(), len(sounds[0]) / SAMPLE_RATE_HZ)


async def _measured(count: int, rounds: int, bad_network: bool) -> Measured:
    satellites = [Satellite(number) for number in range(count)]
    for one in satellites:
        await one.listen()
    serving = list[asyncio.Task[None]]()
    if bad_network:
        networks = [BadNetwork(one.port, one.port + BEHIND) for one in satellites]
        serving += [asyncio.create_task(one.serve()) for one in networks]
    await asyncio.gather(*(one.ready.wait() for one in satellites))
    commands = itertools.cycle([said(text, voice) for voice in VOICES for text in COMMANDS])
    await satellites[0].turn(next(commands))  # the first of all loads what the others use
    turns, texts = list[Turn | None](), list[str]()
    connected = sum(one.connections for one in satellites)
    for _ in range(rounds):
        await asyncio.sleep(8.0)  # the replies are over
        now = list(itertools.islice(commands, count))
        texts += [one.text for one in now]
        turns += await asyncio.gather(*map(Satellite.turn, satellites, now))
    for task in serving:
        task.cancel()
    for one in satellites:
        one.close()
    lost = sum(one.connections for one in satellites) - connected
    return Measured(turns, texts, lost)


async def _by_turns(rig: Rig, rounds: int, chunk_ms: int) -> dict[str, list[float]]:
    """Milliseconds of each turn, by the satellite's name, "" for the device itself."""
    satellite = Satellite(0, chunk_ms)
    await satellite.listen()
    await satellite.ready.wait()
    took: dict[str, list[float]] = {"": [], "r0": []}
    commands = itertools.cycle([said(text, voice) for voice in VOICES for text in COMMANDS])
    for number, command in enumerate(itertools.islice(commands, rounds + 1)):
        for peer in took:
            watching = asyncio.create_task(asyncio.to_thread(_timed, rig))
            await asyncio.sleep(1.0)  # it follows the events
            if peer:
                await satellite.turn(command)
            else:
                await asyncio.to_thread(rig.play, np.frombuffer(command.sound, np.int16))
            ms = await watching
            if ms is not None and number:  # the first of all loads what the others use
                took[peer].append(ms)
    satellite.close()
    return took


def _timed(rig: Rig) -> float | None:
    """Milliseconds from the end of what is said next to the reply; None for none."""
    ended_s: dict[str, float] = {}
    found: float | None = None
    until_s = time.monotonic() + LONGEST_S
    for event in rig.control.follow("watch", LONGEST_S):
        if event["type"] == "Utterance":
            ended_s[event["utterance_id"]] = event["speech_ended_at_s"]
        elif event["type"] == "PlaybackStarted" and event["utterance_id"] in ended_s:
            found = 1000 * (event["at_s"] - ended_s[event["utterance_id"]])
        elif event["type"] == "PlaybackEnded" and found is not None:
            break
        if time.monotonic() > until_s:
            break
    return found


def measure_beside(rounds: int, chunk_ms: int) -> dict[str, list[float]]:
    """Milliseconds from the end of speech to the reply: of the device, and of a satellite."""
    with running_daemon(HOME.read_text("utf-8"), _settings(1, False)) as rig, rooms(rig):
        return asyncio.run(_by_turns(rig, rounds, chunk_ms))


def _settings(count: int, bad_network: bool) -> str:
    first = FIRST_PORT + (BEHIND if bad_network else 0)
    return "".join(
        f'[wyoming.satellites.r{number}]\naddress = "127.0.0.1"\n'
        f'port = {first + number}\nearshot = "r{number}"\n'
        for number in range(count)
    )


def measure(count: int, rounds: int, bad_network: bool) -> tuple[Measured, int, int]:
    """The turns, how many commands were heard right, and the memory of the rooms in MB."""
    settings = _settings(count, bad_network)
    with running_daemon(HOME.read_text("utf-8"), settings) as rig, rooms(rig) as process:
        heard = Counter[str]()
        threading.Thread(target=_listen, args=(rig, heard), daemon=True).start()
        measured = asyncio.run(_measured(count, rounds, bad_network))
        status = Path(f"/proc/{process.pid}/status").read_text()
        memory = int(status.partition("VmHWM:")[2].split()[0]) // 1024
    return measured, (heard & Counter(measured.said)).total(), memory


def _listen(rig: Rig, heard: Counter[str]) -> None:
    """Count the words that are recognised, until the daemon ends."""
    words: dict[str, str] = {}
    for event in rig.control.follow("watch"):
        if event.get("type") == "Transcript":
            words[event["utterance_id"]] = event["text"]
        elif event.get("type") == "Reply" and (text := words.pop(event["utterance_id"], "")):
            heard[text.removeprefix("computer ")] += 1


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description="Measure satellites that hear at once.")
    parser.add_argument("--satellites", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bad-network", action="store_true", help="a bad Wi-Fi between them")
    parser.add_argument("--beside", action="store_true", help="compare one with the device itself")
    told = "how much sound the satellite beside the device sends at a time"
    parser.add_argument("--chunk-ms", type=int, default=CHUNK_MS, help=told)
    given = parser.parse_args()
    if given.beside:
        for name, waits in measure_beside(given.rounds, given.chunk_ms).items():
            p50, p95 = (round(percentile(waits, share)) for share in (0.5, 0.95))
            who = "the satellite" if name else "the device"
            sys.stdout.write(f"{who}: {len(waits)} turns, reply p50 {p50} ms, p95 {p95} ms\n")
        return
    measured, right, memory = measure(given.satellites, given.rounds, given.bad_network)
    turns = measured.turns
    served = [one for one in turns if one is not None]
    waits, gaps = ([getattr(one, name) for one in served] for name in ("reply_ms", "gaps_ms"))
    p50, p95 = (round(percentile(waits, share)) for share in (0.5, 0.95))
    sys.stdout.write(
        f"{len(turns)} turns, {len(served)} replied to, {right} heard "
        f"right; reply p50 {p50} ms, p95 {p95} ms; gaps in {sum(map(bool, gaps))} replies, "
        f"{max(gaps):.0f} ms at the most; {measured.lost} times lost; rooms {memory} MB\n"
    )


if __name__ == "__main__":
    main()
