"""How soon it hears again: `python -m benchmarks.hearing.microphones`.

On a virtual sound card (PulseAudio) a microphone is pulled out and put in again, the sound server
is killed and started, and the process is stopped and goes on, as when a machine sleeps. The seconds
are from when the microphone is there again to the first frame that is delivered. A process that
slept may still hold sound from before: there they are to the first frame of a tone that began when
it woke, and `awake` is the same without a sleep.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import soundfile

from assistant.control.metrics import percentile
from assistant.core.clock import boottime_s
from tests.support.hearing import Hearing
from tests.support.virtual_sound import VirtualSound, virtual_sound

FRAME = ("loud", "quiet")
AWAY_S = (0.3, 1.5, 3.0)
"""Seconds for which the microphone is away, in turn."""


class Again(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds until it hears again, over the repetitions."""

    times: int
    p50_s: float
    longest_s: float


def measure(times: int) -> dict[str, Again]:
    """What was done → how soon it heard again."""
    with tempfile.TemporaryDirectory() as folder, virtual_sound() as card:
        tone = Path(folder) / "tone.wav"
        soundfile.write(tone, 0.5 * np.sin(np.arange(11_025) / 10), 22_050)
        hearing = Hearing(card, "default")
        hearing.next(*FRAME)
        ways: dict[str, Callable[[float], float]] = {
            "replugged": lambda away_s: _replugged(card, hearing, away_s),
            "server restarted": lambda away_s: _restarted(card, hearing, away_s),
            "awake": lambda away_s: _toned(card, hearing, tone, lambda: time.sleep(away_s)),
            "slept": lambda away_s: _toned(card, hearing, tone, lambda: _sleep(hearing, away_s)),
            "clock jumped": lambda _: _toned(card, hearing, tone, hearing.let_clock_jump),
        }
        try:
            return {name: _again(way, times) for name, way in ways.items()}
        finally:
            hearing.close()


def _again(way: Callable[[float], float], times: int) -> Again:
    took_s = []
    for number in range(times):
        took_s.append(way(AWAY_S[number % len(AWAY_S)]))
        time.sleep(0.5 + 0.07 * (number % 7))  # not always at the same point of a retry
    p50_s, longest_s = (round(percentile(took_s, share), 3) for share in (0.5, 1.0))
    return Again(times=times, p50_s=p50_s, longest_s=longest_s)


def _replugged(card: VirtualSound, hearing: Hearing, away_s: float) -> float:
    card.unplug_microphone()
    time.sleep(away_s)
    card.plug_microphone()
    return _first(hearing, boottime_s())


def _restarted(card: VirtualSound, hearing: Hearing, away_s: float) -> float:
    card.kill_server()
    time.sleep(away_s)
    card.start_server()
    return _first(hearing, boottime_s())


def _first(hearing: Hearing, there_s: float) -> float:
    """Seconds to the first frame; a device may be found before its plugging in has returned."""
    return hearing.next(*FRAME, since_s=there_s).at_s - there_s


def _toned(card: VirtualSound, hearing: Hearing, tone: Path, away: Callable[[], object]) -> float:
    away()
    began_s = boottime_s()
    speaking = subprocess.Popen(
        ["paplay", "--device=mouth", "--latency-msec=20", str(tone)], env=card.environment
    )
    heard_s = hearing.next("loud", since_s=began_s).at_s
    speaking.wait()
    return heard_s - began_s


def _sleep(hearing: Hearing, away_s: float) -> None:
    hearing.stop()
    time.sleep(away_s)
    hearing.go_on()


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description="Measure how soon it hears again.")
    parser.add_argument("--times", type=int, default=20, help="repetitions of each")
    figures = measure(parser.parse_args().times)
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(figures)).decode() + "\n")


if __name__ == "__main__":
    main()
